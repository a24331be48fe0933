"""Comparison in steps: after a rejection c must be valid for fewer pairs, so it may be smaller and
reject more.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from rivals.calibration import Validity

from rivals import Calibration, Comparison, RivalsWarning, compare
from rivals_paper.arrays import RNG


@dataclass(frozen=True, eq=False)
class Steps:
    """What each step of `compare_in_steps` compared and rejected, and why the last one was the
    last.

    Attributes
    ----------
    comparisons : tuple of Comparison
        One per step, each at its own c.
    omegas : tuple of tuple of str
        The epistemic distributions for which the c of each step is valid.
    stopped : str
        Why there is no further step.

    See Also
    --------
    compare_in_steps : makes it.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> first = rivals.compare(toys.losses(), c=0.25, rng=0)
    >>> steps = Steps((first,), (("an Ω",),), "one model is left")
    >>> steps.c, steps.survivors
    ((0.25,), ('A',))
    """

    comparisons: tuple[Comparison, ...]
    omegas: tuple[tuple[str, ...], ...]
    stopped: str

    @property
    def c(self) -> tuple[float, ...]:
        """The c of each step, decreasing."""
        return tuple(comparison.c for comparison in self.comparisons)

    @property
    def survivors(self) -> tuple[str, ...]:
        """The models that no step rejected, best first."""
        return self.comparisons[-1].survivors

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers, lists and text, for JSON."""
        return {
            "steps": [
                {
                    "c": each.c,
                    "omegas": list(omegas),
                    "candidates": list(each.names),
                    "rejected": list(each.rejections),
                }
                for each, omegas in zip(self.comparisons, self.omegas, strict=True)
            ],
            "survivors": list(self.survivors),
            "stopped": self.stopped,
        }

    def __str__(self) -> str:
        lines = [
            f"c = {each.c:g}: of {', '.join(each.ranking)}, rejected "
            f"{', '.join(each.rejections) or 'none'}"
            for each in self.comparisons
        ]
        return "\n".join(
            [*lines, f"Worth keeping: {', '.join(self.survivors)}. Stopped because {self.stopped}."]
        )

    __repr__ = __str__


