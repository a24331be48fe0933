"""Cost beside loss: which models are on the front, as far as that is sure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rivals._core.texts import Refusal, opt
from rivals._result import sentences as say
from rivals.plots._style import COLOURS, axes_or_new, finish, ink, legend_below, literal, small

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals._result.comparison import Comparison

LOOKS: dict[str, dict[str, Any]] = {
    "on the front": {"color": COLOURS[0], "marker": "o"},
    "open": {"color": COLOURS[5], "marker": "s"},
    "not on it": {"color": "0.6", "marker": "X"},
}


def front(result: Comparison, costs: Mapping[str, float]) -> dict[str, str]:
    """Which models are on the front of cost and loss.

    A model is not on it where one that costs no more is surely better; it surely is where it is
    better than every model that costs no more. Else that is open.

    Parameters
    ----------
    result : Comparison
    costs : mapping
        Name → cost, in any unit.

    Returns
    -------
    dict
        Name → "on the front", "not on it" or "open".

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), rng=0)
    >>> rivals.plots.front(result, {"A": 2.0, "B": 3.0})
    {'A': 'on the front', 'B': 'not on it'}
    """
    lacking = [name for name in result.risk if name not in costs]
    if lacking:
        raise Refusal(f"{opt['costs']}: there is none of {say.listed(lacking)}")
    values = np.array([float(costs[name]) for name in result.risk])
    if not np.isfinite(values).all():
        raise Refusal(f"{opt['costs']} must be finite numbers; got {values.tolist()}")
    found = {}
    for name in result.risk:
        cheaper = {each for each in result.risk if each != name and costs[each] <= costs[name]}
        rows = result.beside(name).to_records()
        said = [row["outcome"] for row in rows if row["model"] in cheaper]
        sure = all(each == "better" for each in said)
        found[name] = "not on it" if "worse" in said else "on the front" if sure else "open"
    return found


def plot_costs(result: Comparison, costs: Mapping[str, float], *, ax: Axes | None = None) -> Axes:
    """Draw the loss of each model beside its cost.

    Parameters
    ----------
    result : Comparison
    costs : mapping
        Name → cost, in any unit.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    See Also
    --------
    front : which models are on the front.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), rng=0)
    >>> rivals.plots.plot_costs(result, {"A": 2.0, "B": 3.0}).get_xlabel()
    'cost'
    """
    known = front(result, costs)
    source = result.summary.source
    sign = -1.0 if source.metric == "higher" else 1.0
    values = {name: sign * result.risk[name] for name in known}
    ax = axes_or_new(ax)
    for word, look in LOOKS.items():
        names = [name for name, own in known.items() if own == word]
        if names:
            x, y = [costs[name] for name in names], [values[name] for name in names]
            ax.scatter(x, y, label=word, zorder=3, **look)
    for name in known:
        where = (costs[name], values[name])
        offset: dict[str, Any] = {"xytext": (5, 3), "textcoords": "offset points"}
        ax.annotate(literal(name), where, fontsize=small(ax), color=ink(ax, 0.8), **offset)
    caption = say.picture_of_costs(result.setting.threshold, higher=sign < 0.0)
    finish(ax, "cost", say.measure(source), caption)
    legend_below(ax)
    return ax
