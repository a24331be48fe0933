"""`rivals inspect`: which models of some logs would win again."""

from __future__ import annotations

from typing import Annotated

import typer

from rivals_inspect import compare

NAMED, UNDECIDED = 0, 3


def inspect(
    logs: Annotated[list[str], typer.Argument(help="Logs of inspect_ai, or folders of them.")],
    metric: Annotated[str | None, typer.Option(help="Which score, if there are several.")] = None,
    reducer: Annotated[
        str | None, typer.Option(help="How epochs become one score, as pass_at_2.")
    ] = None,
    new: Annotated[str | None, typer.Option(help="What is drawn anew: tasks or items.")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Metadata that says which items belong together.")
    ] = None,
) -> int:
    """Say which models would win again on new tasks, or on new items of these.

    The exit status is 0 if a winner is named, 3 if none is, and 2 after an error.
    """
    asked = {"metric": metric, "reducer": reducer, "new": new, "cluster": cluster}
    result = compare(logs, **{name: each for name, each in asked.items() if each is not None})
    print(result)
    return NAMED if result.survivors == (result.best,) else UNDECIDED
