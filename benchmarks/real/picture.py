"""Reliability on real data, and failures against how often a winner is named: real.png."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

RED, BLUE, GREEN = "#c0392b", "#2c6fbb", "#1a7f37"
# Method → its words and the colour of its kind: groups ignored, groups used, this library.
SHOWN = {
    "elpd ± SE of points, by points": ("5-fold by points, elpd ± SE", RED),
    "stacking weight above ½ (arviz-stats)": ("stacking weight above ½", RED),
    "model confidence set (arch)": ("model confidence set", RED),
    "elpd ± SE of points, by groups": ("groups left out, SE of points", BLUE),
    "paired t, by groups": ("paired t over groups", BLUE),
    "corrected t (Nadeau and Bengio; baycomp), by groups": ("corrected t over groups", BLUE),
    "Wilcoxon": ("Wilcoxon", BLUE),
    "Friedman and Nemenyi (scikit-posthocs)": ("Friedman and Nemenyi", BLUE),
    "bootstrap of groups": ("bootstrap of groups", BLUE),
    "REML, Hartung and Knapp": ("meta-analysis, REML", BLUE),
    "rivals, losses only": ("rivals, losses only", "#8fbf9f"),
    "rivals": ("rivals", GREEN),
    "oracle": ("who knows the fresh groups", "0.3"),
}
LINES = ("elpd ± SE of points, by points", "paired t, by groups", "rivals, losses only", "rivals")
GROUPS = (4, 6, 10, 20)


def draw(found: dict[str, Any], path: Path) -> None:
    """Above, P against how often the favoured one won; below, failures against named."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 4, figsize=(13.5, 7.0), layout="constrained", sharey="row")
    for place, groups in enumerate(GROUPS):
        own = {
            one["method"]: one
            for one in found["cells"]
            if one["design"] == "left out" and one["groups"] == groups
        }
        most = max(one["named"]["data_sets"] for one in own.values())
        reliability(axes[0, place], own)
        axes[0, place].set_title(f"{groups} groups left out, {most} data sets", fontsize=10)
        failures(axes[1, place], own)
    axes[0, 0].set_ylabel("the favoured model won again")
    axes[1, 0].set_ylabel("named winners that fail (%)")
    axes[0, 3].legend(fontsize=8, loc="lower right")
    handles, labels = axes[1, 2].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def reliability(ax: Any, cells: dict[str, Any]) -> None:
    """Every method by the study repeated."""
    ax.plot([0.5, 1.0], [0.5, 1.0], color="0.7", lw=1)
    for name in LINES:
        bands = [x for x in cells[name]["reliability"] if x["won"]["error"] is not None]
        words, colour = SHOWN[name]
        ax.errorbar(
            [x["mean P"] / 100 for x in bands],
            [x["won"]["value"] / 100 for x in bands],
            yerr=[x["won"]["error"] / 100 for x in bands],
            marker="o",
            ms=4,
            color=colour,
            label=words,
            elinewidth=0.8,
        )
    ax.set(xlabel="P", xlim=(0.48, 1.02), ylim=(0.4, 1.02))


def failures(ax: Any, cells: dict[str, Any]) -> None:
    """Of winners that are named, how many fail in a study of as many fresh groups."""
    for number, (name, (words, colour)) in enumerate(SHOWN.items(), 1):
        failed = cells[name]["failed"]["study"] if name in cells else None
        if failed is None:
            continue
        ax.errorbar(
            cells[name]["named"]["value"],
            failed["value"],
            yerr=failed["error"],
            fmt="o",
            color=colour,
            elinewidth=0.8,
            label=f"{number}  {words}",
        )
        at = (cells[name]["named"]["value"], failed["value"])
        ax.annotate(str(number), at, (4, 4), textcoords="offset points", fontsize=8, color=colour)
    ax.axhline(5.0, color="0.5", lw=1, ls="--")
    ax.set(xlabel="a winner is named (% of pairs)", xlim=(0, 100), ylim=(0, 40))
