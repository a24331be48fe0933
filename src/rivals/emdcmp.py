"""The names of `emdcmp`, the package of the paper's authors: import this module in its place.

`import rivals.emdcmp as emdcmp` runs scripts that were written for it. What differs: every function
that draws takes `rng=`; α and β are solved once for all paths; and the limits of the beta
distribution are right, where `emdcmp` up to 1.1.1 has four wrong ones.

New work is easier with `rivals.compare(models, data, method="paper")`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from rivals._core.checks import check_size
from rivals._core.seeds import entropy_from
from rivals._core.texts import Refusal, WrongKind
from rivals._core.types import RNG, FloatArray
from rivals.calibration import Calibration
from rivals.laws import HierarchicalBetaProcess, Paper
from rivals.method.quantiles import QuantileFunction, grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Bemd",
    "Calibrate",
    "CalibrateOutput",
    "EpistemicDist",
    "Experiment",
    "calibration_plot",
    "draw_R_samples",
    "interp1d",
    "make_empirical_risk_ppf",
]

PPF = Callable[[FloatArray], npt.ArrayLike]
POINT = np.dtype([("Bemd", float), ("Bconf", bool)])
# Points of a calibration curve, where no size of bins is asked for.
CURVE_POINTS = 16


def make_empirical_risk_ppf(risk_samples: npt.ArrayLike) -> QuantileFunction:
    """The quantile function of samples of the loss.

    Examples
    --------
    >>> float(make_empirical_risk_ppf([3.0, 1.0, 2.0])(0.5))
    2.0
    """
    return QuantileFunction(risk_samples)


interp1d = QuantileFunction


def draw_R_samples(
    mixed_risk_ppf: PPF,
    synth_risk_ppf: PPF,
    c: float,
    *,
    res: int = 8,
    M: int = 128,
    rng: RNG = None,
    **unused: Any,
) -> FloatArray:
    """Draws of the expected risk R.

    Parameters
    ----------
    mixed_risk_ppf, synth_risk_ppf : callable
        q* and q~, functions of Φ.
    c : float
        Sensitivity.
    res : int
        Refinements: paths have 2**res + 1 points, and R is their integral by Simpson's rule.
    M : int
        How many. A draw takes microseconds: take as many as you like.
    rng : int, SeedSequence, Generator or None
        Source of randomness.
    **unused
        `max_M`, `relstderr_tol`, `path_progbar` and `print_relstderr` of `emdcmp`, without effect.

    Examples
    --------
    >>> import numpy as np
    >>> q, q_tilde = (lambda phi: 1 + phi), (lambda phi: 1.1 + phi)
    >>> draw_R_samples(q, q_tilde, 0.25, M=1000, rng=0).mean().round(2)
    np.float64(1.5)
    """
    _refuse(unused, "max_M", "relstderr_tol", "path_progbar", "print_relstderr")
    phi = grid(check_size(res, "res", least=1))
    q, q_tilde = (_at(ppf, phi, name) for ppf, name in _both(mixed_risk_ppf, synth_risk_ppf))
    process = HierarchicalBetaProcess(q, q_tilde, c=c, depth=res)
    paths = process.sample_paths(check_size(M, "M"), res, rng)[1]
    return paths @ _simpson(phi.size)


def Bemd(
    mixed_risk_ppfA: PPF,
    mixed_risk_ppfB: PPF,
    synth_risk_ppfA: PPF,
    synth_risk_ppfB: PPF,
    c: float,
    *,
    res: int = 7,
    M: int = 2048,
    rng: RNG = None,
    **unused: Any,
) -> float:
    """The criterion B^EMD = P(R_A < R_B).

    Parameters
    ----------
    mixed_risk_ppfA, mixed_risk_ppfB, synth_risk_ppfA, synth_risk_ppfB : callable
        Quantile functions of the loss: of both models on the data, and on their own simulations.
    c : float
        Sensitivity.
    res, M
        As in `draw_R_samples`. With 2 048 draws the standard error of B is at most 0.011.
    rng : int, SeedSequence, Generator or None
        Source of randomness.
    **unused
        As in `draw_R_samples`, and `progbarA`, `progbarB`, `use_multiprocessing`.

    Examples
    --------
    >>> Bemd(lambda p: p, lambda p: 0.1 + p, lambda p: 0.1 + p, lambda p: p, 0.25, rng=0) > 0.5
    True
    """
    _refuse(unused, "max_M", "relstderr_tol", "progbarA", "progbarB", "use_multiprocessing")
    first, second = np.random.SeedSequence(entropy_from(rng)).spawn(2)
    a = draw_R_samples(mixed_risk_ppfA, synth_risk_ppfA, c, res=res, M=M, rng=first)
    b = draw_R_samples(mixed_risk_ppfB, synth_risk_ppfB, c, res=res, M=M, rng=second)
    return float(np.mean(np.searchsorted(np.sort(a), b)) / a.size)


# ---------------------------------------------------------------- calibration


@dataclass
class Experiment:
    """One experiment ω: who makes the data, two candidates, and their losses.

    Parameters
    ----------
    data_model : callable
        `data_model(L)` returns L points of data.
    candidateA, candidateB : callable
        `candidate(data)` returns simulated data, as for these.
    QA, QB : callable
        `Q(data)` returns the loss of each point.
    """

    data_model: Callable[[int], Any]
    candidateA: Callable[[Any], Any]
    candidateB: Callable[[Any], Any]
    QA: Callable[[Any], npt.ArrayLike]
    QB: Callable[[Any], npt.ArrayLike]


@dataclass(frozen=True)
class EpistemicDist(ABC):
    """A distribution Ω over experiments; a subclass yields them.

    Parameters
    ----------
    N : int
        How many experiments it yields.
    """

    N: int

    @abstractmethod
    def __iter__(self) -> Iterator[Experiment]:
        """The experiments, drawn with seeds of their own."""

    def __len__(self) -> int:
        return self.N

    def generate(self, N: int) -> Self:
        """The same distribution, with another number of experiments."""
        return replace(self, N=N)


@dataclass(frozen=True)
class CalibrateOutput:
    """B of every experiment at every c, c fastest; and whether the first model was better."""

    Bemd: list[float]
    Bconf: list[bool]


class Calibrate:
    """A calibration: B and the truth of many experiments.

    Parameters
    ----------
    c_list : sequence of float
        Sensitivities.
    experiments : iterable of Experiment
        As an `EpistemicDist`.
    Ldata : int
        Points of data in each experiment.
    Linf : int
        Points on which the better model is found.
    M : int
        Draws of each R.
    rng : int, SeedSequence, Generator or None
        Source of randomness of these draws; data are as random as the experiments make them.
    reason : str
        As in `emdcmp`, without effect.

    See Also
    --------
    rivals.calibrate : runs on many processors, resumes, and draws seeds itself.

    Examples
    --------
    >>> import numpy as np
    >>> class Offsets(EpistemicDist):
    ...     def __iter__(self):
    ...         for n in range(self.N):
    ...             rng = np.random.default_rng(n)
    ...             mean = rng.normal(0, 0.3)
    ...             yield Experiment(
    ...                 lambda L: mean + rng.standard_normal(L),
    ...                 lambda data: rng.standard_normal(data.size) - 0.2,
    ...                 lambda data: rng.standard_normal(data.size) + 0.2,
    ...                 lambda data: (data + 0.2) ** 2,
    ...                 lambda data: (data - 0.2) ** 2,
    ...             )
    >>> task = Calibrate(c_list=[0.25, 1.0], experiments=Offsets(20), Ldata=100, Linf=2000, rng=0)
    >>> results = task.unpack_results(task.run())
    >>> list(results), results[1.0].dtype.names, len(results[1.0])
    ([0.25, 1.0], ('Bemd', 'Bconf'), 20)
    """

    def __init__(
        self,
        *,
        c_list: Sequence[float],
        experiments: Iterable[Any],
        Ldata: int,
        Linf: int,
        M: int = 1024,
        rng: RNG = None,
        reason: str = "",
    ) -> None:
        self.c_list = list(c_list)
        self.experiments = experiments
        self.Ldata = check_size(Ldata, "Ldata", least=2)
        self.Linf = check_size(Linf, "Linf", least=2)
        self.M = check_size(M, "M")
        self.entropy = entropy_from(rng)
        self.reason = reason

    def run(self) -> CalibrateOutput:
        """Run all experiments."""
        b, truth = [], []
        for number, each in enumerate(self.experiments):
            data = each.data_model(self.Ldata)
            mixed = [make_empirical_risk_ppf(loss(data)) for loss in (each.QA, each.QB)]
            synth = [
                make_empirical_risk_ppf(each.QA(each.candidateA(data))),
                make_empirical_risk_ppf(each.QB(each.candidateB(data))),
            ]
            seed = np.random.SeedSequence(self.entropy, spawn_key=(number,))
            b += [
                Bemd(mixed[0], mixed[1], synth[0], synth[1], c, res=8, M=self.M, rng=seed)
                for c in self.c_list
            ]
            new = each.data_model(self.Linf)
            truth.append(bool(np.mean(each.QA(new)) < np.mean(each.QB(new))))
        return CalibrateOutput(b, truth)

    def unpack_results(self, result: CalibrateOutput) -> dict[float, npt.NDArray[Any]]:
        """c → a record array of "Bemd" and "Bconf"."""
        size = len(result.Bconf)
        if len(result.Bemd) != size * len(self.c_list):
            raise Refusal(
                f"the result has {len(result.Bemd)} B for {size} experiments at "
                f"{len(self.c_list)} c; it is of another task"
            )
        table = np.reshape(result.Bemd, (size, len(self.c_list)))
        found = {}
        for column, c in enumerate(self.c_list):
            found[c] = np.empty(size, dtype=POINT)
            found[c]["Bemd"], found[c]["Bconf"] = table[:, column], result.Bconf
        return found

    def calibration(self, result: CalibrateOutput) -> Calibration:
        """As `rivals` has it, which says which c may be used."""
        return _calibration(self.unpack_results(result), self.Ldata)


def calibration_plot(
    calib_results: Mapping[float, npt.NDArray[Any]],
    target_bin_size: int | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Calibration curves of what `Calibrate.unpack_results` returned.

    Parameters
    ----------
    calib_results : mapping
        c → record array of "Bemd" and "Bconf".
    target_bin_size : int, optional
        Experiments in each point of a curve; by default as many as make 16 points.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> results = np.empty(64, dtype=[("Bemd", float), ("Bconf", bool)])
    >>> results["Bemd"] = rng.random(64)
    >>> results["Bconf"] = rng.random(64) < results["Bemd"]
    >>> calibration_plot({1.0: results}, 16).get_ylabel()
    'how often a is better'
    """
    from rivals.plots import plot_calibration

    if not calib_results:
        raise Refusal("there are no results to plot")
    size = len(next(iter(calib_results.values())))
    per_bin = max(size // CURVE_POINTS, 1) if target_bin_size is None else target_bin_size
    bins = max(size // check_size(per_bin, "target_bin_size"), 1)
    # How many data there were does not show in the picture.
    return plot_calibration(_calibration(calib_results, n_data=2), bins=bins, ax=ax)


def _calibration(results: Mapping[float, npt.NDArray[Any]], n_data: int) -> Calibration:
    c = sorted(results)
    b = np.stack([results[each]["Bemd"] for each in c], axis=1)
    truth = results[c[0]]["Bconf"].astype(float)
    return Calibration.from_experiments({"Ω": (b, truth)}, c, n_data=n_data, method=Paper())


# ---------------------------------------------------------------- pieces


def _both(mixed: PPF, synth: PPF) -> Iterator[tuple[PPF, str]]:
    for ppf, name in ((mixed, "mixed_risk_ppf"), (synth, "synth_risk_ppf")):
        if not callable(ppf):
            raise WrongKind(
                f"{name} must be a function of Φ, as make_empirical_risk_ppf(losses) is; got "
                f"{type(ppf).__name__}"
            )
        yield ppf, name


def _at(ppf: PPF, phi: FloatArray, name: str) -> QuantileFunction:
    """The function where paths have points."""
    values = np.asarray(ppf(phi), dtype=np.float64)
    if values.shape != phi.shape or not np.isfinite(values).all() or (np.diff(values) < 0.0).any():
        raise Refusal(f"{name} must return a finite number for each Φ, and never fall")
    return QuantileFunction.through(values)


def _simpson(size: int) -> FloatArray:
    """Weights of Simpson's rule on [0, 1]."""
    weights = np.tile([2.0, 4.0], size // 2 + 1)[:size]
    weights[[0, -1]] = 1.0
    return np.asarray(weights / (3.0 * (size - 1)))


def _refuse(given: Mapping[str, Any], *known: str) -> None:
    for name in given:
        if name not in known:
            raise TypeError(f"there is no parameter {name!r}")
