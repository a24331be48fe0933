"""Comparisons that were once wrong in silence: each kind of input has an answer that is known
without the library, or is refused with a sentence.

The answers come from plain formulas: sums over a grid of τ, matrices of autocovariances, the same
losses in another unit or order, the same pair without the other models.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
from scipy.optimize import brentq
from scipy.signal import lfilter
from scipy.special import ndtr

import rivals
from core import plain
from rivals import Losses, compare

LARGEST_RHO = 0.97
# The library integrates over τ by other means than a sum over a grid, and takes ρ from a table; the
# promise is 1e-5.
TOLERANCE = 1e-5


class Wrong(AssertionError):
    """An answer that is not the known one."""


def fuzz_comparisons(seconds: float, seed: int) -> dict[str, Any]:
    """Try all kinds in turn for so many seconds; how many, and what went wrong."""
    counts: dict[str, Any] = {"inputs": 0, "silently_wrong": 0, "raw_errors": 0, "problems": []}
    by_kind: Counter[str] = Counter()
    end = time.monotonic() + seconds
    for number, kind in enumerate(itertools.cycle(KINDS)):
        if time.monotonic() > end and number >= len(KINDS):
            break
        what, remark = one_input(kind, seed, number)
        counts["inputs"] += 1
        by_kind[kind.__name__] += 1
        if what:
            counts[what] += 1
            counts["problems"].append(f"{kind.__name__}, input {number} of seed {seed}: {remark}")
    return counts | {"by_kind": dict(by_kind)}


def one_input(kind: Callable[[Any], None], seed: int, number: int) -> tuple[str, str]:
    """What went wrong with one input: nothing, mostly."""
    rng = np.random.default_rng([seed, number])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a RuntimeWarning is a defect
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        try:
            kind(rng)
        except Wrong as error:
            return "silently_wrong", str(error)
        except Exception:
            return "raw_errors", " ".join(traceback.format_exc(limit=-2).split())[-400:]
    return "", ""


def expect(found: float, right: float, what: str, tolerance: float = TOLERANCE) -> None:
    if not abs(found - right) <= tolerance:
        raise Wrong(f"{what}: {found!r} in place of {right!r}")


def refused(call: Callable[[], Any], words: str) -> None:
    """A call must be refused, in a sentence with these words."""
    try:
        found = call()
    except ValueError as error:
        if not re.search(words, str(error)):
            raise
        return
    raise Wrong(f"not refused ({words}): {getattr(found, 'probability', found)}")


# ---------------------------------------------------------------- the plain formulas


def plain_probability(
    means: Any, variances: Any, new_groups: float, margin: float = 0.0, *, residuals: bool = False
) -> float:
    """P(the mean difference over so many new groups is below −δ), with a flat prior of τ.

    Of a single new group also by what the groups at hand have beyond the mean.
    """
    means = np.asarray(means)
    scale = np.std(means) + np.sqrt(np.mean(variances))
    log_tau = np.log(scale) + np.linspace(-25.0, 35.0, 6001)[:, None]
    square = np.exp(2.0 * log_tau)
    weight = 1.0 / (square + variances)
    total = weight.sum(axis=1)
    centre = weight @ means / total
    log = np.log(weight).sum(axis=1) - np.log(total)
    log = 0.5 * (log - np.sum(weight * (means - centre[:, None]) ** 2, axis=1))
    density = np.exp(log + log_tau[:, 0] - np.max(log + log_tau[:, 0]))
    below = ndtr((-margin - centre) / np.sqrt(1.0 / total + square[:, 0] / new_groups))
    if residuals:
        beyond = (means - centre[:, None]) * np.sqrt(square * weight)
        beyond -= beyond.mean(axis=1, keepdims=True)
        beyond *= np.sqrt(square) / beyond.std(axis=1, keepdims=True)
        scores = (-margin - centre[:, None] - beyond) * np.sqrt(total)[:, None]
        below = ndtr(scores).mean(axis=1)
    return float(np.sum(density * below) / np.sum(density))


def plain_pair(first: Any, second: Any, parts: list[Any]) -> float:
    """P of a pair over as many new groups, from losses at points of groups."""
    means, variances = plain_means(first, second, parts)
    return plain_probability(means, variances, means.size)


def plain_means(first: Any, second: Any, parts: list[Any]) -> tuple[Any, Any]:
    """Mean differences in the groups, and their sampling variances, pooled."""
    difference = first - second
    means = np.array([difference[rows].mean() for rows in parts])
    sizes = np.array([rows.size for rows in parts])
    within = sum(np.sum((difference[rows] - difference[rows].mean()) ** 2) for rows in parts)
    return means, within / (sizes.sum() - sizes.size) / sizes


def plain_series(first: Any, second: Any, parts: list[Any]) -> float:
    """The same where each group is a series: an autoregression, by matrices."""
    difference = first - second
    deviations = [difference[rows] - difference[rows].mean() for rows in parts]
    squares = sum(np.sum(x**2) for x in deviations)
    lagged = sum(np.sum(x[1:] * x[:-1]) for x in deviations)
    sizes = np.array([rows.size for rows in parts])

    def expected(rho: float) -> tuple[float, float]:
        """Of Σ x_t² and of Σ x_t x_{t+1}, for variance 1."""
        found = np.zeros(2)
        for size in sizes.tolist():
            centring = np.eye(size) - 1.0 / size
            centred = centring @ correlations(rho, size) @ centring
            found += [np.trace(centred), np.trace(centred, offset=1)]
        return float(found[0]), float(found[1])

    def excess(rho: float) -> float:
        all_squares, all_products = expected(rho)
        return all_products / all_squares - lagged / squares

    rho = 0.0
    if sizes.max() > 2 and excess(0.0) < 0.0:
        rho = LARGEST_RHO
        if excess(LARGEST_RHO) > 0.0:
            rho = brentq(excess, 0.0, LARGEST_RHO)
    variance = squares / expected(rho)[0]
    of_means = [variance * np.mean(correlations(rho, size)) for size in sizes.tolist()]
    means = np.array([difference[rows].mean() for rows in parts])
    return plain_probability(means, np.array(of_means), sizes.size)


def correlations(rho: float, size: int) -> Any:
    steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    return np.power(rho, steps, where=(rho > 0.0) | (steps > 0), out=np.ones((size, size)))


# ---------------------------------------------------------------- losses


def random_groups(rng: Any, shortest: int = 2, longest: int = 12) -> tuple[Any, list[Any]]:
    """Labels of points, and the points of each group; in order, as series need them."""
    n_groups = int(rng.integers(3, 30))
    sizes = rng.integers(shortest, longest + 1, n_groups)
    labels = np.repeat(np.arange(n_groups), sizes)
    return labels, [np.flatnonzero(labels == group) for group in range(n_groups)]


def random_losses(rng: Any, n_models: int, labels: Any, rho: float = 0.0) -> Any:
    """Skewed losses of models that share most of them, with offsets of groups; perhaps series."""
    n = labels.size
    shared = rng.exponential(size=n)
    own = lfilter([1.0], [1.0, -rho], rng.standard_normal((n_models, n)), axis=1)
    offsets = rng.uniform(0.0, 0.5) * rng.standard_normal((n_models, labels.max() + 1))
    gaps = rng.uniform(0.0, 0.3) * rng.standard_normal((n_models, 1))
    return shared + rng.uniform(0.05, 0.5) * own + offsets[:, labels] + gaps


def named(losses: Any) -> dict[str, Any]:
    return {f"m{index}": row for index, row in enumerate(losses)}


def chance(result: Any, first: str, second: str) -> float:
    names = result.names
    return float(result.probability[names.index(first), names.index(second)])


# ---------------------------------------------------------------- kinds of input


def groups_in_any_order(rng: Any) -> None:
    """Points of groups in any order, and models in any order: the plain formula."""
    labels, parts = random_groups(rng)
    losses = random_losses(rng, int(rng.integers(2, 5)), labels)
    points = rng.permutation(labels.size)
    order = rng.permutation(len(losses))
    models = {f"m{index}": losses[index][points] for index in order}
    result = compare(models, groups=labels[points])
    expect(chance(result, "m0", "m1"), plain_pair(losses[0], losses[1], parts), "P")
    expect(chance(result, "m1", "m0"), 1.0 - chance(result, "m0", "m1"), "1 − P", 1e-12)


def series_in_short_groups(rng: Any) -> None:
    """The formula of an autoregression, and no bit of it depends on other models."""
    labels, parts = random_groups(rng)
    losses = random_losses(rng, int(rng.integers(3, 7)), labels, rng.choice([0.0, 0.5, 0.9]))
    losses[-1] *= 10.0 ** rng.uniform(-3, 6)
    among = compare(named(losses), groups=labels, order="time")
    alone = compare(named(losses[:2]), groups=labels, order="time")
    expect(chance(among, "m0", "m1"), chance(alone, "m0", "m1"), "among other models", 0.0)
    right = plain_series(losses[0], losses[1], parts)
    expect(chance(alone, "m0", "m1"), right, "P of series")


def clusters_beside_groups(rng: Any) -> None:
    labels, _ = random_groups(rng)
    models = named(random_losses(rng, 2, labels))
    clusters = rng.integers(0, 5, labels.size)
    refused(lambda: compare(models, groups=labels, clusters=clusters), "leave clusters out")
    carried = {name: Losses(losses, groups=labels) for name, losses in models.items()}
    refused(lambda: compare(carried, clusters=clusters), "leave clusters out")


def losses_too_small_for_digits(rng: Any) -> None:
    """The same losses in a unit in which they are subnormal: the same P, or refused."""
    labels, _ = random_groups(rng)
    losses = random_losses(rng, 2, labels)
    simulated = losses[:, None, :] * rng.uniform(0.8, 1.2, (2, 3, labels.size))
    scale = 10.0 ** rng.uniform(-323, -295)
    options: dict[str, Any] = {"law": "transport", "rng": 0}
    models = {f"m{i}": (losses[i], simulated[i]) for i in range(2)}
    small = {f"m{i}": (scale * losses[i], scale * simulated[i]) for i in range(2)}
    if rng.random() < 0.5:
        options = {"groups": labels}
        models = named(losses)
        small = named(scale * losses)
    right = chance(compare(models, **options), "m0", "m1")
    try:
        found = chance(compare(small, **options), "m0", "m1")
    except ValueError as error:
        if "rescale" not in str(error):
            raise
        if scale * np.ptp(losses, axis=1).min() > 1e-306:
            raise Wrong(f"refused at a scale of {scale:g}, which has digits: {error}") from error
        return
    expect(found, right, f"P at a scale of {scale:g}", 1e-6)


def folds_of_points(rng: Any) -> None:
    """Models that have seen a group are not judged by it."""
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import KFold, ShuffleSplit, TimeSeriesSplit

    n = 60
    labels = np.arange(n) % int(rng.integers(3, 9))
    x = rng.standard_normal((n, 1))
    y = x[:, 0] + rng.standard_normal(n)
    models = {"line": LinearRegression(), "mean": DummyRegressor()}
    folds = [
        None,
        3,
        KFold(4, shuffle=True, random_state=0),
        TimeSeriesSplit(4),
        [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))],
        ShuffleSplit(3, random_state=0),
    ]
    cv = folds[rng.integers(len(folds))]
    options = {"cv": cv, "n_simulations": 2, "rng": 0}
    try:
        losses = rivals.read.cross_validated(models, x, y, **options)
    except ValueError as error:
        if "ShuffleSplit" not in str(cv) and "TimeSeriesSplit" not in str(cv):
            raise Wrong(f"{cv}: {error}") from error
        return
    judged = labels[: losses["line"].n_observed]
    refused(lambda: compare(losses, groups=judged), r"cross_validated\(\.\.\., groups=")


def equal_models(rng: Any) -> None:
    """Equal up to rounding: P = ½, in words that name them; the others as without them."""
    labels, _ = random_groups(rng)
    losses = random_losses(rng, 3, labels) + rng.choice([0.0, 100.0])
    rounding = 1.0 + 1e-15 * rng.standard_normal(labels.size)
    models = {"A": losses[0], "twin": losses[0] * rounding, "B": losses[1], "C": losses[2]}
    order = rng.permutation(list(models)).tolist()
    result = compare({name: models[name] for name in order}, groups=labels)
    expect(chance(result, "A", "twin"), 0.5, "P of twins", 0.0)
    said = " ".join(str(result).split())
    if not re.search(r"(A and twin|twin and A) have the same losses", said):
        raise Wrong(f"twins are not named: {said[-300:]}")
    others = compare({name: models[name] for name in ("A", "B", "C")}, groups=labels)
    for first, second in (("A", "B"), ("A", "C"), ("B", "C")):
        right = chance(others, first, second)
        expect(chance(result, first, second), right, f"{first}, {second}", 1e-9)


def constant_differences(rng: Any) -> None:
    """A pair that differs by a constant is not judged, and named; the others as without it."""
    labels, _ = random_groups(rng)
    losses = random_losses(rng, 2, labels)
    models = {"A": losses[0], "moved": losses[0] + rng.uniform(0.1, 2.0), "B": losses[1]}
    order = rng.permutation(list(models)).tolist()
    result = compare({name: models[name] for name in order}, groups=labels)
    expect(chance(result, "A", "moved"), 0.5, "P of a constant difference", 0.0)
    said = " ".join(str(result).split())
    if not re.search(r"(A and moved|moved and A) differ by the same constant", said):
        raise Wrong(f"a constant difference is not named: {said[-300:]}")
    others = compare({name: models[name] for name in ("A", "B")}, groups=labels)
    expect(chance(result, "A", "B"), chance(others, "A", "B"), "A, B", 1e-9)
    if not set(others.survivors) & set(result.survivors):
        raise Wrong(f"survivors {result.survivors} where the others give {others.survivors}")


def many_models_with_groups(rng: Any) -> None:
    """The plain formula for some pairs, and the plain rule on the whole matrix."""
    labels, parts = random_groups(rng, longest=6)
    n_models = int(rng.integers(20, 120))
    losses = random_losses(rng, n_models, labels)
    threshold = float(rng.choice([0.8, 0.95]))
    result = compare(named(losses), groups=labels, threshold=threshold)
    for _ in range(3):
        a, b = rng.choice(n_models, 2, replace=False)
        right = plain_pair(losses[a], losses[b], parts)
        expect(chance(result, f"m{a}", f"m{b}"), right, f"m{a}, m{b}")
    brute = plain.rejections(result.applied.empirical, result.probability, threshold)
    said = {
        result.names.index(name): result.names.index(why.by)
        for name, why in result.rejections.items()
    }
    if said != brute:
        raise Wrong(f"rejections {said} where all duels say {brute}")


def masked_losses(rng: Any) -> None:
    """What is masked is not used; a mask without a masked value changes nothing."""
    labels, _ = random_groups(rng)
    losses = random_losses(rng, 2, labels)
    hidden = np.zeros(losses.shape, dtype=bool)
    whole = np.ma.array(losses, mask=hidden)
    right = chance(compare(named(losses), groups=labels), "m0", "m1")
    expect(chance(compare(named(whole), groups=labels), "m0", "m1"), right, "no mask", 0.0)
    hidden[rng.integers(2), rng.integers(labels.size)] = True
    masked = np.ma.array(losses, mask=hidden)
    refused(lambda: compare(named(masked), groups=labels), "masked")
    columns = {**named(masked), "school": labels}
    refused(lambda: rivals.read.long_table(columns, groups="school"), "masked")


def indexes_in_other_orders(rng: Any) -> None:
    """Each model in an order of its own, by its index: the plain formula; other points refused."""
    labels, parts = random_groups(rng)
    losses = random_losses(rng, 2, labels)
    index = pandas.Index(rng.permutation([f"p{point}" for point in range(labels.size)]))
    frame = pandas.DataFrame({**named(losses), "school": labels}, index=index)
    shuffled = [frame[name].iloc[rng.permutation(labels.size)] for name in frame]
    first, second, school = shuffled
    right = plain_pair(losses[0], losses[1], parts)
    models = {"m0": first, "m1": second}
    expect(chance(compare(models, groups=school), "m0", "m1"), right, "P")
    carried = {"m1": Losses(second, groups=school), "m0": first}
    expect(chance(compare(carried), "m0", "m1"), right, "P of groups that losses carry")
    others = second.rename({second.index[0]: "elsewhere"})
    refused(lambda: compare({"m0": first, "m1": others}, groups=school), "different labels")
    twice = second.rename({second.index[0]: second.index[1]})
    refused(lambda: compare({"m0": first, "m1": twice}, groups=school), "occurs twice|different")
    array = {"m0": first, "m1": second.to_numpy()}
    refused(lambda: compare(array, groups=school), "no labels that say")


def horizons_and_margins(rng: Any) -> None:
    """The plain formula at other numbers of new groups, beyond a margin, and for the next group;
    by how much the best is better, with which probability.
    """
    labels, parts = random_groups(rng)
    losses = random_losses(rng, 2, labels)
    means, variances = plain_means(losses[0], losses[1], parts)
    result = compare(named(losses), groups=labels)
    for new_groups in (2.0, float(rng.integers(3, 50)), np.inf):
        right = plain_probability(means, variances, new_groups)
        expect(float(result.over(new_groups)[0, 1]), right, f"over {new_groups}")
    if means.size >= 8:
        right = plain_probability(means, variances, 1.0, residuals=True)
        expect(float(result.over(1)[0, 1]), right, "the next group", 2e-3)
    margin = rng.uniform(0.0, 0.5)
    beyond = compare(named(losses), groups=labels, margin=margin)
    right = plain_probability(means, variances, means.size, margin)
    expect(float(beyond.deciding[0, 1]), right, f"beyond {margin}")
    best, other = result.ranking
    if best == "m1":
        means = -means
    least = result.better_by[other]
    expect(plain_probability(means, variances, means.size, least), 0.95, "better by", 1e-3)


def frames_with_other_columns(rng: Any) -> None:
    """Columns of a data frame that count rows are no models; groups may be any column."""
    labels, parts = random_groups(rng, shortest=4)
    losses = random_losses(rng, 2, labels)
    columns = {**named(losses), "school": labels}
    order = rng.permutation(list(columns)).tolist()
    frame = pandas.DataFrame({name: columns[name] for name in order})
    frame = frame.iloc[rng.permutation(labels.size)]
    right = plain_pair(losses[0], losses[1], parts)
    expect(chance(compare(frame, groups="school"), "m0", "m1"), right, "P")
    counted = frame.assign(row=np.arange(labels.size) + int(rng.integers(-5, 5)))
    refused(
        lambda: compare(counted, groups="school"), "'row' of the data frame is a running number"
    )


KINDS = (
    groups_in_any_order, series_in_short_groups, clusters_beside_groups,
    losses_too_small_for_digits, folds_of_points, equal_models, constant_differences,
    many_models_with_groups, masked_losses, indexes_in_other_orders, horizons_and_margins,
    frames_with_other_columns,
)  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(fuzz_comparisons(float(sys.argv[1]), 34), indent=1))
