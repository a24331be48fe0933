"""Saved results: the summary and the setting, from which `load` decides again.

A file is an archive of plain arrays (NPZ) with a header in JSON; nothing in it is executed, and
everything is checked by the constructors that check anybody's input.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from math import inf
from os import PathLike, replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from rivals._checks import check_size
from rivals._types import FloatArray
from rivals.evidence import Note
from rivals.judgement import Judgement
from rivals.laws import LAWS, Beta, Groups, Law, Transport, law_of
from rivals.laws.beta import BetaSummary
from rivals.laws.transport import TransportSummary
from rivals.losses import Provenance, check_names, finite
from rivals.method.error import MeanErrors, PairSums
from rivals.mistakes import NOTICED
from rivals.setting import CalibratedC, Setting, number
from rivals.summaries import GroupSummaries, check_squares

FORMAT = "rivals.Comparison/1"
# An archive that unpacks into more than this, and so many times its own size, holds no losses.
LARGE = 2**28
PACKED = 200


def save(result: Judgement, path: str | PathLike[str]) -> None:
    """Write a comparison; a crash leaves the old file or the new one."""
    if result.correction is not None:
        raise ValueError(
            "probabilities that were read through a calibration are not saved with their curve; "
            "compare with correct=False, or save the calibration"
        )
    if type(result.law) not in LAWS.values():
        raise TypeError(f"law {result.law.name!r} is not one of rivals, and cannot be saved")
    header = {
        "format": FORMAT,
        "law": result.law.name,
        "law_options": asdict(result.law),  # type: ignore[call-overload]
        "setting": result.setting.to_dict(),
        "models": list(result.names),
        "source": asdict(result.summary.source),
        "noticed": [asdict(note) for note in result.noticed],
    }
    if isinstance(result.setting.c, CalibratedC):
        header["c_from"] = result.setting.c.source
    plain, arrays = _taken_apart(result.summary)
    contents: dict[str, Any] = {"header": None, **arrays}
    header["summary"] = plain
    contents["header"] = np.array(json.dumps(header, allow_nan=False))
    target = Path(path)
    partial = target.with_name(f".{target.name}.partial")
    try:
        with partial.open("wb") as file:
            np.savez_compressed(file, **contents)
        replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def read(path: str | PathLike[str]) -> tuple[Law, Any, Setting, tuple[Note, ...]]:
    """Law, summary, setting and what was noticed, of a file that `save` wrote."""
    try:
        arrays = _unpacked(path)
        header = json.loads(str(arrays.pop("header")))
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise ValueError(f"its header is not of format {FORMAT!r}")
        law = _law(header)
        setting = Setting.from_dict(header["setting"])
        if "c_from" in header and setting.c is not None:
            setting = Setting(**{**asdict(setting), "c": CalibratedC(setting.c, header["c_from"])})
        law.check_setting(setting)
        summary = _put_together(law, header, arrays)
        noticed = tuple(_note(plain, summary.models) for plain in header["noticed"])
    except FileNotFoundError:
        raise
    except Exception as error:  # what NumPy, zipfile and zlib say of damaged files is of any kind
        raise ValueError(f"{path}: no comparison can be read from it ({error})") from None
    return law, summary, setting, noticed


def _unpacked(path: str | PathLike[str]) -> dict[str, Any]:
    """The arrays of an archive, whose size is looked at first."""
    with ZipFile(path) as archive:
        unpacked = sum(each.file_size for each in archive.infolist())
    if unpacked > max(LARGE, PACKED * Path(path).stat().st_size):
        raise ValueError(f"it unpacks into {unpacked:.2g} bytes")
    with np.load(path, allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


def _note(plain: dict[str, Any], models: tuple[str, ...]) -> Note:
    note = Note(plain["code"], tuple(plain["models"]), float(plain["value"]))
    if note.code not in NOTICED or not set(note.models) <= set(models) or not note.models:
        raise ValueError(f"there is no note {plain['code']!r} of these models")
    return note


def _law(header: dict[str, Any]) -> Law:
    kind = type(law_of(str(header["law"]), groups=True))
    return kind(**header["law_options"])


def _taken_apart(summary: Any) -> tuple[dict[str, Any], dict[str, FloatArray]]:
    """Plain values, and arrays."""
    if isinstance(summary, GroupSummaries):
        return {"json": summary.to_json()}, {}
    if isinstance(summary, TransportSummary):
        sums = summary.errors.sums
        arrays = {
            "means": summary.means,
            "misfits": summary.misfits,
            "own": sums.own,
            "pairs": np.empty((0, 0)) if sums.matrix is None else sums.matrix,
            "gaps": np.empty((0, 0)) if sums.gaps is None else sums.gaps,
        }
        degrees = summary.errors.degrees
        return {
            "n_points": summary.n_points,
            "reference": summary.reference,
            "factor": sums.factor,
            "degrees": "inf" if degrees == inf else degrees,
        }, arrays
    return {"reference": summary.reference}, {
        "observed": summary.observed,
        "simulated": np.stack(summary.simulated),
    }


def _put_together(
    law: Law, header: dict[str, Any], arrays: dict[str, FloatArray]
) -> GroupSummaries | TransportSummary | BetaSummary:
    """A summary, checked like any other."""
    plain = header["summary"]
    if isinstance(law, Groups):
        summary = GroupSummaries.from_json(plain["json"])
        law.check(summary)
        return summary
    models = tuple(header["models"])
    check_names(list(models))
    found = {name: finite(array, name) for name, array in arrays.items()}
    source = Provenance(**header["source"])
    if isinstance(law, Transport):
        return _transport(models, plain, found, source)
    assert isinstance(law, Beta)
    observed, simulated = found["observed"], found["simulated"]
    if (
        observed.ndim != 2
        or simulated.ndim != 3
        or not (len(observed) == len(simulated) == len(models))
        or not simulated.size
    ):
        raise ValueError("its losses do not fit its models")
    return law.summary_of(models, float(plain["reference"]), observed, tuple(simulated), source)


def _transport(
    models: tuple[str, ...],
    plain: dict[str, Any],
    arrays: dict[str, FloatArray],
    source: Provenance,
) -> TransportSummary:
    size = len(models)
    matrix = arrays["pairs"] if arrays["pairs"].size else None
    gaps = arrays["gaps"] if arrays["gaps"].size else None
    shapes = [arrays["means"].shape == (size,), arrays["own"].shape == (size,)]
    shapes += [arrays["misfits"].ndim == 2 and arrays["misfits"].shape[1:] == (size,)]
    shapes += [len(arrays["misfits"]) > 0]
    shapes += [matrix is None or matrix.shape == (size, size)]
    shapes += [gaps is None or len(gaps) == size, matrix is not None or gaps is not None]
    squares = [arrays["own"], arrays["misfits"], arrays["pairs"]]
    if not all(shapes) or any(array.size and array.min() < 0.0 for array in squares):
        raise ValueError("its numbers do not fit its models")
    if matrix is not None:
        check_squares(arrays["own"], matrix)
    degrees = inf if plain["degrees"] == "inf" else number(1.0, inf)("degrees", plain["degrees"])
    factor = number(0.0, 1.0, least=False)("factor", plain["factor"])
    return TransportSummary(
        models,
        check_size(plain["n_points"], "n_points", least=2),
        number(-inf, inf)("reference", plain["reference"]),
        arrays["means"],
        MeanErrors(PairSums(arrays["own"], matrix, gaps, factor), degrees),
        arrays["misfits"],
        source,
    )
