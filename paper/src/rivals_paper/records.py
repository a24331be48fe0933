"""Records of all neuron experiments at the paper's own size, which ship with the package.

A GPU made them in minutes: 512 experiments of each of the 48 conditions, 2048 of the six main ones,
in three variants (`python -m rivals_paper.gpu`, and as published
`paper/benchmarks/neuron_records.py`). Random numbers as published are those of the original study.
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

FILES: Final = {
    AS_PUBLISHED: "as-published",
    CONSTANTS_PUBLISHED: "constants-as-published",
    CORRECTED: "corrected",
}
# The paper's law, with one simulation of each candidate, and ours, with sixteen.
LAWS: Final = ("beta", "transport")


def recorded(variant: str, key: str, *, law: str = "beta") -> Experiments:
    """Experiments of one condition, with B at every c of `recorded_c`.

    Parameters
    ----------
    variant : {"as published", "constants as published", "corrected"}
    key : str
        Of the condition, such as "AvsB|Gaussian|low|short|weak".
    law : {"beta", "transport"}
        Of the risk.
    """
    if law not in LAWS:
        raise ValueError(f"there are records of the laws {LAWS}; got {law!r}")
    return Experiments(_fractions(_column(variant, key, law)), _truth(variant, key))


def _truth(variant: str, key: str) -> FloatArray:
    """1 where the first model has the lower risk.

    As published on 16 384 ms of one recording, else over fresh recordings as long as the data.
    """
    difference = _column(variant, key, "difference")
    return np.asarray(
        (difference if difference.ndim == 1 else difference.mean(axis=1)) < 0, dtype=float
    )


def recorded_between(variant: str, key: str, *, law: str = "beta") -> Experiments:
    """The same experiments, with B at every c of `recorded_c_between`, where the original study
    tried nothing.
    """
    return Experiments(
        _fractions(_column(variant, key, f"{law}_between")), recorded(variant, key, law=law).truth
    )


def recorded_loss_only(variant: str, key: str) -> Experiments:
    """B^Q of the observed losses, at every c_Q of `recorded_c`."""
    return Experiments(_fractions(_column(variant, key, "loss_only")), _truth(variant, key))


def recorded_ratio(variant: str, key: str) -> FloatArray:
    """ln(sigma_b / sigma_a), the widths that both candidates were fitted with."""
    return np.asarray(_column(variant, key, "ratio"), dtype=float)


def recorded_fresh(variant: str, key: str) -> FloatArray:
    """Risk of the first model less that of the second in each fresh recording as long as the data,
    (experiments, recordings); not as published.
    """
    return np.asarray(_column(variant, key, "difference"), dtype=float)


def recorded_long(variant: str, key: str) -> FloatArray:
    """The same on one recording of 16 384 ms, of the six main conditions; not as published."""
    return np.asarray(_column(variant, key, "long"), dtype=float)


def recorded_copies(key: str) -> list[Experiments]:
    """The first 128 experiments as published in 64 copies that differ by rounding alone.

    As in the original study, paths are integrated by Simpson's rule.
    """
    beta = _fractions(_array("copies", f"{key}/beta"))
    truth = np.asarray(_array("copies", f"{key}/difference") < 0, dtype=float)
    return [Experiments(*each) for each in zip(beta, truth, strict=True)]


def recorded_copies_ratio(key: str) -> list[FloatArray]:
    """ln(sigma_b / sigma_a) in each of these copies."""
    return list(np.asarray(_array("copies", f"{key}/ratio"), dtype=float))


def replicated(variant: str, key: str, *, law: str = "beta") -> dict[str, Experiments]:
    """Experiments of which every one has rounding errors of its own, with two truths.

    "same process": on fresh recordings of the same process. "replication": on recordings after
    everything that Ω describes was drawn anew.
    """
    file = f"replications-{FILES[variant]}"
    probability = _fractions(_array(file, f"{key}/{law}"))
    means = {
        "same process": _array(file, f"{key}/same").mean(axis=1),
        "replication": _array(file, f"{key}/difference").mean(axis=1),
    }
    return {
        name: Experiments(probability, np.asarray(mean < 0, dtype=float))
        for name, mean in means.items()
    }


def recorded_drift(key: str) -> tuple[FloatArray, FloatArray]:
    """Mean squared residuals (mV²) of both candidates, documented constants.

    (512, 2), (512, 2, 16).

    In the recording to which widths were fitted, and in each 1024 ms of one of 16 384 ms.
    """
    fit = np.asarray(_array("drift", f"{key}/fit")[..., 0], dtype=float)
    return fit, np.asarray(_array("drift", f"{key}/long"), dtype=float)


def recorded_c() -> tuple[float, ...]:
    """The values of c, and of c_Q."""
    return tuple(_archive(FILES[AS_PUBLISHED])["c"].tolist())


def recorded_c_between() -> tuple[float, ...]:
    """Values of c in between those of the original study."""
    return tuple(_archive(FILES[AS_PUBLISHED])["c_between"].tolist())


def _column(variant: str, key: str, name: str) -> Any:
    if variant not in FILES:
        raise ValueError(f"there are records of {tuple(FILES)}; got {variant!r}")
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
            f"this installation has no {file}.npz among its records; install rivals-paper anew, or "
            "compute experiments with --experiments N"
        )
    return np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)


def _fractions(stored: Any) -> FloatArray:
    """Probabilities are kept as integers, the largest of which stands for 1."""
    return np.asarray(stored / np.iinfo(stored.dtype).max, dtype=float)
