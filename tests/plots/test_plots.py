"""Pictures: what they show is what the result says, in every output format, and names stay text."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from io import BytesIO, StringIO
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

import rivals

pytest.importorskip("matplotlib", reason='pictures need matplotlib: pip install "rivals[plot]"')
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from rivals.comparison.judge import judge
from rivals.core.density import density_of_draws
from rivals.plots import (
    density_of,
    plot_calibration,
    plot_groups,
    plot_intervals,
    plot_losses,
    plot_plan,
    plot_probability,
    plot_process,
    plot_quantiles,
    plot_risks,
    plot_sweep,
    plot_ties,
    plot_valid_c,
    strongest_rival,
    tied_models,
)
from rivals.plots.probability_matrix import number
from rivals.plots.style import literal, style
from rivals.plots.ties import largest_sets
from rivals.testbeds import toys
from samples import unstable_losses

HOSTILE = (
    "<script>alert(1)</script>",
    "$\\frac{1",
    "../../x\n\x1b[31mred",
    "$",
    "ünïcode & “quotes”",
    "a_b^c" * 30,
)


def exponential(scale: float, simulated: float, n: int = 400, seed: int = 0) -> rivals.Losses:
    rng = np.random.default_rng(seed)
    return rivals.Losses(rng.exponential(scale, n), rng.exponential(simulated, n))


def several(scale: float, simulated: float, seed: int = 0) -> rivals.Losses:
    rng = np.random.default_rng(seed)
    return rivals.Losses(rng.exponential(scale, 400), rng.exponential(simulated, (4, 400)))


GROUPS = np.arange(400) % 5


@pytest.fixture(
    scope="module", params=["transport", "beta", "groups", "several", "observed", "calibrated"]
)
def result(request) -> rivals.Comparison:
    """Two good models, one bad one, given worst first, under each law."""
    models = {
        "bad": exponential(3.0, 3.2, seed=3),
        "good": exponential(1.0, 1.0),
        "fair": exponential(1.1, 1.0),
    }
    if request.param == "groups":
        return rivals.compare(models, law="groups", groups=GROUPS, rng=0)
    if request.param == "observed":
        return rivals.compare(
            {name: sample.observed for name, sample in models.items()}, law="groups", groups=GROUPS
        )
    if request.param == "several":
        models = {
            "bad": several(3.0, 3.2, 3),
            "good": several(1.0, 1.0),
            "fair": several(1.25, 1.0, 1),
        }
    result = rivals.compare(
        models, law="beta" if request.param == "beta" else "transport", c=0.25, rng=0
    )
    return calibrated(result) if request.param == "calibrated" else result


def calibrated(result: rivals.Comparison) -> rivals.Comparison:
    """As if read through a curve that pulls probabilities towards ½, but not so far that nothing is
    rejected.
    """
    verdict = judge(result.applied, lambda matrix: 0.5 + 0.98 * (matrix - 0.5))
    return rivals.Comparison(result.names, result.applied, verdict)


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def sweep_of(result: rivals.Comparison, c: list[float]) -> rivals.Sweep:
    if np.isnan(result.c):
        pytest.skip("law 'groups' has no c without simulations")
    return result.sweep(c)


ALL = {
    "risks": plot_risks,
    "losses": plot_losses,
    "quantiles": lambda result, **options: plot_quantiles(result, result.names[0], **options),
    "linear": lambda result, **options: plot_quantiles(
        result, result.names[0], axis="linear", **options
    ),
    "probability": plot_probability,
    "intervals": plot_intervals,
    "ties": plot_ties,
    "sweep": lambda result, **options: plot_sweep(sweep_of(result, [0.1, 1.0, 10.0]), **options),
}
kinds = pytest.mark.parametrize("draw", ALL.values(), ids=ALL.keys())


def line_of(ax: Axes, label: str) -> np.ndarray:
    handles, labels = ax.get_legend_handles_labels()
    handle = handles[labels.index(label)]
    return np.asarray((handle[0] if isinstance(handle, tuple) else handle).get_xydata())


def area_under(curve: np.ndarray) -> float:
    return float(np.sum(np.diff(curve[:, 0]) * (curve[1:, 1] + curve[:-1, 1])) / 2)


@kinds
def test_draws_into_the_given_axes_and_only_there(draw, result):
    _, (left, right) = plt.subplots(1, 2)
    before = plt.get_fignums()
    assert draw(result, ax=left) is left
    assert not right.has_data()
    assert plt.get_fignums() == before


@kinds
def test_every_axis_is_labelled_and_says_how_to_be_read(draw, result):
    ax = draw(result)
    assert ax.get_xlabel()
    assert ax.get_ylabel() or not ax.yaxis.get_visible()
    assert len(ax.get_title(loc="left")) > 20
    assert "\n" not in ax.get_title(loc="left")


@kinds
def test_the_sentence_can_be_left_out(draw, result):
    assert draw(result, title=False).get_title(loc="left") == ""


@kinds
@pytest.mark.parametrize("width", [3.4, 6.0], ids=["column", "page"])
def test_sentence_fits_into_the_figure(draw, result, width):
    figure, ax = plt.subplots(figsize=(width, 0.75 * width), layout="constrained")
    draw(result, ax=ax)
    figure.canvas.draw()
    title = ax._left_title.get_window_extent()
    assert title.x1 <= figure.bbox.x1 + 2
    assert ax.get_window_extent().height > 0.3 * figure.bbox.height


@pytest.fixture(scope="module")
def with_long_names() -> rivals.Comparison:
    models = {
        f"gradient boosting of a certain kind, depth {i}": exponential(1 + 0.3 * i, 1.0, seed=i)
        for i in range(9)
    }
    return rivals.compare(models, c=0.02, rng=0)


@kinds
def test_nothing_leaves_a_picture_of_the_width_of_a_column(draw, with_long_names):
    figure, ax = plt.subplots(figsize=(3.5, 2.8), layout="constrained")
    draw(with_long_names, ax=ax)
    figure.canvas.draw()
    around = figure.get_tightbbox()  # in inches, of all text as well
    assert around.x0 > -0.05
    assert around.x1 < 3.55
    assert around.y0 > -0.1
    assert around.y1 < 2.95
    assert ax.get_window_extent().width > 0.2 * figure.bbox.width
    texts = [
        text
        for text in figure.findobj(matplotlib.text.Text)
        if text.get_text() and text.get_visible()
    ]
    assert min(text.get_fontsize() for text in texts) >= 4.5


@kinds
@pytest.mark.parametrize("file_format", ["svg", "pdf"])
def test_vector_output_with_hostile_names(draw, file_format):
    models = {
        name: exponential(1 + 0.2 * seed, 1.0, seed=seed) for seed, name in enumerate(HOSTILE)
    }
    figure = draw(rivals.compare(models, rng=0)).figure
    out = BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        figure.savefig(out, format=file_format)
    if file_format == "svg":
        tree = ElementTree.parse(StringIO(out.getvalue().decode()))
        assert not [element for element in tree.iter() if element.tag.endswith("script")]
        assert (
            not [element for element in tree.iter() if element.tag.endswith("image")]
            or draw is plot_probability
        )


def test_many_models_fit_beside_the_axes():
    models = {f"model number {i}": exponential(1 + 0.02 * i, 1.0, seed=i) for i in range(20)}
    result = rivals.compare(models, rng=0)
    for draw in ALL.values():
        figure = draw(result).figure
        figure.canvas.draw()
        assert figure.axes[0].get_window_extent().width > 0.3 * figure.bbox.width


def test_each_of_twenty_eight_models_has_a_look_of_its_own():
    assert len({(look["color"], look["linestyle"]) for look in map(style, range(28))}) == 28


def test_long_names_keep_both_ends():
    assert literal("random forest of 500 trees, seed 12", 15) == "random …seed 12"
    assert literal("short", 15) == "short"


def test_rows_of_the_intervals_are_the_result(result):
    ax = plot_intervals(result, level=0.5)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(result.ranking)
    intervals = ax.collections[0]
    means = ax.collections[1]
    for row, (name, segment) in enumerate(
        zip(result.ranking, intervals.get_segments(), strict=True)
    ):
        np.testing.assert_allclose(segment, [[end, row] for end in result.risk_interval(name, 0.5)])
    np.testing.assert_allclose(
        means.get_offsets()[:, 0], [result.empirical_risk[name] for name in result.ranking]
    )
    (gaps,) = [container for container in ax.containers if container.has_xerr]
    for name, (low, high) in zip(
        result.ranking[1:], np.array(gaps[2][0].get_segments())[:, :, 0], strict=True
    ):
        gap, error = result.difference[name]
        assert (low, high) == pytest.approx(
            [result.empirical_risk["good"] + gap + sign * error for sign in (-1, 1)]
        )
    by = [
        f"✗ by {result.rejections[name].by}" if name in result.rejections else "kept"
        for name in result.ranking
    ]
    assert [text.get_text() for text in ax.texts] == by


@pytest.mark.parametrize(("n_models", "rows"), [(50, 50), (53, 50)])
def test_at_most_fifty_intervals_and_the_rest_is_said(n_models, rows):
    models = {
        f"model number {i}": exponential(1 + 0.05 * i, 1.0, n=50, seed=i) for i in range(n_models)
    }
    ax = plot_intervals(rivals.compare(models, rng=0))
    ax.figure.canvas.draw()
    labels = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert len(labels) == rows
    assert all(upper.y0 >= lower.y1 for upper, lower in pairwise(labels))  # none covers the next
    title = " ".join(ax.get_title(loc="left").split())
    assert ("3 more models are not drawn" in title) == (n_models > rows)


def test_intervals_refuse_an_impossible_level(result):
    with pytest.raises(ValueError, match=r"level must lie in \(0, 1\): got 90"):
        plot_intervals(result, level=90)


def test_the_tail_axis_shows_the_largest_loss(result):
    ax = plot_quantiles(result, "bad")
    largest = result.losses["bad"].observed.max()
    curve = line_of(ax, "q*, on the data")
    if result.losses["bad"].n_simulations < 2:
        assert curve[-1] == pytest.approx([np.log10(401), largest])  # Φ = 400/401
    assert ax.get_ylim()[0] < largest < ax.get_ylim()[1]
    ticks = dict(
        zip([label.get_text() for label in ax.get_xticklabels()], ax.get_xticks(), strict=True)
    )
    assert ticks["0.9"] == pytest.approx(1.0)
    assert ticks["0.99"] == pytest.approx(2.0)
    assert "leave the frame" not in ax.get_title(loc="left")


def test_an_unknown_axis_is_refused(result):
    with pytest.raises(ValueError, match="axis must be one of 'tail', 'linear': got 'log'"):
        plot_quantiles(result, "bad", axis="log")
    with pytest.raises(ValueError, match=r"model must be one of .*'badd'; did you mean 'bad'\?"):
        plot_quantiles(result, "badd")


def test_a_distribution_without_width_is_a_line():
    flat = rivals.Losses(np.full(400, 2.0), np.full(400, 2.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        result = rivals.compare({"flat": flat, "wide": exponential(1.0, 1.0)}, rng=0)
    for draw in ALL.values():
        draw(result).figure.canvas.draw()


def test_risk_curves_hold_all_of_the_probability(result):
    ax = plot_risks(result)
    for name in ("good", "fair"):
        curve = line_of(ax, ("✗ " if name in result.rejections else "") + name)
        np.testing.assert_array_equal(curve.T, density_of(result, name))
        if result.law == "groups":  # of long tails, the central 98 %
            assert area_under(curve) == pytest.approx(0.98, abs=1e-3)
        else:  # half a percent on either side may be left out
            assert 0.985 < area_under(curve) < 1.001


def test_curves_of_a_closed_form_are_exact_and_those_of_draws_near(result):
    grid, density = result.applied.density(result.names.index("good"), 400)
    mean = result.risk_mean["good"] - result.applied.reference
    std = result.risk_std["good"]
    drawn = density_of_draws(result.applied.draws[1])
    if result.law == "beta":
        np.testing.assert_array_equal(density, drawn[1])
        return
    if result.law == "transport":  # that of law "groups" has long tails, and a test of its own
        exact = np.exp(-0.5 * ((grid - mean) / std) ** 2) / (std * np.sqrt(2 * np.pi))
        np.testing.assert_allclose(density, exact, rtol=1e-9)
        # What draws of the same law would show: 12 000 of them, within five standard errors of the
        # kernel estimate.
        assert np.max(np.abs(np.interp(grid, *drawn) - exact)) < 0.06 * exact.max()


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_a_large_offset_costs_the_curve_no_digits(offset):
    samples = {
        name: exponential(1.0 + 0.1 * seed, 1.0, seed=seed) for seed, name in enumerate("AB")
    }
    moved = {
        name: (sample.observed + offset, sample.synthetic + offset)
        for name, sample in samples.items()
    }
    plain, shifted = (rivals.compare(models, rng=0) for models in (samples, moved))
    widths = [np.ptp(result.applied.density(1, 400)[0]) for result in (plain, shifted)]
    assert widths[0] == pytest.approx(widths[1], rel=1e-6)


def test_rejected_models_are_marked(result):
    labels = plot_risks(result).get_legend_handles_labels()[1]
    assert labels == ["✗ bad", "good", "✗ fair" if "fair" in result.rejections else "fair"]


def test_quantile_picture_shows_the_two_functions(result):
    ax = plot_quantiles(result, "bad", axis="linear")
    curve = line_of(ax, "q*, on the data")
    # ∫ q* is the empirical risk, up to the trapezoid's error and to the continuation to Φ = 1.
    assert area_under(curve) == pytest.approx(result.empirical_risk["bad"], rel=0.02)
    labels = ax.get_legend_handles_labels()[1]
    simulated = {0: None, 1: "q~, simulated", 4: "q~, mean of 4 simulations"}[
        result.losses["bad"].n_simulations
    ]
    assert [label for label in labels if label.startswith("q~")] == (
        [simulated] if simulated else []
    )
    assert ("sampled paths" in labels) == (result.law != "groups")
    if simulated:
        mean = np.mean(result.losses["bad"].simulations)
        assert area_under(line_of(ax, simulated)) == pytest.approx(mean, rel=0.02)


def test_every_simulation_is_drawn(result):
    lines = plot_quantiles(result, "bad", n_paths=0).get_lines()
    assert len(lines) == {0: 1, 1: 2, 4: 6}[result.losses["bad"].n_simulations]
    lines = plot_losses(result).get_lines()
    assert len(lines) == (6 if result.losses["bad"].n_simulations else 3)


@pytest.mark.parametrize("draw", [plot_risks, plot_probability, ALL["sweep"], ALL["quantiles"]])
def test_the_law_is_said(draw, result):
    title = " ".join(draw(result).get_title(loc="left").split())
    assert f"Law “{result.law}”" in title
    assert "c = nan" not in title
    if draw is plot_probability:
        assert ("Calibrated" in title) == (result.calibrated is not None)


def test_the_matrix_that_decides_is_the_one_drawn(result):
    shown = np.asarray(plot_probability(result).get_images()[0].get_array())
    decisive = result.probability if result.calibrated is None else result.calibrated
    order = [result.names.index(name) for name in result.ranking]
    np.testing.assert_array_equal(shown, decisive[np.ix_(order, order)])


def test_a_comparison_is_no_sweep(result):
    reason = "has no c to sweep over" if np.isnan(result.c) else r"pass result.sweep\(\[...\]\)"
    with pytest.raises(TypeError, match=reason):
        plot_sweep(result)


def test_process_without_paths_draws_none():
    process = rivals.HierarchicalBetaProcess.from_losses(exponential(1.0, 1.2), c=1.0)
    assert "sampled paths" not in plot_process(process, n_paths=0).get_legend_handles_labels()[1]


def test_unknown_model_is_named(result):
    with pytest.raises(ValueError, match=r"'bad', 'good', 'fair'.*got 'worse'"):
        plot_quantiles(result, "worse")


def test_groups_are_drawn_one_by_one(result):
    if result.law != "groups":
        with pytest.raises(ValueError, match="this comparison has none; compare with groups="):
            plot_groups(result)
        return
    ax = plot_groups(result, "bad")
    means = np.array(
        [
            [result.losses[name].observed[group == GROUPS].mean() for group in range(5)]
            for name in ("bad", "good")
        ]
    )
    points = ax.collections[1].get_offsets()
    np.testing.assert_allclose(points[:, 0], np.sort(means[0] - means[1]))
    assert "good is better, in 5 of 5; in a new group" in " ".join(ax.get_title(loc="left").split())
    assert next(label.get_text() for label in ax.get_yticklabels()) == "a new group"
    with pytest.raises(
        ValueError,
        match=r"got 'good' as model and as rival, which is the best .*; pass rival='fair'",
    ):
        plot_groups(result, "good")
    assert (
        "mean loss of good less that of fair"
        in plot_groups(result, "good", rival="fair").get_xlabel()
    )


def test_losses_refuse_what_they_cannot_draw(result):
    with pytest.raises(ValueError, match="highest"):
        plot_losses(result, highest=0.2)


def test_matrix_is_best_first_with_rejections_framed(result):
    ax = plot_probability(result)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["good", "fair", "bad"]
    frames = {patch.get_xy() for patch in ax.patches}
    place = result.ranking.index
    assert frames == {
        (place(name) - 0.46, place(duel.by) - 0.46) for name, duel in result.rejections.items()
    }
    assert "bad" in result.rejections


def test_probabilities_are_never_shown_as_certain():
    assert [number(p) for p in (0.0, 0.004, 0.5, 0.996, 1.0)] == [
        "<.01",
        "<.01",
        "0.50",
        ">.99",
        ">.99",
    ]


def test_strongest_rival_tells_who_is_rejected(result):
    beaten, error = strongest_rival(result)
    assert np.isnan(beaten[result.names.index("good")])
    for index, name in enumerate(result.names):
        assert (beaten[index] > result.threshold) == (name in result.rejections)
    assert np.nanmax(error) < 0.01


def test_sweep_picture_has_one_band_per_verdict(result):
    sweep = sweep_of(result, [2.0**k for k in range(-6, 7, 2)])
    ax = plot_sweep(sweep)
    bands = [patch for patch in ax.patches if patch.get_width() > 0]
    assert len(bands) == len(sweep.changes) + 1
    assert "good" not in ax.get_legend_handles_labels()[1]


def test_points_whose_verdict_is_undecided_are_hollow():
    result = rivals.compare(unstable_losses(), c=0.2, threshold=0.9, rng=0)
    ax = plot_sweep(result.sweep([0.01, 0.2, 5.0]))
    handles, labels = ax.get_legend_handles_labels()
    ((c, probability),) = handles[labels.index("undecided")].get_offsets()
    assert c == 0.2
    # Above the line, and yet it survives: that is what the hollow point says.
    assert probability > result.threshold
    assert result.survivors == ("A", "B")


def test_a_c_that_breaks_the_papers_bound_has_a_ring():
    """B is 0.8 in every experiment, 0.97 in a few of them; it comes true in half, or as stated."""
    rng = np.random.default_rng(0)
    stated = np.where(rng.random(1024) < 0.1, 0.97, 0.8)
    for true, rings in ((0.5, 1), (stated, 0)):
        truth = (rng.random(1024) < true).astype(float)
        calibration = rivals.Calibration.from_experiments({1.0: stated}, truth, n_data=100)
        ax = plot_valid_c(calibration)
        marked = [line for line in ax.lines if "bound" in str(line.get_label())]
        assert len(marked) == rings
        plt.close("all")


def test_a_c_at_which_no_winner_is_stated_is_not_shaded():
    """At c = 4 every probability is 0.6: no winner is stated, and none is wrong."""
    rng = np.random.default_rng(0)
    stated = rng.choice([0.03, 0.97], size=1024)
    truth = (rng.random(1024) < stated).astype(float)
    tried = {0.25: stated, 1.0: stated, 4.0: np.full(1024, 0.6)}
    calibration = rivals.Calibration.from_experiments(tried, truth, n_data=100)
    assert calibration.valid_c().high == 1.0
    ax = plot_valid_c(calibration)
    assert "none is stated" in ax.get_title(loc="left").replace("\n", " ")
    assert ax.get_xlim()[1] > 4.0
    (band,) = ax.patches
    assert [band.get_x(), band.get_x() + band.get_width()] == [0.25, 1.0]


def test_the_legend_of_a_sweep_covers_no_curve(result):
    ax = plot_sweep(sweep_of(result, [2.0**k for k in range(-6, 3)]))
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1


@pytest.mark.parametrize("look", ["default", "dark_background"])
def test_names_and_lines_are_seen_on_a_dark_ground_too(look, result):
    """The contrast with the ground, of 21 at most, that WCAG asks of text."""
    with plt.style.context(look):
        for ax in (plot_ties(result), plot_intervals(result)):
            ground = luminance(ax.get_facecolor())
            for text in (each for each in ax.texts if each.get_text().strip()):
                assert contrast(luminance(text.get_color()), ground) > 4.5, text.get_text()
        sweep = plot_sweep(sweep_of(result, [0.1, 1.0]))
        (line,) = [line for line in sweep.lines if "threshold" in str(line.get_label())]
        assert contrast(luminance(line.get_color()), luminance(sweep.get_facecolor())) > 4.5


def luminance(colour) -> float:
    """Relative luminance, as WCAG defines it."""
    values = np.array(to_rgb(colour))
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one: float, other: float) -> float:
    low, high = sorted((one, other))
    return (high + 0.05) / (low + 0.05)


def test_the_legend_of_a_calibration_covers_no_curve():
    calibration = rivals.calibrate(
        toys.omega,
        n_data=50,
        n_experiments=64,
        c=[0.01, 1.0],
        n_truth=500,
        rng=0,
        executor=0,
        progress=False,
    )
    ax = plot_calibration(calibration, bins=4)
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1


# ---------------------------------------------------------------- ties


def by_hand(joined: np.ndarray) -> set[frozenset[int]]:
    """All sets within which all are joined, the largest of them: by trying all."""
    n = len(joined)
    sets = []
    for chosen in range(1, 2**n):
        members = [model for model in range(n) if chosen >> model & 1]
        if joined[np.ix_(members, members)].all():
            sets.append(frozenset(members))
    return {one for one in sets if not any(one < other for other in sets)}


def test_largest_sets_are_those_found_by_trying_all():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 9))
        half = np.triu(rng.random((n, n)) < rng.uniform(0.2, 0.9), k=1)
        joined = half | half.T | np.eye(n, dtype=bool)
        found = list(largest_sets(joined))
        assert len(found) == len({tuple(one) for one in found})
        assert {frozenset(one) for one in found} == by_hand(joined)


def test_ties_agree_with_the_verdict(result):
    sets = tied_models(result)
    assert {name for tied in sets for name in tied} == set(result.names)
    assert any(set(result.survivors) <= set(tied) for tied in sets)
    place = result.pairs.names.index
    for name, rejection in result.rejections.items():
        assert not any({name, rejection.by} <= set(tied) for tied in sets)
    for tied in sets:
        for better, worse in pairwise(sorted(tied, key=place)):
            assert result.pairs[better, worse] <= result.threshold or worse in result.survivors


def test_bars_join_the_tied_models_at_their_mean_losses():
    y = np.random.default_rng(0).standard_normal(2000)
    widths = {"right": 1.0, "near": 1.1, "wide": 2.0, "wider": 2.1, "hopeless": 9.0}
    models = {name: toys.gaussian(width=width) for name, width in widths.items()}
    result = rivals.compare(models, y, c=0.05, rng=0)
    assert tied_models(result) == (("right", "near"), ("wide", "wider"), ("hopeless",))
    ax = plot_ties(result)
    bars = [line.get_xdata() for line in ax.lines if line.get_linewidth() == 4]
    ends = [(tied[0], tied[-1]) for tied in tied_models(result)[:2]]
    assert len(bars) == len(ends)
    width = np.ptp(list(result.empirical_risk.values()))
    for bar, (first, last) in zip(bars, ends, strict=True):
        expected = [result.empirical_risk[first], result.empirical_risk[last]]
        np.testing.assert_allclose(bar, expected, atol=0.02 * width)
    texts = [text.get_text().strip() for text in ax.texts]
    assert texts == ["right", "near", "✗ wide", "✗ wider", "✗ hopeless"]


# ---------------------------------------------------------------- plans


def undecided(**options) -> rivals.Comparison:
    """Three models that eight groups do not tell apart."""
    rng = np.random.default_rng(1)
    a = rng.exponential(size=400)
    models = {"A": a}
    for name, gap in {"$B_1$": 0.1, "C": 0.15}.items():
        offset = gap + 0.3 * rng.standard_normal(8)
        models[name] = a + np.repeat(offset, 50) + 0.3 * rng.standard_normal(400)
    return rivals.compare(models, groups=np.repeat(np.arange(8), 50), rng=0, **options)


def test_a_plan_is_drawn_in_the_order_of_its_numbers():
    plan = undecided().plan([40, 5, 20])
    ax = plot_plan(plan)
    for row, name in enumerate(plan.models):
        expected = sorted(zip(plan.more_groups, plan.chance[row], strict=True))
        np.testing.assert_allclose(line_of(ax, literal(name)), expected)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["5", "20", "40"]
    assert "8 at hand" in ax.get_xlabel()
    assert "dashed" not in ax.get_title(loc="left")


def test_a_plan_shows_the_ceilings_dashed():
    plan = undecided(new_groups=1).plan()
    ax = plot_plan(plan)
    dashed = [line.get_ydata()[0] for line in ax.get_lines() if line.get_linestyle() == "--"]
    np.testing.assert_allclose(dashed, plan.ceiling)
    assert "dashed" in ax.get_title(loc="left")


def test_a_comparison_is_planned_and_drawn_into_the_given_axes():
    _, (left, right) = plt.subplots(1, 2)
    result = undecided()
    assert plot_plan(result, title=False, ax=left) is left
    assert not right.has_data()
    assert not left.get_title(loc="left")
    plan = result.plan()
    np.testing.assert_allclose(line_of(left, "C")[:, 1], plan.chance[plan.models.index("C")])
