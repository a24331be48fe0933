"""What all pictures share: colours, how axes are made, how text is set."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from rivals._core.optional import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette, which colour-blind readers tell apart, in an order of falling contrast
# with white; line styles and markers repeat it for grey prints.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
LINE_STYLES = ("-", "--", "-.", ":")
MARKERS = "osD^vP*X"

LONGEST_NAME = 28
NARROW = 4.2  # inches: about the column of a journal
# Of the font of captions, on average, in a wide and in a narrow picture.
CHARACTERS_PER_INCH = {"small": 16.0, "x-small": 19.0}
ROW = 0.15  # inches that a row with its name needs
AROUND = 1.3  # inches that captions and labels take of the height


def look(index: int) -> dict[str, Any]:
    """Colour and line style of a model; different for the first 24."""
    line = index % len(COLOURS) + index // len(COLOURS)
    return {
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": LINE_STYLES[line % len(LINE_STYLES)],
    }


def axes_or_new(ax: Axes | None, width: float = 6.0, height: float = 3.8) -> Axes:
    """The given axes, or those of a new figure."""
    if ax is not None:
        return ax
    pyplot = need("matplotlib.pyplot", extra="plot", purpose="pictures")
    axes: Axes = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    return axes


def ink(ax: Axes, strength: float = 1.0) -> tuple[float, ...]:
    """The colour of text, or part of the way to it from the ground: greys in any style."""
    from matplotlib import rcParams
    from matplotlib.colors import to_rgb, to_rgba

    ground = to_rgba(ax.get_facecolor())
    if ground[3] == 0.0:  # transparent
        ground = to_rgba(ax.get_figure(root=True).get_facecolor())  # type: ignore[union-attr]
    text = to_rgb(rcParams["text.color"])
    return tuple(low + strength * (high - low) for low, high in zip(ground, text, strict=False))


def literal(name: str, longest: int = LONGEST_NAME) -> str:
    """A name as plain text, its middle left out if long: dollar signs are no mathematics."""
    text = "".join(letter if letter.isprintable() else "·" for letter in name)
    if len(text) > longest:
        half = longest // 2
        text = f"{text[: longest - half - 1]}…{text[-half:]}"
    return text.replace("$", r"\$")


def width_in_inches(ax: Axes) -> float:
    """Of the axes with their labels, as far as it is known before they are drawn."""
    return _size(ax)[0]


def room_for_rows(ax: Axes, height: float = ROW) -> int:
    """How many rows of this height, in inches, fit."""
    return int(max(_size(ax)[1] - AROUND * is_alone(ax), height) / height)


def _size(ax: Axes) -> tuple[float, float]:
    figure = ax.get_figure(root=True)
    assert figure is not None
    if is_alone(ax):
        width, height = figure.get_size_inches().tolist()
        return width, height
    extent = ax.get_window_extent()
    return extent.width / figure.dpi, extent.height / figure.dpi


def is_alone(ax: Axes) -> bool:
    """Whether the figure has no other picture; the bar of a colour scale is none."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    return sum(each.get_label() != "<colorbar>" for each in figure.axes) == 1


def is_narrow(ax: Axes) -> bool:
    """Whether text must be smaller and names shorter."""
    return width_in_inches(ax) < NARROW


def names_of(ax: Axes, names: list[str]) -> list[str]:
    """Names as labels of an axis, shorter where there is little room."""
    return [literal(name, LONGEST_NAME // (2 if is_narrow(ax) else 1)) for name in names]


def small(ax: Axes) -> str:
    """The size of labels."""
    return "x-small" if is_narrow(ax) else "small"


def finish(ax: Axes, x: str, y: str, caption: str) -> Axes:
    """Label the axes, and write above them how to read the picture."""
    size = "small" if is_narrow(ax) else "medium"
    ax.set_xlabel(x, fontsize=size)
    ax.set_ylabel(y, fontsize=size)
    if is_narrow(ax):
        ax.tick_params(labelsize="x-small")
    columns = int(0.95 * width_in_inches(ax) * CHARACTERS_PER_INCH[small(ax)])
    whole = caption.replace(" = ", "\u00a0=\u00a0").replace(" %", "\u00a0%")
    lines = textwrap.wrap(whole, width=max(columns, 24), break_long_words=False)
    figure = ax.get_figure(root=True)
    assert figure is not None
    if is_alone(ax):  # the caption may then begin where the figure does
        figure.suptitle("\n".join(lines), fontsize=small(ax), x=0.01, ha="left")
    else:
        ax.set_title("\n".join(lines), fontsize=small(ax), loc="left", pad=14.0)
    return ax


def legend_below(ax: Axes) -> None:
    """A legend under the label of the x axis, where no data are, in as many columns as fit."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    longest = max(map(len, labels)) + 10  # with the handle, and the gap to the next
    columns = int(width_in_inches(ax) * CHARACTERS_PER_INCH[small(ax)] / longest)
    dpi = ax.figure.dpi
    below = -0.55 * dpi / ax.get_window_extent().height
    ax.legend(
        handles,
        labels,
        loc="upper center",
        bbox_to_anchor=(0.5, below),
        ncols=min(max(columns, 1), len(handles)),
        fontsize=small(ax),
        frameon=False,
        borderpad=0.0,
    )
