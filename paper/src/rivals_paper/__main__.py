"""`python -m rivals_paper NAME ...`, the same as `rivals reproduce NAME ...`."""

import typer

from rivals_paper.command import reproduce

typer.run(reproduce)
