"""Whether the observed and the synthetic table seem to be swapped."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rivals._types import FloatArray

# Models are judged on the same held-out points, so their observed losses are correlated; each simulates its own points, so the
# synthetic ones are not. With this many rows a rank correlation of independent columns is two standard errors below the lower limit.
FEW_ROWS = 64
# With this many rows, evenly spaced, its standard error is below 0.02; more would say the same.
MANY_ROWS = 4096
TOGETHER, APART = 0.5, 0.25


def look_swapped(observed: Mapping[str, FloatArray], synthetic: Mapping[str, FloatArray]) -> bool:
    """Whether the synthetic columns are correlated, as only losses on the same points are, and the observed ones are not.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.standard_normal(200)
    >>> together = {"A": y**2, "B": np.abs(y)}
    >>> apart = {"A": rng.standard_normal(200) ** 2, "B": np.abs(rng.standard_normal(200))}
    >>> look_swapped(together, apart), look_swapped(apart, together)
    (False, True)
    """
    if len(observed) < 2 or min(column.size for column in (*observed.values(), *synthetic.values())) < FEW_ROWS:
        return False
    return bool(np.min(_correlations(synthetic)) > TOGETHER and np.max(_correlations(observed)) < APART)


def _correlations(columns: Mapping[str, FloatArray]) -> FloatArray:
    """Size of the rank correlation of the first column with each of the others."""
    some = (column[:: -(-column.size // MANY_ROWS)] for column in columns.values())
    first, *others = (np.argsort(np.argsort(column, kind="stable")) for column in some)
    return np.abs([np.corrcoef(first, other)[0, 1] for other in others])
