"""Scores in logs of inspect_ai, and in sample files of lm-evaluation-harness.

Logs come from anywhere: nothing in them is run, and what is no log is said in a sentence.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import nan
from os import PathLike, fsdecode
from pathlib import Path
from typing import Any

from rivals._core.optional import need
from rivals._core.texts import Refusal, opt
from rivals.read._frames import PARQUET, TEXT, listed

# Characters of a file of JSON that are read: more are no log of scores.
LARGEST = 2**31
# As inspect_ai's `value_to_float` has them: correct, incorrect, partial, no answer.
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.\-]+)\.jsonl")
INSPECT = "inspect_ai"
HARNESS = "lm-evaluation-harness"
NOT_SCORED = {"": {"value": None}}
# What two logs of one model and task must share, if they are repeated runs.
SAME = ("task_version", "task_args", "solver", "solver_args", "model_args", "model_generate_config")


@dataclass(frozen=True)
class Score:
    """One score of one item; nan, and perhaps without a metric, where it was not scored."""

    model: str
    task: str
    item: str
    run: str
    metric: str
    value: float
    higher_is_better: bool | None
    library: str
    settings: str = ""


def is_table(source: Any) -> bool:
    """Whether a source is a data frame, or by its name a file that holds a table."""
    if isinstance(source, (str, bytes, PathLike)):
        name = fsdecode(source).lower().removesuffix(".gz")
        return name == "-" or name.endswith((*TEXT, *PARQUET))
    return hasattr(source, "columns") or hasattr(source, "read")


def scores_of_logs(named: list[tuple[str | None, Any]], metric: str | None) -> list[Score]:
    """All scores of one metric in files and folders; a name goes before that in the log."""
    found: list[Score] = []
    paths: dict[Path, str | None] = {}
    for name, source in named:
        for path in _logs_in(Path(fsdecode(source))):
            if paths.setdefault(path.resolve(), name) != name:
                raise ValueError(
                    f"{path}: this log is given to {paths[path.resolve()]!r} and {name!r}"
                )
    for path, name in paths.items():
        read = _of_harness if path.suffix == ".jsonl" else _of_inspect
        try:
            scores = list(read(path))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{path}: this is no log of {INSPECT} or {HARNESS} ({error!r})"
            ) from None
        if not scores:
            raise ValueError(f"{path}: there are no scores in this log; leave it out")
        found += scores if name is None else [replace(each, model=name) for each in scores]
    libraries = sorted({each.library for each in found})
    if len(libraries) > 1:
        raise ValueError(f"logs of {' and of '.join(libraries)} were given; read them one by one")
    if not found:
        raise ValueError("no log was given")
    _check_settings(found)
    return _of_metric(found, metric)


def _logs_in(path: Path) -> list[Path]:
    """A log, or those in a folder and its folders."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise FileNotFoundError(f"{path}: there is no such file or folder")
    names = (path.rglob(f"*{ending}") for ending in (".eval", ".json", ".jsonl"))
    found = sorted(each for several in names for each in several)
    # Results of the harness are read with their samples.
    logs = [each for each in found if not each.name.startswith("results_")]
    if not logs:
        raise ValueError(f"{path}: there is no .eval, .json or samples_*.jsonl in this folder")
    return logs


def _check_settings(scores: list[Score]) -> None:
    """Refuse to average logs of one model and task that were made in different ways."""
    seen: dict[tuple[str, str], str] = {}
    for each in scores:
        first = seen.setdefault((each.model, each.task), each.settings)
        if first != each.settings:
            raise ValueError(
                f"model {each.model!r} has logs of task {each.task!r} with different settings "
                f"({first[:80]} and {each.settings[:80]}); give each its own name by a mapping "
                "name → paths"
            )


def _of_metric(scores: list[Score], metric: str | None) -> list[Score]:
    """The scores of the metric that is asked for, or of the only one of each task."""
    metrics: dict[str, dict[str, None]] = {}
    for each in scores:
        names = metrics.setdefault(each.task, {})
        if each.metric:
            names[each.metric] = None
    for task, names in metrics.items():
        if not names:
            raise ValueError(f"task {task!r}: no item was scored; leave its logs out")
        if metric is None and len(names) > 1:
            raise Refusal(
                f"task {task!r} has several scores of an item: {listed(list(names))}; choose one "
                f"by {opt.metric}"
            )
        if metric is not None and metric not in names:
            raise Refusal(
                f"{opt['metric']}: task {task!r} has no {metric!r}, but {listed(list(names))}"
            )
    asked = {task: metric or next(iter(names)) for task, names in metrics.items()}
    found = [each for each in scores if each.metric == asked[each.task]]
    scored = set(map(_place, found))
    lacking = {_place(each): each for each in scores if _place(each) not in scored}
    without = [replace(each, metric=asked[each.task], value=nan) for each in lacking.values()]
    return found + without


