"""`compare`: which models survive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._random import entropy_from
from rivals._say.arguments import (
    check_choice,
    check_positive,
    check_size,
    check_threshold,
    check_word,
)
from rivals._say.labels import read_groups
from rivals._say.naming import naming
from rivals._say.rows import OneOrder, in_index_order, name_of, row_labels, rows_in_order
from rivals._say.words import noun_of
from rivals._types import RNG
from rivals.comparison.calibrator import Calibrator
from rivals.comparison.frames import columns_by_role
from rivals.comparison.horizon import checked_new_groups
from rivals.comparison.judge import judge, judge_calibrated
from rivals.comparison.notes import warn_of
from rivals.comparison.result import Comparison
from rivals.laws import ORDERS, Applied, Grouping, Law, Order, Setting, law_of
from rivals.losses import Losses
from rivals.models import AnyModel, losses_in_turn, models_in_turn

# Simulations of each candidate: with one, another seed of it changes the verdict too often
# (docs/does-it-work.md).
N_SIMULATIONS = 16
# Notes of more models are made when they are asked for, and give no warning.
WARN_OF_MODELS = 100


def compare(
    models: Mapping[str, AnyModel] | Iterable[tuple[str, AnyModel]] | Any,
    data: Any = None,
    *,
    law: str | Law | None = None,
    c: float | Calibrator | Sequence[Calibrator] | None = None,
    threshold: float = 0.95,
    margin: float | None = None,
    n_simulations: int | None = None,
    order: Order | None = None,
    groups: npt.ArrayLike | str | None = None,
    new_groups: float | None = None,
    clusters: npt.ArrayLike | str | None = None,
    loss_unit: str | None = None,
    keep_simulations: bool = True,
    rng: RNG = None,
) -> Comparison:
    """Find out which models would still be worth keeping if the experiment were repeated.

    Parameters
    ----------
    models : mapping, iterable of pairs, or data frame
        Of a data frame (pandas, polars, …), each column is the observed losses of a model.
        Name → a `Candidate` (with `data`), `Losses`, or a pair (observed, synthetic) of arrays.
        `synthetic` may hold several simulations as rows. With three groups or more, observed losses
        alone are enough.
    data : optional
        Held-out data for the candidates, in whatever form they understand.
    law : {"transport", "beta", "groups"} or a law of `rivals.laws`, optional
        The law of the risk. "groups", the default where there are groups: the spread between groups
        that are replications. "transport", the default without groups: mean loss + √c · distance
        between observed and simulated losses · z + sampling error. "beta": the hierarchical beta
        process of the original paper. A law with options of its own is an object, such as
        `rivals.laws.Beta(depth=8)`. A calibration has its own law.
    c : float, Calibration or list of Calibration, optional
        Sensitivity of the risk to the discrepancy between model and data. No value suits every
        problem: `calibrate` finds one, and a curve that corrects the probabilities of a pair, or
        the threshold for the best of more. Of several calibrations the one that rejects least
        decides, and the result lists who survives under each.
    threshold : float
        A model is rejected when a rival of lower empirical risk has a lower risk with more than
        this probability.
    margin : float, optional
        The smallest difference that matters, in the unit of the loss. A model is then rejected when
        a rival is better by more than this, and `Comparison.equivalent` names the pairs that differ
        by less.
    n_simulations : int, optional
        Simulations of each candidate; 16 by default, or as many as the calibration used. The result
        says in what fraction of the single simulations the verdict would have been the same.
    order : {"time"}, optional
        Use "time" if the points form a time series: sampling errors then allow for autocorrelation.
    groups : array_like or str, optional
        The replication that each point belongs to: school, session, laboratory, year. Or the name
        of their column, or index, where `models` is a data frame. `Losses` may carry them.
        Simulated point i belongs to the group of observed point i.
    new_groups : int or math.inf, optional
        The verdict is about the mean risk over so many new groups. By default as many as at hand:
        the study repeated. 1 asks about the next group, `math.inf` about all groups to come.
    clusters : array_like or str, optional
        For points that belong together without being replications, such as those of one patient:
        clustered sampling errors. Groups that losses carry are taken as clusters under a law that
        has no groups.
    loss_unit : str, optional
        Unit of the losses, such as "nats"; must agree with that of a calibration.
    keep_simulations : bool
        False discards the simulated losses of each model before the next one is read: for thousands
        of models that a generator of (name, model) pairs loads or simulates one by one. The verdict
        is the same, to rounding. The result then holds only the observed losses: it has no `sweep`
        over c.
    rng : int, SeedSequence, Generator or None
        Source of randomness. Fresh entropy is drawn if None; the result remembers it.

    Returns
    -------
    Comparison

    See Also
    --------
    rivals.read.cross_validated : losses of held-out groups, from scikit-learn models.
    rivals.calibrate : finds c, and the curve that corrects probabilities.
    Comparison.sweep : the same comparison at several values of c.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> y = np.random.default_rng(0).standard_normal(2000)
    >>> result = rivals.compare(
    ...     {"right": toys.gaussian(), "too wide": toys.gaussian(width=3.0)}, y, rng=1
    ... )
    >>> result.survivors, result.stability["too wide"]
    (('right',), 1.0)

    A data frame has a column for each model, and one with the groups:

    >>> import pandas
    >>> rng = np.random.default_rng(0)
    >>> school = np.arange(800) % 8
    >>> frame = pandas.DataFrame({"A": rng.exponential(size=800), "school": school})
    >>> frame["B"] = frame["A"] + 0.3 + 0.1 * rng.standard_normal(800)
    >>> rivals.compare(frame, groups="school").survivors
    ('A',)
    """
    calibrations = _calibrations(c)
    _check_possible(calibrations, margin, keep_simulations=keep_simulations)
    number: Any = c
    if calibrations:
        first = calibrations[0]
        number = first.choose_c(valid_only=False)
        law = first.as_law() if law is None else law
        n_simulations = first.n_simulations if n_simulations is None else n_simulations
    law_of(law)  # refused, if it is none, before anything is simulated
    if n_simulations is None:
        n_simulations = N_SIMULATIONS
    setting = Setting(
        threshold=check_threshold(threshold),
        margin=0.0 if margin is None else check_positive(margin, "margin", or_zero=True),
        new_groups=None if new_groups is None else checked_new_groups(new_groups),
        more_draws=not calibrations,
        order=None if order is None else check_choice(order, "order", ORDERS),
        entropy=entropy_from(rng),
        loss_unit=check_word(loss_unit, "loss_unit"),
    )
    models, labels = columns_by_role(models, {"groups": groups, "clusters": clusters})
    groups = labels["groups"]
    clusters = labels["clusters"]
    pairs: Iterable[tuple[str, AnyModel]] = models_in_turn(models)
    carrier = None
    if keep_simulations:  # all of them are checked before anything is simulated
        pairs = list(pairs)
        carrier = _first_with_groups(pairs)
    beside = {"groups": row_labels(groups), "clusters": row_labels(clusters)}
    samples = losses_in_turn(
        pairs,
        data,
        n_simulations=check_size(n_simulations, "n_simulations"),
        entropy=setting.entropy,
        order=OneOrder(beside, series=setting.order == "time"),
    )

    names, applied = _apply(
        samples,
        setting,
        law,
        number,
        groups=groups,
        clusters=clusters,
        carrier=carrier,
        calibrations=calibrations,
        keep_simulations=keep_simulations,
    )
    if calibrations:
        applied, verdict = judge_calibrated(names, applied, calibrations)
    else:
        verdict = judge(applied)
    # Only candidates need data, and only they simulate.
    seeded = data is not None or not applied.law.closed_form
    result = Comparison(names, applied, verdict, seeded)
    if len(names) <= WARN_OF_MODELS:
        warn_of(result.diagnostics)
    return result


def _calibrations(c: Any) -> list[Calibrator]:
    """The calibrations that c is, one or several; none where it is a number."""
    if not isinstance(c, (list, tuple)):
        return [c] if isinstance(c, Calibrator) else []
    if not c or not all(isinstance(each, Calibrator) for each in c):
        raise TypeError(
            "c must be a number, a calibration, or a list of calibrations: got a list of "
            f"{[type(each).__name__ for each in c]}; "
            "for several numbers use compare(...).sweep(c=[...])"
        )
    return list(c)


def _check_possible(
    calibrations: Sequence[Calibrator], margin: float | None, *, keep_simulations: bool
) -> None:
    """Refuse what calibrations cannot do."""
    if len(calibrations) > 1 and not keep_simulations:
        raise ValueError(
            "several calibrations have several c, which need the simulations; "
            "use keep_simulations=True"
        )
    if calibrations and margin is not None:
        raise ValueError(
            "a calibration corrects the probability that a model is better, not that it is better "
            f"by more than a margin: got c=<calibration> and margin = {margin!r}; leave one of "
            "them out"
        )


def _first_with_groups(pairs: Iterable[tuple[str, Any]]) -> Losses | None:
    """The first losses that carry groups, so that it does not matter which model comes first."""
    for _, model in pairs:
        if isinstance(model, Losses) and model.groups is not None:
            return model
    return None


def _apply(
    samples: Iterable[tuple[str, Losses]],
    setting: Setting,
    law: str | Law | None,
    c: Any,
    *,
    groups: npt.ArrayLike | None,
    clusters: npt.ArrayLike | None,
    carrier: Losses | None,
    calibrations: Sequence[Calibrator],
    keep_simulations: bool,
) -> tuple[tuple[str, ...], Applied]:
    """The names of the models, and the law applied to their losses, which are read one by one."""
    given_unit = setting.loss_unit
    losses: dict[str, Losses] = {}
    summaries: list[Any] = []
    for name, sample in samples:
        if not losses:
            chosen, setting = _labelled(setting, sample, law, groups, clusters, carrier or sample)
            setting = replace(setting, c=chosen.checked_c(c, sample.n_simulations))
        with naming(name):
            chosen.check(sample, setting)
            _check_same_groups(sample, setting, clusters_given=clusters is not None)
            if setting.groups is not None:
                _check_folds(sample)
        for calibration in calibrations:
            calibration.check_fit(
                {name: sample}, law=chosen.name, order=setting.order, loss_unit=given_unit
            )
        if keep_simulations:
            losses[name] = sample
        else:
            losses[name] = sample.without_simulations()
            summaries.append(chosen.summary(sample, setting))
        del sample  # before the next one is made
    kept = None if keep_simulations else summaries
    return tuple(losses), chosen.apply(list(losses.values()), setting, kept)


def _labelled(
    setting: Setting,
    sample: Losses,
    law: str | Law | None,
    groups: npt.ArrayLike | None,
    clusters: npt.ArrayLike | None,
    carrier: Losses,
) -> tuple[Law, Setting]:
    """The law, and the setting with the groups and clusters of the points.

    They are given, or carried by the losses of a model.
    """
    carried = groups is None and carrier.groups is not None
    chosen = law_of(law, groups=carried or groups is not None)
    if not chosen.needs_groups and groups is not None:
        raise ValueError(
            f"groups are replications, which law {chosen.name!r} does not know; leave law out, or, "
            "if points only belong together, pass clusters= instead"
        )
    if setting.new_groups is not None and not chosen.needs_groups:
        raise ValueError(
            f"law {chosen.name!r} knows no groups, so new_groups has no meaning there: "
            f"got new_groups = {setting.new_groups:g}; pass groups=, the replication of each "
            "point, or leave it out"
        )
    if chosen.needs_groups and clusters is not None:
        raise ValueError(
            "clusters have no place beside groups: law 'groups' takes the points of a group as "
            "independent, and what they share as part of how groups differ; leave clusters out, "
            "or, if they are the replications, pass them as groups="
        )
    if carried and chosen.needs_groups:
        groups = _carried(carrier, sample)
    elif carried and clusters is None:
        clusters = _carried(carrier, sample)
    return chosen, replace(
        setting,
        groups=_grouping(groups, sample, carrier.group_name, "groups"),
        clusters=_grouping(clusters, sample, None, "clusters"),
        n_simulations=sample.n_simulations,
        loss_unit=setting.loss_unit or sample.unit,
    )


def _carried(carrier: Losses, sample: Losses) -> npt.NDArray[Any] | None:
    """The groups that losses carry, in the order of the first model."""
    rows = rows_in_order(carrier.index, sample.index, "groups", "the losses")
    return carrier.groups if rows is None else carrier.taken(rows).groups


def _grouping(labels: Any, sample: Losses, column: str | None, what: str) -> Grouping | None:
    if labels is None:
        return None
    labels = in_index_order(labels, sample.index, what, "the losses")
    codes, names = read_groups(labels, sample.n_observed, what)
    if len(names) < 2 and what == "clusters":
        raise ValueError(
            "clusters: all points are in one, but their sampling errors need at least two; "
            "leave clusters out"
        )
    column = name_of(labels) or column
    return Grouping(codes, names, noun_of(column or "", default=what.removesuffix("s")))


def _check_same_groups(sample: Losses, setting: Setting, *, clusters_given: bool) -> None:
    """Refuse losses that carry other groups than the comparison has."""
    if sample.groups is None:
        return
    grouping = setting.groups
    if grouping is None and clusters_given:
        return
    if grouping is None:
        grouping = setting.clusters
    if grouping is None:
        raise ValueError(
            "its losses carry groups, but those of the models before it carry none; pass groups= "
            "for all, or give all of them their groups"
        )
    own, _ = read_groups(sample.groups, sample.n_observed, "groups")
    if not np.array_equal(own, grouping.codes):
        raise ValueError(
            "its losses carry other groups than those of the comparison; "
            "all models must be judged on the same points in the same order"
        )


def _check_folds(sample: Losses) -> None:
    """Refuse to judge by groups what was fitted to points of the same groups."""
    if sample.folds in ("points", "series"):
        raise ValueError(
            "its losses come from a cross-validation whose folds do not keep groups together: "
            "models have seen points of the groups that they would be judged in, so nothing shows "
            "how they do in new ones; make the losses by cross_validated(..., groups=groups) or "
            "left_out_posterior, which leave whole groups out, and leave groups out here"
        )
