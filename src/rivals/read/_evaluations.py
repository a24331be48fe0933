"""Evaluations of models on tasks: logs of inspect_ai, of lm-evaluation-harness, or a table.

Tasks are the groups and items the points: what a leaderboard is asked is whether its order would
hold on new tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np

from rivals._core.cautions import warn
from rivals._core.checks import check_printable
from rivals._core.grouping import Grouping
from rivals._core.losses import Losses, Provenance
from rivals._core.texts import Refusal, opt
from rivals._core.types import BoolArray, FloatArray, IntArray
from rivals.read._evaluation_logs import Score, is_table, scores_of_logs
from rivals.read._frames import Frame, listed, opened


def evaluations(
    source: Any,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    missing: Literal["refuse", "drop"] = "refuse",
    model: str = "model",
    task: str = "task",
    item: str = "item",
    score: str = "score",
    run: str = "run",
) -> dict[str, Losses]:
    """Read scores of items in tasks as losses.

    Parameters
    ----------
    source : path, several paths, mapping or data frame
        - Logs of inspect_ai (.eval or .json), or sample files of lm-evaluation-harness
          (samples_*.jsonl beside their results_*.json): files, or folders of them. A mapping
          name → path or paths gives models other names, as for one model with two prompts.
        - A table, as a file or data frame, with one score in each row.
    metric : str, optional
        Which score, where logs have several of an item, as "accuracy" or "exact_match,none".
    higher_is_better : bool, optional
        By default what the logs say, else yes: losses are then 1 − score for scores between 0 and
        1, and −score otherwise.
    missing : {"refuse", "drop"}
        What to do about items that some models lack.
    model, task, item, score, run : str
        The columns of a table. Without a column of items each task is one; repeated runs of an item
        are averaged.

    Returns
    -------
    dict
        Name → `Losses`, with the tasks as groups.

    Examples
    --------
    >>> import polars
    >>> scores = polars.DataFrame(
    ...     {
    ...         "model": ["a", "a", "b", "b"],
    ...         "task": ["sums", "words", "sums", "words"],
    ...         "score": [0.9, 0.5, 0.75, 0.25],
    ...     }
    ... )
    >>> evaluations(scores)["b"].observed.tolist()
    [0.25, 0.75]
    """
    if missing not in ("refuse", "drop"):
        raise ValueError(f"missing must be 'refuse' or 'drop'; got {missing!r}")
    if is_table(source):
        named = {"model": model, "task": task, "item": item, "score": score, "run": run}
        found = _from_table(opened(source, labels=[model, task, item, run]), named)
    else:
        found = _from_logs(scores_of_logs(_named(source), metric))
    return _losses(found, higher_is_better, missing)


@dataclass(frozen=True)
class _Scores:
    """One score in each row; nan where an item was not scored."""

    models: Grouping
    tasks: Grouping
    items: Grouping
    runs: Grouping | None
    values: FloatArray
    higher_is_better: BoolArray | None
    metric: str
    library: str


def _named(source: Any) -> list[tuple[str | None, Any]]:
    """Paths, with the name of the model if that was given."""
    if isinstance(source, (str, bytes, PathLike)):
        return [(None, source)]
    if isinstance(source, Mapping):
        return [
            (str(name), path)
            for name, paths in source.items()
            for path in ([paths] if isinstance(paths, (str, bytes, PathLike)) else paths)
        ]
    return [(None, path) for path in source]


def _from_table(frame: Frame, columns: Mapping[str, str]) -> _Scores:
    """Columns by their roles; those of items and runs may lack, if nobody asked for them."""
    given = {
        role: name
        for role, name in columns.items()
        if name in frame.columns or role not in ("item", "run") or name != role
    }
    for role, name in given.items():
        frame.check_there(role, name)
    once = Grouping(np.zeros(frame.n_rows, dtype=np.intp), ("",), "item")
    values = frame.numbers(given["score"], "score")
    return _Scores(
        frame.grouping(given["model"], "model"),
        frame.grouping(given["task"], "task"),
        frame.grouping(given["item"], "item") if "item" in given else once,
        frame.grouping(given["run"], "run") if "run" in given else None,
        _finite(values, f"{frame.where}, score {given['score']!r}"),
        None,
        given["score"],
        "",
    )


def _from_logs(scores: list[Score]) -> _Scores:
    def labels(of: Iterable[str], noun: str) -> Grouping:
        # Two items may be called 1 and 01: names in logs are no numbers.
        places: dict[str, int] = {}
        codes = np.array([places.setdefault(each, len(places)) for each in of], dtype=np.intp)
        return Grouping(codes, tuple(places), noun)

    check_printable("tasks", list(dict.fromkeys(each.task for each in scores)))
    directions = {each.higher_is_better for each in scores}
    higher = np.array([each.higher_is_better is not False for each in scores])
    metrics = {each.metric for each in scores}
    return _Scores(
        labels((each.model for each in scores), "model"),
        labels((each.task for each in scores), "task"),
        labels((each.item for each in scores), "item"),
        labels((each.run for each in scores), "run"),
        _finite(np.array([each.value for each in scores]), "the logs"),
        None if directions == {None} else higher,
        metrics.pop() if len(metrics) == 1 else "",
        scores[0].library,
    )


def _finite(values: FloatArray, where: str) -> FloatArray:
    if np.isinf(values).any():
        raise ValueError(f"{where}: {int(np.isinf(values).sum())} scores are infinite")
    return values


def _losses(
    scores: _Scores, higher_is_better: bool | None, missing: Literal["refuse", "drop"]
) -> dict[str, Losses]:
    """One loss of each model at each item."""
    point, first_rows = _points(scores)
    tasks = scores.tasks.codes[first_rows]
    n_models, n_points = len(scores.models.names), first_rows.size
    cells = scores.models.codes * n_points + point
    _check_once(scores, cells, first_rows)
    turned, name = _turned(scores, higher_is_better)
    scored = ~np.isnan(turned)
    size = n_models * n_points
    count = np.bincount(cells[scored], minlength=size).reshape(n_models, n_points)
    total = np.bincount(cells[scored], weights=turned[scored], minlength=size)
    there = count > 0
    kept = there.all(axis=0)
    if not kept.all():
        _report_missing(scores, there, first_rows, missing)
    rows = np.bincount(cells, minlength=size).reshape(n_models, n_points)
    _report_unscored_runs(scores, there & (count < rows), first_rows)
    means = total.reshape(n_models, n_points)[:, kept] / count[:, kept]
    labels = np.array(scores.tasks.names, dtype=object)[tasks[kept]]
    places: dict[str, int] = {}
    codes = np.array([places.setdefault(label, len(places)) for label in labels], dtype=np.intp)
    groups = Grouping(codes, tuple(places), "task")
    said = Provenance(loss=name, left_out=False, point="item", library=scores.library)
    return {
        model: Losses(row, groups=groups, source=said)
        for model, row in zip(scores.models.names, means, strict=True)
    }


def _points(scores: _Scores) -> tuple[IntArray, IntArray]:
    """The item of each row, an item being one of its task, and the first row of each."""
    together = scores.tasks.codes * len(scores.items.names) + scores.items.codes
    _, first_rows, codes = np.unique(together, return_index=True, return_inverse=True)
    return codes, first_rows


def _check_once(scores: _Scores, cells: IntArray, first_rows: IntArray) -> None:
    """Refuse two scores of one item by one model in one run."""
    runs = np.zeros(1, dtype=np.intp) if scores.runs is None else scores.runs.codes
    n_runs = int(runs.max()) + 1
    keys, first, count = np.unique(cells * n_runs + runs, return_index=True, return_counts=True)
    if keys.size == cells.size:
        return
    row = int(first[count > 1][0])
    hint = "name the column of runs by run=" if scores.runs is None else "in the same run"
    raise ValueError(
        f"model {scores.models.names[scores.models.codes[row]]!r} has {count.max()} scores of "
        f"{_item(scores, row)}; if these are repeated runs, {hint}"
        if scores.runs is None
        else f"model {scores.models.names[scores.models.codes[row]]!r} has {count.max()} scores of "
        f"{_item(scores, row)} {hint}; one is expected"
    )


def _item(scores: _Scores, row: int) -> str:
    task = scores.tasks.names[scores.tasks.codes[row]]
    item = scores.items.names[scores.items.codes[row]]
    return f"item {item!r} of task {task!r}" if item else f"task {task!r}"


def _turned(scores: _Scores, higher_is_better: bool | None) -> tuple[FloatArray, str]:
    """Losses, lower is better, and what they are called."""
    values = scores.values
    with np.errstate(invalid="ignore"):
        is_part = bool(np.nanmin(values) >= 0.0 and np.nanmax(values) <= 1.0)
    if not scores.metric and not is_part:
        raise Refusal(
            "tasks have different metrics, and not all scores are between 0 and 1, so that tasks "
            f"have no common scale; choose one by {opt.metric}, or rescale them in a table"
        )
    metric = scores.metric or "score"
    higher: Any = scores.higher_is_better
    if higher_is_better is not None or higher is None:
        higher = np.full(values.size, higher_is_better is not False)
    turned = np.where(higher, 1.0 - values if is_part else -values, values)
    if not higher.any():
        return turned, metric
    if not higher.all():
        return turned, f"{metric}, turned round where higher is better"
    return turned, f"1 − {metric}" if is_part else f"negative {metric}"


def _report_missing(
    scores: _Scores, there: BoolArray, first_rows: IntArray, missing: Literal["refuse", "drop"]
) -> None:
    """Say which items some models lack."""
    lacking = ~there.all(axis=0)
    by_model = (~there).sum(axis=1)
    worst = int(by_model.argmax())
    row = int(first_rows[np.flatnonzero(~there[worst])[0]])
    who = [scores.models.names[place] for place in np.flatnonzero(by_model)]
    found = (
        f"{lacking.sum()} of {lacking.size} items have no score of some models ({listed(who)}); "
        f"{scores.models.names[worst]!r} lacks {by_model[worst]}, first {_item(scores, row)}"
    )
    if missing == "refuse":
        raise ValueError(f"{found}; leave these items out by missing='drop', or these models")
    if lacking.all():
        raise ValueError(f"{found}; no item is left that all models have")
    tasks = scores.tasks.codes[first_rows]
    left = set(tasks[~lacking].tolist())
    gone = [scores.tasks.names[task] for task in sorted(set(tasks.tolist()) - left)]
    warn(f"{found}; these items are left out" + (f", with tasks {listed(gone)}" if gone else ""))


def _report_unscored_runs(scores: _Scores, partly: BoolArray, first_rows: IntArray) -> None:
    """Say which items were scored in some of their runs alone."""
    if not partly.any():
        return
    model, point = (int(place) for place in np.argwhere(partly)[0])
    warn(
        f"{partly.sum()} items were not scored in all of their runs, the first "
        f"{_item(scores, int(first_rows[point]))} of {scores.models.names[model]!r}; they are "
        "averaged over the runs that scored them"
    )
