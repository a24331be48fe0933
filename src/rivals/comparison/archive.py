"""A comparison in a file: NPZ arrays and a JSON header, never a pickle; packed and unpacked here."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import check_losses, check_name, check_positive, check_threshold, show
from rivals._files import replacing
from rivals._types import FloatArray
from rivals._version import __version__
from rivals.comparison.judge import Judged
from rivals.comparison.settings import Settings
from rivals.core.verdict import Duel
from rivals.losses import Losses, excess_empirical_risks

FORMAT = "rivals comparison"
FORMAT_VERSION = 2
MAX_BYTES = 2**33
UNREADABLE = (
    KeyError,
    TypeError,
    AttributeError,
    ValueError,
    OSError,
    RuntimeError,
    EOFError,
    MemoryError,
    zlib.error,
    zipfile.BadZipFile,
)

# What the header keeps, beside names and verdicts.
SETTINGS = ("law", "c", "threshold", "entropy", "n_draws", "max_draws", "depth", "order", "ties")
BY_MODEL = ("risk_mean", "risk_std", "end_point_share", "distance", "critical_c", "stability", "difference_error")


def save(path: str | PathLike[str], losses: Mapping[str, Losses], settings: Settings, judged: Judged) -> None:
    """Write a comparison to one file."""
    arrays: dict[str, Any] = {}
    for index, (sample, draws) in enumerate(zip(losses.values(), judged.excess_risks, strict=True)):
        arrays[f"observed_{index}"], arrays[f"synthetic_{index}"] = sample.observed, sample.synthetic
        arrays[f"draws_{index}"] = draws
    optional = {"probability": judged.probability, "calibrated": judged.calibrated, "groups": settings.groups}
    arrays |= {name: array for name, array in optional.items() if array is not None}
    text = json.dumps(header(losses, settings, judged)).encode()
    with replacing(path) as file:
        np.savez(file, header=np.frombuffer(text, dtype=np.uint8), **arrays)


def load(path: str | PathLike[str]) -> tuple[dict[str, Losses], Settings, Judged]:
    """Read a comparison back; nothing is executed or unpickled."""
    try:
        check_size(path)
        with np.load(path, allow_pickle=False) as arrays:
            return _unpack(json.loads(bytes(arrays["header"])), arrays)
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except UNREADABLE as error:
        raise ValueError(
            f"{os.fspath(path)!r} is not a file that Comparison.save wrote, or is damaged ({error})"
        ) from error


def header(losses: Mapping[str, Losses], settings: Settings, judged: Judged) -> dict[str, Any]:
    """Everything but the arrays, as plain numbers and text; what is not a number is null."""
    names = list(losses)
    ranking = [names[index] for index in np.argsort(judged.excess_empirical_risk, kind="stable")]
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "rivals_version": __version__,
        "names": names,
        **{key: getattr(settings, key) for key in SETTINGS},
        "c": _or_none(settings.c),
        "n_simulations": losses[names[0]].n_simulations,
        "reference": judged.reference,
        **{key: dict(zip(names, map(_or_none, getattr(judged, key)), strict=True)) for key in BY_MODEL},
        "survivors": [name for name in ranking if names.index(name) not in judged.rejections],
        "rejections": {names[duel.model]: _kept(duel, names) for duel in judged.rejections.values()},
        "undecided": [{"model": names[duel.model], **_kept(duel, names)} for duel in judged.undecided],
    }


def check_size(path: str | PathLike[str]) -> None:
    """Archives can unpack to far more than their own size: look before loading."""
    with zipfile.ZipFile(path) as archive:
        total = sum(member.file_size for member in archive.infolist())
    if total > MAX_BYTES:
        raise ValueError(f"it would unpack to {total / 2**30:.1f} GiB; the limit is {MAX_BYTES / 2**30:.0f} GiB")


def _unpack(kept: dict[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> tuple[dict[str, Losses], Settings, Judged]:
    _check_format(kept)
    names = [check_name(name) for name in kept["names"]]
    losses = {name: Losses(arrays[f"observed_{i}"], arrays[f"synthetic_{i}"]) for i, name in enumerate(names)}
    if len(losses) != len(names) or not set(kept["rejections"]) <= set(names):
        raise ValueError("its names do not fit together")
    rejections = [_duel(names, name, duel) for name, duel in kept["rejections"].items()]
    reference = float(kept["reference"])
    judged = Judged(
        reference=reference,
        excess_empirical_risk=excess_empirical_risks(losses.values(), reference),
        excess_risks=tuple(
            check_losses(arrays[f"draws_{i}"], f"draws of {show(name)}") for i, name in enumerate(names)
        ),
        **{key: _by_model(kept, key, names) for key in BY_MODEL},
        probability=_matrix(arrays, "probability", len(names)),
        calibrated=_matrix(arrays, "calibrated", len(names)),
        rejections={duel.model: duel for duel in rejections},
        undecided=[_duel(names, duel["model"], duel) for duel in kept["undecided"]],
    )
    return losses, _settings(kept, arrays), judged


def _settings(kept: dict[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Settings:
    known = {key: kept[key] for key in SETTINGS if key in kept}
    known.setdefault("law", "beta")  # format 1 knew no other
    known["c"] = np.nan if kept["c"] is None else check_positive(kept["c"], "c")
    known["threshold"] = check_threshold(kept["threshold"])
    settings = Settings(**known)
    return replace(settings, groups=arrays["groups"].astype(np.intp)) if "groups" in arrays else settings


def _by_model(kept: dict[str, Any], key: str, names: list[str]) -> FloatArray:
    """One number per model; what an older file does not have is not known."""
    values = kept.get(key, dict.fromkeys(names))
    if set(values) != set(names):
        raise ValueError(f"its {key} is not that of its models")
    return np.array([np.nan if values[name] is None else float(values[name]) for name in names])


def _matrix(arrays: Mapping[str, npt.NDArray[Any]], key: str, n_models: int) -> FloatArray | None:
    if key not in arrays:
        return None
    if arrays[key].shape != (n_models, n_models):
        raise ValueError(f"its {key} has shape {arrays[key].shape} for {n_models} models")
    return arrays[key]


def _kept(duel: Duel, names: list[str]) -> dict[str, Any]:
    return {"by": names[duel.rival], "probability": duel.probability, "standard_error": duel.standard_error}


def _duel(names: list[str], model: str, kept: dict[str, Any]) -> Duel:
    if not {"by", "probability", "standard_error"} <= set(kept):
        raise ValueError("its rejections are not complete")
    return Duel(names.index(model), names.index(kept["by"]), kept["probability"], kept["standard_error"])


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _check_format(header: Any) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError("its header is not that of a comparison")
    if header["format_version"] > FORMAT_VERSION:
        raise ValueError(
            f"it was written by rivals {header.get('rivals_version')} in a newer format ({header['format_version']}, this "
            f"version reads up to {FORMAT_VERSION}); upgrade rivals"
        )
