"""The sampling error of a mean difference, paired point by point."""

from __future__ import annotations

import numpy as np

from rivals._types import FloatArray


def paired_error(first: FloatArray, second: FloatArray) -> float:
    """Standard error of the difference of two mean losses on the same independent points.

    Both models meet the same points, so that only what differs between them counts. Series and
    clusters are in `rivals.core.sampling_error`, which agrees with this where points are
    independent.

    Examples
    --------
    >>> paired_error(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 2.0, 2.0, 4.0]))
    0.2886751345948129
    """
    differences = first - second
    return float(np.std(differences, ddof=1) / np.sqrt(differences.size))
