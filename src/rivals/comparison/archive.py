"""A comparison in a file: NPZ arrays and a JSON header, never a pickle.

Packed and unpacked here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, isnan, nan
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._files import name_of_file, replacing
from rivals._npz import read_arrays
from rivals._say.arguments import (
    check_choice,
    check_name,
    check_positive,
    check_size,
    check_threshold,
    check_word,
)
from rivals._say.words import show
from rivals._types import FloatArray
from rivals._version import __version__
from rivals.comparison.judge import Verdict
from rivals.laws import ORDERS, Applied, Grouping, Setting, law_from_options
from rivals.losses import Losses
from rivals.method.rule import Duel

FORMAT = "rivals comparison"
FORMAT_VERSION = 6
LABELS = ("groups", "clusters")
Arrays = Mapping[str, npt.NDArray[Any]]


def save(
    path: str | PathLike[str],
    names: Sequence[str],
    applied: Applied,
    verdict: Verdict,
    *,
    seeded: bool,
) -> None:
    """Write a comparison to one file: its losses, its settings and its verdict.

    The rest follows from these.
    """
    arrays: dict[str, Any] = {"stability": verdict.stability}
    for index, sample in enumerate(applied.losses):
        arrays[f"observed_{index}"] = sample.observed
        arrays[f"synthetic_{index}"] = sample.synthetic
    for index, summary in enumerate(applied.summaries or ()):
        arrays[f"summary_{index}"] = _as_array(summary, applied.law.name)
    for kind, labels in applied.setting.labels.items():
        arrays[kind] = labels.codes
    if verdict.calibrated is not None:
        arrays["calibrated"] = verdict.calibrated
    header = json.dumps({**_header(names, applied, verdict), "seeded": seeded})
    arrays["header"] = np.frombuffer(header.encode(), dtype=np.uint8)
    with replacing(path) as file:
        np.savez(file, checksum=_checksum(arrays), **arrays)


def load(path: str | bytes | PathLike[str]) -> tuple[tuple[str, ...], Applied, Verdict, bool]:
    """Read a comparison back; nothing is executed or unpickled."""
    path = name_of_file(path)
    try:
        arrays = read_arrays(path)
        header = json.loads(bytes(arrays["header"]), parse_constant=_refuse_constant)
        _check_format(header, arrays)
        return *_unpack(header, arrays), header["seeded"] is True
    except OSError:  # absent, a folder, not to be read
        raise
    except Exception as error:  # a damaged file may raise anything
        reason = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(
            f"{show(repr(path))} was not written by Comparison.save, or is damaged "
            f"({show(reason)[:500]})"
        ) from error


def _header(names: Sequence[str], applied: Applied, verdict: Verdict) -> dict[str, Any]:
    """Everything but the arrays, as plain numbers and text; what is not a number is null."""
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "rivals_version": __version__,
        "names": list(names),
        **applied.settings(),
        "may_repeat": [sample.may_repeat for sample in applied.losses],
        "labels": {kind: list(each.names) for kind, each in applied.setting.labels.items()},
        "kinds": {kind: each.kind for kind, each in applied.setting.labels.items()},
        "remarks": list(verdict.remarks),
        "methods": verdict.methods,
        "survivors_under": verdict.survivors_under,
        "rejections": [_duel_as_row(duel) for duel in verdict.rejections.values()],
        "undecided": [_duel_as_row(duel) for duel in verdict.undecided],
        "unstable": [_duel_as_row(duel) for duel in verdict.unstable],
    }


def _duel_as_row(duel: Duel) -> list[float]:
    return [duel.model, duel.rival, duel.probability, duel.standard_error]


def _as_array(summary: Any, law: str) -> FloatArray:
    if not isinstance(summary, np.ndarray):
        raise ValueError(
            f"the simulations of this comparison were not kept, and law {law!r} cannot be read "
            "back without them; keep the verdict as JSON (to_dict), or compare with "
            "keep_simulations=True"
        )
    return summary


def _checksum(arrays: Arrays) -> npt.NDArray[np.uint8]:
    """SHA-256 of all arrays with their names, the header among them.

    Against accidents, not against forgery.
    """
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return np.frombuffer(digest.digest(), dtype=np.uint8)


def _unpack(header: dict[str, Any], arrays: Arrays) -> tuple[tuple[str, ...], Applied, Verdict]:
    names = tuple(check_name(name) for name in header["names"])
    if len(set(names)) != len(names) or len(names) < 2:
        raise ValueError("its names do not fit together")
    samples = _samples(header, arrays, len(names))
    setting = _setting(header, arrays, samples[0].n_observed)
    law = law_from_options(header["law"], header["options"])
    if law.uses_c(setting.n_simulations) == isnan(setting.c):
        raise ValueError(f"its c is {header['c']!r} under law {law.name!r}")
    summaries = None
    if "summary_0" in arrays:
        summaries = [arrays[f"summary_{index}"] for index in range(len(names))]
    else:
        if setting.n_simulations != samples[0].n_simulations:
            raise ValueError("its simulations are missing")
        for sample in samples:
            law.check(sample, setting)
    verdict = _verdict(header, arrays, len(names))
    setting = replace(setting, more_draws=verdict.calibrated is None)
    return names, law.apply(samples, setting, summaries), verdict


def _samples(header: dict[str, Any], arrays: Arrays, n_models: int) -> list[Losses]:
    samples = []
    for index in range(n_models):
        observed = arrays[f"observed_{index}"]
        synthetic = arrays[f"synthetic_{index}"]
        may_repeat = header["may_repeat"][index] is True
        samples.append(Losses(observed, synthetic, may_repeat=may_repeat))
    sizes = {(sample.n_observed, sample.n_simulations) for sample in samples}
    if len(sizes) != 1:
        raise ValueError("its losses do not fit together")
    return samples


def _verdict(header: dict[str, Any], arrays: Arrays, n_models: int) -> Verdict:
    def duels(kind: str) -> list[Duel]:
        return [_duel(row, n_models) for row in header[kind]]

    calibrated = None
    if "calibrated" in arrays:
        calibrated = _fractions(arrays["calibrated"], "calibrated", (n_models, n_models))
    under = header["survivors_under"]
    return Verdict(
        rejections={duel.model: duel for duel in duels("rejections")},
        undecided=duels("undecided"),
        unstable=duels("unstable"),
        stability=_fractions(arrays["stability"], "stability", (n_models,)),
        calibrated=calibrated,
        remarks=tuple(map(_text, header["remarks"])),
        survivors_under={omega: list(map(_text, names)) for omega, names in under.items()},
        methods=_text(header["methods"]),
    )


def _new_groups(value: Any) -> float | None:
    if value is None:
        return None
    return inf if value == "inf" else float(check_size(value, "its new_groups"))


def _setting(header: dict[str, Any], arrays: Arrays, n_points: int) -> Setting:
    c = header["c"]
    order = header["order"]
    labels: dict[str, Any] = {}
    for kind in LABELS:
        if kind in arrays:
            called = _text(check_word(header["kinds"][kind], "its kind of groups"))
            labels[kind] = _grouping(header["labels"][kind], called, arrays[kind], n_points)
    return Setting(
        c=nan if c is None else check_positive(c, "its c"),
        threshold=check_threshold(header["threshold"]),
        margin=check_positive(header["margin"], "its margin", or_zero=True),
        new_groups=_new_groups(header["new_groups"]),
        order=None if order is None else check_choice(order, "order", ORDERS),
        entropy=check_size(header["entropy"], "its entropy", least=0),
        n_simulations=check_size(header["n_simulations"], "its n_simulations", least=0),
        loss_unit=check_word(header["loss_unit"], "its loss_unit"),
        **labels,
    )


def _grouping(names: list[Any], kind: str, codes: npt.NDArray[Any], n_points: int) -> Grouping:
    one_each = codes.shape == (n_points,) and codes.dtype.kind in "iu"
    if not one_each or not 0 <= codes.min() <= codes.max() < len(names):
        raise ValueError(
            f"its groups have the shape {codes.shape} for {n_points} points, or codes without a "
            "name"
        )
    return Grouping(codes.astype(np.intp), tuple(map(str, names)), kind)


def _fractions(array: npt.NDArray[Any], what: str, shape: tuple[int, ...]) -> FloatArray:
    if array.shape != shape or array.dtype != np.float64:
        raise ValueError(f"its {what} has shape {array.shape} in place of {shape}")
    if not np.all(((array >= 0.0) & (array <= 1.0)) | np.isnan(array)):
        raise ValueError(f"its {what} is not between 0 and 1")
    return array


def _duel(row: Any, n_models: int) -> Duel:
    model, rival, probability, error = row
    for place in (model, rival):
        if check_size(place, "the place of a model", least=0) >= n_models:
            raise ValueError(f"a duel names model {place} of {n_models}")
    for value in (probability, error):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not 0.0 <= value <= 1.0:
            raise ValueError(f"the probability of a duel is {value!r}")
    return Duel(model, rival, float(probability), float(error))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} stands where there should be text")
    return value


def _refuse_constant(text: str) -> float:
    raise ValueError(f"its header has {text}, which is not JSON")


def _check_format(header: Any, arrays: dict[str, npt.NDArray[Any]]) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError("its header is not that of a comparison")
    if check_size(header["format_version"], "its format_version") != FORMAT_VERSION:
        raise ValueError(
            f"it was written by rivals {header.get('rivals_version')} in format "
            f"{header['format_version']}; this version reads format {FORMAT_VERSION}"
        )
    expected = arrays.pop("checksum")
    if not np.array_equal(expected, _checksum(arrays)):
        raise ValueError(
            "its contents do not match its checksum: it was changed after it was saved"
        )
