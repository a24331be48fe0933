"""What all pictures share: colours that colour-blind readers can tell apart, how axes are made, how
text is set.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rivals._say.optional import need
from rivals._say.words import all_shortened, shortened, show
from rivals.comparison import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe & Ito's palette in an order of falling contrast with white; line styles repeat it for grey
# prints.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
LINE_STYLES = ("-", "--", "-.", ":")
BAND = "#E8C547"  # the discrepancy: yellow, as in the paper

LONGEST_NAME = 32
LEGEND = 10_000  # the legend shortens names itself
MOST_INSIDE = 6
NARROW = 3.5
CHARACTERS_PER_INCH = 16.5  # of the small font in which sentences are set, on average


def style(index: int) -> dict[str, Any]:
    """Colour and line style of the model of this number; different for the first 28."""
    from matplotlib import rcParams

    colours = (*COLOURS[:-1], rcParams["text.color"])  # black, but for a dark style
    return {
        "color": colours[index % len(COLOURS)],
        # Each round through the colours begins one line style later, so that no pair repeats in
        # four rounds.
        "linestyle": LINE_STYLES[(index % len(COLOURS) + index // len(COLOURS)) % len(LINE_STYLES)],
    }


def axes_or_new(ax: Axes | None, *, width: float = 6.0, height: float = 3.8) -> Axes:
    """The given axes, or those of a new figure."""
    if ax is not None:
        return ax
    pyplot = need("matplotlib.pyplot", extra="plot", purpose="pictures")
    axes: Axes = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    return axes


def ink(ax: Axes, strength: float = 1.0) -> tuple[float, ...]:
    """The colour of text, or so far on the way to it from that of the ground: black and greys on
    white, white and greys in a dark style.
    """
    from matplotlib import rcParams
    from matplotlib.colors import to_rgb, to_rgba

    ground = to_rgba(ax.get_facecolor())
    if ground[3] == 0.0:  # transparent
        ground = to_rgba(ax.figure.get_facecolor())
    text = to_rgb(rcParams["text.color"])
    return tuple(low + strength * (high - low) for low, high in zip(ground, text, strict=False))


def literal(name: str, longest: int = LONGEST_NAME) -> str:
    """A model's name as plain text, shortened if long: matplotlib would take dollar signs for
    mathematics.
    """
    return shortened(show(name), longest).replace("$", r"\$")


def literals(names: Iterable[str], longest: int = LONGEST_NAME) -> list[str]:
    """The same of several, which stay different."""
    return [
        name.replace("$", r"\$") for name in all_shortened([show(name) for name in names], longest)
    ]


def setting(result: Comparison) -> str:
    """The law of a comparison and its c, for a sentence."""
    return f"Law “{result.law}”" + ("" if result.c != result.c else f", c = {result.c:g}")


def width_in_inches(ax: Axes) -> float:
    """Width of the axes, before their labels take their part of it."""
    return float(ax.get_window_extent().width / ax.figure.dpi)


def is_narrow(ax: Axes) -> bool:
    """Whether the picture is about as wide as the column of a journal: then text is smaller and
    names are shorter.
    """
    return width_in_inches(ax) < NARROW


def finish(
    ax: Axes,
    x: str,
    y: str,
    sentence: str,
    *,
    title: bool,
    part: float = 1.0,
    place: Any = "best",
) -> Axes:
    """Label the axes, put a sentence on how to read the picture above it, and a legend.

    The sentence is broken to a part of the width of the axes.
    """
    ax.set(xlabel=x, ylabel=y)
    if title:
        columns = int(part * width_in_inches(ax) * CHARACTERS_PER_INCH)
        lines = textwrap.wrap(sentence, width=max(columns, 20), break_long_words=False)
        ax.set_title("\n".join(lines), fontsize="small", loc="left")
    if ax.get_legend() is None:
        legend(ax, place)
    return ax


def legend(ax: Axes, place: Any = "best") -> None:
    """A legend in this place; "beside" the axes wherever there are many models."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    narrow = is_narrow(ax)
    many = len(handles) > MOST_INSIDE
    longest = LONGEST_NAME
    if narrow:
        longest = 14 if many else 22
    shown = literals([label.replace(r"\$", "$") for label in labels], longest)
    if not many and place != "beside":
        size = "x-small" if narrow else "small"
        ax.legend(handles, shown, loc=place, fontsize=size, framealpha=0.7)
        return
    corner: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    smaller = 5 if narrow else "x-small"
    ax.legend(handles, shown, fontsize=smaller, handlelength=1.6, borderaxespad=0.3, **corner)
