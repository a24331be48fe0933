"""benchmarks/groups.py judges many studies at a time: as `rivals.compare` judges each one."""

import json
import math
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import rivals
from rivals.method.probability import NO_WEIGHT
from rivals.method.spread import POINTS

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
RESULT = BENCHMARKS / "results" / "groups.json"
SKEWED = (
    "exponential, against the better",
    "exponential, for the better",
    "log-normal, against the better",
    "log-normal, for the better",
)

# `compare` leaves out points of the grid of τ with less weight than this; all simulations together
# may give them more than the first prior does.
TOLERANCE = POINTS * NO_WEIGHT

needs_code = pytest.mark.skipif(
    not (BENCHMARKS / "groups.py").exists(),
    reason="the benchmarks are not in a source distribution",
)


@pytest.fixture
def groups(monkeypatch):
    """The module, which finds its neighbours; gone again after the test."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    before = set(sys.modules)
    import groups as module

    yield module
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "").parent == BENCHMARKS:
            del sys.modules[name]


def drawn(groups, names, n_groups):
    """Losses with their groups, and the same studies as the benchmark keeps them."""
    samples = []
    rows = []
    for index, name in enumerate(names):
        rng = np.random.default_rng([n_groups, index])
        problem = groups.families.draw(groups.studies.ALL[name], rng)
        losses, group = groups.studies.losses_in_groups(problem, n_groups, rng)
        kept = groups.studies.reduced(losses, group, problem.order)
        rows.append(kept | groups.studies.truth(problem, n_groups, rng) | {"seconds": 0.0})
        samples.append((losses, {"groups": group, "order": problem.order, "rng": 0}))
    seen = groups.studies.Studies(**{key: np.stack([row[key] for row in rows]) for key in rows[0]})
    return samples, seen


def compared(losses, options, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        return rivals.compare(losses, **options, **more)


@needs_code
@pytest.mark.parametrize("n_groups", [3, 9])
def test_many_studies_at_a_time_are_judged_as_compare_judges_each(groups, n_groups):
    names = ["offset", "series", "black body", "unequal noise", *SKEWED, "rare reversal"]
    samples, seen = drawn(groups, names, n_groups)
    judged = groups.Judged(seen)
    flat = groups.Judged(seen, flat=True)
    stated = groups.stated_by_method(judged)
    for place, (losses, options) in enumerate(samples):
        observed = {name: one.observed for name, one in losses.items()}
        for question, m in {"1": 1, "G": None, "∞": math.inf}.items():
            result = compared(losses, options, new_groups=m)
            expected = result.probability[0, 1]
            assert judged.probability[question][0, place] == pytest.approx(expected, abs=TOLERANCE)
            assert stated[f"m = {question}"][place] == bool(result.rejections)
            result = compared(observed, options, new_groups=m)
            expected = result.probability[0, 1]
            assert flat.probability[question][0, place] == pytest.approx(expected, abs=TOLERANCE)
            assert stated[f"m = {question}, no simulations"][place] == bool(result.rejections)
        normal = compared(losses, options, law=rivals.laws.Groups(residuals=False))
        said = groups.probability_over(judged.spread, 1.0)[0, place]
        assert said == pytest.approx(normal.over(1)[0, 1], abs=TOLERANCE)


@needs_code
def test_a_margin_is_that_of_compare(groups):
    samples, seen = drawn(groups, ["offset", "counts", "skewed", *SKEWED], 8)
    judged = groups.Judged(seen)
    for margin in range(len(groups.studies.MARGINS)):
        better, other = judged.better_by(seen.margins[:, margin])
        stated = groups.stated_with_margin(judged, margin)
        for place, (losses, options) in enumerate(samples):
            result = compared(losses, options, margin=seen.margins[place, margin])
            exceeds = result.applied.exceedance()[0]
            assert better[0, place] == pytest.approx(exceeds[0, 1], abs=TOLERANCE)
            assert other[0, place] == pytest.approx(exceeds[1, 0], abs=TOLERANCE)
            assert stated["better"][place] == bool(result.rejections)
            assert stated["equivalent"][place] == bool(result.equivalent)
            (relation,) = result.best_is.values()
            assert stated["not worse"][place] == (relation != "undecided")


@needs_code
@pytest.mark.parametrize("name", SKEWED)
def test_effects_are_skewed_as_the_family_is_called(groups, name):
    """The third moment of the better model's difference has the sign of its name."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        problem = groups.families.draw(groups.studies.ALL[name], rng)
        first, second = problem.risk(problem.states(4000, rng))
        difference = first - second
        # The difference of the better one is negative on average; its sign where that is plain.
        centred = difference - difference.mean()
        if abs(difference.mean()) < 5 * difference.std() / np.sqrt(difference.size):
            continue
        against = np.mean(centred**3) * np.sign(difference.mean()) < 0
        assert against == ("against" in name)


@needs_code
def test_a_rare_kind_reverses_the_mean(groups):
    rng = np.random.default_rng(0)
    for _ in range(10):
        problem = groups.families.draw(groups.families.rare_reversal, rng)
        first, second = problem.risk(problem.states(100_000, rng))
        difference = first - second
        assert np.median(difference) * difference.mean() < 0


@needs_code
def test_a_run_goes_on_where_it_was(groups, monkeypatch, tmp_path):
    studies = groups.studies
    monkeypatch.setattr(studies, "RECORDS", tmp_path)
    first = studies.studies("offset", 3, 2, seed=1)
    monkeypatch.setattr(studies, "one_study", None)  # would fail: nothing is drawn again
    again = studies.studies("offset", 3, 2, seed=1)
    np.testing.assert_array_equal(first.differences, again.differences)
    np.testing.assert_array_equal(first.wins, again.wins)
    with pytest.raises(TypeError):
        studies.studies("offset", 3, 2, seed=2)


def test_the_residual_law_is_nearer_to_the_truth_where_effects_are_skewed():
    """As the page says, in every family with skewed effects, from twenty groups on."""
    found = json.loads(RESULT.read_text(encoding="utf-8"))["next group"]
    for n_groups in ("20", "30"):
        for name in SKEWED:
            one = found[n_groups][name]
            assert one["residual"] < one["normal"], (n_groups, name)


def test_the_study_repeated_errs_less_than_its_nominal_rate():
    found = json.loads(RESULT.read_text(encoding="utf-8"))["verdicts"]
    for n_groups, most in {"4": 4.5, "8": 3.0, "30": 2.0}.items():
        assert found[n_groups]["pooled"]["m = G"]["error"]["G"] <= most


def test_false_equivalences_are_rare_as_far_as_the_page_says_so():
    """At 0.05 nats from eight groups on; at the spread between groups itself from twenty on."""
    found = json.loads(RESULT.read_text(encoding="utf-8"))["margins"]
    for margin, counts in {"0.05 nats": ("8", "20", "30"), "the spread": ("20", "30")}.items():
        for n_groups in counts:
            assert found[margin][n_groups]["pooled"]["equivalent"]["error"] <= 5.0
