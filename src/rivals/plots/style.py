"""What all pictures share: colours that colour-blind readers can tell apart, and how axes are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe & Ito's palette in an order of falling contrast with white; line styles repeat it for grey prints.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
LINE_STYLES = ("-", "--", "-.", ":")


def style(place: int) -> dict[str, Any]:
    """Colour and line style of the model at this place; different for the first 28."""
    return {
        "color": COLOURS[place % len(COLOURS)],
        "linestyle": LINE_STYLES[(place + place // len(COLOURS)) % len(LINE_STYLES)],
    }


def axes_or_new(ax: Axes | None, *, width: float = 6.0, height: float = 3.8) -> Axes:
    """The given axes, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError('pictures need matplotlib: pip install "rivals[plot]"') from None
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def literal(name: str) -> str:
    """A model's name as plain text: matplotlib would take dollar signs for mathematics."""
    from rivals._checks import show

    return show(name).replace("$", r"\$")
