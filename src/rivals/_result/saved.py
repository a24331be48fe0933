"""Saved results: the summary and the setting, from which `load` decides again.

A file is an archive of plain arrays (NPZ) with a header in JSON; nothing in it is executed, and
everything is checked by the constructors that check anybody's input.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from rivals._core.decided import Decided, Part
from rivals._core.evidence import Note
from rivals._core.losses import Provenance, check_names
from rivals._core.mistakes import NOTICED
from rivals._core.setting import CalibratedC, Setting
from rivals._core.types import FloatArray
from rivals._core.writing import replacing
from rivals.laws import Law, known

FORMAT = "rivals.Comparison/1"
# An archive that unpacks into more than this, and so many times its own size, holds no losses.
LARGE = 2**28
PACKED = 200


def save(result: Decided, path: str | PathLike[str]) -> None:
    """Write a comparison; a crash leaves the old file or the new one."""
    if Law.KNOWN.get(result.method.known_as) is not type(result.method):
        raise TypeError(
            f"method {result.method.name!r} is another one, so that this cannot be saved; give "
            f"{type(result.method).__name__} a name of its own"
        )
    header: dict[str, Any] = {
        "format": FORMAT,
        "method": result.method.known_as,
        "method_options": result.method.options(),
        "setting": result.setting.to_dict(),
        "models": list(result.names),
        "source": asdict(result.summary.source),
        "noticed": [asdict(note) for note in result.noticed],
    }
    header["segments"] = [
        [part.name, part.share, result.method.to_arrays(part.summary)[0], part.noun]
        for part in result.parts
    ]
    if isinstance(result.setting.c, CalibratedC):
        header["c_from"] = result.setting.c.source
    plain, arrays = result.method.to_arrays(result.summary)
    contents: dict[str, Any] = {"header": None, **arrays}
    header["summary"] = plain
    contents["header"] = np.array(json.dumps(header, allow_nan=False))
    with replacing(path) as file:
        np.savez_compressed(file, **contents)


def read(path: str | PathLike[str]) -> tuple[Any, ...]:
    """Law, summary, setting, what was noticed, and segments, of a file that `save` wrote."""
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
        parts = tuple(
            Part(
                str(name), float(share), _put_together(law, {**header, "summary": plain}, {}), noun
            )
            for name, share, plain, noun in header.get("segments", ())
        )
        noticed = tuple(_note(plain, summary.models) for plain in header["noticed"])
    except FileNotFoundError:
        raise
    except Exception as error:  # what NumPy, zipfile and zlib say of damaged files is of any kind
        raise ValueError(f"{path}: no comparison can be read from it ({error})") from None
    return law, summary, setting, noticed, parts


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


def _law(header: dict[str, Any]) -> Law[Any]:
    kind = known(str(header["method"]))
    if kind is None:
        raise ValueError(
            f"law {header['method']!r} is not known here; import the module that has it"
        )
    return kind(**header["method_options"])


def _put_together(law: Law[Any], header: dict[str, Any], arrays: dict[str, FloatArray]) -> Any:
    """A summary, checked like any other."""
    models = tuple(header["models"])
    check_names(list(models))
    source = Provenance(**header["source"])
    summary = law.from_arrays(models, source, header["summary"], arrays)
    law.check(summary)
    return summary
