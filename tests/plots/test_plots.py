"""Every kind of picture shows the numbers of the result, in any width and style, with any name."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import rivals
from problems import beside_a_baseline
from rivals import plots
from rivals._result import sentences as say
from rivals.plots._risks import density
from rivals.testbeds import toys

plt = pytest.importorskip("matplotlib.pyplot", reason='pip install "rivals[plot]"')

HOSTILE = ["$x^2$", "</script> & <b>", "a" * 80 + "$"]


def grouped(n_models: int = 3, n_groups: int = 12, spread: float = 0.1, seed: int = 0):
    """Models that differ by less than by groups: some decisions are open."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), 20)
    base = rng.exponential(size=group.size)
    names = (HOSTILE + [f"m{i}" for i in range(n_models)])[:n_models]
    losses = {
        name: rivals.Losses(
            base + 0.08 * i + spread * rng.standard_normal(n_groups)[group], groups=group
        )
        for i, name in enumerate(names)
    }
    return rivals.compare(losses)


def one_data_set(law: str | None = None):
    y = np.random.default_rng(0).standard_normal(500)
    models = {"a": toys.gaussian(), "b": toys.gaussian(0.1), "c": toys.gaussian(width=3.0)}
    return rivals.compare(models, y, method=law, n_simulations=2, rng=0)


ON_GROUPS = ["differences", "forest", "looks", "plan", "risks"]
ON_ONE = ["differences", "risks"]


@pytest.mark.parametrize("kind", ON_GROUPS)
@pytest.mark.parametrize("width", [3.5, 7.0])
def test_all_kinds_of_groups_are_drawn_inside_their_figure(kind, width):
    """Names that are long, or would be mathematics, neither fail nor leave the figure."""
    figure, ax = plt.subplots(figsize=(width, 4.0), layout="constrained")
    assert plots.plot(grouped(), kind, ax=ax) is ax
    figure.canvas.draw()
    inside = figure.bbox.padded(2.0)
    drawn = ax.get_tightbbox()
    assert inside.contains(*drawn.min), (drawn.min, inside.min)
    assert inside.contains(*drawn.max), (drawn.max, inside.max)


@pytest.mark.parametrize("kind", ON_ONE)
@pytest.mark.parametrize("law", ["transport", "beta"])
def test_all_kinds_of_one_data_set_are_drawn_in_a_dark_style(kind, law):
    with plt.style.context("dark_background"):
        ax = plots.plot(one_data_set(law), kind)
        ax.figure.canvas.draw()
        texts = [*ax.texts, *ax.get_yticklabels()]
        assert all(_brightness(text.get_color()) > 0.5 for text in texts)


def _brightness(colour) -> float:
    from matplotlib.colors import to_rgb

    return float(np.mean(to_rgb(colour)))


@pytest.mark.parametrize("kind", ["differences", "risks", "forest"])
@pytest.mark.parametrize("size", [None, (3.4, 3.0), (7.0, 4.0)])
def test_names_of_many_models_do_not_overlap(kind, size):
    """Where there is no room, fewer models are drawn, and the picture says so."""
    ax = None if size is None else plt.subplots(figsize=size, layout="constrained")[1]
    result = grouped(n_models=70, n_groups=60)
    ax = plots.plot(result, kind, ax=ax)
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels() if label.get_text()]
    boxes.sort(key=lambda box: box.y0)
    assert all(a.y1 <= b.y0 + 2.0 for a, b in pairwise(boxes))
    if kind != "forest":
        assert "not drawn" in ax.figure.get_suptitle().replace("\n", " ")


def test_default_kind():
    assert plots.plot(grouped()).get_xlabel().startswith("difference")
    assert plots.plot(one_data_set()).get_xlabel().startswith("risk")
    with pytest.raises(ValueError, match="'forest'"):
        plots.plot(grouped(), "forrest")


@pytest.mark.parametrize("kind", ["forest", "looks", "plan"])
def test_what_needs_groups_says_so(kind):
    with pytest.raises(ValueError, match="groups="):
        plots.plot(one_data_set(), kind)


def test_forest_shows_each_group_and_the_three_answers():
    result = grouped()
    best, other = (list(result.risk).index(name) for name in result.ranking[:2])
    ax = plots.plot_forest(result)
    gaps = result._decided.groups.means[other] - result._decided.groups.means[best]
    points = ax.collections[1].get_offsets()
    np.testing.assert_allclose(points[:, 0], np.sort(gaps)[::-1], rtol=1e-9)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[-3:] == ["1 new group", "12 new groups", "all groups"]
    beside = result.beside(result.ranking[0])
    expected = [say.p_is(beside.chance(horizon)[0]) for horizon in (1.0, 12.0, float("inf"))]
    assert [text.get_text() for text in ax.texts] == expected
    assert {"τ", "I²"} <= set(ax.figure.get_suptitle().split())


