"""The sampling error of a mean difference, paired point by point."""

from __future__ import annotations

import numpy as np

from rivals._types import FloatArray


def paired_error(differences: FloatArray) -> float:
    """Standard error of the mean of the differences of two models at independent points.

    Both models meet the same points, so that only what differs between them counts. Series and
    clusters are in `rivals.core.sampling_error`, and so are losses of extreme scale.

    Examples
    --------
    >>> round(paired_error(np.array([1.0, 0.0, 1.0, 0.0])), 4)
    0.2887
    """
    return float(np.std(differences, ddof=1) / np.sqrt(differences.size))
