"""The page itself: a template filled with names as text and numbers as JSON, nothing fetched from anywhere."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Any

from rivals._checks import need, show
from rivals._files import replacing
from rivals.comparison import Comparison
from rivals.comparison.methods import methods
from rivals.comparison.shown import made_with, verdicts
from rivals.comparison.table import cells_of, rows_of
from rivals.report.contents import MOST_DRAWN, contents, page_columns
from rivals.report.runs import Progress, adjustable
from rivals.report.sentences import (
    about_probabilities,
    command,
    doubts,
    extreme_losses,
    notes,
    provenance,
    why_no_slider,
)


def write_report(
    result: Comparison,
    path: str | PathLike[str],
    *,
    title: str = "Which models survive replication?",
    c: Sequence[float] | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write one self-contained, interactive HTML page about a comparison.

    Parameters
    ----------
    result : Comparison
    path : path
        The file to write. It is written beside it first and then moved.
    title : str
        Heading of the page.
    c : sequence of float, optional
        The values of c that the slider offers, beside the comparison's own; each is computed now. By default 27 from 2⁻⁸ to
        2⁵, under law "beta" 14, and 7 where there are more than 32 models. There is no slider for groups without simulations,
        which have no c, nor where a calibration decides, which holds at one c.
    progress : callable, optional
        `progress(done, total)` is called as values of c are computed.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), rng=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(result, Path(folder) / "report.html", c=[0.25, 1.0])
    ...     page.read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
    text = render(result, title=title, c=c, progress=progress)
    with replacing(path) as file:
        file.write(text.encode("utf-8"))
    return Path(path)


def render(
    result: Comparison, *, title: str, c: Sequence[float] | None = None, progress: Progress | None = None
) -> str:
    """The text of the page."""
    environment = _environment()
    rows = rows_of(result)
    columns = page_columns(rows)
    script, style = _part("verdict.js") + _part("page.js"), _part("page.css")
    return str(
        environment.get_template("page.html").render(
            title=title,
            result=result,
            simulated=result.applied.losses[0].n_simulations,
            verdict=verdicts(result)[0],
            remarks=doubts(result),
            made_with=made_with(result),
            why_no_slider=why_no_slider(result),
            adjustable=adjustable(result),
            columns=columns,
            rows=cells_of(rows, columns),
            extremes=extreme_losses(result, result.ranking[:MOST_DRAWN]),
            notes=notes(result),
            about_probabilities=about_probabilities(result),
            command=command(result),
            provenance=provenance(result),
            methods=methods(result),
            data=embedded(contents(result, c, progress)),
            script=script,
            style=style,
            script_hash=_hash(script),
            style_hash=_hash(style),
        )
    )


def embedded(value: Any) -> str:
    """JSON that can stand in a script element: no `<` that could end it, none of JavaScript's odd line ends."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _environment() -> Any:
    jinja2 = need("jinja2", extra="report", purpose="reports")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_part), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    environment.filters["show"] = show
    return environment


def _part(name: str) -> str:
    return (resources.files("rivals.report") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """What the page's own policy allows to run: this text and no other."""
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
