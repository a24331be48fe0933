"""How many new groups a verdict is about, and the words for it: the study repeated, the next group,
or all to come.
"""

from __future__ import annotations

from math import inf, isinf
from typing import Any

import numpy as np

from rivals._say.arguments import check_size
from rivals._say.words import plural, show
from rivals.laws.setting import Setting


def checked_new_groups(new_groups: Any) -> float:
    """A whole number of groups, or infinitely many.

    Examples
    --------
    >>> checked_new_groups(1), checked_new_groups(np.inf)
    (1.0, inf)
    """
    real = isinstance(new_groups, (float, np.floating))
    if isinstance(new_groups, (bool, np.bool_)):
        new_groups = str(new_groups)  # which no number of groups is
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


def next_group(setting: Setting) -> str:
    """The next group in words of the data, as "a single new school"."""
    return f"a single new {_kind(setting)}"


def new_groups(setting: Setting) -> str:
    """So many new groups, in words of the data.

    Examples
    --------
    >>> new_groups(Setting())
    'one new group'
    """
    kind = _kind(setting)
    if isinf(setting.horizon):
        return f"all {plural(kind)} to come"
    if setting.horizon == 1.0:
        return f"one new {kind}"
    return f"{setting.horizon:.0f} new {plural(kind)}"


def question(setting: Setting) -> str:
    """What the verdict is about, as the beginning of a sentence.

    Examples
    --------
    >>> question(Setting())
    'If the experiment were repeated'
    """
    groups = setting.groups
    if groups is None:
        return "If the experiment were repeated"
    kind = _kind(setting)
    if isinf(setting.horizon):
        return f"In the mean over all {plural(kind)} to come"
    if setting.horizon == 1.0:
        return f"In {next_group(setting)}"
    return f"If {setting.horizon:.0f} new {plural(kind)} were studied"


def _kind(setting: Setting) -> str:
    return "group" if setting.groups is None else setting.groups.kind
