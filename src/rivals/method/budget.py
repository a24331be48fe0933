"""A budget of variance: of the difference of two models, what was seen of it and what is new.

    d̄ = Σ_g w_g d_g,   s² = Σ_g (d_g − d̄)²/(G − 1), at least the mean sampling variance v̄ of a group
    seen = s²/G + (2(K − 1)/K + ½) SS       new = s²/m + SS       G − 1 degrees of freedom

w_g = 1/G, or one weighting for all models where given errors differ: s²/G is then
Σ w_g (d_g − d̄)²/(G − 1), at least Σ w_g² v_g. m new groups, infinite for the population mean. SS is
what K folds share through their training data (`theory.md` derives it),

    SS = mean over f ≠ g of S_fg S_gf,
    S_fg = (D_fg − mean over f' ≠ g of D_f'g) · (K − 1)/(K − 2),

D_fg the mean difference in group g by the fits without fold f. Where only losses of left-out groups
are known, seen = s²/G · (1 + 2/G); models that were fitted before share nothing.

Without groups the G units are rows. Where only losses of cross-validated rows are known, SS is
supposed to be s²/G times ½ up to 100 rows and ⅓ from 400 on: seen and new together are then 3.5 and
3 times s²/G with five folds, which real data gave at these two numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtr

from rivals._core.types import FloatArray, IntArray

# κ G: what left-out groups share is supposed to be this part of s²/G², where only losses are known.
SUPPOSED = 2.0
# What cross-validated rows share is supposed to be such a part of s²/G at so many rows.
SUPPOSED_OF_ROWS = ((100.0, 0.5), (400.0, 1.0 / 3.0))
# SS falls as this power of the number of groups, measured.
FALLS = 1.5
# The normal score of what is beyond every table.
FARTHEST = 38.0


@dataclass(frozen=True, eq=False)
class Budget:
    """Of several pairs at a time.

    Attributes
    ----------
    lead : array, shape (pairs,)
        d̄.
    unit : array
        s², the variance of one group.
    of_groups : array
        What it leaves in d̄: s²/G.
    noise, points, typical : array
        v̄, what sampling leaves in d̄, and the harmonic mean of the v_g.
    training, again : array
        What training data that are shared add to what was seen, and to what is new.
    degrees : float, or array of each pair
    """

    lead: FloatArray
    unit: FloatArray
    of_groups: FloatArray
    noise: FloatArray
    points: FloatArray
    typical: FloatArray
    training: FloatArray
    again: FloatArray
    degrees: float | FloatArray

    @classmethod
    def of(
        cls,
        values: FloatArray,
        noise: FloatArray,
        weights: FloatArray | None,
        shared: FloatArray | None,
        n_folds: int,
    ) -> Budget:
        """From the value of each pair in each group, and its sampling variance.

        Parameters
        ----------
        values, noise : array, shape (pairs, groups)
        weights : array, shape (groups,), or None
            That all weigh the same.
        shared : array, shape (pairs,), or None
            SS; None where only losses are known.
        n_folds : int
            0 for models that were fitted before.
        """
        n_groups = values.shape[1]
        lead = mean_of(values, weights)
        squares = (values - lead[:, None]) ** 2
        degrees = n_groups - 1.0
        average = noise.mean(axis=1)
        unit = np.maximum(squares.sum(axis=1) / degrees, average)
        if weights is None:
            of_groups, points = unit / n_groups, average / n_groups
        else:
            points = np.sum(weights**2 * noise, axis=1)
            of_groups = np.maximum(np.sum(weights * squares, axis=1) / degrees, points)
        nothing = np.zeros(lead.size)
        has_none = noise.min(axis=1) <= 0.0
        precision = np.mean(1.0 / np.where(has_none[:, None], 1.0, noise), axis=1)
        typical = np.where(has_none, 0.0, 1.0 / precision)
        if not n_folds:
            training = again = nothing
        elif shared is None:
            training, again = SUPPOSED / n_groups * of_groups, nothing
        else:
            training, again = cross_validated(n_folds) * shared, shared
        return cls(lead, unit, of_groups, average, points, typical, training, again, degrees)

    @classmethod
    def of_rows(
        cls,
        lead: FloatArray,
        unit: FloatArray,
        n_rows: int,
        degrees: float,
        shared: FloatArray | None,
        n_folds: int,
    ) -> Budget:
        """From the mean difference of each pair, and its variance n_rows · se²; rows have no
        further sampling variance.
        """
        nothing = np.zeros(lead.size)
        of_rows = unit / n_rows
        if not n_folds:
            shared = nothing
        elif shared is None:
            shared = supposed_of_rows(n_rows) * of_rows
        training = cross_validated(n_folds) * shared
        return cls(lead, unit, of_rows, nothing, nothing, nothing, training, shared, degrees)

    @property
    def seen(self) -> FloatArray:
        """The variance of d̄."""
        return self.of_groups + self.training

    def new(self, new_groups: float) -> FloatArray:
        """The variance of the mean over m new groups."""
        return self.unit / new_groups + self.again

    def score(self, new_groups: float, value: FloatArray | float = 0.0) -> FloatArray:
        """z: how far a value lies beyond d̄, in standard errors of what was seen; Student's t of
        what was seen and is new, made normal.
        """
        seen = self.seen
        total = np.sqrt(seen + self.new(new_groups))
        t = np.divide(value - self.lead, total, out=np.zeros_like(total), where=total > 0.0)
        normal = np.minimum(-ndtri(stdtr(self.degrees, -np.abs(t))), FARTHEST)
        part = np.divide(total**2, seen, out=np.ones_like(total), where=seen > 0.0)
        return np.asarray(np.sign(t) * normal * np.sqrt(part))

    def ratio(self, new_groups: float) -> FloatArray:
        """r: what is new, in parts of what was seen."""
        seen, new = self.seen, self.new(new_groups)
        return np.divide(new, seen, out=np.ones_like(new), where=seen > 0.0)

    def parts(self, new_groups: float) -> dict[str, FloatArray]:
        """Of seen and new together: how groups differ, their points, and shared training data."""
        points = self.points + self.noise / new_groups
        training = self.training + self.again
        whole = self.of_groups + self.unit / new_groups
        return {"groups": whole - points, "points": points, "training": training}


def cross_validated(n_folds: int) -> float:
    """What SS counts for in the mean over all folds: folds with each other, and each with
    itself.
    """
    return 2.0 * (n_folds - 1.0) / n_folds + 0.5 if n_folds else 0.0


def supposed_of_rows(n_rows: float) -> float:
    """SS in parts of s²/G, where only losses of cross-validated rows are known; a power between the
    two numbers of rows that it was measured at.

    Examples
    --------
    >>> [round(supposed_of_rows(n), 3) for n in (10, 100, 200, 1000)]
    [0.5, 0.5, 0.408, 0.333]
    """
    numbers, parts = np.log(SUPPOSED_OF_ROWS).T
    return float(np.exp(np.interp(np.log(n_rows), numbers, parts)))


def mean_of(values: FloatArray, weights: FloatArray | None) -> FloatArray:
    """d̄, each row by itself: to the last bit, whatever stands beside it."""
    return np.asarray(values.mean(axis=1) if weights is None else (values * weights).sum(axis=1))


def shared_training(by_fold: FloatArray, fold: IntArray) -> FloatArray:
    """The mean of S_fg S_gf for all pairs of models at once; of a model alone on the diagonal.

    Parameters
    ----------
    by_fold : array, shape (folds, groups, models)
        Mean losses in every group by the models fitted without each fold.
    fold : array of int, shape (groups,)
        Which fold each group was left out by.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> fits = rng.normal(size=(5, 1, 2)) + rng.normal(size=(1, 5, 2))
    >>> bool(shared_training(fits, np.arange(5))[0, 1] > 0.0)
    False
    """
    n_folds, _, n_models = by_fold.shape
    if n_folds < 3:
        return np.zeros((n_models, n_models))
    first = by_fold[..., :1]
    relative = by_fold - first  # what all models share costs no digits
    products = _products(relative, fold)
    own = np.diagonal(products)
    found = own[:, None] + own[None, :] - products - products.T
    np.fill_diagonal(found, np.diagonal(_products(by_fold, fold)))
    return np.asarray(np.maximum(found, 0.0) / (n_folds * (n_folds - 1.0)))


def _products(by_fold: FloatArray, fold: IntArray) -> FloatArray:
    """Σ over f ≠ g of S_fg of one model times S_gf of another."""
    n_folds = len(by_fold)
    means = np.stack([by_fold[:, fold == each].mean(axis=1) for each in range(n_folds)], axis=1)
    off = ~np.eye(n_folds, dtype=bool)[..., None]
    centre = np.where(off, means, 0.0).sum(axis=0) / (n_folds - 1.0)
    scores = np.where(off, means - centre, 0.0) * ((n_folds - 1.0) / (n_folds - 2.0))
    return np.asarray(np.einsum("fga,gfb->ab", scores, scores, optimize=True))