def _place(score: Score) -> tuple[str, str, str, str]:
    return score.model, score.task, score.item, score.run


def _json(text: str | bytes, where: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(f"{where}: its JSON is nested too deeply for a log") from None
    except ValueError as error:
        raise ValueError(f"{where}: this is no JSON ({error})") from None


def _text(path: Path) -> str:
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{path}: more than {LARGEST} bytes are not read as one log")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: this is no text in UTF-8 ({error.reason})") from None


def _number(value: Any, where: str) -> float:
    """A score as a number; nan where there is none."""
    if value is None:
        return nan
    if isinstance(value, str):
        known = LETTERS.get(value, WORDS.get(value.strip().lower()))
        if known is not None:
            return known
    if isinstance(value, (str, int, float)):
        try:
            return float(value)
        except (ValueError, OverflowError):
            pass
    raise ValueError(f"{where}: expected a number as a score; got {str(value)[:60]!r}")


# ---------------------------------------------------------------- inspect_ai


def _of_inspect(path: Path) -> Iterator[Score]:
    header, samples = _archive(path) if path.suffix == ".eval" else _whole(path)
    head = header["eval"]
    if header["status"] != "success":
        raise ValueError(
            f"{path}: the status of this evaluation is {header['status']!r}, not 'success'; finish "
            "it (inspect eval-retry), or leave it out"
        )
    model, task = str(head["model"]), str(head["task"])
    settings = json.dumps({name: head.get(name) for name in SAME}, sort_keys=True)
    for sample in samples:
        item, epoch = str(sample["id"]), sample["epoch"]
        for scorer, found in (sample.get("scores") or NOT_SCORED).items():
            value = found["value"]
            parts = value if isinstance(value, dict) else {"": value}
            for part, each in parts.items():
                metric = f"{scorer}/{part}" if part else scorer
                where = f"{path}, sample {item!r}, {metric}"
                yield Score(
                    model,
                    task,
                    item,
                    f"{path.name} {epoch}",
                    metric,
                    _number(each, where),
                    None,
                    INSPECT,
                    settings,
                )


def _whole(path: Path) -> tuple[Any, list[Any]]:
    log = _json(_text(path), str(path))
    return log, log["samples"] or []


def _archive(path: Path) -> tuple[Any, list[Any]]:
    """An .eval file: a zip of JSON, compressed by zstandard, which Python reads from 3.14 on."""
    if sys.version_info < (3, 14):
        need("zipfile_zstd", extra="evaluations", purpose="logs of inspect_ai (.eval)")
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = {each.filename: each.file_size for each in archive.infolist()}
            names = ["summaries.json"]  # of all samples, without what was said
            if names[0] not in sizes:
                names = [name for name in sizes if name.startswith("samples/")]
            read = ["header.json", *names]
            if sum(sizes.get(name, 0) for name in read) > LARGEST:
                raise ValueError(f"{path}: more than {LARGEST} bytes are not read as one log")
            contents = [archive.read(name) for name in read]
    except (KeyError, ValueError):
        raise
    except Exception as error:  # each decompressor has errors of its own
        raise ValueError(f"{path}: this .eval file cannot be read ({error})") from None
    header, *found = map(_json, contents, (f"{path}, {name}" for name in read))
    return header, found[0] if names == ["summaries.json"] else found


# ---------------------------------------------------------------- lm-evaluation-harness


def _of_harness(path: Path) -> Iterator[Score]:
    """Samples of a task, with the model and the directions from the results beside them."""
    match = SAMPLES.fullmatch(path.name)
    if match is None:
        raise ValueError(f"{path}: expected samples_TASK_DATE.jsonl of {HARNESS} (--log_samples)")
    results_path = path.with_name(f"results_{match[2]}.json")
    if not results_path.is_file():
        raise ValueError(
            f"{path}: {results_path.name} is not beside it, which says the model, and whether "
            "higher is better"
        )
    results = _json(_text(results_path), str(results_path))
    directions = results["higher_is_better"]
    # Names of tasks are changed in names of files.
    task = next((name for name in directions if re.sub(r"\W", "_", name) == match[1]), match[1])
    settings = json.dumps({"n-shot": results.get("n-shot", {}).get(task)})
    for line, text in enumerate(_text(path).splitlines(), start=1):
        if not text.strip():
            continue
        where = f"{path}, line {line}"
        sample = _json(text, where)
        item = f"{sample['doc_id']} {sample.get('doc_hash', '')[:8]}".strip()
        for name in sample["metrics"]:
            metric = f"{name},{sample.get('filter', 'none')}"
            yield Score(
                str(results["model_name"]),
                task,
                item,
                path.name,
                metric,
                _number(sample[name], f"{where}, {metric}"),
                directions.get(task, {}).get(name),
                HARNESS,
                settings,
            )
