"""A process of one's own: paths q^ around q*, as far from it as δ and c say; the risk is ∫ q^.

The paper invites other processes that satisfy its desiderata; two stand here by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._core.checks import check_positive, check_size
from rivals._core.losses import Losses
from rivals._core.seeds import entropy_from, stream
from rivals._core.texts import Refusal, WrongKind
from rivals._core.types import RNG, FloatArray
from rivals.laws.beta import Beta, HierarchicalBetaProcess
from rivals.laws.transport import Transport
from rivals.laws.transport_process import TransportLaw
from rivals.method.quantiles import QuantileFunction

# A function is read at so many pieces, evenly spaced.
PIECES = 2**14
# Paths that are drawn at a time, and those by which moments are known.
TOGETHER = 2**10
N_PATHS = 2**14
DEPTH = 8


class Process(ABC):
    """Paths around a quantile function, whose integral is the risk.

    A subclass says how paths are drawn. Their risks follow by the trapezoid rule, and their mean
    and standard deviation from 16 384 of them, with a seed of their own.

    Parameters
    ----------
    q : QuantileFunction
        q*, in the unit of the loss.
    delta : QuantileFunction
        The misfit δ(Φ).
    c : float
        Sensitivity.

    See Also
    --------
    rivals.process : makes one.
    rivals.testing.check_process : which of the paper's desiderata it keeps.

    Examples
    --------
    >>> import numpy as np, rivals
    >>> class Shifted(rivals.laws.Process):
    ...     "Every path is q*, moved as a whole."
    ...
    ...     def sample_paths(self, n_paths, depth=8, rng=None):
    ...         phi = np.linspace(0, 1, 2**depth + 1)
    ...         z = np.random.default_rng(rng).standard_normal((n_paths, 1))
    ...         return phi, self.q(phi) + np.sqrt(self.c) * z * np.mean(self.delta(phi))
    >>> risk = rivals.process([0.0, 1.0, 4.0], [0.1, 0.2, 0.3], c=0.25, kind=Shifted)
    >>> print(f"{risk.risk_mean:.2f} ± {risk.risk_std:.2f}")
    1.50 ± 0.10
    """

    def __init__(self, q: QuantileFunction, delta: QuantileFunction, c: float) -> None:
        self.q = q
        self.delta = delta
        self.c: float = c
        self.simulated: tuple[QuantileFunction, ...] = ()

    @abstractmethod
    def sample_paths(
        self, n_paths: int, depth: int = DEPTH, rng: RNG = None
    ) -> tuple[FloatArray, FloatArray]:
        """Even places Φ, and paths there.

        Of shapes (2**depth + 1,) and (n_paths, 2**depth + 1).
        """

    def sample_risk(self, n_draws: int, rng: RNG = None) -> FloatArray:
        """Independent draws of the risk R = ∫ q^."""
        n_draws = check_size(n_draws, "n_draws")
        generator = stream(entropy_from(rng))
        risks = []
        for begin in range(0, n_draws, TOGETHER):
            paths = self.sample_paths(min(TOGETHER, n_draws - begin), DEPTH, generator)[1]
            risks.append(np.mean(0.5 * (paths[:, 1:] + paths[:, :-1]), axis=1))
        return np.concatenate(risks)

    @cached_property
    def _risks(self) -> FloatArray:
        return self.sample_risk(N_PATHS, 0)

    @property
    def risk_mean(self) -> float:
        """E[R]."""
        return float(self._risks.mean())

    @property
    def risk_std(self) -> float:
        """Standard deviation of R."""
        return float(self._risks.std())


def process(
    q: Any,
    delta: Any = None,
    c: float | None = None,
    *,
    ends: Callable[[int, np.random.Generator], tuple[Any, Any]] | None = None,
    kind: str | type[Process] = "beta",
    depth: int | None = None,
) -> Any:
    """Make the process of one model, from functions or losses.

    Parameters
    ----------
    q : callable, array_like, or Losses
        The quantile function q* of the losses: a function of an array of Φ, or its values at
        evenly spaced Φ from 0 to 1. Or `Losses`, observed and simulated, which bring their misfit.
    delta : callable, array_like or number
        The misfit δ, likewise.
    c : float, optional
        Sensitivity; by default 1, of transport ¼.
    ends : callable, optional
        Of the beta process: `ends(n, rng)` returns arrays of q(0) and q(1), in the unit of the
        loss; by default normal with variance c δ². It is called once, for 65 536 pairs from which
        paths draw theirs.
    kind : {"beta", "transport"} or a subclass of `rivals.laws.Process`
        How paths are drawn.
    depth : int, optional
        Of the beta process: how often intervals are halved.

    Returns
    -------
    HierarchicalBetaProcess, TransportLaw, or what `kind` makes
        With `q`, `delta`, `c`, `risk_mean`, `risk_std`, `sample_risk` and `sample_paths`, all in
        the unit of the loss.

    Examples
    --------
    >>> import numpy as np
    >>> exponential = lambda phi: -np.log1p(-0.999 * phi)
    >>> print(process(exponential, lambda phi: 0.1 + 0.3 * phi, c=0.25))
    HierarchicalBetaProcess(c=0.25, depth=14, R = 1.0066 ± 0.1, end points' share of Var[R] 25 %)
    """
    if isinstance(kind, str) and kind not in ("beta", "transport"):
        raise Refusal(f"kind must be 'beta', 'transport' or a class of your own; got {kind!r}")
    if c is None:
        c = Transport.default_c if kind == "transport" else Beta.default_c
    c = check_positive(c, "c")
    if kind != "beta" and (ends is not None or depth is not None):
        what = "ends" if ends is not None else "depth"
        raise Refusal(f"{what}= is of the beta process; kind {kind!r} has none, leave it out")
    if isinstance(q, Losses):
        if delta is not None or ends is not None:
            raise Refusal("losses bring their misfit and their ends; leave delta= and ends= out")
        if kind == "beta":
            return HierarchicalBetaProcess.from_losses(q, c, depth)
        if kind == "transport":
            return TransportLaw.from_losses(q, c)
        centre = QuantileFunction(q.observed)
        of_losses = TransportLaw.from_losses(q, c)
        return _own(kind)(centre, QuantileFunction.through(_read(of_losses.delta, "delta")), c)
    if delta is None:
        raise Refusal("delta is missing: give the misfit δ(Φ), or rivals.Losses in place of q")
    centre, gap = _curves(q, delta)
    if kind == "beta":
        return HierarchicalBetaProcess(centre, delta=gap, c=c, depth=depth, ends=ends)
    if kind == "transport":
        return TransportLaw.from_curves(centre, gap, c)
    return _own(kind)(centre, gap, c)


def _own(kind: Any) -> Any:
    if not callable(kind):
        raise WrongKind(
            f"kind must be 'beta', 'transport' or a class of your own; got {type(kind).__name__}"
        )
    return kind


def _curves(q: Any, delta: Any) -> tuple[QuantileFunction, QuantileFunction]:
    """q* and δ as straight pieces, checked."""
    values, gaps = _read(q, "q"), _read(delta, "delta")
    if gaps.size == 1:
        gaps = np.full(2, gaps[0])
    if values.size < 2:
        raise Refusal("q must have two values or more, at evenly spaced Φ from 0 to 1")
    given = (callable(q), callable(delta) or np.ndim(delta) == 0)
    if not any(given) and values.size != gaps.size:
        raise Refusal(
            f"q has {values.size} values and delta {gaps.size}; give both at the same evenly "
            "spaced Φ from 0 to 1"
        )
    falls = np.flatnonzero(np.diff(values) < 0.0)
    if falls.size:
        at = falls[0]
        raise Refusal(
            f"q falls at Φ = {at / (values.size - 1):.4g}, from {values[at]:.6g} to "
            f"{values[at + 1]:.6g}; a quantile function never does (samples of losses are given "
            "as rivals.Losses(observed, simulated))"
        )
    below = np.flatnonzero(gaps < 0.0)
    if below.size:
        at = below[0]
        raise Refusal(
            f"delta is {gaps[at]:.4g} at Φ = {at / (gaps.size - 1):.4g}; a misfit is never below "
            "zero: give |q~ − q*|"
        )
    return QuantileFunction.through(values), QuantileFunction.through(gaps)


def _read(curve: Any, what: str) -> FloatArray:
    """Values at evenly spaced Φ."""
    if callable(curve):
        phi = np.linspace(0.0, 1.0, PIECES + 1)
        found = np.asarray(curve(phi), dtype=np.float64)
        values = np.full(phi.size, float(found)) if found.ndim == 0 else found
        if values.shape != phi.shape:
            raise Refusal(
                f"{what} returned {found.shape} values for {phi.shape} of Φ; it must return one "
                "for each"
            )
    else:
        values = np.atleast_1d(np.asarray(_as_numbers(curve, what), dtype=np.float64))
        if values.ndim != 1:
            raise Refusal(f"{what} must have one dimension; got shape {values.shape}")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        at = bad[0]
        raise Refusal(
            f"{what} is {values[at]} at Φ = {at / max(values.size - 1, 1):.4g}; it must be finite "
            "there, the ends included: the largest loss of a finite sample is"
        )
    return values


def _as_numbers(curve: npt.ArrayLike, what: str) -> Any:
    try:
        return np.asarray(curve, dtype=np.float64)
    except (TypeError, ValueError):
        raise WrongKind(
            f"{what} must be a function of Φ, or numbers; got {type(curve).__name__}"
        ) from None
