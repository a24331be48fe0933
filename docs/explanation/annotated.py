"""README's result, with a number at each column, which the page explains."""

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

README = Path(__file__).parents[2] / "README.md"
BLUE = "#4a8fd0"
# A character of DejaVu Sans Mono is so wide, as a part of its size.
WIDTH, SIZE = 0.602, 9.0


def lines():
    """The table and the sentence below it, as README shows them."""
    text = README.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    shown = text.strip("\n").splitlines()
    after = ("Track record", "details:")
    end = next(place for place, line in enumerate(shown) if line.startswith(after))
    return shown[:end]


def columns(rows):
    """Where each column begins and ends, from the rows of the table."""
    widest = max(map(len, rows))
    padded = [row.ljust(widest) for row in rows]
    used = [any(row[place] != " " for row in padded) for place in range(widest)]
    gaps = [place for place in range(widest - 1) if not used[place] and not used[place + 1]]
    found, begin = [], 0
    for place in range(widest + 1):
        inside = place < widest and place not in gaps and (used[place] or place - 1 not in gaps)
        if not inside and begin is not None:
            if place > begin:
                found.append((begin, place))
            begin = None
        elif inside and begin is None:
            begin = place
    return found


def result():
    """Draw it."""
    shown = lines()
    head = next(place for place, line in enumerate(shown) if line.startswith("model"))
    last = next(place for place in range(head, len(shown)) if not shown[place])
    n_columns, n_lines = max(map(len, shown)), len(shown)
    inches = n_columns * WIDTH * SIZE / 72
    figure = plt.figure(figsize=(inches, 0.2 * n_lines + 0.3))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(-0.5, n_columns + 0.5), ylim=(n_lines + 0.3, -0.9))
    ax.axis("off")
    for number, (begin, end) in enumerate(columns(shown[head:last]), 1):
        if number % 2:
            corner = begin - 0.7, head - 0.6
            size = end - begin + 1.4, last - head + 0.2
            ax.add_patch(Rectangle(corner, *size, color=BLUE, alpha=0.15, lw=0))
        badge = {"boxstyle": "circle,pad=0.25", "color": BLUE}
        white = {"color": "white", "size": 8, "ha": "center", "va": "center"}
        ax.text((begin + end) / 2, head - 2.1, number, bbox=badge, **white)
    for place, line in enumerate(shown):
        ax.text(0, place, line, family="monospace", size=SIZE, va="center")
    return (
        f"README's result, with the numbers 1 to {number} above its columns; the list below says "
        "what each column means."
    )
