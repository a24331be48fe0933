"""Every sentence about a result, from plain values. No other file has any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import floor, inf, isfinite, log2, log10, nan
from typing import Any

from rivals._core.evidence import Note
from rivals._core.losses import Provenance
from rivals._core.setting import HowMany, Levels
from rivals._core.texts import either, opt
from rivals._result.track_record import NEAR, Cell, Coverage

# More models than this are counted, not named.
MOST_NAMED = 4
# What needs more decimals than this, or is larger, is written by powers of ten.
MOST_DECIMALS = 9
LARGE = 1e12
# Nouns of groups that are common, and whose plurals follow no rule.
IRREGULAR = {
    "woman": "women",
    "man": "men",
    "child": "children",
    "person": "people",
    "mouse": "mice",
    "analysis": "analyses",
    "strata": "strata",
}
# Below this probability of a single new group, a lead is called small.
SURE_OF_ONE = 0.75

POINTERS = either(
    """details: result.details()   picture: result.plot()   page: result.report("page.html")""",
    "details: --details   page: --report page.html",
)

# ---------------------------------------------------------------- numbers and names


# No P is printed as more than this.
NEARLY_ONE = 0.999


def probability(value: float) -> str:
    """As "0.62", near 0 and 1 as "0.975"; cut, not rounded: it never passes a threshold."""
    if value != value:
        return "–"
    if value > NEARLY_ONE:
        return f">{NEARLY_ONE}"
    if value < 0.001:
        return "<0.001"
    digits = 2 if 0.05 <= value <= 0.95 else 3
    return f"{floor(value * 10**digits + 1e-9) / 10**digits:.{digits}f}"


def p_is(value: float) -> str:
    """As "P = 0.62" or "P > 0.999"."""
    if value != value:
        return "P unknown"
    text = probability(value)
    return f"P {text[0]} {text[1:]}" if text[0] in "<>" else f"P = {text}"


def percent(value: float) -> str:
    """As "90 %"; of small numbers a decimal."""
    return f"{100 * value:.1f} %" if 0.0 < value < 0.095 else f"{100 * value:.3g} %"


def decimals_for(widths: Sequence[float]) -> int:
    """As many decimals as show two digits of the narrowest of these intervals."""
    seen = [width for width in widths if 0.0 < width < inf]
    return max(1 - floor(log10(min(seen)) + 0.3), 0) if seen else 4


def fixed(value: float | None, decimals: int) -> str:
    """A number with so many decimals; never minus zero. Very large and small ones by powers."""
    if value is None or not isfinite(value):
        return "–" if value is None or value != value else "∞" if value > 0 else "−∞"
    if decimals > MOST_DECIMALS or abs(value) >= LARGE:
        return f"{value:.3g}"
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0.0 else text


def span(ends: tuple[float, float] | None, decimals: int) -> str:
    """As "0.002 to 0.012"."""
    if ends is None or ends[0] != ends[0]:
        return "–"
    return f"{fixed(ends[0], decimals)} to {fixed(ends[1], decimals)}"


def stretch(ends: tuple[int, int]) -> str:
    """As "2–5", or "2"."""
    return "–".join(map(str, dict.fromkeys(ends)))


def whole(value: int | None) -> str:
    """A whole number, or that there is none."""
    return "–" if value is None else str(value)


def named_yet(value: bool) -> str:
    """Whether a winner is named after some of the groups."""
    return "yes" if value else "not yet"


def plural(noun: str) -> str:
    """As "schools", "studies" or "classes"; "schools", as a column may be called, remains."""
    first, last = noun[: noun.rfind(" ") + 1], noun[noun.rfind(" ") + 1 :]
    if last in IRREGULAR:
        return first + IRREGULAR[last]
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")):
        return noun
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    return f"{noun}s"


def count(number: float, noun: str) -> str:
    """As "1 school" or "160 schools"."""
    return f"{number:g} {noun if number == 1 else plural(noun)}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """As "A, B and C"; of many, how many."""
    if len(names) > MOST_NAMED:
        return f"{len(names)} other models"
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def groups_of(number: HowMany, noun: str) -> str:
    """As "160 schools", or of several factors "30 subjects × 20 items"."""
    if isinstance(number, Levels):
        return " × ".join(count(n, name) for name, n in number.items())
    return count(number, noun)


def mean_over(observed: HowMany | None, noun: str) -> str:
    """As "over schools", or of several factors "over subjects × items"."""
    nouns = list(observed) if isinstance(observed, Levels) else [noun]
    return f"over {' × '.join(map(plural, nouns))}"


def new(number: HowMany, noun: str) -> str:
    """The head of a column: as "1 new school", "160 new schools" or "all schools"; of several
    factors "30 new subjects × the same items".
    """
    if isinstance(number, Levels):
        parts = [new(n, name) if n else f"the same {plural(name)}" for name, n in number.items()]
        return " × ".join(parts)
    return f"all {plural(noun)}" if number == inf else count(number, f"new {noun}")


def value_of_c(c: float) -> str:
    """As "0.0625"; a power of two that is longer as "2^-10"."""
    text = f"{c:g}"
    if len(text) <= 6:
        return text
    return f"2^{log2(c):g}" if log2(c).is_integer() else f"{c:.3g}"


# What a replication is where no groups are observed, and nothing is drawn anew but the points.
SAME_PROCESS = "on new data of the same process"


def where(
    number: HowMany,
    observed: HowMany | None,
    noun: str,
    c: float = nan,
    better_in: str | None = None,
) -> str:
    """Where a winner would win again, for the end of a sentence.

    Only of groups it is the study repeated. Of one data set it is what c was calibrated for, or
    new data of the same process; another place where nobody knows c.
    """
    if not number and better_in is None:
        return "at another place"
    if not number:
        return f"{better_in or SAME_PROCESS} (c = {value_of_c(c)})"
    if observed == number:
        return "if the study were repeated"
    if number == 1 and observed is not None:
        return f"in a single new {noun}"
    return f"in the mean over all {plural(noun)}" if number == inf else f"in {new(number, noun)}"


def by_more(margin: float, unit: str) -> str:
    """As " by more than 0.01 nats", with a margin."""
    return f" by more than {margin:g}{' ' * bool(unit)}{unit}" if margin else ""


# ---------------------------------------------------------------- the screen


def opening(n_models: int, n_points: int, observed: HowMany, noun: str, source: Provenance) -> str:
    """What was compared, on what, by which loss."""
    groups = f" in {groups_of(observed, noun)}" if observed else ""
    point = source.point
    if observed == n_points and (source.point == noun or noun == "row"):  # a score of each fold
        point, groups = noun, ""
    parts = [f"{n_models} models, {count(n_points, point)}{groups}."]
    unit = f" ({source.unit})" if source.unit else ""
    left_out = ""
    if source.left_out and observed:
        left_out = f", {'levels' if isinstance(observed, Levels) else plural(noun)} left out"
        if source.n_folds and source.n_folds != observed:
            left_out += f" in {source.n_folds} folds"
    if source.loss or source.metric or left_out:
        of_which = ""
        if source.metric and observed and noun != "row":
            of_which = f" of all {plural(source.point)} together"
            if source.weights == "groups":
                of_which = f", the mean of the {plural(noun)}' own"
        kind = "Metric" if source.metric else "Loss"
        parts.append(f"{kind}: {source.loss or 'not named'}{unit}{of_which}{left_out}.")
    return " ".join(parts)


def by_losses(named: Mapping[str, tuple[str, bool]]) -> str:
    """Which model is best by each loss, and whether it beats another surely; where they disagree.

    Examples
    --------
    >>> by_losses({"log": ("line", True), "F1": ("line", False), "RMSE": ("mean", True)})
    'The losses disagree: by log and F1 line is best, by RMSE mean. F1 rejects no model.'
    """
    best: dict[str, list[str]] = {}
    for loss, (model, _) in named.items():
        best.setdefault(model, []).append(loss)
    silent = [loss for loss, (_, rejects) in named.items() if not rejects]
    said = f"By each of {listed(list(named))}, {next(iter(best))} is best."
    if len(best) > 1:
        parts = [
            f"by {listed(losses)} {model}{' is best' if not place else ''}"
            for place, (model, losses) in enumerate(best.items())
        ]
        said = f"The losses disagree: {', '.join(parts)}."
    if len(silent) == len(named):
        return f"{said} None of them rejects a model."
    reject = "rejects" if len(silent) == 1 else "reject"
    return f"{said} {listed(silent)} {reject} no model." if silent else said


def measure(source: Provenance) -> str:
    """What the first column of numbers is."""
    return source.loss or "metric" if source.metric else "mean loss"


def difference(source: Provenance) -> str:
    """What an axis of differences shows: of a metric, its name, and what a positive number is.

    Examples
    --------
    >>> difference(Provenance(unit="kg")), difference(Provenance(loss="ROC AUC", metric="higher"))
    ('difference in mean loss (kg)', 'ROC AUC lower by')
    """
    unit = f" ({source.unit})" if source.unit else ""
    if source.metric == "higher":
        return f"{measure(source)} lower by{unit}"
    return f"difference in {measure(source)}{unit}"


def scale(source: Provenance) -> str:
    """What an axis of risks shows."""
    minus = "−" if source.metric == "higher" else ""
    of = f"{minus}{measure(source)}" if source.metric else "risk"
    return f"{of}{f' in {source.unit}' if source.unit else ''} (lower is better)"


def leads(source: Provenance) -> str:
    """What the best model has."""
    return f"the {'highest' if source.metric == 'higher' else 'lowest'} {measure(source)}"


def not_shown(n_models: int) -> list[str]:
    """That the table goes on, if it does."""
    return (
        [f"… and {n_models} more: {either('result.to_dataframe()', '--json')}"]
        if n_models > 0
        else []
    )


def decided(
    best: str,
    beaten: Mapping[str, float],
    open_models: Mapping[str, float],
    where: str,
    by_more: str,
    same: Sequence[str] = (),
    tied: Sequence[str] = (),
    leads: str = "the lowest mean loss",
) -> str:
    """Who would probably win again, with P, and against whom that is open; at most two sentences.

    `same` are models that are equivalent to the best, of which another sentence tells; `tied` have
    its mean loss.
    """
    against = ", ".join(f"{name} ({p_is(value)})" for name, value in open_models.items())
    if len(open_models) > MOST_NAMED:
        against = f"{len(open_models)} models (P up to {probability(max(open_models.values()))})"
    wins = f"{best} would probably win again{by_more}"
    if beaten:
        least = min(beaten.values())
        wins += f" ({p_is(least)}{' or more' if len(beaten) > 1 and least <= NEARLY_ONE else ''})"
        if open_models or same or tied:
            wins += f" against {listed(list(beaten))}"
    if tied:
        more = f" {wins} {where}." if beaten else ""
        also = f" Open against {against}." if open_models else ""
        return f"{best} ties with {listed(tied)}: their mean losses are equal.{more}{also}"
    if not open_models:
        return f"{wins} {where}." if beaten or not same else ""
    if beaten:
        return f"{wins} {where}, but not surely against {against}. If you need one model: {best}."
    return (
        f"No winner is named: {best} has {leads}, but would not surely win "
        f"again{by_more} {where}: {against}. If you need one model: {best}."
    )


def holds_until(rejected: Mapping[str, float], not_rejected: Sequence[str]) -> str:
    """Up to which c each rejection holds: how much wider than Ω what varies may be."""
    parts = [
        f"{name} is rejected " + ("at every c" if c == inf else f"up to c = {value_of_c(c)}")
        for name, c in rejected.items()
    ]
    if not_rejected:
        verb = "is" if len(not_rejected) == 1 else "are"
        parts.append(f"{listed(not_rejected)} {verb} not rejected at any kept c")
    return f"{'; '.join(parts)}."


def expected_back(n_rejected: int, expected: float) -> str:
    """How many of several rejections are false, if each P is true."""
    shown = f"{expected:.1f}" if expected >= 0.1 else "fewer than 0.1"
    return f"Of these {n_rejected} rejected models, {shown} are expected to be better next time."


def uncertainty(
    best: str, other: str, parts: Mapping[str, float], degrees: float | None, noun: str, point: str
) -> str:
    """The budget of a difference: what its variance consists of, the largest part first."""
    whole = sum(parts.values())
    shares = sorted(parts.items(), key=lambda each: -each[1])
    names = [
        f"{100.0 * value / whole:.0f} % {part_named(name, noun, point)}"
        for name, value in shares
        if value >= 0.005 * whole
    ]
    known = f" ({degrees:.0f} degrees of freedom)" if degrees else ""
    return f"Uncertainty of {other} beside {best}: {', '.join(names)}{known}."


def part_named(name: str, noun: str, point: str) -> str:
    """As "schools", "pupils" or "training data"; of a factor, or of two together, its levels."""
    own = {"groups": plural(noun), "points": plural(point), "training": "training data"}
    return own.get(name, plural(name))


def helps_most(name: str, noun: str, point: str) -> str:
    """What to add, from the largest part of the budget."""
    more = {
        "groups": f"More {plural(noun)} would narrow it most.",
        "points": f"More {plural(point)} in each {noun} would narrow it most.",
        "training": "More training data would narrow it most: what fits share falls faster than "
        f"the number of {plural(noun)} grows.",
    }
    return more.get(name, f"More {plural(name)} would narrow it most.")


def not_beaten_by_best(models: Mapping[str, str]) -> str:
    """That models are rejected by others than the best."""
    by = ", ".join(f"{name} by {rival}" for name, rival in models.items())
    return f"Rejected by a model other than the best: {by}."


def looks_not_yet(best: str, names: Sequence[str], noun: str) -> str:
    """That P passes the threshold, but looks at growing data ask for more."""
    return (
        f"Looked at once, P would name {best} against {listed(names)}; looked at after every "
        f"{noun}, the evidence is not enough yet."
    )


def provisional(c: float, other: str, at_c: float, unknown: float, n_data_sets: int) -> str:
    """The honest number beside that at a c which nobody knows."""
    return (
        f"Provisional: against {other}, at c = {c:g} {p_is(at_c)}; over what c has been on "
        f"{n_data_sets} real data sets {p_is(unknown)}. Groups, or a calibration, would tell more."
    )


def small_lead(other: str, value: float, where: str) -> str:
    """That a winner of the study may well lose in one group."""
    return f"Its lead over {other} is small: {where} P is {probability(value)}."


def unstable(model: str, rival: str, value: float, share: float) -> str:
    """That a rejection depends on the random numbers of simulations."""
    return (
        f"{model} is not rejected although {rival} is better with {p_is(value)}: only "
        f"{100 * share:.0f} % of the single simulations share that."
    )


def too_close(model: str, rival: str, value: float) -> str:
    """That a rejection depends on the random numbers of draws."""
    return (
        f"{model} is not rejected although {rival} is better with {p_is(value)}: that is within "
        "the Monte Carlo error of the threshold."
    )


def track_record(cell: Cell, n_units: int, noun: str) -> str:
    """How often winners that were named like this won again."""
    return (
        f"Track record: of winners with P between {cell.low:g} and {cell.high:g} from "
        f"{_measured_on(cell)}, {rate(cell.won, cell.standard_error)} won "
        f"again ({cell.n_data_sets} real data sets, {cell.n_pairs} pairs; {cell.loss} loss)."
        f"{_not_measured(cell.n_units, n_units, noun)}"
    )


def coverage(found: Coverage, n_units: int, noun: str) -> str:
    """How often intervals like these held what they are of."""
    one = found.units == "one data set"
    of_loss = f"; {found.loss} loss" if found.loss else ""
    return (
        f"On real data, 90 % intervals of a {found.of} from "
        f"{'one data set' if one else _measured_on(found)} covered "
        f"{'that of another place in ' if one else ''}{rate(found.covered, found.standard_error)} "
        f"({found.n_data_sets} data sets{of_loss}).{_not_measured(found.n_units, n_units, noun)}"
    )


def _measured_on(found: Cell | Coverage) -> str:
    """As "about 10 left-out groups"."""
    if found.training == "fitted before":
        return f"about {found.n_units} {found.units}, candidates fitted before"
    return f"about {found.n_units} left-out {found.units}"


def rate(value: float, error: float) -> str:
    """As "93 ± 1 %"; with a decimal where the error is less than half of a percent.

    Examples
    --------
    >>> rate(0.925, 0.028), rate(0.995, 0.004)
    ('92 ± 3 %', '99.5 ± 0.4 %')
    """
    decimals = 0 if error >= 0.005 else 1
    return f"{100 * value:.{decimals}f} ± {100 * error:.{decimals}f} %"


def _not_measured(measured: int, n_units: int, noun: str) -> str:
    beyond = n_units > NEAR * measured
    return f" There is no record for more than {count(measured, noun)}." if beyond else ""


# ---------------------------------------------------------------- notes


def noted(note: Note, noun: str = "group") -> str:
    """A note of a law or of a check, in words."""
    names = listed(note.models)
    first, last = (*note.models, "", "")[:2]
    texts = {
        "few points": f"There are only {note.value:g} points: the tails of the losses are not "
        "known, so take probabilities as rough.",
        "left out": f"{plural(noun).capitalize()} were left out in turn, so that models share "
        f"training data: the variance of their mean difference is taken {1.0 + note.value:.3g} "
        "times as large.",
        "levels left out": "Levels of a factor were left out in turn, so that models share "
        f"training data: the variance of their mean difference is taken {1.0 + note.value:.3g} "
        "times as large, as for groups. For several factors nobody has measured how much it is.",
        "errors not known": f"Standard errors are known only for differences from {names}: the "
        "estimates came without the covariance between models, so that other pairs cannot be "
        "judged.",
        "points left out": "Each point was left out alone (PSIS), by a model that has seen the "
        f"other points of its {noun}: P is too sure of new {plural(noun)}. Leave whole "
        f"{plural(noun)} out, by rivals.read.leave_groups_out or left_out_posterior.",
        "training not said": "The models are taken as fitted to other data; if "
        f"{plural(noun)} were left out in turn, say so by {opt.left_out(True)} when losses "
        "are read, or P "
        "is too sure.",
        "times": f"The {plural(noun)} are points in time: if neighbours are alike, P is too sure; "
        f"{opt.order('time')} allows for that.",
        "few groups": f"{count(note.value, noun).capitalize()} are few: P takes them as drawn like "
        f"all others, and one that is not changes the decision; three or four more {plural(noun)} "
        "help more than anything else.",
        "small groups": f"Half of the {plural(noun)} have {note.value:g} points or fewer: there P "
        "has been too sure.",
        "one unit": f"More than half of the difference between {listed(note.models[:2])} is of one "
        f"{noun} ({listed(note.models[-1:])}, {100 * note.value:.0f} %): events as rare need more "
        f"{plural(noun)}.",
        "unequal sizes": f"Sizes of {plural(noun)} differ much: a mean over points is worth only "
        f"as much as {note.value:.1f} {plural(noun)} of equal size.",
        "another by points": f"By the mean over points, where {plural(noun)} count by their size, "
        f"{last} is better than {first}: say which of the two means is asked "
        f"for, by {opt.weights('groups')} or {opt.weights('points')}.",
        "another by groups": f"By the mean over {plural(noun)}, where each weighs the same, "
        f"{last} is better than {first}: say which of the two means is asked "
        f"for, by {opt.weights('groups')} or {opt.weights('points')}.",
        "goes with size": f"The difference between {names} depends on the size of the {noun} (rank "
        f"correlation {note.value:.2f}): means over {plural(noun)} and over points answer "
        "different questions.",
        "ties": f"{names}: {100 * note.value:.0f} % of its losses are tied. There the process has "
        'no spread and says too little about replications; use method "transport".',
        "unequal simulations": f"{names}: simulations of {note.value:g} points. Their extremes "
        "differ even for a perfect model; simulate as many points as were observed.",
        "same losses": f"{names} have the same losses at every point: is one of them given twice?",
        "opposite sign": f"{names}: its losses fall where those of the other models rise (rank "
        f"correlation {note.value:.2f}). Is it a log likelihood? Use "
        f"{either('Losses.from_log_likelihood', '--log-likelihood')}.",
    }
    return texts[note.code]


# ---------------------------------------------------------------- the details


def settings(law: str, c: float, n_simulations: int, threshold: float, rng: int | None) -> str:
    """What the comparison was made with."""
    with_c = f", c = {c:g}, {count(n_simulations, 'simulation')}" if n_simulations else ""
    seed = f", rng = {rng}" if rng is not None else ""
    return f"Method: {law}{with_c}, threshold {threshold:g}{seed}."


def ahead(best: str, other: str, low: float, high: float, level: float, unit: str) -> str:
    """By how much one model is ahead."""
    unit = f" {unit}" if unit else ""
    by = span((low, high), decimals_for([high - low]))
    return f"With probability {level:g}, {best} is ahead of {other} by {by}{unit}."


def at_least(best: str, other: str, margin: float, threshold: float, unit: str) -> str:
    """The largest margin at which the decision would stand; cut, so that it does."""
    unit = f" {unit}" if unit else ""
    shift = 10.0 ** max(2 - floor(log10(margin)), 0)
    least = floor(margin * shift * (1.0 + 1e-9)) / shift
    return (
        f"{best} is better than {other} by at least {least:.12g}{unit} (P = {threshold:g}); that "
        "is the largest margin at which the decision stands."
    )


def equivalent(best: str, same: Mapping[str, float], margin: float, unit: str) -> str:
    """That differences from the best do not matter."""
    unit = f" {unit}" if unit else ""
    surely = p_is(min(same.values()))
    return f"Equivalent to {best} within {margin:g}{unit}: {listed(list(same))} ({surely})."


def too_few_for_equivalence(n_groups: int, least: int, noun: str) -> str:
    """Why equivalence is not judged."""
    return (
        f"Whether models are equivalent is not judged: {count(n_groups, noun)} cannot show it "
        f"reliably, {least} or more can."
    )


def margin_below_spread(margin: float, spread: float, noun: str) -> str:
    """That no number of groups shows equivalence reliably at so small a margin."""
    return (
        f"The margin {margin:g} is below the spread between {plural(noun)} ({spread:.2g}): nothing "
        "shows equivalence reliably then."
    )


def spread_between(other: str, tau: float, part: float, noun: str, unit: str) -> str:
    """τ and I² of a difference, as in meta-analysis."""
    unit = f" {unit}" if unit else ""
    return (
        f"The difference from {other} varies between {plural(noun)} with a standard deviation τ of "
        f"{tau:.2g}{unit} (I² = {100 * part:.0f} % of the variance of the observed differences)."
    )


def in_new_rows(best: str, chances: Mapping[str, float], n_rows: int, noun: str) -> str:
    """The answer to the other question of one data set."""
    against = ", ".join(f"against {name} {p_is(value)}" for name, value in chances.items())
    return (
        f"Another question, {new(n_rows, noun)} from the same place, needs no c: {best} wins again "
        f"there {against}."
    )


def sensitivity(values: Sequence[float], best: str, survivors: Sequence[Sequence[str]]) -> str:
    """What the decision would be at other c."""
    parts = [
        f"c = {value:g}: {listed(list(names))}"
        for value, names in zip(values, survivors, strict=True)
    ]
    return f"Not rejected at other sensitivities: {'; '.join(parts)}."


# ---------------------------------------------------------------- a plan


def chance(value: float) -> str:
    """As "0.43"; drawn chances are not known better."""
    return "<0.01" if value < 0.01 else ">0.99" if value > 0.99 else f"{value:.2f}"


def even_odds(number: float) -> str:
    """How many more groups make a decision as likely as none."""
    return "–" if number == inf else f"{number:g} more"


def nothing_open(best: str) -> str:
    """Why there is nothing to plan."""
    return (
        f"Nothing is open: every other model is rejected in favour of {best}, and more groups are "
        "not needed for this decision."
    )


def where_then(number: float | None, noun: str, of_rows: bool = False) -> str:
    """Where a winner would win again, when there are more groups, or rows."""
    if of_rows:
        return f"in as many new {plural(noun)}" if number is None else where(number, None, noun)
    return "if that larger study were repeated" if number is None else where(number, -1, noun)


def plan_question(
    best: str, n_groups: int, noun: str, threshold: float, by_more: str, where: str, *, looks: bool
) -> str:
    """What the chances of a plan are of."""
    looked = f", at any of the looks after each {noun}" if looks else ""
    how = either('looks="any"', "--looks any")
    once = f" Decide once, after all of them; to look after every {noun}, compare with {how}."
    return (
        f"Chance that so many more {plural(noun)}, like the {n_groups} observed, decide between "
        f"{best} and a model{looked}: that one of them would win{by_more}, with P above "
        f"{threshold:g}, {where}.{'' if looks else once}"
    )


def more_levels(number: float, noun: str) -> str:
    """As "20 more subjects"."""
    return f"ever more {plural(noun)}" if number == inf else count(number, f"more {noun}")


def factor_plan(best: str, observed: Levels, threshold: float, by_more: str) -> str:
    """What the chances of a plan of several factors are of."""
    return (
        f"Chance that so many more levels, beside {groups_of(observed, '')}, decide between "
        f"{best} and a model: that one of them would win{by_more}, with P above {threshold:g}, if "
        "that larger study were repeated."
    )


def cheapest(best: str, model: str, found: Mapping[str, Any] | None, power: float) -> str:
    """The cheapest design that decides often enough."""
    if found is None:
        return (
            f"Between {best} and {model} no design that was looked at decides in {percent(power)}."
        )
    parts = [more_levels(n, noun) for noun, n in found["more"].items() if n]
    return (
        f"Between {best} and {model} the cheapest design that decides in {percent(power)} has "
        f"{' and '.join(parts) or 'no more levels'}, at a cost of {found['cost']:g} (chance "
        f"{chance(found['chance'])})."
    )


def monte_carlo(error: float, rng: int) -> str:
    """How well drawn numbers are known."""
    return f"Monte Carlo error at most {error:.2g}, rng = {rng}."


# ---------------------------------------------------------------- a gate


def required(require: str, baseline: str, margin: float, unit: str) -> str:
    """As "better than current by more than 0.01 kg", or "at most 0.01 kg worse than current"."""
    if require == "better":
        return f"better than {baseline}{by_more(margin, unit)}"
    return f"at most {margin:g}{' ' * bool(unit)}{unit} worse than {baseline}"


def gate(outcome: str, model: str, required: str, where: str, value: float) -> str:
    """What a gate says of all rows."""
    shown = {
        "passed": f"{model} would be {required} {where}",
        "failed": f"that {model} would be {required} {where} is improbable",
        "undecided": f"whether {model} would be {required} {where} is open",
    }[outcome]
    return f"{shown} ({p_is(value)})."


def gate_difference(
    losses: tuple[float, float],
    difference: float,
    ends: tuple[float, float],
    level: float,
    unit: str,
    measure: str = "mean loss",
) -> str:
    """Both mean losses, or values of a metric, and by how much they differ."""
    decimals = decimals_for([ends[1] - ends[0], abs(difference)])
    new, old, gap = (fixed(value, decimals) for value in (*losses, difference))
    unit = f" {unit}" if unit else ""
    interval = f" ({percent(level)} interval {span(ends, decimals)})" if ends[0] == ends[0] else ""
    measure = measure[:1].upper() + measure[1:]
    return f"{measure} {new}, baseline {old}{unit}: difference {gap}{interval}."


def gate_segments(
    model: str, baseline: str, worse: Mapping[str, float], margin: float, unit: str
) -> str:
    """In which segments a gate failed."""
    where = ", ".join(f"{name} ({p_is(chance)})" for name, chance in worse.items())
    return f"{model} is worse than {baseline}{by_more(margin, unit)} in {where}."


def gate_units(n_units: int, noun: str, left_out: bool | None) -> str:
    """On what, and what the models had seen of it."""
    trained = {True: ", left out in turn", False: ", models fitted before", None: ""}[left_out]
    return f"{count(n_units, noun)}{trained}."


# ---------------------------------------------------------------- segments


def segments(own: str, rows: Sequence[Mapping[str, Any]], turned: Sequence[str], noun: str) -> str:
    """Where a model is worse than another, where that is open, and whether segments turn it."""
    others = list(dict.fromkeys(row["model"] for row in rows))
    alone = f" than {others[0]}" if len(others) == 1 else ""
    found = [row for row in rows if row["outcome"] == "worse"]
    named = "; ".join(
        f"{row['segment']}{'' if alone else ' than ' + row['model']} ({p_is(row['p_worse'])}, "
        f"{percent(row['share'])} of rows)"
        for row in found[:MOST_NAMED]
    )
    more = f"; and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    said = f"In no {noun} is {own} surely worse{alone}."
    if found:
        said = f"{own} is worse{alone} in {named}{more}."
    words = [row["outcome"] for row in rows]
    counts = ", ".join(f"{word} in {words.count(word)}" for word in dict.fromkeys(words))
    said += f" Of {count(len(rows), noun)}: {counts}." if alone else ""
    if turned:
        said += (
            f" Over all rows {own} and {listed(turned)} stand the other way than in every {noun}: "
            f"how much each {noun} weighs makes that order, and no {noun} has it."
        )
    return said


# ---------------------------------------------------------------- for a paper


def methods(text: str, noun: str, horizon: str) -> str:
    """What was done, for a paper."""
    return text.format(noun=noun, nouns=plural(noun), horizon=horizon)


def method_of_loss(source: Provenance, noun: str, n_groups: int) -> str:
    """Which losses, and where they come from."""
    if not (source.loss or source.left_out or source.library):
        return ""
    loss = source.loss or "as given"
    noise = f" under {source.noise} noise" if source.noise else ""
    made = f", computed with {source.library}" if source.library else ""
    out = ""
    if source.alone:
        seen = f", by models that had seen the others of its {noun}" if n_groups else ""
        out = f"; each {source.point} was left out alone{seen}, by importance sampling (PSIS)"
    if source.left_out and n_groups:
        folds = f" in {source.n_folds} folds" if source.n_folds not in (0, n_groups) else " in turn"
        out = f"; whole {plural(noun)} were left out{folds}"
    unit = f" ({source.unit})" if source.unit else ""
    return f"Losses were {loss}{noise}{unit}{made}{out}."


def method_of_c(c: float, law: str, n_simulations: int, chosen: str) -> str:
    """Where c comes from."""
    if not n_simulations:
        return ""
    return (
        f"The sensitivity c = {c:g} was {chosen}, with {count(n_simulations, 'simulation')} of "
        "each model."
    )


def method_of_rule(threshold: float, margin: float, unit: str, looks: bool) -> str:
    """The rule."""
    sequence = (
        " and, since data were looked at as they came, zero lies outside of the 90 % confidence "
        "sequence of the difference"
        if looks
        else ""
    )
    return (
        f"A model was rejected where a rival of lower mean loss was better"
        f"{by_more(margin, unit)} with a probability above {threshold:g}{sequence}."
    )


def html(text: str) -> str:
    """A sentence for a page, with every name escaped."""
    return escape(text)


def short(value: float) -> str:
    """A number in two digits."""
    return f"{value:.2g}"


def size_of(effect: str, size: float, largest: float) -> str:
    """Up to which size an effect does no harm; a gain in percent."""
    if size == 0.0:
        return "none"
    found = min(size, largest)
    shown = f"{short(100.0 * found)} %" if effect == "gain" else short(found)
    return f"over {shown}" if size > largest else shown


def withstands(
    best: str,
    other: str,
    effects: Sequence[str],
    sizes: Sequence[float],
    largest: Sequence[float],
    risk: float,
) -> str:
    """Which errors of an instrument a result withstands."""
    if not any(sizes):
        return (
            f"{best} against {other} withstands nothing: with points drawn anew alone, more than "
            f"{percent(risk)} of recordings are reversed."
        )
    kinds = {"gain": "gain errors", "offset": "offsets", "drift": "drifts"}
    shown = [size_of(*each) for each in zip(effects, sizes, largest, strict=True)]
    parts = [
        f"{kinds.get(effect, effect)} {'' if text.startswith('over') else 'up to '}{text}"
        for effect, size, text in zip(effects, sizes, shown, strict=True)
        if size
    ]
    none = [kinds.get(e, e) for e, size in zip(effects, sizes, strict=True) if not size]
    none_of = f"; none of {listed(none)}" if none else ""
    return f"{best} against {other} withstands {', '.join(parts)}{none_of}."


def looks_order(noun: str) -> str:
    """What looks rest on."""
    return (
        f"The {plural(noun)} are taken in the order in which they first appear in the data: it "
        "must be that of their arrival, not one that was sorted by a result."
    )


def looks_skipped(looked: int, numbers: int, noun: str) -> str:
    """That not every number of groups was looked at."""
    return (
        f"Of {numbers} numbers of {plural(noun)}, {looked} were looked at: the first ones, then "
        "evenly spaced ones."
    )


def ranked(threshold: float, tier: Sequence[str], n_models: int) -> str:
    """Which models nothing is above, and what a tier is."""
    first = listed(tier) if len(tier) <= MOST_NAMED else f"{len(tier)} of {n_models} models"
    return (
        f"First tier: {first}. A model is behind another where P is above {threshold:g}; a tier "
        "holds models that are behind none of those that are left."
    )


# ---------------------------------------------------------------- above pictures


def picture_of_groups(
    best: str,
    other: str,
    n_better: int,
    n_drawn: int,
    n_groups: int,
    noun: str,
    tau: float,
    part: float,
    unit: str,
    level: float,
) -> str:
    """How to read a forest plot; τ and I², as in meta-analysis."""
    drawn = f" ({n_drawn} of them are drawn)" if n_drawn < n_groups else ""
    groups = f"{n_better} of {count(n_groups, noun)}{drawn}"
    spread = (
        f"; τ = {tau:.2g}{' ' * bool(unit)}{unit}, I² = {100 * part:.0f} %" if tau == tau else ""
    )
    return (
        f"Right of zero, {best} is better than {other}: in {groups}{spread}. {percent(level)} "
        f"intervals; thin: each {noun} by itself; thick: new {plural(noun)} (one: the prediction "
        "interval; all: the mean μ)."
    )


def picture_of_risks(
    horizon: str,
    unknown_c: float | None,
    level: float,
    rejected: bool,
    cut: int,
    measure: str,
) -> str:
    """How to read distributions of the risk."""
    where = f" in the mean over {horizon}" if horizon else f" {SAME_PROCESS}"
    bars = f"bars: {percent(level)} intervals"
    if unknown_c is not None:
        bars = f"thick: {percent(level)} intervals at c = {unknown_c:g}; thin: with c unknown"
    return f"Risk{where}; points: {measure}; {bars}{_rejected(rejected)}.{_not_drawn(cut)}"


def picture_of_differences(level: float, wins: str, heads: Sequence[str], cut: int) -> str:
    """How to read differences from the best."""
    where = f"{'' if wins.endswith(' in') else ' at'} {' / '.join(heads)}" if heads else ""
    return (
        f"Bars: {percent(level)} intervals. At the right {wins}{where}, and the decision."
        f"{_not_drawn(cut)}"
    )


def picture_of_quantiles(c: float, *, tail: bool) -> str:
    """How to read quantile functions and paths."""
    axis = "the axis is stretched towards the largest losses" if tail else "the top is cut"
    return f"Each path is a replication; its mean is a risk. c = {c:g}; {axis}."


def picture_of_plan(best: str, cut: int, threshold: float) -> str:
    """How to read the chances of a plan."""
    return (
        f"Chance that P passes {threshold:g} between {best} and each model; dotted: with ever more."
        f"{_not_drawn(cut)}"
    )


def picture_of_looks(best: str, other: str, first: int | None, noun: str) -> str:
    """How to read a confidence sequence."""
    named = f"named after {count(first, noun)}" if first else "not named yet"
    return (
        f"Above zero {best} is better than {other}. Looked at after every {noun}, a winner is "
        f"{named}."
    )


def picture_of_segments(own: str, other: str, noun: str, level: float, cut: int) -> str:
    """How to read a forest of segments."""
    hidden = f" {count(cut, f'more {noun}')} not drawn." if cut > 0 else ""
    return (
        f"Right of zero, {own} is better than {other}; behind each {noun} its part of all rows, at "
        f"the right P({own} better). {percent(level)} intervals.{hidden}"
    )


def picture_of_costs(threshold: float, *, higher: bool) -> str:
    """What the front is."""
    return (
        f"{'Higher' if higher else 'Lower'} and further left is better. On the front: better "
        f"than every model that costs no more; not on it: one that costs no more is better (P > "
        f"{threshold:g})."
    )


def picture_of_calibration() -> str:
    """How to read calibration curves."""
    return "Red: P is too sure. Yellow: it favours the wrong model."


def _rejected(some: bool) -> str:
    return "; ✗ rejected" if some else ""


def _not_drawn(n_models: int) -> str:
    return f" {count(n_models, 'more model')} not drawn." if n_models > 0 else ""


# ---------------------------------------------------------------- the page


def question(number: HowMany, observed: HowMany, noun: str) -> str:
    """What a decision is about: as "160 new schools (the study repeated)"."""
    if number == inf:
        return f"all {plural(noun)} (the population mean)"
    return new(number, noun) + (" (the study repeated)" if number == observed else "")


def without_c() -> str:
    """Why c cannot be changed without simulations."""
    return "There is no c here: these losses have no simulations."


def c_is_calibrated(c: float) -> str:
    """Why a calibrated c cannot be changed."""
    return f"c = {c:g} comes from a calibration, which holds at this c."


def too_many_to_change() -> str:
    """Why a page of many models or groups offers less."""
    return (
        "With so many models or groups each further setting takes long: result.at(c=…, margin=…, "
        "threshold=…) decides at those that the page does not offer."
    )


def groups_not_listed(n_groups: int, listed: int, noun: str) -> str:
    """That a list of groups is cut, if it is."""
    if n_groups <= listed:
        return ""
    return (
        f"Of {n_groups} {plural(noun)}, the {listed // 2} with the largest and the {listed // 2} "
        "with the smallest difference are listed; result.summary.means has all."
    )
