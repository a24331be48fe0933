"""From what was predicted for left-out points to losses: the same for all doors that fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rivals._core.arrays import Points
from rivals._core.grouping import Grouping
from rivals._core.losses import Fits, Losses, Provenance
from rivals._core.seeds import stream
from rivals._core.texts import Refusal, WrongKind, text_of
from rivals._core.types import FloatArray, IntArray
from rivals.read._densities import (
    DENSITY,
    PROBABILITY,
    Density,
    density_of_labels,
    places_of,
)
from rivals.read._folds import Fold
from rivals.read._noise import PREDICTED, fit_of, gaussian_of, name_of
from rivals.read._point_losses import CRPS, LOG, PointLoss, crps


class Judged(NamedTuple):
    """The losses of each fold: of its points, and of simulations of them, a row for each."""

    parts: list[tuple[FloatArray, FloatArray]]
    source: Provenance


@dataclass(frozen=True)
class Judging:
    """How the predictions of a model are judged.

    Attributes
    ----------
    targets : array
        Of all points.
    folds : sequence of Fold
    loss : PointLoss
    noise : str, distribution or callable
        Of numbers, for losses of distributions.
    n_simulations : int
    key : tuple of int
        Entropy and key of the random stream; the number of the fold comes last.
    """

    targets: npt.NDArray[Any]
    folds: Sequence[Fold]
    loss: PointLoss
    noise: Any
    n_simulations: int
    key: tuple[int, ...]

    def of_numbers(self, predicted: Sequence[Any]) -> Judged:
        """From the predicted numbers of each fold."""
        if self.loss.needs != "distribution":
            return self._of_predictions(predicted)
        if isinstance(self.noise, str) and self.noise == PREDICTED:
            return self.of_densities([gaussian_of(each) for each in predicted])
        fit = fit_of(self.noise)
        tests = [fold.test for fold in self.folds]
        if len(tests) == 1 and isinstance(self.noise, str):
            raise ValueError(
                "noise: there is one fold, and the noise comes from other folds; pass a "
                "distribution, as noise=scipy.stats.norm(0.0, 2.0)"
            )
        densities = []
        for place, mean in enumerate(predicted):
            others = [each for each in range(len(tests)) if each != place]
            seen = np.concatenate([tests[each] for each in others] or [np.empty(0, dtype=np.intp)])
            means = np.concatenate([predicted[each] for each in others] or [np.empty(0)])
            densities.append(fit(self.targets[seen], means)(mean))
        return self.of_densities(densities)

    def of_labels(
        self, predicted: Sequence[npt.NDArray[Any]], classes: npt.NDArray[Any], floor: float
    ) -> Judged:
        """From the predicted labels of each fold, or their probabilities."""
        if self.loss is LOG:
            of_labels = replace(self, noise=None)  # which is a matter of numbers
            return of_labels.of_densities(
                [density_of_labels(classes, each, floor) for each in predicted]
            )
        if self.loss.needs == "probabilities":
            as_places = replace(self, targets=places_of(self.targets, classes))
            return as_places._of_predictions(predicted)
        return self._of_predictions(predicted)

    def of_densities(self, densities: Sequence[Density]) -> Judged:
        """From the distribution of the targets of each fold."""
        parts = []
        for place, (fold, density) in enumerate(zip(self.folds, densities, strict=True)):
            parts.append(self.of_density(density, fold.test, place))
        if self.loss is CRPS:
            source = CRPS.source
        else:
            source = densities[0].source
        return Judged(parts, replace(source, noise=name_of(self.noise)))

    def of_density(
        self, density: Density, test: IntArray, fold: int
    ) -> tuple[FloatArray, FloatArray]:
        """The losses of one fold under a distribution."""
        rng = stream(*self.key, fold)
        if self.loss is CRPS:
            return crps(density, self.targets[test], self.n_simulations, rng)
        return density.losses(self.targets[test], self.n_simulations, rng)

    def _of_predictions(self, predicted: Sequence[npt.NDArray[Any]]) -> Judged:
        parts = []
        for fold, each in zip(self.folds, predicted, strict=True):
            parts.append((self.loss(self.targets[fold.test], each), np.empty((0, fold.test.size))))
        return Judged(parts, self.loss.source)


def named_alike(judged: Sequence[Judged]) -> list[Judged]:
    """Densities of some models beside probabilities of others: both are likelihoods."""
    losses = {each.source.loss for each in judged}
    if losses != {DENSITY.loss, PROBABILITY.loss}:
        return list(judged)
    likelihood = "negative log likelihood"
    return [Judged(each.parts, replace(each.source, loss=likelihood)) for each in judged]


def assembled(
    judged: Judged,
    folds: Sequence[Fold],
    grouping: Grouping | None,
    index: Any,
    said: Provenance,
    fits: tuple[Fits, ...] | Fits | None = None,
) -> Losses:
    """The losses of all folds, in the order of the data; they carry the groups, if whole groups
    were left out.
    """
    tests = np.concatenate([fold.test for fold in folds])
    order = np.argsort(tests)
    rows = tests[order]
    observed = np.concatenate([own for own, _ in judged.parts])[order]
    simulated = np.concatenate([drawn for _, drawn in judged.parts], axis=1)[:, order]
    source = replace(judged.source, point=said.point, library=said.library)
    groups = None
    if grouping is None or folds[0].groups:
        source = replace(source, left_out=True, n_folds=len(folds))
    if grouping is not None and folds[0].groups:
        groups = grouping
        if rows.size < grouping.codes.size:
            groups = Grouping.of([grouping.names[code] for code in grouping.codes[rows]])
            groups = replace(groups, noun=grouping.noun)
            fits = None
    if index is not None:
        index = index[rows]
    return Losses(Points(observed, index), simulated, groups=groups, source=source, fits=fits)


@contextmanager
def naming(who: str) -> Iterator[None]:
    """Errors say whose they are."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = WrongKind if isinstance(error, TypeError) else Refusal
        raise kind(f"{who}: {text_of(error)}") from error
