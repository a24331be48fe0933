"""Draws the picture of README from README's own code, and writes its numbers into the file."""

import contextlib
import io
import json
import re
from pathlib import Path

import matplotlib.pyplot as plt

import rivals
from rivals.plots._forest import answers, in_each_group, plot_forest

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "_static" / "forest.png"


def result():
    """What README's first example compares."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code = re.search(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[1]
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, names)
    return rivals.compare(names["losses"])


def numbers(found):
    """What the picture shows: differences in each group, answers, and the caption."""
    best, other = found.ranking[:2]
    values, half = in_each_group(found, other, best)
    return {
        "models": list(found.ranking[:2]),
        "differences": values.tolist(),
        "half widths": half.tolist(),
        "answers": [
            [each.low, each.high, each.chance] for each in answers(found, other, best)
        ],
    }


def draw(found, path):
    """The forest plot, with its numbers as metadata."""
    figure, ax = plt.subplots(figsize=(7.0, 4.6), layout="constrained")
    plot_forest(found, ax=ax)
    figure.savefig(path, dpi=110, metadata={"Description": json.dumps(numbers(found))})


if __name__ == "__main__":
    plt.switch_backend("agg")
    draw(result(), PICTURE)
