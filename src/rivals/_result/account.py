"""Which claims are made of a result, in which order. `sentences` has the words."""

from __future__ import annotations

from dataclasses import asdict
from math import inf
from typing import Any

import numpy as np

from rivals._core.beside import LEAST_GROUPS
from rivals._core.decided import Decided
from rivals._core.setting import CalibratedC, HowMany
from rivals._questions.equivalence import below_the_spread, equivalent_models
from rivals._result import sentences as say
from rivals._result.claims import Claim, Measured, claim, written
from rivals._result.track_record import LEVEL, Cell, cell_for, coverage_for, one_data_set

# Of so many rejected models the expected number of false rejections is told.
BOARD = 3
# Of more models, details are of the best few.
MOST_TOLD = 8
SENSITIVITIES = (0.0625, 0.25, 1.0)
# What the rates on real data were measured for; the law says at which of its own options.
AS_MEASURED = Measured({"margin": 0.0, "looks": None, "new_groups": None})
AT_LEVEL = Measured({"level": LEVEL})
OVER: dict[HowMany | None, str] = {None: "as many", 1.0: "one", inf: "all"}


def opening(result: Decided) -> str:
    """What was compared, on what."""
    n_points = result.summary.n_points
    source = result.summary.source
    return say.opening(len(result.names), n_points, result.repeated or 0, result.noun, source)


def conclusion(result: Decided) -> str:
    """The decision in a sentence, and at most one of caution."""
    return " ".join(written(result, [*decision(result), *cautions(result)[:1]])).strip()


def decision(result: Decided) -> list[Claim]:
    """The decision, and what is recommended, if anything is."""
    best = result.ranking[0]
    same = equivalent_models(result)
    beside = result.beside(best, result.survivors)
    open_names = [name for name in result.survivors if name not in (best, *same)]
    open_models = {name: float(beside.better[beside.row(name)]) for name in open_names}
    by_more = say.by_more(result.setting.margin, result.summary.source.unit)
    where = say.where(*result.horizon)
    tied = [name for name in open_models if result.risk[name] == result.risk[best]]
    open_models = {name: value for name, value in open_models.items() if name not in tied}
    rejected = result.rejections.items()
    by_best = {name: found.probability for name, found in rejected if found.by == best}
    by_others = {name: found.by for name, found in result.rejections.items() if found.by != best}
    found = []
    if by_best or open_models or tied or not same:
        leads = say.leads(result.summary.source)
        said = (best, by_best, open_models, where, by_more, list(same), tied, leads)
        found.append(claim(say.decided, *said))
    unit = result.summary.source.unit
    if same:
        found.append(claim(say.equivalent, best, same, result.setting.margin, unit))
    if by_others and len(by_others) <= say.MOST_NAMED:
        found.append(claim(say.not_beaten_by_best, by_others))
    if isinstance(result.setting.c, CalibratedC) and result.rejections:
        rest = [name for name in result.survivors if name != best]
        found.append(claim(say.holds_until, result.holds_until, rest))
    return found


def cautions(result: Decided) -> list[Claim]:
    """What speaks against the decision, the gravest first."""
    noun = result.noun
    grave = (
        "opposite sign",
        "same losses",
        "errors not known",
        "another by points",
        "another by groups",
    )
    found = [claim(say.noted, note, noun) for note in result.notes if note.code in grave]
    found += _provisional(result)
    found += _open(result)
    held_back = _held_back_by_looks(result)
    if held_back:
        found.append(claim(say.looks_not_yet, result.ranking[0], held_back, noun))
    if equivalent_models(result):
        found += _below_the_spread(result)
    found += _small_lead(result)
    weak = ("few groups", "small groups", "one unit") if result.rejections else ()
    asked = [
        note
        for note in result.notes
        if note.code in ("training not said", "points left out", *weak)
    ]
    found += [claim(say.noted, note, noun) for note in asked]
    return found


def _provisional(result: Decided) -> list[Claim]:
    """P with c unknown, of the rejected model nearest to the best; of any, if none is rejected."""
    if not result.c_is_unknown:
        return []
    beside = result.beside(result.ranking[0], tuple(result.rejections) or result.ranking)
    if result.rejections:
        beside = beside.only(np.isin(beside.names, tuple(result.rejections)))
    unknown = beside.without_c()
    nearest = int(np.argmin(unknown))
    at_c, without = float(beside.better[nearest]), float(unknown[nearest])
    n_data_sets = one_data_set().n_data_sets
    return [claim(say.provisional, result.c, beside.names[nearest], at_c, without, n_data_sets)]


def _open(result: Decided) -> list[Claim]:
    """Rejections that random numbers of simulations or draws keep open."""
    shares = dict(zip(result.names, result.decision.stability.tolist(), strict=True))
    found = []
    for model, each in result.decision.undecided.items():
        if each.open_because == "simulations":
            found.append(claim(say.unstable, model, each.by, each.probability, shares[model]))
        else:
            found.append(claim(say.too_close, model, each.by, each.probability))
    return found


