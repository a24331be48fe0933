"""Error against stated, on real data: one group at hand, several, and one left out at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

# Panel → (design, groups, method, colour, words)
PANELS = {
    "candidates frozen, judged from k groups": [
        ("frozen", "1", "elpd ± SE", "C3", "k = 1, elpd ± SE"),
        ("frozen", "1", "transport, c = 1/4", "C0", "k = 1, law transport"),
        ("frozen", "1", "beta, c = 1/4", "C1", "k = 1, law beta"),
        ("frozen", "2", "groups", "#a6d96a", "k = 2, law groups"),
        ("frozen", "3", "groups", "#66bd63", "k = 3, law groups"),
        ("frozen", "5", "groups", "#1a9850", "k = 5, law groups"),
        ("frozen", "8", "groups", "#00441b", "k = 8, law groups"),
    ],
    "one of G groups left out at a time": [
        ("left out", "4", "5-fold by points, elpd ± SE", "#f4a582", "G = 4, 5-fold by points ± SE"),
        ("left out", "6", "5-fold by points, elpd ± SE", "#b2182b", "G = 6, 5-fold by points ± SE"),
        ("left out", "4", "groups", "#66bd63", "G = 4, law groups"),
        ("left out", "6", "groups", "#00441b", "G = 6, law groups"),
    ],
}


def draw(found: dict[str, Any], path: Path) -> None:
    """A curve over thresholds for each method, and its point at 0.95 with the jackknife error."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11.0, 4.6), sharey=True, layout="constrained")
    for ax, (title, methods) in zip(axes, PANELS.items(), strict=True):
        for design, k, method, colour, words in methods:
            at_threshold = found[design][k][method]
            x, y = zip(*found[f"{design}, curves"][k][method], strict=True)
            ax.plot(x, y, color=colour, lw=1.2, alpha=0.8)
            if at_threshold["error"] is not None:
                ax.errorbar(
                    at_threshold["stated"],
                    at_threshold["error"],
                    yerr=at_threshold["error_se"],
                    fmt="o",
                    color=colour,
                    capsize=2,
                    label=words,
                )
        ax.axhline(5.0, color="0.4", lw=1, ls="--")
        ax.set(title=title, xlabel="winner stated (% of judgements)", xlim=(0, 100), ylim=(0, 45))
        ax.legend(fontsize=8, frameon=False, loc="upper right")
    axes[0].set_ylabel("stated winner loses in a fresh group (%)")
    figure.suptitle(f"{len(found['data'])} real data sets; dots: threshold 0.95", fontsize=10)
    figure.savefig(path, dpi=130)
