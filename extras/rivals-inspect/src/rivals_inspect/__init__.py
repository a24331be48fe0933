"""rivals beside inspect_ai: which model would win again on new tasks, or new items."""

from __future__ import annotations

from typing import Any

import rivals

# How scores become losses; all else is about the comparison.
OF_READING = ("metric", "reducer", "new", "higher_is_better", "missing", "cluster")


def compare(logs: Any, **options: Any) -> rivals.Comparison:
    """Compare the models of logs of inspect_ai.

    Parameters
    ----------
    logs : path, several paths, or mapping
        As `rivals.read.evaluations` takes them.
    **options
        Of `rivals.read.evaluations`, and of `rivals.compare`.

    Returns
    -------
    rivals.Comparison
    """
    reading = {name: options.pop(name) for name in OF_READING if name in options}
    return rivals.compare(rivals.read.evaluations(logs, **reading), **options)
