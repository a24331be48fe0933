"""From files, and what they are said to be, to a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rivals._compare import compare
from rivals._core.cells import CellSummaries
from rivals._core.losses import Losses
from rivals._core.setting import Setting
from rivals._core.summaries import GroupSummaries
from rivals._result.comparison import Comparison, load
from rivals.cli.console import say
from rivals.cli.options import names

LOGS = (".eval", ".jsonl")
# Which options have a meaning, by what is read.
OF_TABLES = (
    *("groups", "weights", "models", "ignore", "clusters", "by", "order", "unit"),
    "left_out",
)
OF_LOSSES = (*OF_TABLES, "loss_name", "simulated", "log_likelihood")
OF_PREDICTIONS = (*OF_TABLES, "target", "loss")
OF_EVALUATIONS = (*("score", "metric", "missing", "reducer", "new", "cluster", "higher_is_better"),)


def compared(
    sources: Sequence[str], files: Mapping[str, Any], setting: Mapping[str, Any], **options: Any
) -> Comparison:
    """The comparison that files and options ask for; a saved one is decided again."""
    asked = {name: value for name, value in options.items() if value}
    Setting.of({**setting, "c": None})  # wrong options are refused before anything is read
    if len(sources) == 1 and sources[0].endswith(".npz"):
        _allow((), {**files, **asked}, "a saved comparison holds its losses and its method")
        return load(sources[0]).at(**setting)
    found, labels = read(sources, files)
    if isinstance(found, (GroupSummaries, CellSummaries)):
        return compare(found, **setting, **asked)
    labels |= {name: files.get(name) for name in ("order", "weights")}
    return compare(found, **labels, **setting, **asked)


def read(
    sources: Sequence[str], files: Mapping[str, Any]
) -> tuple[GroupSummaries | CellSummaries | Mapping[str, Losses], dict[str, Any]]:
    """Losses or summaries from files, and the labels of clusters and segments."""
    is_evaluation = bool({*OF_EVALUATIONS} & set(files))
    if all(source.endswith(".json") for source in sources) and not is_evaluation:
        from rivals.read._summaries import summaries

        _allow((), files, "summaries hold what `rivals summarise` was told when it made them")
        return summaries(list(sources)), {}
    if is_evaluation or any(source.endswith(LOGS) or Path(source).is_dir() for source in sources):
        return _evaluations(sources, files), {}
    if len(sources) > 1:
        raise ValueError(
            f"{len(sources)} files were given, {', '.join(sources[:3])}: one table is expected, or "
            "several .json files of sites; losses on simulations come by --simulated"
        )
    return _table(sources[0], files)


def _table(source: str, files: Mapping[str, Any]) -> tuple[Mapping[str, Losses], dict[str, Any]]:
    from rivals.read._frames import opened

    is_predictions = "target" in files
    allowed = OF_PREDICTIONS if is_predictions else OF_LOSSES
    read_as = "predictions" if is_predictions else "losses, which --loss-name names"
    _allow(allowed, files, f"{source} is read as {read_as}")
    beside = {name: files[name] for name in ("clusters", "by") if name in files}
    frame = opened(source, [*files.get("groups", []), *beside.values()])
    said = ("groups", "loss", "loss_name", "unit", "left_out")
    same = {name: files[name] for name in said if name in files}
    same["models"] = names(files.get("models"), "--models")
    same["ignore"] = names(files.get("ignore"), "--ignore") or []
    same["ignore"] = [*same["ignore"], *beside.values()]
    labels = {name: frame.grouping(column, name) for name, column in beside.items()}
    if is_predictions:
        from rivals.read._predictions import predictions

        return predictions(frame, target=files["target"], **same), labels
    from rivals.read._table import table

    drawn, turned = files.get("simulated"), files.get("log_likelihood", False)
    losses = table(frame, drawn, log_likelihood=turned, **same)
    say_losses(frame.where, losses, "log likelihoods" if turned else "losses")
    return losses, labels


def say_losses(where: str, models: Iterable[str], read_as: str = "losses") -> None:
    """Predictions may look like losses: say what a table was read as."""
    say(
        f"{where}: read as {read_as} of {', '.join(models)}; for predictions give --target, the "
        "column of what came true"
    )


def _evaluations(sources: Sequence[str], files: Mapping[str, Any]) -> dict[str, Losses]:
    from rivals.read._evaluations import evaluations

    _allow(OF_EVALUATIONS, files, "evaluations are read")
    if "score" in files and len(sources) > 1:
        raise ValueError("--score: one table is expected; put all scores into one")
    return evaluations(sources[0] if len(sources) == 1 else list(sources), **files)


def _allow(allowed: Sequence[str], given: Mapping[str, Any], why: str) -> None:
    """Refuse options that have no meaning for what is read."""
    wrong = [f"--{name.replace('_', '-')}" for name in given if name not in allowed]
    if wrong:
        raise ValueError(f"{', '.join(wrong)}: without a meaning here, since {why}; leave it out")
