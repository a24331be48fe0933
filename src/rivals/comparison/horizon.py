"""How many new groups a verdict is about: the study repeated, the next group, or all to come."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from rivals._say.arguments import check_size
from rivals._say.words import show


def checked_new_groups(new_groups: Any) -> float:
    """A whole number of groups, or infinitely many.

    Examples
    --------
    >>> checked_new_groups(1), checked_new_groups(np.inf)
    (1.0, inf)
    """
    real = isinstance(new_groups, (float, np.floating))
    if real and np.isinf(new_groups) and new_groups > 0:
        return inf
    number = int(new_groups) if real and float(new_groups).is_integer() else new_groups
    try:
        return float(check_size(number, "new_groups"))
    except (TypeError, ValueError):
        raise ValueError(
            "new_groups must be a whole number, 1 or more, or math.inf for all groups to come: got "
            f"{show(repr(new_groups))}; leave it out for as many as at hand"
        ) from None
