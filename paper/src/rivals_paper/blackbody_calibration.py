"""Calibration of c for the black body models, over spectrometers of unknown bias (fig.
c-calib-explainer_uv).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.bins import judge_c
from rivals_paper.blackbody_experiments import (
    LAWS,
    N_DATA,
    N_PUBLISHED,
    corrected_experiments,
    published_experiments,
)
from rivals_paper.blackbody_records import Record, committed
from rivals_paper.calibration_panels import frame_panel
from rivals_paper.experiments import Experiments
from rivals_paper.method import PROCESS
from rivals_paper.output import (
    AS_PUBLISHED,
    CORRECTED,
    IN_FILES,
    Reproduction,
    Task,
    comparison,
    new_figure,
    published,
)
from rivals_paper.rules import bound_of, problem_of
from rivals_paper.streams import stream

NAME = "blackbody-calibration"
DESCRIPTION = "Calibration of c for Planck and Rayleigh-Jeans, over spectrometers of unknown bias"

BIN_SIZE = 32
COARSE_BINS = 16
# Random orders of equal probabilities that are tried: the original's order was arbitrary.
N_ORDERS = 32
EXACT_LIMITS = "published experiments, exact process"
TRANSPORT = "corrected, law transport"
PANELS = ((-15, -12), (-9, -6, -3), (0, 3, 6))
WIDE_PANELS = ((-15, -12), (-9, -6, -3), (0, 3, 4, 5, 6))
TITLES = {
    AS_PUBLISHED: "as published",
    EXACT_LIMITS: "the same, limits mended",
    CORRECTED: "corrected",
    TRANSPORT: "corrected, transport law",
}
LOOKS = {
    -15: ("#000000", "o"),
    -12: ("#D55E00", "s"),
    -9: ("#000000", "o"),
    -6: ("#D55E00", "s"),
    -3: ("#56B4E9", "^"),
    0: ("#000000", "o"),
    3: ("#D55E00", "s"),
    4: ("#CC79A7", "v"),
    5: ("#009E73", "D"),
    6: ("#56B4E9", "^"),
}

PASSED = "✓"
FAILED = "✗"

READING = (
    "Each point is a bin of 32 simulated experiments: how probable it was said to be that Planck "
    "has the lower risk, and how often it has. On the diagonal the two agree; in the red and "
    "yellow areas the criterion is overconfident. Rows: as published; the same experiments with "
    "the exact process; corrected, with law beta and one simulation as in the paper; corrected, "
    "with the library's defaults, the transport law and 16 simulations. Beside each c: whether the "
    "rule on named winners lets it pass (– where no winner is named), and whether it keeps the "
    "paper's bound in 16 bins, to within 0.05 beyond chance."
)
DIFFERENCES = [
    "The limits of the original solver are mirrored: for small c (metric variance below 1e-8) the "
    "process was centred on the wrong half of each interval. At c = 2^-15 it picked the better "
    "model in 77 % of the experiments; the exact process on the same experiments does in nearly "
    "all. Most of the overconfidence of the left panel is this error.",
    "Spectra had 1024 points where the paper says 4096; the corrected run has 4096. The truth is "
    "found on independent data instead of a replay of the same random numbers, and the noise is "
    "fitted by maximum likelihood.",
    "The published probabilities rest on 128 draws of each risk, the corrected ones on 2048: fewer "
    "are exactly 0 or 1.",
]
SHARE = "share exactly 0 or 1"
PICKS = "picks the truly better model"
BINS = "overconfident bins"
EXPLANATIONS = {
    SHARE: (
        "The corrected run draws each risk 2048 times, not 128, so that fewer probabilities are "
        "exactly 0 or 1."
    ),
    PICKS: "For small c the mirrored limits of the original solver are gone; for large c the "
    "spectra have 4096 points, not 1024, and the risks are closer to the true ones.",
    BINS: "For small c the mirrored limits of the original solver made the probabilities wrong, "
    "and with 4096 points instead of 1024 the better model is picked more often.",
}
UNKNOWN = (
    "The cause is not known: the original probabilities of single experiments were compared for c "
    "up to 2^-6 only, where they agree. A share of less than a hundredth is a few dozen of the "
    "experiments."
)


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers.

    From the committed 4096 experiments, or from as many new ones as are asked for.
    """
    records = _committed() if task.experiments is None else _fresh(task, task.experiments)
    summaries = {
        name: {int(k): _summary(each, column) for column, k in enumerate(each.log2_c)}
        for name, each in records.items()
    }
    return Reproduction(
        figure=_draw(records),
        comparisons=_comparisons(published("calibration"), records, summaries),
        numbers={
            name: {f"2^{k}": each for k, each in by_k.items()} for name, by_k in summaries.items()
        },
        settings={
            "experiments": {name: len(each) for name, each in records.items()},
            "bin_size": BIN_SIZE,
            "n_data": {"published": N_PUBLISHED, "corrected": N_DATA},
            "laws": {CORRECTED: PROCESS, TRANSPORT: LAWS["transport"]},
            "source": "committed records" if task.experiments is None else "computed",
        },
    )


