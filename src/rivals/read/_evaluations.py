"""Evaluations of models on tasks: logs of inspect_ai, of lm-evaluation-harness, or a table.

Tasks are the groups and items the points: what a leaderboard is asked is whether its order would
hold on new tasks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import nan
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote, urlparse

import numpy as np

from rivals._core.cautions import warn
from rivals._core.checks import check_printable
from rivals._core.grouping import Grouping, noun_of
from rivals._core.losses import Losses, Provenance
from rivals._core.setting import one_of
from rivals._core.texts import Refusal, either, opt
from rivals._core.types import BoolArray, FloatArray, IntArray
from rivals.read._evaluation_logs import (
    Score,
    head_of,
    is_table,
    number_of,
    scores_of_logs,
    told_apart,
)
from rivals.read._frames import Frame, listed, opened

# Columns that what inspect's `samples_df` returns always has.
SAMPLES_OF_INSPECT = {"eval_id", "sample_id", "log", "id", "epoch"}
# Fewer tasks cannot show how tasks differ.
LEAST_TASKS = 3
# What a name of a score says of its direction, word by word.
HIGHER = {
    *("accuracy", "acc", "match", "correct", "correctness", "em", "f1", "bleu", "rouge", "recall"),
    *("precision", "reward", "pass", "includes", "win", "winrate", "auc", "r2", "mcc", "ndcg"),
    *("similarity", "quality", "success", "likelihood", "loglikelihood"),
}
LOWER = {
    *("error", "errors", "loss", "perplexity", "ppl", "nll", "brier", "wer", "cer", "ter", "mae"),
    *("mse", "rmse", "crps", "distance", "bpb", "bits", "toxicity", "hallucination", "cost"),
}


def evaluations(
    source: Any,
    *,
    metric: str | None = None,
    reducer: str | None = None,
    new: Literal["tasks", "items"] | None = None,
    higher_is_better: bool | None = None,
    missing: Literal["refuse", "drop"] = "refuse",
    model: str = "model",
    task: str = "task",
    item: str = "item",
    score: str = "score",
    run: str = "run",
    cluster: str | None = None,
) -> dict[str, Losses]:
    """Read scores of items in tasks as losses.

    Parameters
    ----------
    source : path, several paths, mapping or data frame
        - Logs of inspect_ai (.eval or .json), or sample files of lm-evaluation-harness
          (samples_*.jsonl beside their results_*.json): files, or folders of them. Logs of one
          model and task with different settings (prompt, solver, generation) are several models,
          whose names say what differs. A mapping name → path or paths gives other names.
        - What `inspect_ai.analysis.samples_df` returned.
        - A table, as a file or data frame, with one score in each row.
    metric : str, optional
        Which score, where there are several of an item, as "accuracy" or "exact_match,none".
    reducer : str, optional
        How repeated runs (epochs) of an item become one score: "mean", "median", "mode", "max",
        "at_least_2", "pass_at_2" (of any k). By default what the logs say, else "mean".
    new : {"tasks", "items"}, optional
        What a replication draws anew: tasks, by default where there are three or more; or items of
        these tasks, by default of one or two. Tasks weigh the same in both.
    higher_is_better : bool, optional
        By default what logs say, or what the name of the score means; where neither tells, it has
        to be said. Losses are 1 − score for scores between 0 and 1 that are better if higher.
    missing : {"refuse", "drop"}
        What to do about items that some models lack.
    model, task, item, score, run : str
        The columns of a table. Without a column of items each task is one.
    cluster : str, optional
        The column, or the metadata, that says which items belong together, as those of one passage:
        these are then drawn together.

    Returns
    -------
    dict
        Name → `Losses`, with the tasks, or the clusters, as groups.

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
    one_of("refuse", "drop")("missing", missing)
    if new is not None:
        one_of("tasks", "items")("new", new)
    if is_table(source):
        named = {"model": model, "task": task, "item": item, "score": score, "run": run}
        named |= {} if cluster is None else {"cluster": cluster}
        frame = opened(source, labels=[name for name in named.values() if name != score])
        of_samples = set(frame.columns) >= SAMPLES_OF_INSPECT
        found = _of_samples(frame, metric, cluster) if of_samples else _from_table(frame, named)
    else:
        found = _from_logs(scores_of_logs(_named(source), metric, cluster), cluster)
    return _losses(found, _Asked(reducer, new, higher_is_better, missing))