def test_forest_of_two_named_models_and_of_one_twice():
    result = grouped()
    first, second, third = result.ranking
    swapped = plots.plot_forest(result, second, beside=third)
    straight = plots.plot_forest(result, third, beside=second)
    left, right = (ax.collections[1].get_offsets()[:, 0] for ax in (swapped, straight))
    np.testing.assert_allclose(left, -right[::-1], rtol=1e-9)
    with pytest.raises(ValueError, match="two models"):
        plots.plot_forest(result, first)


def test_forest_of_very_many_groups_draws_some_of_them():
    rng = np.random.default_rng(0)
    group = np.arange(30_000) // 2
    a = rng.exponential(size=group.size)
    result = rivals.compare({"a": a, "b": a + rng.normal(0.1, 1.0, group.size)}, groups=group)
    ax = plots.plot_forest(result)
    assert len(ax.collections[1].get_offsets()) == 400
    assert "400 of them are drawn" in ax.figure.get_suptitle().replace("\n", " ")


def test_densities_agree_with_the_law():
    """The normal density of method "transport", to the error of 160 steps."""
    result = one_data_set()
    grid, heights = density(result._decided)
    law = result.method.risks(result.summary, result.setting)
    sd = np.sqrt(law.variance[0])[:, None]
    expected = np.exp(-0.5 * ((grid - law.centre[:, None]) / sd) ** 2)
    np.testing.assert_allclose(heights[:, 1:-1], expected[:, 1:-1], atol=2e-3)


def test_one_data_set_shows_intervals_with_c_unknown():
    """Two bars in each row; the thin one, with c unknown, is `risk_interval`."""
    result = one_data_set()
    ax = plots.plot_risks(result)
    low, high = result._decided.reduced.risk_interval(result.setting, without_c=True)
    bars = [line for line in ax.collections if hasattr(line, "get_segments")]
    thin = [bar.get_segments()[0][:, 0] for bar in bars[::2]]
    places = [list(result.risk).index(name) for name in result.ranking]
    np.testing.assert_allclose(thin, np.transpose([low, high])[places], rtol=1e-9)
    assert "c unknown" in ax.figure.get_suptitle().replace("\n", " ")


def test_differences_are_those_of_the_table():
    result = grouped()
    ax = plots.plot_differences(result)
    words = result.table.columns[-1].cells
    assert [text.get_text().endswith(word) for text, word in zip(ax.texts, words, strict=True)]
    behind = [line.get_xdata()[0] for line in ax.lines[: len(result.risk)]]
    np.testing.assert_allclose(behind, [0.0, *result.table.columns[2].values[1:]], rtol=1e-12)


def test_looks_are_full_where_a_winner_is_named():
    result = grouped(n_models=2, n_groups=30, spread=0.1)
    found = result.looks()
    ax = plots.plot_looks(result)
    full = ax.collections[2].get_offsets()
    np.testing.assert_array_equal(full[:, 0], found.n_groups[found.named[0]])
    with pytest.raises(ValueError, match="is the best"):
        plots.plot_looks(result, found.lowest)


@pytest.mark.parametrize("tail", [True, False])
@pytest.mark.parametrize("law", [rivals.TransportLaw, rivals.HierarchicalBetaProcess])
def test_quantiles_of_both_processes(law, tail):
    losses = rivals.Losses(*toys.losses(200)["A"])
    process = law.from_losses(losses, c=0.5)
    ax = plots.plot_quantiles(process, n_paths=3, tail=tail)
    curve = next(line for line in ax.lines if line.get_label().startswith("q*"))
    low, high = curve.get_ydata()[[0, -1]]
    assert low == pytest.approx(process.q(0.0))
    assert high == pytest.approx(process.q(1.0 - tail / 201))
    ax.figure.canvas.draw()


def test_pictures_of_several_axes_keep_to_their_own():
    figure, axes = plt.subplots(1, 2, layout="constrained")
    plots.plot_risks(one_data_set(), ax=axes[0])
    plots.plot_differences(one_data_set(), ax=axes[1])
    assert figure.get_suptitle() == ""
    assert axes[0].get_title(loc="left")
    figure.canvas.draw()


def test_models_that_never_differ_are_drawn():
    losses = np.random.default_rng(0).exponential(size=60)
    group = np.arange(60) // 5
    result = rivals.compare({"a": losses, "b": losses + 1.0, "c": losses}, groups=group)
    for kind in ON_GROUPS:
        plots.plot(result, kind).figure.canvas.draw()


def test_pairs_whose_error_is_not_known_are_left_out():
    """Differences from a baseline came without their covariance: the best may not be judged."""
    pytest.importorskip("narwhals")
    result = rivals.compare(beside_a_baseline())
    assert result.ranking[0] == "d"
    assert "better than base" in plots.plot(result).figure.get_suptitle().replace("\n", " ")
    for kind in set(ON_GROUPS) - {"plan"}:
        plots.plot(result, kind).figure.canvas.draw()
