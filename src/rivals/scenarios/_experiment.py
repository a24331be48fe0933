"""What a scenario returns: a source of data, and the candidates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from rivals._core.types import Model

Candidates: TypeAlias = Sequence[Model] | Mapping[str, Model]


@dataclass(frozen=True)
class Experiment:
    """A simulated experiment.

    The source of the data, and the candidates.

    Parameters
    ----------
    observe : callable
        `observe(n, rng)` returns n data points of the true process.
    candidates : sequence or mapping, or callable
        Two candidates or more (each with `loss(data)` and `simulate(n, rng)`), or a function of
        the data that returns them, if they are fitted to every data set anew. Of more than two, a
        random pair is judged.
    replicate : callable, optional
        `replicate(n, rng)` returns n data points of a fresh replication: the problem is the same,
        but everything that varies between replications is drawn anew with `rng`. The better
        candidate is then the one of lower risk there. Without it, the better candidate is the one
        of lower risk on new data of the same process, as in the paper.

    See Also
    --------
    calibrate : runs many experiments.

    Examples
    --------
    A scenario Ω is any function from a generator to an experiment. Here the mean defines the
    problem, and each replication has an offset of its own:

    >>> from rivals.testbeds.toys import gaussian
    >>> def offsets(rng):
    ...     mean = rng.normal(0, 0.1)
    ...
    ...     def measure(n, rng):
    ...         return mean + rng.normal(0, 0.05) + rng.standard_normal(n)
    ...
    ...     return Experiment(measure, (gaussian(-0.1), gaussian(0.1)), replicate=measure)
    """

    observe: Callable[[int, np.random.Generator], Any]
    candidates: Candidates | Callable[[Any], Candidates]
    replicate: Callable[[int, np.random.Generator], Any] | None = None
