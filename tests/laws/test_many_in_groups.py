"""Many models, or many groups: pairs that do not matter are not computed, nothing is held whole,
and the numbers are the same.
"""

import math
import tracemalloc

import numpy as np
import pytest

import rivals
from rivals.core import few_pairs
from rivals.laws import group_differences, grouped_losses, groups
from rivals.laws.differences import quantile
from rivals.laws.group_differences import GroupDifferences
from rivals.method import probability
from rivals.method.probability import probability_next, probability_over
from rivals.method.rule import reject
from rivals.method.spread import spread_between_groups


def problem(n_models, n_groups, seed=0, simulations=0, sizes=(3, 30), twins=False):
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), rng.integers(*sizes, n_groups))
    common = rng.exponential(size=group.size)
    models = {}
    for index in range(n_models):
        effect = 0.3 * rng.random() + 0.2 * rng.standard_normal(n_groups)
        observed = 0.7 * common + 0.3 * rng.exponential(size=group.size) + effect[group]
        if twins and index in (3, 4):
            observed = models["m0"] + 0.5 * (index - 3)
        models[f"m{index}"] = observed
    if simulations:
        for name, observed in models.items():
            models[name] = (observed, 1.2 * rng.exponential(size=(simulations, group.size)))
    return models, rng.permutation(n_groups)[group]


# ---------------------------------------------------------------- few pairs


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("new_groups", [1, None, math.inf])
@pytest.mark.parametrize("simulations", [0, 3])
def test_few_pairs_give_the_verdict_of_all(monkeypatch, seed, new_groups, simulations):
    """Every duel, to the last bit, and every single simulation; also pairs that are not judged."""
    monkeypatch.setattr(few_pairs, "BLOCK", 40)
    monkeypatch.setattr(groups, "FEW_PAIRS", 0)
    models, group = problem(14, 4 + 2 * seed, seed, simulations, twins=seed % 2 == 0)
    result = rivals.compare(
        models,
        groups=group,
        new_groups=new_groups,
        margin=0.05 if seed % 3 == 0 else None,
        order="time" if seed == 5 else None,
        threshold=0.8,
        rng=0,
    )
    applied = result.applied
    duels, undecided = applied.decide()
    assert duels == reject(applied.empirical, applied.exceedance()[0], 0.8)
    assert not undecided
    alone = [set(reject(applied.empirical, one, 0.8)) for one in applied.single_matrices()]
    by_simulation = applied.rejected_by_simulation(None)
    assert [set(np.flatnonzero(row).tolist()) for row in by_simulation] == alone
    assert len(alone) == simulations


def test_few_pairs_are_computed(monkeypatch):
    """Of 300 models the best reject most, and what is far from the threshold is only estimated."""
    computed = {}
    plainly = GroupDifferences.of

    def counted(pairs, scales, *, residuals, points=None):
        computed[points] = computed.get(points, 0) + pairs.a.size
        return plainly(pairs, scales, residuals=residuals, points=points)

    monkeypatch.setattr(group_differences.GroupDifferences, "of", counted)
    models, group = problem(300, 10)
    result = rivals.compare(models, groups=group, rng=0)
    print_at = dict(computed)
    assert 30 < len(result.survivors) < 200
    n_pairs = 300 * 299 / 2
    assert computed[groups.ROUGH_POINTS] < 0.5 * n_pairs
    assert computed[None] < 0.05 * n_pairs
    str(result)
    # The row of the best, and by how much the best is better: no matrix.
    assert computed[None] - print_at[None] <= 2 * 299


