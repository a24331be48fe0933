"""A comparison in a file: NPZ arrays and a JSON header, never a pickle; packed and unpacked here."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import check_losses, check_name, check_size, show
from rivals._files import replacing
from rivals._types import FloatArray
from rivals._version import __version__
from rivals.comparison.arrays import read_arrays
from rivals.comparison.judge import Judged
from rivals.comparison.settings import Settings
from rivals.core.verdict import Duel
from rivals.losses import Losses, excess_empirical_risks

FORMAT = "rivals comparison"
FORMAT_VERSION = 3  # since 3 with a checksum
CHECKSUM_SINCE = 3

# What the header keeps, beside names and verdicts.
SETTINGS = ("law", "c", "threshold", "entropy", "n_draws", "max_draws", "depth", "order", "ties", "n_simulations")
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
    arrays["header"] = np.frombuffer(text, dtype=np.uint8)
    with replacing(path) as file:
        np.savez(file, checksum=_checksum(arrays), **arrays)


def load(path: str | PathLike[str]) -> tuple[dict[str, Losses], Settings, Judged]:
    """Read a comparison back; nothing is executed or unpickled."""
    try:
        arrays = read_arrays(path)
        kept = json.loads(bytes(arrays["header"]), parse_constant=_refuse_constant)
        _check_format(kept, arrays)
        return _unpack(kept, arrays)
    except OSError:  # absent, a folder, not to be read
        raise
    except Exception as error:  # a damaged file may raise anything
        reason = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(
            f"{show(repr(os.fspath(path)))} was not written by Comparison.save, or is damaged ({show(reason)[:500]})"
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
        "n_simulations": losses[names[0]].n_simulations or settings.n_simulations or 0,
        "reference": judged.reference,
        **{key: dict(zip(names, map(_or_none, getattr(judged, key)), strict=True)) for key in BY_MODEL},
        "survivors": [name for name in ranking if names.index(name) not in judged.rejections],
        "rejections": {names[duel.model]: _kept(duel, names) for duel in judged.rejections.values()},
        "undecided": [{"model": names[duel.model], **_kept(duel, names)} for duel in judged.undecided],
    }


def _checksum(arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.uint8]:
    """SHA-256 of all arrays with their names, the header among them: against accidents, not against forgery."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return np.frombuffer(digest.digest(), dtype=np.uint8)


def _unpack(kept: dict[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> tuple[dict[str, Losses], Settings, Judged]:
    names = [check_name(name) for name in kept["names"]]
    losses = {name: Losses(arrays[f"observed_{i}"], arrays[f"synthetic_{i}"]) for i, name in enumerate(names)}
    if len(losses) != len(names) or not set(kept["rejections"]) <= set(names):
        raise ValueError("its names do not fit together")
    if len({(sample.n_observed, sample.n_simulations) for sample in losses.values()}) != 1:
        raise ValueError("its losses do not fit together")
    rejections = [_duel(names, name, duel) for name, duel in kept["rejections"].items()]
    reference = _number(kept["reference"], "reference")
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
    return losses, _settings(kept, arrays, losses[names[0]].n_observed), judged


def _settings(kept: dict[str, Any], arrays: Mapping[str, npt.NDArray[Any]], n_points: int) -> Settings:
    # Format 1 had no other law, and neither order nor ties.
    known = {"law": "beta", "order": None, "ties": None} | {key: kept[key] for key in SETTINGS if key in kept}
    if (kept["c"] is None) != (known["law"] == "groups"):
        raise ValueError(f"its c is {kept['c']!r} under law {known['law']!r}")
    settings = Settings.checked(**known | {"entropy": check_size(kept["entropy"], "entropy", least=0)})
    if "groups" not in arrays:
        return settings
    groups = arrays["groups"]
    if groups.shape != (n_points,) or groups.dtype.kind not in "iu":
        raise ValueError(f"its groups have the shape {groups.shape} for {n_points} points")
    return replace(settings, groups=groups.astype(np.intp))


def _by_model(kept: dict[str, Any], key: str, names: list[str]) -> FloatArray:
    """One number per model; unknown if an older file does not have it."""
    values = kept.get(key, dict.fromkeys(names))
    if set(values) != set(names):
        raise ValueError(f"its {key} is not that of its models")
    return np.array([np.nan if values[name] is None else _number(values[name], key) for name in names])


def _number(value: Any, what: str, *, low: float = -np.inf, high: float = np.inf) -> float:
    """A finite number; neither text nor a truth value."""
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not (np.isfinite(value) and low <= value <= high)
    ):
        raise ValueError(f"its {what} is {value!r}")
    return float(value)


def _matrix(arrays: Mapping[str, npt.NDArray[Any]], key: str, n_models: int) -> FloatArray | None:
    """Probabilities of all pairs."""
    if key not in arrays:
        return None
    matrix = arrays[key]
    if matrix.shape != (n_models, n_models) or matrix.dtype != np.float64:
        raise ValueError(f"its {key} has shape {matrix.shape} for {n_models} models")
    if not np.all((matrix >= 0.0) & (matrix <= 1.0)):
        raise ValueError(f"its {key} is not between 0 and 1")
    return matrix


def _kept(duel: Duel, names: list[str]) -> dict[str, Any]:
    return {"by": names[duel.rival], "probability": duel.probability, "standard_error": duel.standard_error}


def _duel(names: list[str], model: str, kept: dict[str, Any]) -> Duel:
    if not {"by", "probability", "standard_error"} <= set(kept):
        raise ValueError("its rejections are not complete")
    probability = _number(kept["probability"], "probability of a rejection", low=0.0, high=1.0)
    error = _number(kept["standard_error"], "standard error of a rejection", low=0.0)
    return Duel(names.index(model), names.index(kept["by"]), probability, error)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _refuse_constant(text: str) -> float:
    raise ValueError(f"its header has {text}, which is not JSON")


def _check_format(header: Any, arrays: dict[str, npt.NDArray[Any]]) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError("its header is not that of a comparison")
    version = check_size(header["format_version"], "its format_version")
    if version > FORMAT_VERSION:
        raise ValueError(
            f"it was written by rivals {header.get('rivals_version')} in a newer format ({version}, this version reads up to "
            f"{FORMAT_VERSION}); upgrade rivals"
        )
    if version >= CHECKSUM_SINCE:
        expected = arrays.pop("checksum")
        if not np.array_equal(expected, _checksum(arrays)):
            raise ValueError("its contents do not match its checksum: it was changed after it was saved")