def compare_in_steps(
    models: Mapping[str, Any],
    data: Any = None,
    *,
    calibration: Calibration,
    pairs: Mapping[str, tuple[str, str]],
    threshold: float = 0.95,
    bins: int = 16,
    loss_unit: str | None = None,
    rng: RNG = None,
) -> Steps:
    """Compare at the smallest c that is valid for all candidates.

    Lower c for the survivors, as long as that rejects more.

    The first step takes the smallest c that is valid for all epistemic distributions. Models that
    it rejects are set aside, with the epistemic distributions about them. Fewer of these remain, so
    a smaller c may be valid for them; the next step compares the survivors at that c. Probabilities
    are those of the law, not corrected by the curve, since c is chosen to be valid.

    Later steps cost errors: together the steps reject the best model more often than the first
    alone. If all pairs need the same c, many rejections by later steps are wrong. `compare(...,
    c=calibration)` makes fewer errors ("How to choose c" in the documentation has the numbers).

    Parameters
    ----------
    models, data
        As in `compare`.
    calibration : Calibration
        With all values of c that may be needed: a store cannot be given more of them later.
    pairs : mapping
        Name of an epistemic distribution → the two models that it is about. Several may be about
        one pair. Those that are not named here count in every step.
    threshold : float
        As in `compare`.
    bins : int
        Equal-count bins of the curves by which c is judged.
    loss_unit : str, optional
        As in `compare`.
    rng : int, SeedSequence, Generator or None
        Source of randomness, the same for every step.

    Returns
    -------
    Steps

    See Also
    --------
    rivals.compare : one step, at a c of your choice.
    rivals.Calibration.validity : which c are valid for which epistemic distribution.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> models = {"low": toys.gaussian(-0.1), "high": toys.gaussian(0.1)}
    >>> calibration = rivals.calibrate(
    ...     {"low or high": toys.omega},
    ...     n_data=200,
    ...     n_experiments=256,
    ...     c=[2.0**-6, 1.0],
    ...     n_truth=2000,
    ...     rng=0,
    ...     executor=0,
    ...     progress=False,
    ... )
    >>> data = 0.1 + np.random.default_rng(0).standard_normal(200)
    >>> pairs = {"low or high": ("low", "high")}
    >>> steps = compare_in_steps(models, data, calibration=calibration, pairs=pairs, rng=0)
    >>> steps.c
    (0.015625,)
    """
    entropy = int(np.random.default_rng(rng).integers(2**63)) if not isinstance(rng, int) else rng
    # The comparison with the calibration itself checks that it fits, and makes the losses that
    # every step judges.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RivalsWarning)
        losses = compare(
            models,
            data,
            c=calibration,
            n_simulations=calibration.n_simulations,
            order=calibration.order,
            loss_unit=loss_unit,
            rng=entropy,
        ).losses
    _check_pairs(pairs, calibration, tuple(losses))
    validity = calibration.validity(bins)
    pool = tuple(losses)
    comparisons: list[Comparison] = []
    omegas: list[tuple[str, ...]] = []
    while True:
        about = tuple(name for name in calibration.omegas if set(pairs.get(name, ())) <= set(pool))
        if not about:
            stopped = f"no epistemic distribution is about {', '.join(pool)}"
            break
        start = comparisons[-1].c if comparisons else _largest_valid(calibration, bins)
        c = _lowest_valid(validity, about, start)
        if comparisons and c == comparisons[-1].c:
            stopped = f"no smaller c is valid for {', '.join(about)}"
            break
        step = compare(
            {name: losses[name] for name in pool},
            law=calibration.law,
            c=c,
            threshold=threshold,
            order=calibration.order,
            rng=entropy,
        )
        comparisons.append(step)
        omegas.append(about)
        if not step.rejections:
            stopped = f"nothing more is rejected at c = {c:g}"
            break
        pool = tuple(name for name in pool if name not in step.rejections)
        if len(pool) == 1:
            stopped = "one model is left"
            break
    return Steps(tuple(comparisons), tuple(omegas), stopped)


def _largest_valid(calibration: Calibration, bins: int) -> float:
    """Where the first step begins to look.

    The largest of the range that is valid for all candidates.
    """
    largest = calibration.valid_c(bins=bins).high
    if largest is None:
        raise ValueError(
            "no value of c is valid for all candidates "
            f"together:\n{calibration.validity(bins)}\nRun more experiments, try larger values, "
            "begin with fewer candidates, or use compare(..., c=calibration), which corrects "
            "probabilities by the curve"
        )
    return largest


def _lowest_valid(validity: Validity, about: tuple[str, ...], start: float) -> float:
    """From `start` down as long as none of these epistemic distributions speaks against c."""
    rows = [name in about for name in validity.omegas]
    opposed = np.any(validity.speaks_against[rows], axis=0)
    lowest = start
    for c, is_opposed in zip(validity.c[::-1], opposed[::-1], strict=True):
        if c < start:
            if is_opposed:
                break
            lowest = c
    return lowest


def _check_pairs(
    pairs: Mapping[str, tuple[str, str]], calibration: Calibration, names: tuple[str, ...]
) -> None:
    for omega, pair in pairs.items():
        if omega not in calibration.omegas:
            raise ValueError(
                f"pairs names the epistemic distribution {omega!r}, but the calibration has "
                f"{list(calibration.omegas)}; use its names"
            )
        if isinstance(pair, str) or len(set(pair)) != 2 or not set(pair) <= set(names):
            raise ValueError(
                f"pairs[{omega!r}] must be two of the models {list(names)}: got {pair!r}; name the "
                "two that it is about"
            )
    if set(pairs) == set(calibration.omegas):
        covered = {frozenset(pair) for pair in pairs.values()}
        missing = [pair for pair in combinations(names, 2) if frozenset(pair) not in covered]
        if missing:
            shown = "; ".join(f"{a!r} and {b!r}" for a, b in missing[:3])
            rest = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            warnings.warn(
                f"no epistemic distribution is about {shown}{rest}: no c was validated for them; "
                "calibrate these pairs, too",
                RivalsWarning,
                stacklevel=3,
            )