def _held_back_by_looks(result: Decided) -> list[str]:
    """Models that P alone would reject, but looks at growing data do not allow it yet."""
    if not result.setting.looks:
        return []
    beside = result.beside(result.ranking[0])
    rows = zip(beside.names, beside.better.tolist(), beside.outcomes.reasons, strict=True)
    above = result.setting.threshold
    held = [name for name, better, why in rows if why == "looks" and better > above]
    return [name for name in held if name not in result.rejections]


def _small_lead(result: Decided) -> list[Claim]:
    """That a winner of the study may well lose in one new group."""
    single = result.of_each(1.0)
    if result.groups is None or result.new_groups == single:
        return []
    beaten = [name for name in result.ranking[1:] if name in result.rejections][:MOST_TOLD]
    if not beaten:
        return []
    beside = result.beside(result.ranking[0], beaten)
    one = beside.chance(single)[[beside.row(name) for name in beaten]]
    close = int(np.argmin(np.where(np.isnan(one), 1.0, one)))
    if not one[close] < say.SURE_OF_ONE:
        return []
    where = say.where(single, result.repeated or 0, result.noun)
    return [claim(say.small_lead, beaten[close], float(one[close]), where)]


def details(result: Decided) -> str:
    """All the rest: by how much, sensitivity, notes, settings."""
    head, *rest = [" ".join(written(result, decision(result))), *written(result, claims(result))]
    return "\n".join(dict.fromkeys([head, *rest]))


def claims(result: Decided) -> list[Claim]:
    """All that is claimed beside the decision, the gravest first."""
    found = cautions(result)
    found += [claim(say.noted, note, result.noun) for note in result.notes]
    if len(result.rejections) >= BOARD:
        expected = sum(1.0 - each.probability for each in result.rejections.values())
        found.append(claim(say.expected_back, len(result.rejections), expected))
    found += _by_how_much(result)
    found += _budget(result)
    found += _covered(result, "difference")
    found += _heterogeneity(result)
    found += _new_rows(result)
    margin = result.setting.margin
    if result.groups is not None and margin:
        if result.n_groups < LEAST_GROUPS:
            found.append(
                claim(say.too_few_for_equivalence, result.n_groups, LEAST_GROUPS, result.noun)
            )
        found += _below_the_spread(result)
    n_simulations = result.summary.n_simulations
    if n_simulations:
        others = [value for value in SENSITIVITIES if value != result.c]
        at_each = [result.at(c=value).survivors for value in others]
        found.append(claim(say.sensitivity, others, result.ranking[0], at_each))
    found += _track_record(result)
    seed = result.setting.rng if result.method.draws else None
    threshold = result.setting.threshold
    found.append(claim(say.settings, result.method.name, result.c, n_simulations, threshold, seed))
    if isinstance(result.setting.c, CalibratedC):
        how = _chosen(result)
        found.append(claim(say.method_of_c, result.c, result.method.name, n_simulations, how))
    return found


def _below_the_spread(result: Decided) -> list[Claim]:
    spread = below_the_spread(result, result.setting.margin)
    if spread is None:
        return []
    return [claim(say.margin_below_spread, result.setting.margin, spread, result.noun)]


def _by_how_much(result: Decided) -> list[Claim]:
    """Intervals of the differences from the best, and the largest margin of each rejection."""
    first = result.ranking[0]
    beside = result.beside(first, result.ranking[:MOST_TOLD])
    unit = result.summary.source.unit
    lines = []
    level = result.setting.level
    for name in result.ranking[1:MOST_TOLD]:
        row = beside.row(name)
        lowest, highest = float(beside.low[row]), float(beside.high[row])
        if lowest != lowest:
            continue  # its error is not known
        lines.append(claim(say.ahead, first, name, lowest, highest, level, unit))
        found = result.rejections.get(name)
        if found is not None and found.by == first and not result.c_is_unknown:
            margin = float(beside.largest_margin[row])
            if margin > 0.0:
                lines.append(
                    claim(say.at_least, first, name, margin, result.setting.threshold, unit)
                )
    return lines


def budget(result: Decided) -> dict[str, Any] | None:
    """Named parts of the variance of the difference between the best two, and degrees of freedom;
    None where a law has none.
    """
    beside = result.beside(result.ranking[0], result.ranking[1:2])
    parts = {name: float(values[0]) for name, values in beside.parts.items()}
    if not sum(parts.values()) > 0.0:  # nan where an error is not known
        return None
    degrees = float(beside.degrees[0])
    known = {"degrees": degrees if degrees < inf else None}
    return {"model": beside.names[0], "parts": parts, **known}