class _Asked(NamedTuple):
    """What scores are to become."""

    reducer: str | None
    new: str | None
    higher_is_better: bool | None
    missing: str


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
    clusters: Grouping | None = None
    reducers: tuple[str, ...] = ()
    is_log: bool = False


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
        frame.grouping(given["cluster"], "cluster") if "cluster" in given else None,
    )


def _of_samples(frame: Frame, metric: str | None, cluster: str | None) -> _Scores:
    """The rows of inspect's `samples_df`, with model, task and settings from the logs they name."""
    scored = [name for name in frame.columns if name.startswith("score_")]
    column = f"score_{metric}" if metric else scored[0] if len(scored) == 1 else ""
    if column not in scored:
        raise Refusal(
            f"{opt['metric']}: the samples have the scores "
            f"{listed([name.removeprefix('score_') for name in scored])}; choose one by "
            f"{opt.metric}"
        )

    def texts(name: str) -> list[str]:
        return [str(each) for each in frame.data[name].to_list()]

    heads = {log: _head(log) for log in dict.fromkeys(texts("log"))}
    belongs = [""] * frame.n_rows
    if cluster is not None:
        frame.check_there("cluster", f"metadata_{cluster}")
        belongs = texts(f"metadata_{cluster}")
    values = frame.data[column].to_list()
    rows = zip(texts("log"), texts("id"), texts("epoch"), values, belongs, strict=True)
    metric = column.removeprefix("score_")
    found = []
    for log, item, epoch, value, belonging in rows:
        where = f"{frame.where}, sample {item!r}, {metric}"
        # A data frame has nan where there is no score.
        number = number_of(None if value is None or value != value else value, where)
        found.append(
            replace(
                heads[log],
                item=item,
                run=f"{log} {epoch}",
                metric=metric,
                value=number,
                cluster=belonging,
            )
        )
    return _from_logs(told_apart(found), cluster)


def _head(log: str) -> Score:
    """What a log that samples are of says of all of them."""
    path = Path(unquote(urlparse(log).path)) if log.startswith("file:") else Path(log)
    if not path.is_file():
        raise FileNotFoundError(
            f"{log}: the samples are of this log, which is not there; model, task and settings "
            "stand in it: read the samples where the logs are, or give a table with columns model, "
            "task, item, run and score"
        )
    return head_of(path)


def _from_logs(scores: list[Score], cluster: str | None) -> _Scores:
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
        labels((each.cluster for each in scores), noun_of(cluster)) if cluster else None,
        tuple(dict.fromkeys(name for each in scores for name in each.reducers)),
        is_log=True,
    )


def _finite(values: FloatArray, where: str) -> FloatArray:
    if np.isinf(values).any():
        raise ValueError(f"{where}: {int(np.isinf(values).sum())} scores are infinite")
    return values


def _losses(scores: _Scores, asked: _Asked) -> dict[str, Losses]:
    """One loss of each model at each item."""
    point, first_rows = _points(scores)
    tasks = scores.tasks.codes[first_rows]
    n_models, n_points = len(scores.models.names), first_rows.size
    cells = scores.models.codes * n_points + point
    _check_once(scores, cells, first_rows)
    higher, is_part, name = _direction(scores, asked.higher_is_better)
    reducer = _reducer(scores, asked.reducer)
    scored = ~np.isnan(scores.values)
    size = n_models * n_points
    count = np.bincount(cells[scored], minlength=size).reshape(n_models, n_points)
    there = count > 0
    kept = there.all(axis=0)
    if not kept.all():
        _report_missing(scores, there, first_rows, asked.missing)
    rows = np.bincount(cells, minlength=size).reshape(n_models, n_points)
    _report_unscored_runs(scores, there & (count < rows), first_rows)
    if reducer == "mean" or (reducer in REDUCERS and count.max() == 1):
        total = np.bincount(cells[scored], weights=scores.values[scored], minlength=size)
        with np.errstate(invalid="ignore"):
            reduced = total.reshape(n_models, n_points) / count
    else:
        reduced = _reduced(scores, reducer, cells[scored], size).reshape(n_models, n_points)
        name += f" ({reducer})"
    reduced, first_rows, tasks = reduced[:, kept], first_rows[kept], tasks[kept]
    up = higher[first_rows]
    losses = np.where(up, 1.0 - reduced if is_part else -reduced, reduced)
    if up.all():
        name = f"1 − {name}" if is_part else f"negative {name}"
    elif up.any():
        name = f"{name}, turned round where higher is better"
    groups, losses = _units(scores, asked.new, losses, first_rows, tasks)
    said = Provenance(loss=name, left_out=False, point="item", library=scores.library)
    return {
        model: Losses(row, groups=groups, source=said)
        for model, row in zip(scores.models.names, losses, strict=True)
    }


