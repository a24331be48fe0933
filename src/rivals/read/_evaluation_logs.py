"""Scores in logs of inspect_ai, and in sample files of lm-evaluation-harness.

Logs come from anywhere: nothing in them is run, and what is no log is said in a sentence.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
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
# Settings in the head of a log of inspect_ai: logs that differ in one are of two models.
WORDS_OF = ("task_version", "solver")
TABLES_OF = ("task_args", "solver_args", "model_args", "model_generate_config", "model_roles")
# And in what the harness writes of a run, and of a task.
OF_RUN = ("system_instruction", "chat_template_sha", "fewshot_as_multiturn")
OF_TASK = ("doc_to_text", "description", "num_fewshot", "generation_kwargs", "repeats")
# How a run was carried out, which changes no answer but by chance.
INCIDENTAL = {
    *("seed", "max_connections", "adaptive_connections", "max_retries", "timeout", "batch"),
    *("attempt_timeout", "cache", "cache_prompt"),
}
# A text longer than this, as a prompt, is shortened in the name of a model.
LONGEST = 40
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


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
    settings: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    reducers: tuple[str, ...] = ()
    cluster: str = ""


def is_table(source: Any) -> bool:
    """Whether a source is a data frame, or by its name a file that holds a table."""
    if isinstance(source, (str, bytes, PathLike)):
        name = fsdecode(source).lower().removesuffix(".gz")
        return name == "-" or name.endswith((*TEXT, *PARQUET))
    return hasattr(source, "columns") or hasattr(source, "read")


def scores_of_logs(
    named: list[tuple[str | None, Any]], metric: str | None, cluster: str | None = None
) -> list[Score]:
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
            scores = list(read(path, cluster))
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
    return _of_metric(told_apart(found), metric)


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


def told_apart(scores: list[Score]) -> list[Score]:
    """Logs of one model and task that were made in different ways are those of several models.

    Their names say what differs, as "gpt, template='b'"; what is the same stays unsaid.
    """
    settings: dict[tuple[str, str], dict[int, Mapping[str, str]]] = {}
    for each in scores:
        settings.setdefault((each.model, each.task), {})[id(each.settings)] = each.settings
    varied: dict[str, dict[str, None]] = {}
    for (model, _), found in settings.items():
        keys = dict.fromkeys(key for each in found.values() for key in each)
        for key in keys:
            if len({each.get(key) for each in found.values()}) > 1:
                varied.setdefault(model, {})[key] = None
    if not varied:
        return scores
    names: dict[tuple[str, int], str] = {}
    meant: dict[str, tuple[str | None, ...]] = {}
    for each in scores:
        if each.model in varied and (each.model, id(each.settings)) not in names:
            values = tuple(each.settings.get(key) for key in varied[each.model])
            said = [
                f"{key.rpartition('.')[2]}={_short(value)}"
                for key, value in zip(varied[each.model], values, strict=True)
                if value is not None
            ]
            name = ", ".join([each.model, *said])
            if meant.setdefault(name, values) != values:
                raise ValueError(
                    f"model {each.model!r} has logs with different settings of the same name, "
                    f"{name!r}; give each its own name by a mapping name → paths"
                )
            names[each.model, id(each.settings)] = name
    return [
        replace(each, model=names.get((each.model, id(each.settings)), each.model))
        for each in scores
    ]


def _short(value: str) -> str:
    text = " ".join(value.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}…{text[-LONGEST // 2 + 1 :]}"


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Settings by dotted names; what was not set says nothing."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key in INCIDENTAL:
                continue
            yield from _flat(f"{name}.{key}" if name else str(key), each)
    elif value is not None and value != []:
        yield name, ADDRESS.sub("", repr(value))


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


def number_of(value: Any, where: str) -> float:
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


def _of_inspect(path: Path, cluster: str | None) -> Iterator[Score]:
    header, samples = _archive(path) if path.suffix == ".eval" else _whole(path)
    of_log = _of_header(header, path)
    for sample in samples:
        item, epoch = str(sample["id"]), sample["epoch"]
        belongs = _cluster(sample.get("metadata") or {}, cluster, f"{path}, sample {item!r}")
        for scorer, found in (sample.get("scores") or NOT_SCORED).items():
            value = found["value"]
            parts = value if isinstance(value, dict) else {"": value}
            for part, each in parts.items():
                metric = f"{scorer}/{part}" if part else scorer
                number = number_of(each, f"{path}, sample {item!r}, {metric}")
                yield replace(
                    of_log,
                    item=item,
                    run=f"{path.name} {epoch}",
                    metric=metric,
                    value=number,
                    cluster=belongs,
                )


def head_of(path: Path) -> Score:
    """What a log of inspect_ai says of all of its samples."""
    if path.suffix != ".eval":
        return _of_header(_json(_text(path), str(path)), path)
    return _of_header(_archive(path, head_alone=True)[0], path)


def _of_header(header: Any, path: Path) -> Score:
    head, plan = header["eval"], header.get("plan") or {}
    if header["status"] != "success":
        raise ValueError(
            f"{path}: the status of this evaluation is {header['status']!r}, not 'success'; finish "
            "it (inspect eval-retry), or leave it out"
        )
    steps = plan.get("steps") or []
    settings = dict(_flat("", {name: head.get(name) for name in WORDS_OF}))
    for table in (*(head.get(name) or {} for name in TABLES_OF), plan.get("config") or {}):
        settings |= dict(_flat("", table))
    settings |= dict(_flat("", {"plan": [str(step["solver"]) for step in steps]}))
    for step in steps:
        settings |= dict(_flat(str(step["solver"]), step.get("params") or {}))
    reducers = (head.get("config") or {}).get("epochs_reducer") or []
    names = (reducers,) if isinstance(reducers, str) else tuple(map(str, reducers))
    model, task = str(head["model"]), str(head["task"])
    return Score(model, task, "", "", "", nan, None, INSPECT, settings, names)


def _cluster(metadata: Mapping[str, Any], name: str | None, where: str) -> str:
    """What an item belongs to, as its passage."""
    if name is None:
        return ""
    if metadata.get(name) is None:
        raise Refusal(f"{opt['cluster']}: {where} has no {name!r} among its metadata")
    return str(metadata[name])


def _whole(path: Path) -> tuple[Any, list[Any]]:
    log = _json(_text(path), str(path))
    return log, log["samples"] or []


def _archive(path: Path, *, head_alone: bool = False) -> tuple[Any, list[Any]]:
    """An .eval file: a zip of JSON, compressed by zstandard, which Python reads from 3.14 on."""
    if sys.version_info < (3, 14):
        need("zipfile_zstd", extra="evaluations", purpose="logs of inspect_ai (.eval)")
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = {each.filename: each.file_size for each in archive.infolist()}
            names = ["summaries.json"]  # of all samples, without what was said
            if names[0] not in sizes:
                names = [name for name in sizes if name.startswith("samples/")]
            names = [] if head_alone else names
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


def _of_harness(path: Path, cluster: str | None) -> Iterator[Score]:
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
    of_task = (results.get("configs") or {}).get(task) or {}
    settings = dict(_flat("n-shot", (results.get("n-shot") or {}).get(task)))
    settings |= dict(_flat("", {name: results.get(name) for name in OF_RUN}))
    settings |= dict(_flat("", {name: of_task.get(name) for name in OF_TASK}))
    settings |= dict(_flat("gen_kwargs", (results.get("config") or {}).get("gen_kwargs")))
    settings |= dict(_flat("model_args", (results.get("config") or {}).get("model_args")))
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
                number_of(sample[name], f"{where}, {metric}"),
                directions.get(task, {}).get(name),
                HARNESS,
                settings,
                cluster=_cluster(sample.get("doc") or {}, cluster, where),
            )