def _budget(result: Decided) -> list[Claim]:
    found = budget(result)
    if found is None:
        return []
    noun, point = result.noun, result.summary.source.point
    of = (result.ranking[0], found["model"], found["parts"], found["degrees"], noun, point)
    lines = [claim(say.uncertainty, *of)]
    if result.units is not None:
        beside = result.beside(result.ranking[0], (found["model"],))
        narrows = {name: float(values[0]) for name, values in beside.narrows.items()}
        asked = narrows or found["parts"]  # of several factors levels of one
        largest = max(asked, key=lambda name: asked[name])
        lines.append(claim(say.helps_most, largest, noun, point))
    return lines


def in_new_rows(result: Decided) -> list[list[float]] | None:
    """[a, b] = P that a wins in new rows, of one data set, whose own question is another place."""
    found = result.method.wins_in_new_rows(result.summary)
    return None if found is None else found.tolist()


def _new_rows(result: Decided) -> list[Claim]:
    """The other question of one data set: new rows, and no other place."""
    found = result.method.wins_in_new_rows(result.summary)
    if found is None:
        return []
    best = result.ranking[0]
    others = result.ranking[1 : 1 + say.MOST_NAMED]
    chances = {name: float(found[result.place[best], result.place[name]]) for name in others}
    source = result.summary.source
    noun = "row" if source.point == "point" else source.point
    return [claim(say.in_new_rows, best, chances, result.summary.n_points, noun)]


def _heterogeneity(result: Decided) -> list[Claim]:
    """τ and I² of the differences from the best, between groups."""
    if result.groups is None:
        return []
    beside = result.beside(result.ranking[0], result.ranking[:MOST_TOLD])
    unit = result.summary.source.unit
    lines = []
    for name in result.ranking[1:MOST_TOLD]:
        tau, part = float(beside.tau[beside.row(name)]), float(beside.i2[beside.row(name)])
        if tau == tau:
            lines.append(claim(say.spread_between, name, tau, part, result.noun, unit))
    return lines


# ---------------------------------------------------------------- the track record


def track_record(result: Decided) -> list[str]:
    """How often winners that were named like this won again; nothing where it was not measured."""
    return written(result, _track_record(result))


def _track_record(result: Decided) -> list[Claim]:
    cell = _cell(result)
    if cell is None:
        return []
    return [claim(say.track_record, cell, result.n_groups, result.noun, measured=AS_MEASURED)]


def track_record_values(result: Decided) -> dict[str, Any] | None:
    """The same as plain numbers."""
    cell = _cell(result)
    return None if cell is None else asdict(cell)


def _cell(result: Decided) -> Cell | None:
    """The cell of the closest pair that the decision names a winner of."""
    recorded = result.method.recorded_as(result.summary, result.setting)
    if recorded is None or not AS_MEASURED.fits(result) or not result.rejections:
        return None
    closest = min(each.probability for each in result.rejections.values())
    return cell_for(recorded, result.n_groups, closest)


def covered(result: Decided, of: str) -> list[str]:
    """How often intervals of a difference, or of the risk of one model, covered on real data."""
    return written(result, _covered(result, of))


def _covered(result: Decided, of: str) -> list[Claim]:
    recorded = result.method.recorded_as(result.summary, result.setting)
    over = OVER.get(result.setting.new_groups) if result.n_groups else "another place"
    if recorded is None or over is None or not AT_LEVEL.fits(result):
        return []
    n_units = max(result.n_groups, 1)
    found = coverage_for(recorded, n_units, of=of, over=over)
    if found is None:
        return []
    return [claim(say.coverage, found, n_units, result.noun, measured=AT_LEVEL)]


# ---------------------------------------------------------------- for a paper


def methods(result: Decided) -> str:
    """A paragraph for the methods section of a paper."""
    noun, setting, source = result.noun, result.setting, result.summary.source
    horizon = say.new(result.new_groups or 1, noun)
    before = [
        claim(say.method_of_loss, source, noun, result.n_groups),
        claim(say.methods, result.method.methods(result.summary), noun, horizon),
    ]
    parts = written(result, before)
    if result.calibration is not None:
        parts.append(result.calibration.methods())
    else:
        n_simulations = result.summary.n_simulations
        parts.append(say.method_of_c(result.c, result.method.name, n_simulations, _chosen(result)))
    rule = claim(
        say.method_of_rule, setting.threshold, setting.margin, source.unit, bool(setting.looks)
    )
    parts += written(result, [rule, *_provisional(result), *_track_record(result)])
    parts.append(result.method.credit)
    return " ".join(part for part in parts if part)


def _chosen(result: Decided) -> str:
    given = result.setting.c
    if isinstance(given, CalibratedC):
        source = ", ".join(f"{key} {value}" for key, value in given.source.items())
        return f"chosen by a calibration ({source})"
    return "the default" if given is None else "given"