@pytest.mark.parametrize("n_groups", [2, 3, 5, 10, 30, groups.MOST_ROUGHLY])
def test_what_is_computed_roughly_is_off_by_little(n_groups):
    """A third of the error that is allowed for, in 1 500 problems of all scales."""
    rng = np.random.default_rng(n_groups)
    n = 1500
    sizes = np.exp(rng.uniform(0.0, 6.0, n_groups)).astype(int) + 1
    tau = np.exp(rng.uniform(-5.0, 2.0, (n, 1)))
    variances = np.exp(rng.uniform(-8.0, 6.0, (n, 1))) / sizes
    width = np.sqrt(tau**2 + variances)
    centre = 2.0 * rng.standard_normal((n, 1)) * width.mean(axis=1, keepdims=True)
    differences = centre + width * rng.standard_t(4, (n, n_groups))
    scales = np.exp(rng.uniform(-4.0, 4.0, n)) * np.exp(rng.normal(0.0, 0.3, (3, n)))
    if n_groups > 2:
        scales[:, rng.random(n) < 0.5] = 0.0
    data = (differences, variances, scales)
    exact = spread_between_groups(*data)
    rough = spread_between_groups(*data, points=groups.ROUGH_POINTS)
    for m in (1.0, float(n_groups), math.inf):
        error = np.abs(probability_over(rough, m) - probability_over(exact, m))
        assert error.max() < groups.ROUGH_ERROR / 3.0
    one = (differences, variances)
    error = np.abs(probability_next(rough, *one) - probability_next(exact, *one))
    assert error.max() < groups.ROUGH_ERROR / 3.0


# ---------------------------------------------------------------- rows in place of matrices


@pytest.mark.parametrize("law", ["transport", "beta"])
def test_the_row_of_the_best_under_laws_without_groups(law):
    models, _ = problem(7, 8, seed=1, simulations=2, twins=True)
    result = rivals.compare(models, law=law, c=0.1, rng=0)
    row = result.best_is_better
    np.testing.assert_array_equal(row, result.probability[result.applied.best])


