"""Records of all neuron experiments at the paper's own size, which ship with the package.

A GPU made them in minutes: 512 experiments of each of the 48 conditions, 2048 of the six main ones, in three variants, and as published in
eight copies that differ by rounding alone. Random numbers as published are those of the original study.
"""

from __future__ import annotations

import io
from functools import cache
from importlib import resources
from typing import Any, Final

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.experiments import Experiments
from rivals_paper.output import AS_PUBLISHED, CONSTANTS_PUBLISHED, CORRECTED

COPIES: Final = 8
FILES: Final = {
    AS_PUBLISHED: "as-published",
    CONSTANTS_PUBLISHED: "constants-as-published",
    CORRECTED: "corrected",
}
# The paper's law, with one simulation of each candidate, and ours, with sixteen.
LAWS: Final = ("beta", "transport")


def recorded(variant: str, key: str, *, law: str = "beta", copy: int = 0) -> Experiments:
    """Experiments of one condition, with B at every c of `recorded_c`.

    Parameters
    ----------
    variant : {"as published", "constants as published", "corrected"}
    key : str
        Of the condition, such as "AvsB|Gaussian|low|short|weak".
    law : {"beta", "transport"}
        Of the risk.
    copy : int
        0 to 7; copies differ by rounding alone. Only of "as published" under law "beta" there is more than the first.
    """
    if law not in LAWS:
        raise ValueError(f"there are records of the laws {LAWS}; got {law!r}")
    if copy and law != "beta":
        raise ValueError(f"copies are of law 'beta' only; got copy {copy} of law {law!r}")
    truth = (_column(variant, key, "difference", copy) < 0).astype(float)
    return Experiments(_fractions(_column(variant, key, law, copy)), truth)


def recorded_between(variant: str, key: str, *, law: str = "beta") -> Experiments:
    """The same experiments, with B at every c of `recorded_c_between`, where the original study tried nothing."""
    return Experiments(_fractions(_column(variant, key, f"{law}_between", 0)), recorded(variant, key, law=law).truth)


def recorded_loss_only(variant: str, key: str) -> Experiments:
    """B^Q of the observed losses, at every c_Q of `recorded_c`."""
    truth = (_column(variant, key, "difference", 0) < 0).astype(float)
    return Experiments(_fractions(_column(variant, key, "loss_only", 0)), truth)


def recorded_ratio(variant: str, key: str, copy: int = 0) -> FloatArray:
    """ln(sigma_b / sigma_a), the widths that both candidates were fitted with."""
    return np.asarray(_column(variant, key, "ratio", copy), dtype=float)


def recorded_truth(variant: str, key: str) -> tuple[FloatArray, FloatArray]:
    """Risk of the first model less that of the second, on 16 384 ms of new data, and its standard error."""
    difference, error = (np.asarray(_column(variant, key, name, 0), dtype=float) for name in ("difference", "error"))
    return difference, error


def recorded_c() -> tuple[float, ...]:
    """The values of c, and of c_Q."""
    return tuple(_archive(FILES[AS_PUBLISHED])["c"].tolist())


def recorded_c_between() -> tuple[float, ...]:
    """Values of c in between those of the original study."""
    return tuple(_archive(FILES[AS_PUBLISHED])["c_between"].tolist())


def _column(variant: str, key: str, name: str, copy: int) -> Any:
    if variant not in FILES:
        raise ValueError(f"there are records of {tuple(FILES)}; got {variant!r}")
    if copy and variant != AS_PUBLISHED:
        raise ValueError(f"copies are of {AS_PUBLISHED!r} only; got copy {copy} of {variant!r}")
    if not 0 <= copy < COPIES:
        raise ValueError(f"there are copies 0 to {COPIES - 1}; got {copy}")
    if copy:
        return _array(f"{FILES[variant]}-copies", f"{key}/{name}")[copy - 1]
    return _array(FILES[variant], f"{key}/{name}")


@cache
def _array(file: str, name: str) -> Any:
    try:
        return _archive(file)[name]
    except KeyError:
        raise ValueError(f"the records {file}.npz have no {name!r}") from None


@cache
def _archive(file: str) -> Any:
    path = resources.files("rivals_paper") / "data" / "records" / f"{file}.npz"
    if not path.is_file():
        raise FileNotFoundError(
            f"this installation has no {file}.npz among its records; install rivals-paper anew, or compute experiments with --experiments N"
        )
    return np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)


def _fractions(stored: Any) -> FloatArray:
    """Probabilities are kept as integers, the largest of which stands for 1."""
    return np.asarray(stored / np.iinfo(stored.dtype).max, dtype=float)
