"""From what was predicted for left-out points to losses: the same for all doors that fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rivals._core.arrays import Points
from rivals._core.grouping import Grouping
from rivals._core.losses import Fits, Losses, Provenance
from rivals._core.predictions import fits_of
from rivals._core.seeds import stream
from rivals._core.types import FloatArray, IntArray
from rivals.method.influence import Metric
from rivals.read._densities import DENSITY, PROBABILITY, Density, density_of_labels
from rivals.read._folds import Fold
from rivals.read._noise import PREDICTED, fit_of, gaussian_of, name_of
from rivals.read._point_losses import CRPS, crps


class Judged(NamedTuple):
    """The losses of one folding.

    Attributes
    ----------
    parts : list of pair
        For each fold the losses of its points, and of simulations of them, a row for each.
    source : Provenance
    everywhere : array, shape (folds, asked rows), or None
        The losses of each fold's fit at rows that were asked of all.
    """

    parts: list[tuple[FloatArray, FloatArray]]
    source: Provenance
    everywhere: FloatArray | None = None


@dataclass(frozen=True)
class Judging:
    """How predictions become losses that need a distribution.

    Attributes
    ----------
    targets : array
        Of all points.
    folds : sequence of Fold
        Of one folding.
    loss : Metric
        LOG or CRPS.
    noise : str, distribution or callable
        Of numbers; labels have none.
    n_simulations : int
    key : tuple of int
        Entropy and key of the random stream; the number of the fold comes last.
    classes : array, optional
        Of labels.
    floor : float
        The least probability of a label.
    """

    targets: npt.NDArray[Any]
    folds: Sequence[Fold]
    loss: Metric
    noise: Any
    n_simulations: int
    key: tuple[int, ...]
    classes: npt.NDArray[Any] | None = None
    floor: float = 0.0

    def judged(
        self,
        predicted: Sequence[npt.NDArray[Any]],
        asked: IntArray | None = None,
        everywhere: Sequence[npt.NDArray[Any]] = (),
    ) -> Judged:
        """From what was predicted where each fold was left out, and at rows asked of all fits."""
        densities = self._densities(predicted)
        parts = []
        source = CRPS_SOURCE
        for place, (fold, each) in enumerate(zip(self.folds, predicted, strict=True)):
            density = densities[place](each)
            source = source if self.loss is CRPS else density.source
            parts.append(self.of_density(density, fold.test, place))
        found = None
        if asked is not None and len(everywhere):
            alone = replace(self, n_simulations=0)
            try:
                found = np.stack(
                    [
                        alone.of_density(densities[place](each), asked, place)[0]
                        for place, each in enumerate(everywhere)
                    ]
                )
            except ValueError:  # as a label that a fit gives no probability
                found = None
        noise = "" if self.classes is not None else name_of(self.noise)
        return Judged(parts, replace(source, noise=noise), found)

    def of_density(
        self, density: Density, rows: IntArray, fold: int
    ) -> tuple[FloatArray, FloatArray]:
        """The losses of some rows under a distribution."""
        rng = stream(*self.key, fold)
        if self.loss is CRPS:
            return crps(density, self.targets[rows], self.n_simulations, rng)
        return density.losses(self.targets[rows], self.n_simulations, rng)

    def _densities(
        self, predicted: Sequence[npt.NDArray[Any]]
    ) -> list[Callable[[npt.NDArray[Any]], Density]]:
        """Of each fold, from predictions to the distribution of targets.

        Its noise is fitted to predictions for points of the other folds.
        """
        classes = self.classes
        if classes is not None:
            return [lambda each: density_of_labels(classes, each, self.floor)] * len(predicted)
        if isinstance(self.noise, str) and self.noise == PREDICTED:
            return [lambda each: gaussian_of((each[:, 0], each[:, 1]))] * len(predicted)
        fit = fit_of(self.noise)
        tests = [fold.test for fold in self.folds]
        if len(tests) == 1 and isinstance(self.noise, str):
            raise ValueError(
                "noise: there is one fold, and the noise comes from other folds; pass a "
                "distribution, as noise=scipy.stats.norm(0.0, 2.0)"
            )
        found = []
        for place in range(len(tests)):
            others = [each for each in range(len(tests)) if each != place]
            seen = np.concatenate([tests[each] for each in others] or [np.empty(0, dtype=np.intp)])
            means = np.concatenate([predicted[each] for each in others] or [np.empty(0)])
            found.append(fit(self.targets[seen], means))
        return found


CRPS_SOURCE = Provenance(loss=CRPS.name)


def named_alike(judged: Sequence[Sequence[Judged]]) -> list[list[Judged]]:
    """Densities of some models beside probabilities of others: both are likelihoods."""
    losses = {each.source.loss for model in judged for each in model}
    if losses != {DENSITY.loss, PROBABILITY.loss}:
        return [list(model) for model in judged]
    likelihood = "negative log likelihood"
    return [
        [each._replace(source=replace(each.source, loss=likelihood)) for each in model]
        for model in judged
    ]


def assembled(
    judged: Sequence[Judged],
    foldings: Sequence[Sequence[Fold]],
    grouping: Grouping | None,
    index: Any,
    said: Provenance,
    asked: Sequence[IntArray] = (),
) -> Losses:
    """The losses of all folds, in the order of the data, the mean over foldings; they carry the
    groups, if whole groups were left out. Simulations are of the first folding.
    """
    rows, folds = tested(foldings)
    observed = np.zeros(rows.size)
    fits: list[Fits | None] = []
    unit = None if grouping is None else grouping.codes[rows]
    for place, each in enumerate(judged):
        order = np.argsort(np.concatenate([fold.test for fold in foldings[place]]))
        own = np.concatenate([own for own, _ in each.parts])[order]
        observed += own / len(judged)
        if each.everywhere is not None and asked and rows.size == 1 + rows[-1]:
            fits.append(fits_of(each.everywhere, asked[place], unit, folds[place], own))
    order = np.argsort(np.concatenate([fold.test for fold in foldings[0]]))
    simulated = np.concatenate([drawn for _, drawn in judged[0].parts], axis=1)[:, order]
    source = replace(
        judged[0].source,
        **trained(foldings, grouping),
        point=said.point,
        library=said.library,
    )
    values = Points(observed, None if index is None else index[rows])
    complete = len(fits) == len(judged) and all(each is not None for each in fits)
    return Losses(
        values,
        simulated,
        groups=grouping_of_rows(grouping, rows),
        source=source,
        fits=fits if complete else None,
    )


def trained(foldings: Sequence[Sequence[Fold]], grouping: Grouping | None) -> dict[str, Any]:
    """What is said of training: each unit, a group or a row, by fits to the others."""
    apart = grouping is None or bool(foldings[0][0].groups)
    n_folds = len(foldings[0])
    return {
        "left_out": apart or None,
        "n_folds": n_folds if apart else 0,
        "repeats": len(foldings),
    }


def tested(foldings: Sequence[Sequence[Fold]]) -> tuple[IntArray, IntArray]:
    """The rows that are judged, in order, and the fold of each in each folding."""
    rows = np.sort(np.concatenate([fold.test for fold in foldings[0]]))
    folds = np.zeros((len(foldings), rows.size), dtype=np.intp)
    for place, folding in enumerate(foldings):
        for number, fold in enumerate(folding):
            folds[place, np.searchsorted(rows, fold.test)] = number
    return rows, folds


def grouping_of_rows(grouping: Grouping | None, rows: IntArray) -> Grouping | None:
    """The groups of the rows that are judged."""
    if grouping is None or rows.size == grouping.codes.size:
        return grouping
    some = Grouping.of([grouping.names[code] for code in grouping.codes[rows]])
    return replace(some, noun=grouping.noun)