@pytest.mark.parametrize("simulations", [0, 2])
@pytest.mark.parametrize("margin", [None, 0.1])
def test_the_row_of_the_best_is_that_of_the_matrix(simulations, margin):
    models, group = problem(9, 8, seed=1, simulations=simulations, twins=True)
    result = rivals.compare(models, groups=group, margin=margin, rng=0)
    applied = result.applied
    best = result.names.index(result.ranking[0])
    for m in (1, 3, 8, math.inf):
        np.testing.assert_array_equal(applied.over_best(m), applied.over(m)[best])
    row, column = applied.exceeds_best()
    np.testing.assert_array_equal(row, applied.exceedance()[0][best])
    np.testing.assert_allclose(column, applied.exceedance()[0][:, best], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(applied.won_by_best, result.won[best])
    np.testing.assert_array_equal(result.best_is_better, result.probability[best])
    np.testing.assert_array_equal(result.best_decides, result.deciding[best])


def test_pieces_change_no_bit(monkeypatch):
    models, group = problem(7, 9, seed=2, simulations=2)
    whole = rivals.compare(models, groups=group, rng=0)
    asked = [whole.over(m) for m in (1, 9, math.inf)]
    text = str(whole)
    monkeypatch.setattr(grouped_losses, "CHUNK", 1)
    monkeypatch.setattr(groups, "CHUNK", 1)
    monkeypatch.setattr(probability, "CHUNK", 20)
    pieces = rivals.compare(models, groups=group, rng=0)
    for before, m in zip(asked, (1, 9, math.inf), strict=True):
        np.testing.assert_array_equal(pieces.over(m), before)
    assert str(pieces) == text


def test_more_models_than_a_whole_covariance_is_kept_of(monkeypatch):
    models, group = problem(9, 6, seed=3)
    kept = rivals.compare(models, groups=group, rng=0)
    monkeypatch.setattr(rivals.core.sampling_error, "WHOLE", 2)
    not_kept = rivals.compare(models, groups=group, rng=0)
    assert not_kept.survivors == kept.survivors
    np.testing.assert_allclose(not_kept.probability, kept.probability, rtol=0, atol=1e-12)


def test_means_and_what_varies_within_groups_against_plain_sums():
    """Also with an offset that leaves the losses few digits."""
    models, group = problem(4, 7, seed=4, sizes=(1, 9))
    for offset in (0.0, 1e9):
        losses = {name: observed + offset for name, observed in models.items()}
        applied = rivals.compare(losses, groups=group, rng=0).applied
        found = applied.grouped.pairs(np.array([0, 1]), np.array([2, 3]))
        for row, (a, b) in enumerate([("m0", "m2"), ("m1", "m3")]):
            # By the digits that are left.
            difference = (losses[a] - offset) - (losses[b] - offset)
            parts = [difference[group == label] for label in range(7)]
            means = [part.mean() for part in parts]
            squares = sum(np.sum((part - part.mean()) ** 2) for part in parts)
            sigma = squares / (group.size - 7)
            sizes = np.array([part.size for part in parts])
            np.testing.assert_allclose(found.differences[row], means, rtol=0, atol=1e-12)
            np.testing.assert_allclose(found.variances[row], sigma / sizes, rtol=1e-12)


def test_the_law_of_the_next_of_many_groups_is_the_mixture(monkeypatch):
    """Quantiles of a law that is not kept, in a unit of its own; and of pairs that do not vary."""
    models, group = problem(5, 9, seed=7, twins=True)
    models = {name: 1e120 * observed for name, observed in models.items()}
    applied = rivals.compare(models, groups=group, new_groups=1, rng=0).applied
    assert applied.grouped.exponent
    pairs = (np.array([1, 0, 0]), np.array([2, 3, 4]))
    kept = applied.differences(*pairs)
    monkeypatch.setattr(group_differences, "MOST_COMPONENTS", 0)
    in_pieces = applied.differences(*pairs)
    assert isinstance(in_pieces, group_differences.NextGroup)
    for level in (0.05, 0.5, 0.95):
        value = quantile(kept, level)
        np.testing.assert_allclose(quantile(in_pieces, level), value, rtol=1e-9, atol=1e106)
        np.testing.assert_allclose(in_pieces.below(value), kept.below(value), rtol=0, atol=1e-12)
    np.testing.assert_allclose(in_pieces.mean, kept.mean, rtol=1e-9, atol=1e105)


@pytest.mark.parametrize("seed", range(6))
def test_the_next_of_many_unequal_groups_is_the_mixture_far_out_and_between_groups(
    seed, monkeypatch
):
    """Groups of several sizes, skewed, some far from all others: values between and beyond them."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, size=70)
    group = np.repeat(np.arange(70), sizes)
    effects = 0.01 * rng.standard_normal(70)
    effects[:5] += rng.choice([0.0, 1.0, 20.0], size=5)
    noise = 0.02 * rng.standard_normal((2, group.size))
    models = {"a": noise[0] + effects[group], "b": noise[1]}
    applied = rivals.compare(models, groups=group, new_groups=1, rng=0).applied
    pair = (np.array([0]), np.array([1]))
    kept = applied.differences(*pair)
    monkeypatch.setattr(group_differences, "MOST_COMPONENTS", 0)
    in_pieces = applied.differences(*pair)
    assert isinstance(in_pieces, group_differences.NextGroup)
    low, high = in_pieces.bracket(0.01)
    for value in [low, high, *np.linspace(-0.1, 21.0, 40)[:, None], *effects[:10, None]]:
        found = in_pieces.below(np.asarray(value))
        np.testing.assert_allclose(found, kept.below(np.asarray(value)), rtol=0, atol=1e-12)
    assert in_pieces.below(low) < 0.01 < in_pieces.below(high)
    for level in (0.05, 0.5, 0.95):
        reached = kept.below(quantile(in_pieces, level))
        np.testing.assert_allclose(reached, level, rtol=0, atol=1e-10)


# ---------------------------------------------------------------- pairs that are not judged


def pairs_of_kind(pairs, kind):
    which = getattr(pairs, kind)
    return np.stack([pairs.a[which], pairs.b[which]], axis=1)


@pytest.mark.parametrize("order", [None, "time"])
def test_equal_models_are_found_among_many_without_all_pairs(order):
    models, group = problem(60, 6, seed=5)
    rng = np.random.default_rng(6)
    for copy, original, shift in ((7, 2, 0.0), (20, 2, 0.0), (33, 9, 0.4), (50, 11, -1e6)):
        rounding = 1.0 + 2e-16 * rng.standard_normal(group.size)
        models[f"m{copy}"] = models[f"m{original}"] * rounding + shift
    grouped = rivals.compare(models, groups=group, order=order, rng=0).applied.grouped
    near = list(grouped.nearly_equal())
    assert sum(pairs.a.size for pairs in near) < 60
    first, second = np.triu_indices(60, 1)
    every = grouped.pairs(first, second)
    for kind in ("alike", "constant"):
        found = [pairs_of_kind(pairs, kind) for pairs in near]
        np.testing.assert_array_equal(np.concatenate(found), pairs_of_kind(every, kind))
    assert every.alike.sum() == 3
    assert every.constant.sum() >= 1


# ---------------------------------------------------------------- what a user does next


def test_all_pairs_are_of_the_horizon_asked_for_alone(monkeypatch):
    """P of the next group costs most, and `probability` is of as many groups as at hand."""
    models, group = problem(6, 9)
    result = rivals.compare(models, groups=group, rng=0)
    next_group = rivals.compare(models, groups=group, rng=0, new_groups=1).probability
    with monkeypatch.context() as patch:
        patch.setattr(group_differences, "probability_next", None)
        assert result.probability.shape == (6, 6)
    np.testing.assert_array_equal(result.over(1), next_group)
    applied = result.applied
    assert applied.over(1.0) is applied.over(1.0)
    for a, b in ((0, 1), (4, 2)):
        assert applied.better_in_next(a, b) == pytest.approx(next_group[a, b], abs=1e-12)


def test_the_table_of_groups_is_that_of_each_model_by_itself():
    """Models are computed together, with twins among them."""
    models, group = problem(7, 9, twins=True)
    best = rivals.compare(models, groups=group, rng=0).ranking[0]
    table = rivals.compare(models, groups=group, rng=0).groups_table()
    for model in table.models:
        pair = {name: models[name] for name in (best, model)}
        alone = rivals.compare(pair, groups=group, rng=0).groups_table(against=best)
        assert alone.between[model] == table.between[model]


def test_only_what_is_printed_of_groups_and_models_is_written(monkeypatch):
    """A line of text for each of 200 models, of each group, is not made to be cut off."""
    models, group = problem(200, 30, sizes=(2, 4))
    table = rivals.compare(models, groups=group, rng=0).groups_table()
    sizes = []
    whole = type(table)._of_groups

    def counted(self, *sizes_wanted):
        headings, cells = whole(self, *sizes_wanted)
        sizes.append(len(headings) * len(cells))
        return headings, cells

    monkeypatch.setattr(type(table), "_of_groups", counted)
    assert "22 more groups and 19" in str(table)
    assert sum(sizes) < 1000


# ---------------------------------------------------------------- memory


def peak_of(models, group):
    """MiB at most, of the comparison and of its text."""
    rivals.compare(models, groups=group, rng=0)  # what is loaded once is not counted
    tracemalloc.start()
    str(rivals.compare(models, groups=group, rng=0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def test_memory_of_many_groups():
    """Points of the grid × groups would be 400 × 20 000 numbers, 61 MiB, several times."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(20_000), rng.integers(1, 4, 20_000))
    a = rng.exponential(size=group.size)
    noise = rng.standard_normal((2, group.size))
    assert peak_of({"A": a, "B": a + 0.1 * noise[0], "C": a + 0.1 * noise[1]}, group) < 24.0


def test_memory_of_many_models():
    """Four matrices of all pairs of 1 500 models would be 69 MiB; their covariance is 17."""
    rng = np.random.default_rng(0)
    losses = rng.exponential(size=(1500, 30)) + 0.5 * rng.random((1500, 1))
    models = {f"m{index}": row for index, row in enumerate(losses)}
    assert peak_of(models, np.arange(30) % 10) < 90.0
