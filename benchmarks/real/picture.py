"""Error against stated on real data: one point for each method, one panel for each question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

GROUPS = "10"
TITLES = {
    "next": "Who wins in the next group?",
    "study": "Who wins if the study is repeated?",
    "all": "Who wins over all groups?",
}
RED, BLUE, GREEN = "#c0392b", "#2c6fbb", "#1a7f37"
# Method → its words and the colour of its kind.
SHOWN = {
    "elpd ± SE of points, by points": ("5-fold by points, elpd ± SE", RED),
    "arviz-stats compare, differences below 4 left open": ("arviz-stats, below 4 open", RED),
    "stacking weight above ½ (arviz-stats)": ("stacking weight above ½", RED),
    "model confidence set (arch)": ("model confidence set", RED),
    "nested cross-validation": ("nested cross-validation", RED),
    "paired t, by points": ("paired t over 5 folds", RED),
    "corrected t (Nadeau and Bengio; baycomp), by points": ("corrected t over 5 folds", RED),
    "elpd ± SE of points, by groups": ("groups left out, SE of points", BLUE),
    "paired t, by groups": ("paired t over groups", BLUE),
    "corrected t (Nadeau and Bengio; baycomp), by groups": ("corrected t over groups", BLUE),
    "corrected t with a ROPE (baycomp)": ("corrected t with a ROPE", BLUE),
    "Bayesian signed rank (baycomp)": ("Bayesian signed rank", BLUE),
    "Bayesian signed rank with a ROPE (baycomp)": ("signed rank with a ROPE", BLUE),
    "Wilcoxon": ("Wilcoxon", BLUE),
    "Friedman and Nemenyi (scikit-posthocs)": ("Friedman and Nemenyi", BLUE),
    "autorank": ("autorank", BLUE),
    "bootstrap of groups": ("bootstrap of groups", BLUE),
    "t prediction of a new group": ("t prediction of a new group", BLUE),
    "rivals, next group": ("rivals, next group", GREEN),
    "rivals, as compare decides": ("rivals, as compare decides", GREEN),
    "rivals, all groups": ("rivals, all groups", GREEN),
}


def draw(found: dict[str, Any], path: Path) -> None:
    """Points with jackknife errors, numbered as in the list beside them."""
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    by_method = found["left out"].get(GROUPS, {})
    shown = [name for name in SHOWN if name in by_method]
    figure, axes = plt.subplots(1, 3, figsize=(13.5, 5.2), sharey=True, layout="constrained")
    for ax, (question, title) in zip(axes, TITLES.items(), strict=True):
        for number, name in enumerate(shown, 1):
            score = by_method[name]
            if score["error"][question] is None:
                continue
            error, spread = score["error"][question]
            own = found["questions"][name] == question
            colour = SHOWN[name][1]
            ax.errorbar(
                score["stated"],
                error,
                yerr=spread,
                fmt="o" if own else ".",
                markersize=7 if own else 5,
                markerfacecolor=colour if own else "white",
                color=colour,
                elinewidth=0.8,
            )
            ax.annotate(
                str(number),
                (score["stated"], error),
                (4, 4),
                textcoords="offset points",
                fontsize=8,
                color=colour,
                weight="bold" if own else "normal",
            )
        ax.axhline(5.0, color="0.5", lw=1, ls="--")
        ax.set(
            title=title,
            xlabel="a winner is stated (% of judgements)",
            xlim=(0, 100),
            ylim=(0, None),
        )
    axes[0].set_ylabel("the stated winner loses (%)")
    handles = []
    for number, name in enumerate(shown, 1):
        words, colour = SHOWN[name]
        handles.append(Line2D([], [], marker="o", ls="", color=colour, label=f"{number}  {words}"))
    figure.legend(handles=handles, loc="outside right center", fontsize=8, frameon=False)
    sizes = max((one["data_sets"] for one in by_method.values()), default=0)
    figure.suptitle(
        f"{sizes} real data sets, ten groups at hand. Full dots: the question that a method "
        "answers. Red: groups ignored; blue: groups used; green: this library",
        fontsize=10,
    )
    figure.savefig(path, dpi=130)
    plt.close(figure)