def _by_appearance(codes: IntArray, of: Grouping, noun: str) -> Grouping:
    """Labels of what is left, in the order in which they first appear."""
    seen, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return Grouping(rank[inverse], tuple(of.names[code] for code in seen[order].tolist()), noun)


def _units(
    scores: _Scores, new: str | None, losses: FloatArray, first_rows: IntArray, tasks: IntArray
) -> tuple[Grouping | None, FloatArray]:
    """What a replication draws anew, and losses whose mean over that is the mean over tasks.

    Of new items of the same tasks, an item (or cluster) g of task t has the influence
    u_i = R + (C n_g / (T n_t)) (x_i − x̄_t), with C clusters in T tasks of n_t items: the mean of
    the clusters' means is R, the mean over tasks, and its error that of a stratified sample.
    """
    of_tasks = _by_appearance(tasks, scores.tasks, "task")
    n_items, n_tasks = of_tasks.sizes, len(of_tasks.names)
    several = bool((n_items > 1).any())
    if new == "tasks" or (new is None and (n_tasks >= LEAST_TASKS or not several)):
        return of_tasks, losses
    clusters = None
    noun, owners = "item", np.arange(tasks.size)
    if scores.clusters is not None:
        noun = scores.clusters.noun
        # A cluster is one of its task.
        codes = tasks * len(scores.clusters.names) + scores.clusters.codes[first_rows]
        _, owners = np.unique(codes, return_inverse=True)
        names = tuple(
            f"{scores.tasks.names[task]}: {scores.clusters.names[each]}"
            if n_tasks > 1
            else scores.clusters.names[each]
            for task, each in (divmod(int(code), len(scores.clusters.names)) for code in codes)
        )
        clusters = Grouping.of(np.array(names, dtype=object), noun)
    size = np.bincount(owners)[owners]
    n_owners = int(owners.max()) + 1
    first_of = np.unique(owners, return_index=True)[1]
    per_task = np.bincount(of_tasks.codes[first_of], minlength=n_tasks)
    if per_task.min() < 2:
        name = of_tasks.names[int(per_task.argmin())]
        raise Refusal(
            f"{opt['new']}: task {name!r} has one {noun} alone, which cannot show how its {noun}s "
            "differ; leave the task out, or ask for new tasks"
        )
    means = np.stack([np.bincount(of_tasks.codes, weights=row) for row in losses]) / n_items
    apart = losses - means[:, of_tasks.codes]
    scale = n_owners * size / (n_tasks * n_items[of_tasks.codes])
    return clusters, means.mean(axis=1)[:, None] + scale * apart


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