def _committed() -> dict[str, Record]:
    names = {
        AS_PUBLISHED: "as-published",
        EXACT_LIMITS: "exact-process",
        CORRECTED: "beta",
        TRANSPORT: "transport",
    }
    return {variant: committed(name) for variant, name in names.items()}


def _fresh(task: Task, n: int) -> dict[str, Record]:
    task.folder.mkdir(parents=True, exist_ok=True)
    mirrored, exact = published_experiments(task.folder, n, task.seed, task.progress)
    beta, transport = (
        corrected_experiments(law, task.folder, n, task.seed, task.progress) for law in LAWS
    )
    return {AS_PUBLISHED: mirrored, EXACT_LIMITS: exact, CORRECTED: beta, TRANSPORT: transport}


def _bins(n: int) -> int:
    return max(n // BIN_SIZE, 1)


def _summary(record: Record, column: int) -> dict[str, Any]:
    experiments = record.experiments
    values = record.probability[:, column]
    right = _right(values, experiments.truth)
    found = judge_c(values, experiments.truth)
    problem = problem_of(values, experiments.truth)
    too_sure = np.abs(values - 0.5) + 0.5 - right
    excess = experiments.excess(column, _bins(len(record)))
    predicted, observed = experiments.curve(column, _bins(len(record)))
    return {
        SHARE: float(_decided(values).mean()),
        PICKS: float(right.mean()),
        BINS: float(np.mean(excess > 0)),
        "worst excess": float(excess.max()),
        # How sure it was less how often it was right: above 0 it is overconfident.
        "stated less actual": float(too_sure.mean()),
        "standard error of stated less actual": float(too_sure.std() / np.sqrt(len(record))),
        "judged": {
            "valid": problem is None,
            "says nothing": not found.named,
            "problem": problem,
            "named": found.named,
            "wrong": round(found.failure_rate, 4),
        },
        "bound": bound_of(found),
        f"worst of {COARSE_BINS} bins": _worst(too_sure, right, values),
        "predicted": predicted,
        "observed": observed,
    }


def _worst(too_sure: FloatArray, right: FloatArray, values: FloatArray) -> dict[str, float]:
    """Return the most significant excess over bins of equal count, which are large enough to tell
    it from chance.
    """
    groups = np.array_split(np.argsort(values, kind="stable"), min(COARSE_BINS, len(values)))
    excess = np.array([too_sure[group].mean() for group in groups])
    # One success and one failure more keep the error of a bin that is always right from being zero.
    share = np.array([(right[group].sum() + 1) / (len(group) + 2) for group in groups])
    error = np.sqrt(share * (1 - share) / [len(group) for group in groups])
    worst = int(np.argmax(excess / error))
    return {
        "probability": float(values[groups[worst]].mean()),
        "excess": float(excess[worst]),
        "standard_error": float(error[worst]),
    }


def _decided(values: FloatArray) -> FloatArray:
    return np.asarray((values == 0) | (values == 1), dtype=float)


def _right(values: FloatArray, truth: FloatArray) -> FloatArray:
    """Return whether the better model got the higher probability, for each experiment.

    A half where both got the same.
    """
    return np.where(values == 0.5, 0.5, (values > 0.5) == (truth > 0.5))


def _comparisons(
    stored: dict[str, Any], records: dict[str, Record], summaries: dict[str, Any]
) -> list[dict[str, Any]]:
    rows = []
    for what in (SHARE, PICKS, BINS):
        for i, k in enumerate(stored["log2_c"]):
            theirs = stored[what][i]
            for variant in (AS_PUBLISHED, CORRECTED):
                ours = summaries[variant][k][what]
                if variant == AS_PUBLISHED:
                    error = _paired_error(
                        what, records[variant], i, theirs, stored["n_experiments"]
                    )
                else:
                    error = _independent_error(
                        what, theirs, stored["n_experiments"], ours, len(records[variant])
                    )
                rows.append(
                    comparison(
                        f"c = 2^{k}: {what}",
                        variant=variant,
                        reference=theirs,
                        source=IN_FILES,
                        ours=ours,
                        standard_error=error,
                        explanation=EXPLANATIONS[what] if variant == CORRECTED else UNKNOWN,
                    )
                )
    return rows


def _paired_error(what: str, record: Record, column: int, theirs: float, n_theirs: int) -> float:
    """Standard error of the difference on the same experiments, whose draws of the risks differ.

    From a second set of draws.

    To it come the rounding of the published number, and the sampling of the experiments where only
    a part is repeated.
    """
    if record.again is None:
        raise ValueError(
            "the experiments as published have no second set of draws; compute them anew"
        )
    n, truth = len(record), record.experiments.truth
    both = record.probability[:, column], record.again[:, column]
    if what == BINS:
        found = np.array([_shares_of_orders(values, truth, stream(0, column)) for values in both])
        variance = 2 * found.var(axis=1).mean() + float(np.diff(found.mean(axis=1))[0] ** 2)
        counted = _bins(n)
    else:
        first, second = (
            _decided(values) if what == SHARE else _right(values, truth) for values in both
        )
        variance = float(np.sum((first - second) ** 2)) / n**2
        counted = n
    part = theirs * (1 - theirs) / counted * (1 - min(n / n_theirs, 1))
    return float(np.sqrt(variance + part + 0.001**2 / 12))


def _shares_of_orders(
    values: FloatArray, truth: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Return the share of overconfident bins when equal probabilities are sorted in random order,
    for several orders.
    """
    orders = (rng.permutation(len(values)) for _ in range(N_ORDERS))
    shuffled = (Experiments(values[order, None], truth[order]) for order in orders)
    return np.array([np.mean(each.excess(0, _bins(len(values))) > 0) for each in shuffled])


def _independent_error(what: str, theirs: float, n_theirs: int, ours: float, n_ours: int) -> float:
    """Standard error of the difference of two shares of independent experiments, or of bins of
    them.
    """
    variance = 0.001**2 / 12
    for share, n in ((theirs, n_theirs), (ours, n_ours)):
        counted = _bins(n) if what == BINS else n
        # One count more and one less keep it from being zero.
        smooth = (share * counted + 1) / (counted + 2)
        variance += smooth * (1 - smooth) / counted
    return float(np.sqrt(variance))


def _draw(records: dict[str, Record]) -> Any:
    figure = new_figure(7.2, 9.6)
    axes = figure.subplots(len(records), 3, sharex=True, sharey=True)
    for row, (variant, record) in zip(axes, records.items(), strict=True):
        log2_c = record.log2_c.tolist()
        for panel, group in zip(row, WIDE_PANELS if 4 in log2_c else PANELS, strict=True):
            frame_panel(panel)
            for k in group:
                colour, marker = LOOKS[k]
                curve = record.experiments.curve(log2_c.index(k), _bins(len(record)))
                panel.plot(*curve, marker, ms=3.5, mew=0, color=colour, label=_label(record, k))
            panel.legend(
                fontsize=8,
                loc="lower center",
                bbox_to_anchor=(0.5, 1.0),
                ncols=3,
                columnspacing=0.8,
                handlelength=0.5,
                handletextpad=0.3,
                borderpad=0.2,
                frameon=False,
            )
            panel.tick_params(labelsize=8)
        ylabel = f"{TITLES[variant]}\n\npart of experiments\nin which Planck is better"
        row[0].set_ylabel(ylabel, fontsize=8)
    for panel in axes[-1]:
        panel.set_xlabel("stated probability of that", fontsize=8)
    figure.suptitle(
        f"Above each panel: c, and whether it passes ({PASSED}) the rule on named winners\n"
        "(– no winner is named), then the paper's bound",
        fontsize=9,
    )
    return figure


def _label(record: Record, k: int) -> str:
    """c, and whether it passes the rule on named winners, then the paper's bound."""
    column = record.log2_c.tolist().index(k)
    values = record.probability[:, column]
    truth = record.experiments.truth
    found = judge_c(values, truth)
    passes = FAILED if problem_of(values, truth) else PASSED
    if not found.named:
        passes = "–"
    return f"$2^{{{k}}}$ {passes} {FAILED if found.curve.broken else PASSED}"
