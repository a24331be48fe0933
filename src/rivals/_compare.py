"""`compare`: losses → summary → evidence → decision → result, one call each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from typing import Any, Literal, TypeAlias

import numpy.typing as npt

from rivals._core.candidates import is_frame, is_held, losses_of_all, split_frame
from rivals._core.cells import CellSummaries
from rivals._core.decided import Calibrated, Decided
from rivals._core.losses import Study
from rivals._core.mistakes import mistakes
from rivals._core.predictions import Predictions
from rivals._core.seeds import entropy_from
from rivals._core.setting import CalibratedC, Setting, one_of
from rivals._core.summaries import GroupSummaries
from rivals._core.texts import Refusal, opt
from rivals._core.types import RNG, Frame, IntArray
from rivals._questions.by_loss import by_loss
from rivals._questions.segments import parts_of
from rivals._result.comparison import Comparison
from rivals.laws import Beta, Factors, Groups, Law, Paper, Reversal, law_of
from rivals.laws.reversal import other_recordings

# Name → losses, a pair (observed, simulated), or a candidate; a column of losses for each model.
Models: TypeAlias = (
    Mapping[Any, Any]
    | Iterable[tuple[Any, Any]]
    | GroupSummaries
    | CellSummaries
    | Frame
    | str
    | PathLike[str]
)
# Of each point; or the name of a column.
Labels: TypeAlias = npt.ArrayLike | str
MethodName: TypeAlias = Literal["groups", "transport", "beta", "paper", "reversal"]


def compare(
    models: Models,
    data: Any = None,
    *,
    X: Any = None,
    y: Any = None,
    groups: Labels | Sequence[str] | Mapping[str, Labels] | Frame | None = None,
    weights: Literal["groups", "points"] | None = None,
    loss: Any = None,
    method: MethodName | Law[Any] | None = None,
    c: float | Calibrated | None = None,
    threshold: float = 0.95,
    margin: float = 0.0,
    new_groups: float | Mapping[str, float] | None = None,
    level: float = 0.9,
    looks: Literal["any"] | None = None,
    order: Literal["time"] | None = None,
    clusters: Labels | None = None,
    by: Labels | None = None,
    vary: Mapping[str, float] | Sequence[Any] | None = None,
    signal: int | str | None = None,
    n_simulations: int | None = None,
    rng: RNG = None,
) -> Comparison:
    """Find which models would win again in a replication.

    Parameters
    ----------
    models : mapping, data frame, file, GroupSummaries, or Predictions
        Name → `Losses`, a pair (observed, simulated), observed losses alone, or a `Candidate` (with
        `data`). A data frame has a column of losses for each model; a file (.csv, .tsv, .parquet)
        or a lazy frame likewise, of which with `groups` no row is kept, so that it may be larger
        than memory. `Predictions` is what readers return that predict.
        Also trees of ArviZ by name, or paths to them (.nc), whose points `groups` may name; a
        comparison of skore; and, with X and y, estimators of scikit-learn.
    data : optional
        Held-out data for the candidates, in whatever form they understand.
    X, y : optional
        For estimators, which `read.cross_validated` then fits and judges.
    groups : array_like, or the name of a column, or several of these, optional
        The group of each point (school, site, subject); by default what the losses carry. Several
        factors, at most three, are names of columns, ``["subject", "item"]``, or a mapping,
        ``{"subject": labels, "item": labels}``: whether they cross or one lies in another is seen.
    weights : {"groups", "points"}, optional
        Whether each group weighs the same, by default, or counts by its number of points. Of a
        metric that is no mean over points, as ROC AUC: the mean of the groups' own, or that of all
        points together.
    loss : str, scorer or callable, or a list of these, optional
        Of predictions: the metric that they are judged by, as "roc_auc"; of a list, all of them.
    method : {"transport", "groups", "beta", "paper"} or a law of `rivals.laws`, optional
        How a distribution of the risk is made: "groups", a random-effects model, where there are
        groups or losses alone, whose rows are then the units; else "transport", which asks about
        another place; "beta", the hierarchical beta process; "paper", the algorithm of the paper in
        one word.
    c : float or Calibration, optional
        Sensitivity: how far a replication may move the risk, in units of the misfit. A calibration
        brings its c and its method.
    threshold : float
        Probability above which a winner is named.
    margin : float
        Smallest difference that matters, in the unit of the loss.
    new_groups : float, or mapping, optional
        Number of new groups that the decision is about; as many as observed by default, which is
        the study repeated; `math.inf` for the population mean. Of several factors that of each,
        ``{"subject": 30, "item": 0}``, where 0 keeps the levels of a factor.
    level : float
        Probability of an interval.
    looks : {"any"}, optional
        The decision may be looked at after every new group, in the order in which they came.
    order : {"time"}, optional
        Groups, or points without groups, are in the order of time, and neighbours may be alike.
    clusters : array_like, or the name of a column, optional
        Points that depend on each other, where these are not replications: they are drawn together,
        and the mean is over points.
    by : array_like, or the name of a column, optional
        The segment of each point, as its device: `result.by()` has the comparison within each.
    vary : mapping, or sequence of blocks, optional
        By how much recordings differ, for one recording and candidates: "gain", "offset", "drift"
        or "coloured noise" with its size, or blocks of `rivals.scenarios`. P is then the part of
        other recordings in which a model stays ahead (method "reversal").
    signal : int or str, optional
        Which part of the data `vary` distorts.
    n_simulations : int, optional
        Simulations of each candidate; 16 by default, 1 under method "paper".
    rng : int, SeedSequence, Generator or None
        Source of randomness, of candidates and of laws that draw.

    Returns
    -------
    Comparison
        Of several losses `ByLoss`, a comparison by each.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> school = np.repeat(np.arange(12), 25)
    >>> base = rng.exponential(size=300)
    >>> losses = {"line": base, "mean": base + 0.4 + 0.2 * rng.standard_normal(12)[school]}
    >>> result = compare(losses, groups=school)
    >>> result.best, list(result.rejections)
    ('line', ['mean'])
    """
    if X is not None or y is not None or is_held(models):
        from rivals.read._held import held

        models, groups = held(models, X, y, groups, loss, rng)
        X = y = loss = None
    predictions: Predictions | None = None
    if isinstance(models, Predictions):
        asked = models.asked if loss is None else loss
        if isinstance(asked, (list, tuple)) and len(asked) > 1:
            options = ("models", "data", *(compare.__kwdefaults__ or ()))
            given = {name: value for name, value in locals().items() if name in options}
            # Several losses are asked for by name: whoever does so gets a comparison by each.
            return by_loss({_name_of(each): compare(**given | {"loss": each}) for each in asked})  # type: ignore[return-value]
        loss = asked[0] if isinstance(asked, (list, tuple)) else asked
        predictions = models
        by = models.column(by) if isinstance(by, str) else by
        models = models.judged(loss, weights or "groups")
    elif loss is not None:
        raise Refusal(
            f"{opt['loss']} is how predictions are judged, and these are losses; leave it out, or "
            "pass predictions: rivals.read.predictions(frame, target=…)"
        )
    if _is_unread(models):
        said = {"data": data, "order": order, "clusters": clusters, "by": by, "vary": vary}
        models, groups = _read(models, groups, {**said, "n_simulations": n_simulations})
    calibration: Any = c if hasattr(c, "choose_c") else None
    c_of: Any = None if calibration is not None else c  # what is no number, a setting refuses
    setting = Setting(
        c=c_of,
        threshold=threshold,
        margin=margin,
        new_groups=new_groups,  # type: ignore[arg-type]  # checked there
        level=level,
        looks=looks,
        rng=entropy_from(rng),
    )
    if isinstance(models, (GroupSummaries, CellSummaries)):
        _refuse_beside_summaries(
            data=data,
            groups=groups,
            order=order,
            clusters=clusters,
            by=by,
            n_simulations=n_simulations,
        )
        if calibration is not None:
            raise ValueError(
                "a calibration is of one data set, and summaries are of groups; pass c as a "
                "number, or leave it out"
            )
        chosen = law_of(method, groups=True, several=isinstance(models, CellSummaries))
        if not isinstance(chosen, (Groups, Factors)):
            raise ValueError(
                f"summaries of groups are judged by method 'groups'; got {chosen.name!r}"
            )
        _refuse_c_of_another_method(c, chosen)
        law: Law[Any] = chosen
        law.check(models)
        if weights is not None:
            models = models.weighted(weights)
        return Comparison(Decided.of(law, models, setting))
    if vary is not None:
        given = {"groups": groups, "c": c, "order": order, "clusters": clusters, "by": by}
        _refuse_beside_vary(**given, n_simulations=n_simulations)
        if law_of(method or "reversal", groups=False).name != "reversal":
            raise Refusal(f"{opt['vary']} is method 'reversal'; leave {opt['method']} out")
        return _by_reversal(models, data, vary, signal, setting)
    if signal is not None:
        raise Refusal(f"{opt['signal']} is what {opt['vary']} distorts; pass both, or neither")
    n_drawn = n_simulations
    if calibration is not None:
        method = calibration.method if method is None else method
        n_drawn = n_simulations or calibration.conditions.n_simulations
    study = study_of(
        models,
        data,
        groups=groups,
        order=order,
        clusters=clusters,
        by=by,
        weights=weights,
        n_simulations=_number_of_simulations(n_drawn, method, groups),
        entropy=setting.rng,
    )
    if n_simulations not in (None, study.n_simulations):
        raise Refusal(
            f"{opt.n_simulations(n_simulations)} is how many a Candidate draws, but these "
            "losses hold "
            f"{study.n_simulations}; leave it out"
        )
    if predictions is not None and study.source.metric:
        study = replace(study, again=partial(_of_some, predictions, loss, weights))
    several = study.groups is not None and bool(study.groups.further)
    alone = not study.n_simulations and calibration is None
    chosen = law_of(method, groups=study.groups is not None or alone, several=several)
    if several and not isinstance(chosen, Factors):
        raise Refusal(
            f"{opt['groups']}: several factors are judged by method 'groups'; got "
            f"{chosen.name!r}; leave {opt.method} out"
        )
    if groups is not None and not chosen.needs_groups:
        raise Refusal(
            f"groups are replications, which method {chosen.name!r} does not know; leave method "
            f"out, or, "
            f"if points only belong together, pass {opt.clusters} instead"
        )
    _refuse_c_of_another_method(c, chosen)
    _refuse_what_does_nothing(chosen, order=order, clusters=clusters)
    if calibration is not None:
        calibration.check_fit(study, chosen)
        setting = replace(setting, c=calibration.choose_c())
    summary = chosen.summarise(study)
    result = Decided.of(chosen, summary, setting, mistakes(study), calibration)
    parts = () if study.segments is None else parts_of(study, study.segments, chosen)
    return Comparison(replace(result, study=study, parts=parts))


def _of_some(
    predictions: Predictions,
    loss: Any,
    weights: Literal["groups", "points"] | None,
    rows: IntArray,
) -> Study:
    """A metric of some of the rows: of a segment, it is not its part in that of all rows."""
    return Study.of(predictions.taken(rows).judged(loss, weights or "groups"), weights=weights)


def _name_of(loss: Any) -> str:
    """What one of several losses is called."""
    return loss if isinstance(loss, str) else str(getattr(loss, "__name__", loss))


def _is_unread(models: Any) -> bool:
    """Whether it is a file, or a lazy frame: rows that are not in memory."""
    if isinstance(models, (str, PathLike)):
        return "." in fspath(models)  # the ending of a file
    is_lazy = any(
        hasattr(models, name) for name in ("collect", "to_arrow_reader", "map_partitions")
    )
    return is_lazy and not isinstance(models, Mapping)


def _read(source: Any, groups: Any, beside: Mapping[str, Any]) -> tuple[Any, Any]:
    """Sums of its groups, of which no row is kept; or, without groups, the losses of all rows."""
    from rivals import read

    for name, value in beside.items():
        if value is not None:
            raise Refusal(
                f"{opt[name]}: a file or a lazy frame is read row by row; pass a data frame in "
                f"memory, or leave {opt[name]} out"
            )
    return (read.table(source) if groups is None else read.summaries(source, groups=groups)), None


def _by_reversal(models: Any, data: Any, vary: Any, signal: Any, setting: Setting) -> Comparison:
    """In other recordings, that differ from this one as `vary` says."""
    study = study_of(
        models, data, groups=None, order=None, clusters=None, n_simulations=0, entropy=setting.rng
    )
    summary = other_recordings(
        dict(zip(study.names, dict(models).values(), strict=True)),
        data,
        vary,
        signal,
        study,
        setting.rng,
    )
    return Comparison(Decided.of(Reversal(), summary, setting, mistakes(study)))


def study_of(
    models: Any,
    data: Any,
    *,
    groups: Any,
    order: str | None,
    clusters: Any,
    by: Any = None,
    weights: str | None = None,
    n_simulations: int,
    entropy: int,
) -> Study:
    """The losses of all models, from models in any form."""
    if order is not None:
        one_of("time")("order", order)
    if is_frame(models):
        named = {"groups": groups, "clusters": clusters, "by": by}
        models, labels = split_frame(models, named)
        groups, clusters, by = labels["groups"], labels["clusters"], labels["by"]
    losses = losses_of_all(models, data, n_simulations=n_simulations, entropy=entropy)
    return Study.of(losses, groups=groups, order=order, clusters=clusters, by=by, weights=weights)


def _number_of_simulations(given: int | None, method: str | Law[Any] | None, groups: Any) -> int:
    if given is not None:
        return given
    if law_of(method, groups=groups is not None).needs_groups:
        return 0  # how groups differ takes their place
    return 1 if method == "paper" or getattr(method, "name", None) == "paper" else 16


def _refuse_c_of_another_method(c: Any, chosen: Law[Any]) -> None:
    """What c means depends on the method: one that was chosen for another would be any number."""
    own = c.source.get("method", chosen.name) if isinstance(c, CalibratedC) else chosen.name
    if own != chosen.name:
        raise Refusal(
            f"c was calibrated for method {own!r}, and this comparison is by {chosen.name!r}; pass "
            f"{opt.method(own)} too, or the calibration itself as c"
        )


def _refuse_beside_vary(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise Refusal(
                f"{opt['vary']} asks what other recordings with the same points would show; leave "
                f"{opt[name]} out"
            )


def _refuse_what_does_nothing(chosen: Law[Any], **given: Any) -> None:
    """Processes on quantile functions know no neighbours and no clusters."""
    for name, value in given.items():
        if value is not None and isinstance(chosen, (Beta, Paper)):
            raise Refusal(
                f"method {chosen.name!r} has no sampling error that {opt[name]} could change; "
                "leave it out, or leave method out"
            )


def _refuse_beside_summaries(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise Refusal(f"summaries hold groups and simulations already; leave {opt[name]} out")