def _direction(scores: _Scores, higher_is_better: bool | None) -> tuple[BoolArray, bool, str]:
    """Whether each score is better if higher, whether all lie between 0 and 1, and their name."""
    values = scores.values
    with np.errstate(invalid="ignore"):
        is_part = bool(np.nanmin(values) >= 0.0 and np.nanmax(values) <= 1.0)
    if not scores.metric and not is_part:
        raise Refusal(
            "tasks have different metrics, and not all scores are between 0 and 1, so that tasks "
            f"have no common scale; choose one by {opt.metric}, or rescale them in a table"
        )
    metric = scores.metric or "score"
    if higher_is_better is None and scores.higher_is_better is not None:
        return scores.higher_is_better, is_part, metric
    if higher_is_better is None:
        higher_is_better = meant_by(metric)
    if higher_is_better is None and scores.is_log and is_part:
        higher_is_better = True  # scorers of inspect give 1 to what is right
    if higher_is_better is None:
        lower = either("higher_is_better=False", "--lower-is-better")
        raise Refusal(
            f"{opt['higher_is_better']}: whether a higher {metric!r} is better cannot be told from "
            f"its name; say {opt.higher_is_better(True)}, or {lower}"
        )
    return np.full(values.size, higher_is_better), is_part, metric


def meant_by(name: str) -> bool | None:
    """Whether higher is better, as far as the name of a score says so.

    Examples
    --------
    >>> meant_by("exact_match,none"), meant_by("word_perplexity"), meant_by("brier_score")
    (True, False, False)
    >>> meant_by("length") is None
    True
    """
    words = set(re.split(r"[^a-z0-9]+", name.lower()))
    low, high = bool(words & LOWER), bool(words & HIGHER)
    if low != high:
        return high
    return True if "score" in words and not low else None


def _reducer(scores: _Scores, asked: str | None) -> str:
    """How runs become one score: as asked, or as the logs say."""
    if asked is None and len(scores.reducers) > 1:
        raise Refusal(
            f"{opt['reducer']}: the logs reduce epochs by {listed(list(scores.reducers))}; choose "
            f"one by {opt.reducer}"
        )
    reducer = asked or (scores.reducers[0] if scores.reducers else "mean")
    if reducer not in REDUCERS and not COUNTED.fullmatch(reducer):
        raise Refusal(
            f"{opt['reducer']} must be mean, median, mode, max, at_least_K or pass_at_K; got "
            f"{reducer!r}"
        )
    return reducer


def _reduced(scores: _Scores, reducer: str, cells: IntArray, size: int) -> FloatArray:
    """The scores of each cell reduced to one; nan without any.

    pass@k = 1 − C(n − c, k)/C(n, k) of c right ones among n runs is unbiased; right is a score of 1
    or more.
    """
    values = scores.values[~np.isnan(scores.values)]
    count = np.bincount(cells, minlength=size)
    right = np.bincount(cells, weights=values >= 1.0, minlength=size)
    counted = COUNTED.fullmatch(reducer)
    if counted is not None:
        k = int(counted[2])
        few = (count < k) & (count > 0)
        if few.any():
            cell = int(np.flatnonzero(few)[0])
            name = scores.models.names[cell // (size // len(scores.models.names))]
            raise Refusal(
                f"{opt['reducer']}: {reducer} needs {k} runs of each item or more; model {name!r} "
                f"has {count[cell]} of one; run more epochs, or ask for a "
                "smaller number"
            )
        if counted[1] == "at_least":
            return np.where(count > 0, (right >= k).astype(np.float64), nan)
        missed = np.ones(size)
        for each in range(k):
            missed *= np.maximum(count - right - each, 0.0) / np.maximum(count - each, 1)
        return np.where(count > 0, 1.0 - missed, nan)
    order = np.lexsort((values, cells))
    begins = np.cumsum(count) - count
    found = np.full(size, nan)
    for cell in np.flatnonzero(count).tolist():
        own = values[order[begins[cell] : begins[cell] + count[cell]]]
        found[cell] = REDUCERS[reducer](own)
    return found


def _mode(values: FloatArray) -> float:
    """The most common value; of several the least."""
    found, counts = np.unique(values, return_counts=True)
    return float(found[counts.argmax()])


REDUCERS: dict[str, Callable[[FloatArray], Any]] = {
    "mean": np.mean,
    "median": np.median,
    "mode": _mode,
    "max": np.max,
}
COUNTED = re.compile(r"(at_least|pass_at)_([1-9]\d*)")


def _report_missing(scores: _Scores, there: BoolArray, first_rows: IntArray, missing: str) -> None:
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
