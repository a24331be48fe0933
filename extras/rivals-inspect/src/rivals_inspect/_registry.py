"""What inspect_ai finds by its entry point: a hook that prints the comparison when a run ends."""

from __future__ import annotations

import os
from typing import Any

from inspect_ai.hooks import Hooks, RunEnd, hooks

from rivals_inspect import compare


@hooks(name="rivals", description="Which model would win again, printed when a run ends")
class Rivals(Hooks):
    """Compares the models of one run."""

    def enabled(self) -> bool:
        """Only where it was asked for."""
        return os.environ.get("RIVALS_INSPECT", "") not in ("", "0")

    async def on_run_end(self, data: RunEnd) -> None:
        """Print; an evaluation never fails for it."""
        print(said([log.location for log in data.logs]))


def said(logs: list[Any]) -> str:
    """The comparison, or why there is none."""
    try:
        return str(compare([str(each).removeprefix("file://") for each in logs]))
    except (ValueError, TypeError, OSError, ImportError) as error:
        return f"rivals: {error}"
