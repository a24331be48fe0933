"""What a user says of a simulated experiment, and what is found in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._types import FloatArray, Model

Candidates: TypeAlias = Sequence[Model] | Mapping[str, Model]
# rng → Experiment, or (rng, index) → Experiment; or an object with batch(indices, rng_of) →
# ExperimentLosses of each.
Omega: TypeAlias = Any


@dataclass(frozen=True)
class Experiment:
    """A simulated experiment: the source of the data, and the candidates to judge.

    Parameters
    ----------
    observe : callable
        `observe(n, rng)` returns n data points of the true process.
    candidates : sequence or mapping, or callable
        Two candidates or more (each with `loss(data)` and `simulate(n, rng)`), or a function of the
        data that returns them, if they are refitted to every data set. Of a mapping from names to
        candidates, the calibration keeps the names. Of more than two, a random pair is what curves
        are made of; the threshold for the best of them is learned from all.
    replicate : callable, optional
        `replicate(n, rng)` returns n data points of a fresh replication: the problem is the same,
        but everything that varies between replications is drawn anew with `rng`. The better
        candidate is then the one with the lower risk there. Without `replicate`, the better
        candidate is the one with the lower risk on new data of the same process that made the
        observed data: a question about sampling error alone.

    See Also
    --------
    calibrate : runs many experiments.
    rivals.calibration.replications : makes experiments from candidates and one data set.

    Examples
    --------
    An epistemic distribution is any function from a generator to an experiment. Here the mean
    defines the problem, and each replication has its own offset:

    >>> from rivals.testbeds.toys import gaussian
    >>> def omega(rng):
    ...     mean = rng.normal(0, 0.1)
    ...
    ...     def measure(n, rng):
    ...         return mean + rng.normal(0, 0.05) + rng.standard_normal(n)
    ...
    ...     return Experiment(
    ...         observe=measure,
    ...         candidates=(gaussian(-0.1), gaussian(0.1)),
    ...         replicate=measure,
    ...     )
    """

    observe: Callable[[int, np.random.Generator], Any]
    candidates: Candidates | Callable[[Any], Candidates]
    replicate: Callable[[int, np.random.Generator], Any] | None = None


@dataclass(frozen=True)
class ExperimentLosses:
    """The losses of one experiment, from an Ω that computes many experiments at once.

    An epistemic distribution with a method ``batch(indices, rng_of)`` is asked for the losses of
    several experiments in one call: a sequence with one `ExperimentLosses` for each index. It may
    compute them with vectorised code of any kind (NumPy, JAX, PyTorch, CUDA). ``rng_of(index)`` is
    the generator of an experiment; with no other random numbers the records do not depend on how
    experiments are put into batches; an attribute ``batch_size`` says how many are best computed
    together.

    Parameters
    ----------
    observed : array, shape (k, n_data)
        Losses of all candidates, two or more, on the observed data.
    synthetic : array, shape (k, n_simulations, n_data)
        Losses of each candidate on data that it simulated itself. One simulation may be given as
        (k, n_data).
    truth : array, shape (k, n_truth), or (n_replications, k, n_truth)
        Losses of all on new data that determine which is truly better.
    replicated : bool
        Whether the new data are those of fresh replications.

    See Also
    --------
    Experiment : what an epistemic distribution returns for one experiment at a time.

    Examples
    --------
    >>> import numpy as np
    >>> from rivals.calibration import ExperimentLosses, calibrate
    >>> class Offsets:
    ...     def batch(self, indices, rng_of):
    ...         z = np.stack([rng_of(index).standard_normal(4500) for index in indices])
    ...         mean, noise = 0.1 * z[:, :1], z[:, 1:]
    ...         centres = np.array([-0.1, 0.1])[:, None]
    ...         def loss(y):
    ...             return 0.5 * (y[:, None, :] - centres) ** 2
    ...         observed = loss(mean + noise[:, :200])
    ...         truth = loss(mean + noise[:, 200:4200])
    ...         synthetic = 0.5 * noise[:, 4200:4400] ** 2
    ...         return [
    ...             ExperimentLosses(observed[i], np.stack([synthetic[i]] * 2), truth[i])
    ...             for i in range(len(indices))
    ...         ]
    >>> calibration = calibrate(
    ...     Offsets(),
    ...     n_data=200,
    ...     n_truth=4000,
    ...     n_experiments=64,
    ...     n_simulations=1,
    ...     c=[0.1],
    ...     rng=0,
    ...     executor=0,
    ...     progress=False,
    ... )
    >>> len(calibration.records)
    64
    """

    observed: npt.ArrayLike
    synthetic: npt.ArrayLike
    truth: npt.ArrayLike
    replicated: bool = False


@dataclass(frozen=True)
class Outcome:
    """What an experiment found: of a pair (a, b) of its candidates, and of the best of all."""

    # At each c: P(R_a < R_b), its error, and the largest probability with which a rival of lower
    # mean loss beats the truly best.
    probability: FloatArray
    standard_error: FloatArray
    score: FloatArray
    # The true risks, from n_truth samples; of several replications the mean.
    risk_a: float
    risk_b: float
    truth_error: float  # standard error of risk_a − risk_b
    truth: float  # fraction of the replications that a wins; an undecided one counts half
    replicated: bool  # whether the truth is that of fresh replications
    n_candidates: int = 2
    names: tuple[str, ...] = ()  # of the candidates, where they are known
