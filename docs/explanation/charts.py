"""Charts and numbers of "Are the probabilities true?", from benchmarks/results.

Every function that draws returns what the picture shows, for those who do not see it. Every
function that gives a rate gives the number of cases with it.
"""

import importlib.util
import json
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
# Middle tones, which can be read on white and on black.
BLUE, ORANGE, GREY, PALE = "#4a8fd0", "#d9812e", "#7d828a", "#9aa4b0"
SHADES = ("#8f8fd6", "#4a8fd0", "#2f9e8f", "#d9812e")
LOW, MIDDLE, HIGH = (0.5, 0.7), (0.70, 0.95), (0.95, 0.99)
# Each band of P once; the one from .70 to .95 is two of them together.
BANDS = ((0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 0.99), (0.99, 1.0))


@cache
def results(name):
    """A file of results."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


# ---------------------------------------------------------------- numbers in sentences


def band(design, groups, low, high):
    """What became of pairs with P in a band; groups 0 is all numbers of groups together."""
    for row in results("reliability")["bands"]:
        found = row["design"], row["groups"], row["low"], row["high"]
        if found == (design, groups, low, high):
            return row
    raise LookupError(f"no band {design}, {groups} groups, {low} to {high}")


def decision(design, groups, threshold=0.95):
    """How often a winner is named, and how often it failed to replicate."""
    for row in results("reliability")["decisions"]:
        if (row["design"], row["groups"], row["threshold"]) == (design, groups, threshold):
            return row
    raise LookupError(f"no decision {design}, {groups} groups, {threshold}")


def cell(method, groups, design="left out", question="study"):
    """What one method did."""
    for row in results("real")["cells"]:
        if (row["method"], row["design"], row["groups"]) == (method, design, groups):
            return row
    raise LookupError(f"no cell {method}, {design}, {groups} groups")


def cases(value):
    """As "49 data sets, 130 pairs"."""
    return f"{value['data_sets']} data sets, {value['pairs']} pairs"


def rate(value):
    """As "92 ± 3 % (49 data sets, 130 pairs)"."""
    return f"{value['value']:.1f} ± {value['error']:.1f} % ({cases(value)})"


def won(design, groups, low, high):
    """How often the model with P in a band won again, as P is printed."""
    return rate(band(design, groups, low, high)["won"])


def points(value):
    """As "+2.9 ± 1.2 points (123 data sets, 1613 pairs)"."""
    return f"{value['value']:+.1f} ± {value['error']:.1f} points ({cases(value)})".replace("-", "−")


def gap(design, groups, low, high):
    """Won again less mean P in points."""
    return points(band(design, groups, low, high)["won less P"])


def losses_only(groups, what):
    """What became of P where the fits of the folds were not kept: a lowest P, or "failed"."""
    wanted = "left out", groups, "rivals, losses only"
    for row in results("real")["fits"]:
        if (row["design"], row["groups"], row["method"]) == wanted:
            if what == "failed":
                return rate(row["failed"]["0.95"])
            found = next(each for each in row["bands"] if each["low"] == what)
            return points(found["won less P with noise"])
    raise LookupError(wanted)


def rows(n, what, method="rivals", design="left out"):
    """The same of studies of rows without groups: a lowest P, "named" or "failed"."""
    wanted = design, n, method
    for row in results("rows")["rows"]:
        if (row["design"], row["rows"], row["method"]) == wanted:
            if what == "failed":
                return rate(row["failed"])
            if what == "named":
                return of_pairs(row["named"])
            found = next(each for each in row["bands"] if each["low"] == what)
            return points(found["won less P with noise"])
    raise LookupError(wanted)


def crossed(what, by="several factors"):
    """From the least to the most of simulated designs of several factors, as "0.4 to 2.8 %"."""
    key = "named where nothing differs" if what == "nulls" else "failed of named"
    values = [
        found[key][0]
        for row in results("crossed")["simulated"]
        for name, found in row.items()
        if isinstance(found, dict) and name.endswith(by)
    ]
    return f"{100 * min(values):.1f} to {100 * max(values):.1f} %"


def crossed_really(by="several factors", how="fresh"):
    """How often a named winner failed among new levels of real data, and how often one is named."""
    found = [row[how] for row in results("crossed")["real"]]
    pairs = sum(row["studies"] for row in found)
    winners = [row["studies"] * row[by]["named"][0] for row in found]
    lost = [
        number * row[by]["failed of named"][0]
        for number, row in zip(winners, found, strict=True)
        if number
    ]
    share = 100 * sum(lost) / sum(winners)
    return (
        f"{share:.1f} % of the winners that are named in {100 * sum(winners) / pairs:.0f} % of "
        f"{pairs:,} pairs ({len(found)} data sets)".replace(",", " ")
    )


def equal_boards(models, training="fitted before"):
    """How often something is rejected among models that do not differ."""
    for row in results("boards")["boards"]:
        if (row["board"], row["models"], row["training"]) == ("equal", models, training):
            return f"{row['some rejection %']:.0f} % of {row['runs']} simulated boards"
    raise LookupError(models, training)


def wrong_on(board):
    """How many of the rejections on a board with real differences were wrong."""
    row = next(row for row in results("boards")["boards"] if row["board"] == board)
    return f"{row['wrong of all rejections %']:.1f} % ({row['runs']} simulated boards)"


def coverage_of_simulated(over):
    """What nominal 90 % intervals of simulated studies cover, the least and the most."""
    found = results("boards")["coverage of 90 % intervals"]
    values = [row[over][0] for row in found]
    return f"{min(values):.0f} to {max(values):.0f} % ({found[0]['runs']} studies of each kind)"


def kept_apart(what):
    """A rate on data sets that no part of this project has seen: reported, not reproduced here."""
    found = results("kept_apart")
    sets = f"({found['data sets']['fresh']} data sets)"
    if what == "four groups":
        row = found["four groups, fresh"]
        return f"{row['of these failed %']} % of the {row['named %']} % that are named {sets}"
    if what == "few points":
        row = found["fewer than 16 points in each group"]
        return f"{row['won - P, points']:+.1f} ± {row['error']:.1f} points {sets}".replace("-", "−")
    row = found["candidates fitted before, fresh, named and failed %"]
    return (
        ", ".join(f"{each[1]} % with {groups}" for groups, each in row.items()) + f" groups {sets}"
    )


def failed(design, groups, threshold=0.95):
    """The failure rate of named winners."""
    return rate(decision(design, groups, threshold)["failed"])


def named(design, groups, threshold=0.95):
    """How often a winner is named."""
    return of_pairs(decision(design, groups, threshold)["named"])


def of_pairs(value):
    """As "21 % of 1077 pairs (83 data sets)"."""
    return f"{value['value']:.0f} % of {value['pairs']} pairs ({value['data_sets']} data sets)"


def failed_by(method, groups=10):
    """The failure rate of winners that a method named, in the study repeated."""
    return rate(cell(method, groups)["failed"]["study"])


def at_equal(method, named=20, groups=10):
    """The failure rate where a method names its most confident winners, so many per cent."""
    return rate(cell(method, groups)["at equal"][str(named)])


def named_by(method, groups=10):
    """How often a method named a winner."""
    return of_pairs(cell(method, groups)["named"])


def number_of_data_sets():
    """Of the benchmark on real data."""
    return results("reliability")["data_sets"]


def one_data_set(what):
    """A number about one data set without groups."""
    found = results("one_data_set")
    prior = found["prior"]
    coverage = found["coverage of 90 % intervals in another group"]
    sets = f"({prior['n_data_sets']} data sets)"

    def covers(kind, c):
        value, error = coverage[kind][c]
        return f"{value:.0f} ± {error:.0f} % {sets}"

    return {
        "n": prior["n_data_sets"],
        "median c": f"{prior['median_c']:.2g}",
        "spread": f"{prior['sd_log_c']:.1f}",
        "risk at c": covers("risk", "c = 0.25"),
        "risk": covers("risk", "c unknown, ten folds"),
        "difference at c": covers("difference", "c = 0.25"),
        "difference": covers("difference", "c unknown, ten folds"),
        "high": _band_of_one(found["at c = 1/4"], 0.95),
        "high unknown": _band_of_one(prior["reliability"], 0.85),
    }[what]


def _band_of_one(bands, low):
    row = next(row for row in bands if row["low"] == low)
    return (
        f"{100 * row['won']:.0f} ± {100 * row['standard_error']:.0f} % "
        f"({row['n_data_sets']} data sets, {row['n_pairs']} pairs)"
    )


def looks(rule):
    """False names on real nulls."""
    found = results("looks")["real nulls"]
    value, error = found[rule]
    return f"{value:.0f} ± {error:.0f} % ({found['data_sets']} data sets)"


def equivalent(groups, ratio=1.0):
    """False claims of equivalence, where μ is uniform within three margins."""
    for row in results("equivalence"):
        here = row["mean"], row["effects"], row["groups"], row["margin over spread"]
        if here == ("within three margins", "normal", groups, ratio):
            value, error = row["false"]
            return f"{value:.1f} ± {error:.1f} %"
    raise LookupError(groups, ratio)


def range_of_coverage(of):
    """What nominal 90 % intervals from groups cover, the least and the most of all cells."""
    rows = [row for row in results("intervals") if row["of"] == of]
    values = [row["covered"][0] for row in rows]
    sets = [row["data_sets"] for row in rows]
    return f"{min(values):.0f} to {max(values):.0f} % ({min(sets)} to {max(sets)} data sets)"


def boards(what):
    """A rate on boards of each number of models, as "99.8 ± 0.1, … %"."""
    rows = [row for row in results("ranks")["rows"] if row["groups"] == 0]
    values = ", ".join(f"{row[what][0]:.1f} ± {row[what][1]:.1f}" for row in rows)
    return f"{values} % ({sum(row['boards'] for row in rows)} simulated boards)"


# ---------------------------------------------------------------- the principle of the paper


def middle(value, digits=2):
    """The median over data sets and its error, as "0.94 ± 0.01 (84 data sets)"."""
    shown = f"{value['median']:.{digits}f} ± {value['error']:.{digits}f}"
    return f"{shown} ({value['data_sets']} data sets)"


def principle(what):
    """A number of "The paper's principle on real data"."""
    found = results("principle")
    within, ranks = found["ratio of c within a data set"], found["rank correlation of W and tau"]
    both, pairs = found["exponents"]["W and sigma"], found["pairs"]["W and share"]
    least, low, _, high, most = found["c"]["quantiles 10, 25, 50, 75, 90"]

    def rank(name):
        one = ranks[name]
        return f"{one['value']:.2f} ± {one['error']:.2f} ({one['data_sets']} data sets)"

    def power(one, name):
        return f"{one[name][0]:.2f} ± {one[name][1]:.2f}".replace("-", "−")

    return {
        "sets": f"{found['data_sets']} development data sets",
        "at hand": f"{found['groups_at_hand']} of {found['groups']} groups took that part",
        "c": middle(found["c"]),
        "half of c": f"{low:.2f} and {high:.2f}",
        "tails of c": f"below {least:.2f}, and as many above {most:.1f}",
        "exponent": f"{power(found['exponents']['W'], 'misfit')} "
        f"({found['exponents']['W']['data_sets']} data sets)",
        "over data sets": rank("over data sets"),
        "by sd": rank("over data sets, pointwise sd in place of W"),
        "within": rank("candidates within a data set"),
        "ratio within": f"{within['within']:.1f}",
        "ratio between": f"{within['between']:.1f} ({within['data_sets']} data sets)",
        "exponents": f"{power(both, 'misfit')} times ln W² and {power(both, 'sigma2')} times "
        f"ln σ² ({both['data_sets']} data sets)",
        "pointwise": middle(found["pointwise rank correlation"]),
        "pointwise, noise alike": middle(found["the same, sampling error alike"]),
        "risks": middle(found["correlation of risks"]),
        "losses": middle(found["correlation of pointwise losses"]),
        "part": middle(found["part of independent draws"]),
        "pairs": f"{power(pairs, 'misfit')} times ln(W_a² + W_b²) and {power(pairs, 'share')} "
        f"times ln(σ_ab²/(σ_a² + σ_b²)) ({pairs['data_sets']} data sets)",
    }[what]


def principle_covers(c, level="90 %"):
    """How often an interval of the risk holds the mean loss of another group."""
    row = next(row for row in results("principle")["coverage"] if row["c"] == c)
    value, error = row[level]
    return f"{value:.0f} ± {error:.0f} % ({row['data_sets']} data sets)"


def picture_of_principle(panel):
    """One panel of principle.png."""
    where = RESULTS.parent / "real" / "principle_picture.py"
    spec = importlib.util.spec_from_file_location("principle_picture", where)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = results("principle")
    size = (6.4, 6.0) if panel == "sensitivity" else (5.4, 4.4)
    getattr(module, panel)(axes(*size), found)
    return {
        "spread": "Spread of the risk between groups against the misfit in one group, for every "
        f"candidate, on logarithmic axes. Points follow the line c = 1; the median of c is "
        f"{middle(found['c'])}.",
        "sensitivity": "Median and middle half of c over data sets, by kind of response and by "
        "candidate: most medians lie within a factor of four about one.",
        "coverage": "How often intervals of the risk hold the mean loss of another group, by c: "
        f"at c = 1/4 {principle_covers(0.25)} of nominal 90 % intervals, at c = 1 "
        f"{principle_covers(1.0)}.",
        "together": "Correlation of the risks of two candidates between groups against that of "
        "their pointwise losses, a point for each data set: most lie above the diagonal, near one.",
    }[panel]


def table_of_laws():
    """Laws for one data set, in Markdown."""
    lines = heads("variance of the difference", "c", "gain of the log score, × 1000", "data sets")
    for row in results("principle")["laws of one data set"]:
        spread = row["sd of ln c"]
        c = f"{row['c']:.2g}"
        c = f"unknown: ln c normal about ln {c}, sd {spread:g}" if spread else c
        value, error = row["gain"]
        shown = f"{round(1000 * value):+d} ± {1000 * error:.0f}".replace("-", "−")
        gain = shown if error else "–"
        lines.append(f"| {row['spread']} | {c} | {gain} | {row['data_sets']} |")
    return "\n".join(lines)


# ---------------------------------------------------------------- charts


def axes(width=6.4, height=4.0, **more):
    """An empty picture without a frame."""
    _figure, ax = plt.subplots(figsize=(width, height), layout="constrained", **more)
    for each in ax if hasattr(ax, "__len__") else [ax]:
        for side in ("top", "right"):
            each.spines[side].set_visible(False)
    return ax


def diagonal(ax, low=50):
    ax.plot([low, 100], [low, 100], color=GREY, lw=1, ls=":")
    ax.axhline(50, color=PALE, lw=0.8)
    ax.set(xlim=(low, 100.5), ylim=(low - 5, 102))
    ax.set_aspect("equal")


def _points(ax, bands, **how):
    """Mean P and how often that model won."""
    bands = [each for each in bands if each is not None]
    ax.errorbar(
        [each["mean P"] for each in bands],
        [each["won"]["value"] for each in bands],
        yerr=[each["won"]["error"] for each in bands],
        marker="o",
        ms=5,
        capsize=2,
        lw=1.2,
        **how,
    )


def reliability():
    """P against how often it came true, left out and fitted to other data."""
    left, right = axes(8.4, 4.1, ncols=2, sharey=True)
    panels = ((left, "left out", (4, 6, 10, 20)), (right, "frozen", (3, 5, 8)))
    titles = "groups left out", "candidates fitted to other data"
    for (ax, design, numbers), title in zip(panels, titles, strict=True):
        for groups, colour in zip(numbers, SHADES, strict=False):
            found = [band(design, groups, *each) for each in BANDS]
            _points(ax, found, color=colour, label=f"{groups} groups")
        diagonal(ax)
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel("mean P of the favoured model, %")
        ax.legend(frameon=False, loc="lower right")
    left.set_ylabel("won again in the repeated study, %")
    middle = band("left out", 0, *MIDDLE)
    return (
        "How often the favoured model won again against its mean P, for 4, 6, 10 and 20 left-out "
        "groups and for 3, 5 and 8 groups of candidates fitted to other data. Most points lie on "
        "or above the diagonal; with left-out groups and P between 0.70 and 0.95, "
        f"{middle['won']['value']:.0f} % won where {middle['mean P']:.0f} % were expected "
        f"({cases(middle['won'])})."
    )


KINDS_OF_ROWS = {
    "rivals": ("rivals", BLUE),
    "elpd ± SE": ("elpd ± SE", ORANGE),
    "corrected t (Nadeau and Bengio), five folds": ("corrected t over five folds", GREY),
}


def reliability_of_rows():
    """The same without groups: studies of 100 and 400 rows, five folds."""
    panels = axes(8.4, 4.1, ncols=2, sharey=True)
    for ax, n in zip(panels, (100, 400), strict=True):
        for row in results("rows")["rows"]:
            if row["design"] == "left out" and row["rows"] == n and row["method"] in KINDS_OF_ROWS:
                label, colour = KINDS_OF_ROWS[row["method"]]
                _points(ax, row["bands"], color=colour, label=label)
        diagonal(ax)
        ax.set_title(f"{n} rows, five folds", fontsize="medium")
        ax.set_xlabel("mean P of the favoured model, %")
        ax.legend(frameon=False, loc="upper left")
    panels[0].set_ylabel("won again in as many new rows, %")
    return (
        "How often the favoured model won again in as many new rows against its mean P, for "
        "studies of 100 and of 400 rows. With 100 rows rivals lies nearest to the diagonal, just "
        "below it; with 400 it lies just above, and the corrected t just below. Cross-validation "
        f"with its standard error lies far below ({results('rows')['data_sets']} data sets)."
    )


LABELS = {
    "rivals": "rivals",
    "rivals, losses only": "rivals, losses only",
    "rivals, next group": "rivals, of one new group",
    "rivals, all groups": "rivals, of the population mean",
    "elpd ± SE of points, by points": "5-fold CV by points, elpd ± SE",
    "elpd ± SE of points, by groups": "groups left out, elpd ± SE of points",
    "paired t, by groups": "paired t over groups",
    "corrected t (Nadeau and Bengio; baycomp), by groups": "corrected t over groups",
    "REML, Hartung and Knapp": "REML, Hartung and Knapp",
    "evalstats, means of groups": "evalstats over groups",
    "bootstrap of groups": "bootstrap of groups",
    "Wilcoxon": "Wilcoxon over groups",
    "Bayesian signed rank (baycomp)": "Bayesian signed rank (baycomp)",
    "autorank": "autorank",
    "Friedman and Nemenyi (scikit-posthocs)": "Friedman, Nemenyi (scikit-posthocs)",
    "model confidence set (arch)": "model confidence set (arch)",
    "stacking weight above ½ (arviz-stats)": "stacking weight above ½",
    "t prediction of a new group": "t prediction of one new group",
}


def methods(groups=10):
    """Failure rate, and how often a winner is named, for every method."""
    rows = [row for row in (_cell_or_none(method, groups) for method in LABELS) if row]
    rows.sort(key=lambda row: -row["failed"]["study"]["value"])
    left, right = axes(8.4, 0.3 * len(rows) + 0.9, ncols=2, sharey=True)
    for place, row in enumerate(rows):
        colour = BLUE if row["method"].startswith("rivals") else GREY
        failure, name = row["failed"]["study"], row["named"]
        left.errorbar(failure["value"], place, xerr=failure["error"], fmt="o", color=colour)
        right.barh(place, name["value"], height=0.5, color=colour)
    left.set_yticks(range(len(rows)), [LABELS[row["method"]] for row in rows])
    left.axvline(5, color=ORANGE, lw=1, ls=":")
    left.set(xlim=(0, None), xlabel="named winners that failed, %")
    right.set(xlim=(0, 100), xlabel="a winner is named, %")
    ours, theirs = cell("rivals", groups), cell("elpd ± SE of points, by points", groups)
    return (
        f"Every method with {groups} groups: failure rate of named winners, and how often one is "
        f"named. rivals: {ours['failed']['study']['value']:.0f} % at "
        f"{ours['named']['value']:.0f} %; five-fold cross-validation by points: "
        f"{theirs['failed']['study']['value']:.0f} % at {theirs['named']['value']:.0f} %."
    )


def _cell_or_none(method, groups):
    try:
        return cell(method, groups)
    except LookupError:
        return None


def groups_help():
    """Failure rate and how often a winner is named, by the number of groups."""
    left, right = axes(8.4, 3.4, ncols=2)
    numbers = (4, 6, 10, 20)
    kinds = {
        "elpd ± SE of points, by points": ("5-fold CV by points", ORANGE),
        "elpd ± SE of points, by groups": ("groups left out, points decide", GREY),
        "rivals": ("groups decide (rivals)", BLUE),
    }
    for method, (label, colour) in kinds.items():
        rows = [cell(method, groups) for groups in numbers]
        study = [row["failed"]["study"] for row in rows]
        left.errorbar(
            numbers,
            [each["value"] for each in study],
            yerr=[each["error"] for each in study],
            marker="o",
            capsize=2,
            color=colour,
            label=label,
        )
        right.plot(numbers, [row["named"]["value"] for row in rows], "o-", color=colour)
    left.axhline(5, color=GREY, lw=1, ls=":")
    left.set(ylabel="named winners that failed, %", ylim=(0, None))
    right.set(ylabel="a winner is named, %", ylim=(0, 100))
    for ax in (left, right):
        ax.set(xlabel="observed groups", xscale="log")
        ax.set_xticks(numbers, [str(each) for each in numbers])
        ax.minorticks_off()
    left.legend(frameon=False, fontsize="small")
    first, last = (cell("rivals", groups)["named"]["value"] for groups in (4, 20))
    return (
        "Left: failure rate of named winners by number of groups, highest for five-fold "
        "cross-validation by points, near 5 % or below where groups decide. Right: with groups "
        f"deciding, a winner is named in {first:.0f} % of pairs from 4 groups and in "
        f"{last:.0f} % from 20."
    )


def one():
    """One data set: reliability at c = 1/4 and with c unknown."""
    ax = axes(4.6, 4.2)
    found = results("one_data_set")
    kinds = {
        "at c = ¼": (found["at c = 1/4"], ORANGE),
        "with c unknown": (found["prior"]["reliability"], BLUE),
    }
    for label, (bands, colour) in kinds.items():
        ax.errorbar(
            [100 * row["mean_p"] for row in bands],
            [100 * row["won"] for row in bands],
            yerr=[100 * row["standard_error"] for row in bands],
            marker="o",
            capsize=2,
            color=colour,
            label=label,
        )
    diagonal(ax)
    ax.set(xlabel="mean P, %", ylabel="won in another group, %")
    ax.legend(frameon=False)
    top, unknown = found["at c = 1/4"][-1], found["prior"]["reliability"][-1]
    return (
        "One data set without groups, asked about another place. At c = ¼ the highest band has a "
        f"mean P of {100 * top['mean_p']:.0f} % and won {100 * top['won']:.0f} % "
        f"({top['n_data_sets']} data sets); with c unknown the highest band has "
        f"{100 * unknown['mean_p']:.0f} % and won {100 * unknown['won']:.0f} % "
        f"({unknown['n_data_sets']} data sets)."
    )


def looking():
    """False names of both rules on nulls."""
    found = results("looks")
    real = found["real nulls"]
    rows = {**found["nulls"], f"real data ({real['data_sets']} sets)": real}
    ax = axes(7.2, 3.2)
    for place, row in enumerate(rows.values()):
        for rule, colour, shift in (("each time", ORANGE, 0.17), ("sequence", BLUE, -0.17)):
            ax.barh(
                place + shift,
                row[rule][0],
                height=0.32,
                color=colour,
                xerr=row[rule][1],
                ecolor=GREY,
            )
    ax.set_yticks(range(len(rows)), list(rows))
    ax.barh(0, 0, color=ORANGE, label="P above 0.95 at any look")
    ax.barh(0, 0, color=BLUE, label='looks="any"')
    ax.set_xlabel("a false winner is named at some look, % of equal pairs")
    ax.legend(frameon=False)
    return (
        "Share of pairs without a difference in which a winner is named at some look. On real data "
        f"{found['real nulls']['each time'][0]:.0f} % where P is looked at each time and "
        f"{found['real nulls']['sequence'][0]:.0f} % with looks "
        f"({found['real nulls']['data_sets']} data sets)."
    )


def equivalence():
    """False claims of equivalence by number of groups."""
    ax = axes(6.4, 3.2)
    for ratio, colour in ((0.5, ORANGE), (1.0, GREY), (2.0, BLUE)):
        rows = [
            row
            for row in results("equivalence")
            if (row["mean"], row["effects"], row["margin over spread"])
            == ("within three margins", "normal", ratio)
            and "false" in row
        ]
        ax.errorbar(
            [row["groups"] for row in rows],
            [row["false"][0] for row in rows],
            yerr=[row["false"][1] for row in rows],
            marker="o",
            capsize=2,
            color=colour,
            label=f"margin = {ratio:g} × spread",
        )
    ax.axhline(5, color=GREY, lw=1, ls=":")
    ax.axvspan(0, 12, color=PALE, alpha=0.2, lw=0)
    ax.set(xlim=(4, 41), ylim=(0, None), xlabel="groups")
    ax.set_ylabel("false claims of equivalence, %")
    ax.legend(frameon=False)
    return (
        "Share of claims of practical equivalence that are false, by number of groups. With fewer "
        "than twelve groups (shaded) it is above 5 % where the margin equals the spread between "
        "groups; where the margin is half the spread, still above with twenty."
    )


# ---------------------------------------------------------------- tables of the reference


def heads(*columns):
    """The first two lines of a table in Markdown."""
    return [f"| {' | '.join(columns)} |", "| --- " * len(columns) + "|"]


def table_of_reliability(design):
    """Every band and number of groups, in Markdown."""
    bands = results("reliability")["bands"]
    numbers = sorted({row["groups"] for row in bands if row["design"] == design})
    lines = heads("groups", "P", "mean P, %", "won again, %", "data sets", "pairs", "won less P")
    for groups in numbers:
        for low, high in BANDS:
            row = band(design, groups, low, high)
            value, less = row["won"], row["won less P"]
            lines.append(
                f"| {groups or 'all'} | {low:g} to {high:g} | {row['mean P']:.1f} | "
                f"{value['value']:.1f} ± {value['error']:.1f} | {value['data_sets']} | "
                f"{value['pairs']} | {signed(less)} |"
            )
    return "\n".join(lines)


def signed(value, unit=1.0):
    """As "+2.9 ± 1.2"."""
    if value is None:
        return "–"
    return f"{unit * value['value']:+.1f} ± {unit * value['error']:.1f}".replace("-", "−")


def table_of_fits():
    """Left-out groups with the fits of all folds, and with losses only."""
    columns = "won less P, .50 to .70", ".70 to .95", ".95 to .99", "failed, %", "named, %"
    lines = heads("groups", "known", *columns, "log score over a paired t, × 1000", "data sets")
    for row in results("real")["fits"]:
        if row["design"] == "left out":
            known = "losses" if "only" in row["method"] else "fits"
            cells = [str(row["groups"] or "all"), known]
            cells += [signed(each["won less P with noise"]) for each in row["bands"]]
            failure, name = row["failed"]["0.95"], row["named"]["0.95"]
            cells += [f"{failure['value']:.1f} ± {failure['error']:.1f}", f"{name['value']:.0f}"]
            cells += [signed(row["log score gained"], 1000.0), str(name["data_sets"])]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def table_of_rows():
    """Studies of rows without groups, in Markdown."""
    columns = "won less P, .50 to .70", ".70 to .95", ".95 to .99", "failed, %", "named, %"
    lines = heads("design", "rows", "method", *columns, "data sets")
    for row in results("rows")["rows"]:
        failure, name = row["failed"], row["named"]
        cells = [row["design"], str(row["rows"]), row["method"]]
        cells += [signed(each and each["won less P with noise"]) for each in row["bands"]]
        cells += [f"{failure['value']:.1f} ± {failure['error']:.1f}", f"{name['value']:.0f}"]
        lines.append(f"| {' | '.join([*cells, str(name['data_sets'])])} |")
    return "\n".join(lines)


def table_of_boards():
    """Simulated boards, in Markdown."""
    columns = "some rejection, %", "wrong of all rejections, %", "boards"
    lines = heads("board", "models", "groups", "training", *columns)
    for row in results("boards")["boards"]:
        cells = [row["board"], row["models"], row["groups"], row["training"]]
        cells += [row["some rejection %"], row["wrong of all rejections %"], row["runs"]]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def table_of_decisions(design):
    """Failure rates and how often a winner is named, at both thresholds."""
    failed_columns = "failed to replicate, %", "data sets", "named winners"
    lines = heads("groups", "threshold", *failed_columns, "named, %", "data sets")
    for row in results("reliability")["decisions"]:
        if row["design"] != design:
            continue
        failure, name = row["failed"], row["named"]
        lines.append(
            f"| {row['groups'] or 'all'} | {row['threshold']:.2f} | {failure['value']:.1f} ± "
            f"{failure['error']:.1f} | {failure['data_sets']} | {failure['pairs']} | "
            f"{name['value']:.0f} ± {name['error']:.0f} | {name['data_sets']} |"
        )
    return "\n".join(lines)


def table_of_methods(groups):
    """Every method, three questions."""
    failed_columns = (
        "fails in one new group, %",
        "in the study repeated, %",
        "in the mean over all, %",
    )
    lines = heads("method", *failed_columns, "named, %", "data sets")
    for row in results("real")["cells"]:
        if (row["design"], row["groups"]) != ("left out", groups):
            continue
        three = [row["failed"].get(question) for question in ("next", "study", "all")]
        shown = [f"{each['value']:.1f} ± {each['error']:.1f}" if each else "–" for each in three]
        lines.append(
            f"| {row['method']} | {' | '.join(shown)} | {row['named']['value']:.0f} | "
            f"{row['named']['data_sets']} |"
        )
    return "\n".join(lines)


def table_of_intervals(over=("the study repeated", "one new group"), of=("difference", "risk")):
    """How often nominal 90 % intervals from groups cover, in Markdown."""
    numbers = [("left out", n) for n in (4, 6, 10, 20)] + [("frozen", n) for n in (3, 5, 8)]
    kinds = [f"{of_what}, {over_what}" for of_what in of for over_what in over]
    lines = heads("groups", "data sets", *kinds)
    rows = results("intervals")
    for design, groups in numbers:
        cells = []
        for of_what in of:
            for over_what in over:
                key = design, groups, of_what, over_what
                row = next(x for x in rows if (x["design"], x["groups"], x["of"], x["over"]) == key)
                value, error = row["covered"]
                cells.append(f"{value:.0f} ± {error:.0f} %")
        how = "left out" if design == "left out" else "candidates fitted to other data"
        lines.append(f"| {groups}, {how} | {row['data_sets']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def table_of_families(groups=0):
    """Our simulated families, pooled, in Markdown."""
    lines = heads("method", "failed to replicate, %", "named, %", "problems")
    for row in results("simulated")["rows"]:
        if (row["groups"], row["family"]) != (groups, "pooled"):
            continue
        failure = row["failed"]
        shown = f"{failure[0]:.1f} ± {failure[1]:.1f}" if failure else "–"
        lines.append(f"| {row['method']} | {shown} | {row['named'][0]:.0f} | {row['problems']} |")
    return "\n".join(lines)
