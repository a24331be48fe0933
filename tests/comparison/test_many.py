"""Many candidates: shortcuts never change a verdict, simulations need not be kept, scales and
neighbours do no harm.
"""

import sys
import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rivals
from core import plain
from rivals.core import sampling_error, verdict
from rivals.core.verdict import probability_below
from rivals.laws import Beta, Setting, Transport
from rivals.laws import beta as law_beta
from rivals.laws.transport import TransportRisks


def candidates(n_models, n=200, n_simulations=3, seed=0, spread=0.3):
    rng = np.random.default_rng(seed)
    common = rng.exponential(size=n)
    for index in range(n_models):
        width = 1.0 + spread * rng.random()
        observed = width * (0.7 * common + 0.3 * rng.exponential(size=n))
        yield (
            f"m{index}",
            rivals.Losses(observed, 1.1 * width * rng.exponential(size=(n_simulations, n))),
        )


def said(result):
    return {name: (why.by, why.probability) for name, why in result.rejections.items()}


# ---------------------------------------------------------------- the verdict is that of all duels


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    threshold=st.one_of(st.floats(0.51, 0.999), st.just(1.0), st.just(1.0 - 1e-13)),
    time=st.booleans(),
    block=st.sampled_from([1, 40, 2**20]),
)
def test_transport_in_blocks_is_the_rule_on_the_whole_matrix(seed, threshold, time, block):
    rng = np.random.default_rng(seed)
    n_models, scale = int(rng.integers(2, 20)), 10.0 ** rng.uniform(-3, 3)
    losses = scale * (
        rng.normal(size=(n_models, 50))
        + 2.0 * rng.normal(size=50)
        + rng.normal(0, 0.3, (n_models, 1))
    )
    if rng.random() < 0.3:
        losses[-1] = losses[0]  # twins: no spread between them
    distances = scale * np.sqrt(rng.exponential(0.1, (n_models, 3)))
    samples = [rivals.Losses(row) for row in losses]
    setting = Setting(c=0.2, threshold=threshold, order="time" if time else None, n_simulations=3)

    def applied(distances):
        return TransportRisks(Transport(), samples, setting, list(distances))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling_error, "BLOCK", block)
        if block == 40:
            patch.setattr(
                sampling_error, "WHOLE", 1
            )  # products of rows in place of the whole covariance
        found = applied(distances)
        matrix, (rejections, undecided) = found.matrix()[0], found.decide()
        by_simulation = found.rejected_by_simulation(None)
        alone = [applied(single[:, None]).matrix()[0] for single in distances.T]
    np.testing.assert_array_equal(matrix + matrix.T, 1.0)
    assert not undecided
    assert {model: duel.rival for model, duel in rejections.items()} == plain.rejections(
        found.empirical, matrix, threshold
    )
    for rejected, single in zip(by_simulation, alone, strict=True):
        assert set(np.flatnonzero(rejected)) == set(
            plain.rejections(found.empirical, single, threshold)
        )


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    threshold=st.floats(0.51, 0.999),
    ties=st.booleans(),
    fine=st.booleans(),
)
def test_compressed_distribution_functions_bound_every_duel(seed, threshold, ties, fine):
    """With few points the bounds are loose; they must hold all the same, ties or not."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 400, 8)
    draws = [np.sort(rng.normal(rng.normal(), rng.uniform(0.1, 2), size)) for size in sizes]
    draws = [np.round(each) for each in draws] if ties else draws
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verdict, "COARSE", 512 if fine else 3)
        ((_, low, high),) = verdict._bounds(draws, np.arange(8), 0.0)
    exact = np.array([[probability_below(b, a)[0] for b in draws] for a in draws])
    assert (low <= exact + 1e-12).all()
    assert (exact <= high + 1e-12).all()
    errors = np.array([[probability_below(b, a)[1] for b in draws] for a in draws])
    sure = verdict._out_of_reach(low, high, sizes[:, None], sizes[None, :], threshold)
    assert (exact + 2 * errors < threshold)[sure].all()


def test_the_verdict_of_many_is_that_of_all_duels():
    """Law "beta", more draws included: every model against every better one, at the draws that were
    made.
    """
    models = candidates(60, n_simulations=1)
    result = rivals.compare(models, law=Beta(n_draws=500, max_draws=4000), c=2**-6, rng=0)
    matrix = result.probability
    brute = plain.rejections(result.applied.empirical, matrix, result.threshold)
    names = np.array(result.names)
    assert {str(names[model]) for model in brute} == set(result.rejections)
    assert 6 < len(brute) < 54
    for name, why in result.rejections.items():
        place, by = result.names.index(name), result.names.index(why.by)
        assert matrix[by, place] == why.probability > result.threshold


def test_shortcuts_change_no_bit(monkeypatch):
    """Without any bound: every duel fought."""
    run = {"law": Beta(n_draws=300, max_draws=20_000), "c": 2**-6, "rng": 0}
    fast = rivals.compare(candidates(18), **run)
    monkeypatch.setattr(
        verdict, "_out_of_reach", lambda low, high, *_: np.zeros(np.shape(low), dtype=bool)
    )
    slow = rivals.compare(candidates(18), **run)
    assert said(fast) == said(slow)
    assert fast.undecided == slow.undecided
    np.testing.assert_array_equal(fast.probability, slow.probability)


def test_few_duels_near_the_threshold(monkeypatch):
    """Forty models of which none is clear: with bounds a part of the 780 duels at each size of the
    draws is fought.
    """
    fought = []
    monkeypatch.setattr(
        verdict, "probability_below", lambda a, b: fought.append(b.size) or probability_below(a, b)
    )
    rng = np.random.default_rng(0)
    draws = [np.sort(rng.normal(0.02 * place, 1.0, 20_000)) for place in range(40)]
    decide_risk = np.arange(40.0)
    found, _ = verdict.decide(decide_risk, draws, 0.6, lambda model: False)
    assert len(fought) < 200
    assert found


# ---------------------------------------------------------------- simulations that are not kept


@pytest.mark.parametrize(
    "options",
    [
        {"law": "transport"},
        {"law": Beta(n_draws=400, max_draws=800)},
        {"groups": np.arange(200) % 5},
    ],
    ids=["transport", "beta", "groups"],
)
def test_simulations_need_not_be_kept(options):
    kept = rivals.compare(dict(candidates(12)), **options, rng=1)
    gone = rivals.compare(candidates(12), **options, rng=1, keep_simulations=False)
    assert gone.survivors == kept.survivors
    np.testing.assert_allclose(gone.probability, kept.probability, atol=1e-9)
    assert gone.stability == kept.stability
    assert gone.applied.setting.n_simulations == kept.losses["m3"].n_simulations == 3
    assert gone.losses["m3"].n_simulations == 0
    assert "3 simulations" in str(gone)
    if kept.applied.law.closed_form:
        found = gone.sweep([0.01, 0.5]).probability
        np.testing.assert_allclose(found, kept.sweep([0.01, 0.5]).probability, atol=1e-9)
    else:
        with pytest.raises(ValueError, match="keep_simulations=True"):
            gone.sweep([0.5])


@pytest.mark.parametrize("law", [rivals.HierarchicalBetaProcess, rivals.TransportLaw])
def test_a_law_without_simulations_is_refused(law):
    with pytest.raises(ValueError, match=r"no synthetic losses.*keep_simulations=True"):
        law.from_losses(next(candidates(1))[1].without_simulations(), c=1.0)


def test_a_result_without_simulations_has_a_report(tmp_path):
    pytest.importorskip("jinja2", reason='reports need jinja2: pip install "rivals[report]"')
    rivals.compare(candidates(3), keep_simulations=False, rng=0).report(tmp_path / "x.html")
    assert "m1" in (tmp_path / "x.html").read_text()


def test_a_result_without_simulations_can_be_saved(tmp_path):
    gone = rivals.compare(candidates(5), keep_simulations=False, rng=0)
    gone.save(tmp_path / "x.npz")
    again = rivals.load(tmp_path / "x.npz")
    assert str(again) == str(gone)
    np.testing.assert_array_equal(again.probability, gone.probability)


def test_one_model_at_a_time():
    """A generator is asked for the next model when the simulations of the last one are gone."""
    size = 16 * 4000 * 8
    tracemalloc.start()
    rivals.compare(candidates(30, 4000, 16), keep_simulations=False, rng=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * size  # thirty of them would be 30 sizes, before anything is computed


def test_candidates_are_simulated_one_at_a_time_alike():
    model = rivals.Candidate(
        loss=lambda y: y**2 / 2, simulate=lambda n, rng: rng.standard_normal(n)
    )
    wide = rivals.Candidate(
        loss=lambda y: np.log(2) + y**2 / 8, simulate=lambda n, rng: 2 * rng.standard_normal(n)
    )
    data = np.random.default_rng(0).standard_normal(300)
    kept, gone = (
        rivals.compare({"A": model, "B": wide}, data, rng=0, keep_simulations=keep)
        for keep in (True, False)
    )
    np.testing.assert_allclose(gone.probability, kept.probability, atol=1e-12)


def test_an_error_in_a_generator_is_its_own():
    def broken():
        yield from candidates(1)
        raise ValueError("the file of m1 is gone")

    for keep in (True, False):
        with pytest.raises(ValueError, match="the file of m1 is gone"):
            rivals.compare(broken(), keep_simulations=keep)


def test_bad_models_in_turn_are_refused():
    twice = [("A", next(candidates(1))[1]), ("A", next(candidates(1))[1])]
    with pytest.raises(ValueError, match="'A' is given twice"):
        rivals.compare(twice, keep_simulations=False)
    with pytest.raises(ValueError, match="at least two models; got 1"):
        rivals.compare(candidates(1), keep_simulations=False)
    with pytest.raises(TypeError, match="models must be a mapping"):
        rivals.compare(7, keep_simulations=False)


def test_no_matrix_of_all_pairs_unless_someone_looks(monkeypatch):
    monkeypatch.setattr(sampling_error, "WHOLE", 10)
    asked = []
    original = TransportRisks._pairs
    monkeypatch.setattr(
        TransportRisks,
        "_pairs",
        lambda *given, **named: asked.append(1) or original(*given, **named),
    )
    result = rivals.compare(candidates(20), rng=0)
    assert result.survivors
    assert not asked
    assert result.probability.shape == (20, 20)
    assert result.probability is result.probability


def test_memory_for_more_draws_is_bounded(monkeypatch):
    """Beyond the limit pairs stay undecided, and are listed as such."""
    models = dict(candidates(20))
    free = rivals.compare(models, law=Beta(n_draws=200, max_draws=6400), c=2**-5, rng=0)
    monkeypatch.setattr(law_beta, "MOST_MORE_DRAWS", 100)
    bound = rivals.compare(models, law=Beta(n_draws=200, max_draws=6400), c=2**-5, rng=0)
    sizes = [sum(result.risks[name].size for name in result.names) for result in (free, bound)]
    assert sizes[1] < sizes[0]
    assert len(bound.undecided) >= len(free.undecided)


def test_many_models_are_told_from_a_pair():
    """Every rival is another chance to be rejected (benchmarks/results/best_of_k.md)."""
    few, many = (rivals.compare(candidates(n_models), rng=0) for n_models in (32, 33))
    assert few.rejections
    assert "more easily than one of a pair; threshold=0.9984375 makes" in many.verdict
    assert "of a pair" not in few.verdict


# ---------------------------------------------------------------- scales and neighbours


def pair(scale=1.0, seed=0, n=200):
    rng = np.random.default_rng(seed)
    own = rng.exponential(size=n)
    return {
        "a": (scale * own, 1.1 * scale * rng.exponential(size=(2, n))),
        "b": (
            scale * (1.02 * own + 0.05 * rng.exponential(size=n)),
            1.2 * scale * rng.exponential(size=(2, n)),
        ),
    }


@pytest.mark.parametrize(
    ("law", "offset"),
    [("transport", -1e17), ("transport", 1e120), ("beta", -1e17), ("beta", -1e299)],
)
def test_a_model_far_away_does_not_touch_a_pair(law, offset):
    """Its typical loss was subtracted from all, which left nothing of losses of order one."""
    rng = np.random.default_rng(5)
    losses = pair()
    alone = rivals.compare(losses, law=law, rng=0)
    far = (offset * (1 + 0.1 * rng.random(200)), offset * (1 + 0.1 * rng.random((2, 200))))
    beside = rivals.compare({**losses, "far": far}, law=law, rng=0)
    assert beside.probability[0, 1] == pytest.approx(alone.probability[0, 1], abs=1e-9)
    assert beside.probability[0, 2] == (0.0 if offset < 0 else 1.0)
    assert beside.risk_std["a"] == pytest.approx(alone.risk_std["a"], rel=1e-9)


def test_a_model_too_far_away_for_any_unit_is_refused():
    """In its unit the others would have no spread at all, and every difference between them would
    be certain.
    """
    far = (-1e299 * np.linspace(1, 2, 200), -1e299 * np.linspace(1, [2.1, 2.2], 200, axis=1))
    with pytest.raises(ValueError, match="rescale the loss"):
        rivals.compare({**pair(), "far": far}, rng=0)


@pytest.mark.parametrize("scale", [1e-308, 1e-300, 1e-160, 1e150, 1e200, 1e299])
def test_transport_has_no_unit_at_any_scale(scale):
    """Squares vanished (and every difference was certain) or overflowed (with a RuntimeWarning)."""
    plain_unit, scaled = rivals.compare(pair(), rng=0), rivals.compare(pair(scale), rng=0)
    assert 0.6 < plain_unit.probability[0, 1] < 0.999
    # At 1e-308 the losses themselves have lost digits.
    np.testing.assert_allclose(
        scaled.probability, plain_unit.probability, atol=1e-9 if scale > 1e-305 else 1e-6
    )
    assert scaled.survivors == plain_unit.survivors
    assert scaled.risk_std["a"] == pytest.approx(scale * plain_unit.risk_std["a"], rel=1e-6)
    assert str(scaled)


@pytest.mark.parametrize("scale", [1e-300, 1e299])
def test_groups_have_no_unit_at_any_scale(scale):
    groups = np.arange(200) % 5
    found = [
        rivals.compare(
            {name: own for name, (own, _) in pair(unit).items()}, law="groups", groups=groups, rng=0
        )
        for unit in (1.0, scale)
    ]
    np.testing.assert_allclose(found[1].probability, found[0].probability, atol=1e-9)


@pytest.mark.parametrize("law", ["transport", "beta"])
def test_the_smallest_numbers_can_be_shown(law):
    """The number of digits divided by a width that was zero."""
    constant = {
        "a": (np.full(40, 5e-324), np.zeros((2, 40))),
        "b": (np.zeros(40), np.full((2, 40), 5e-324)),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(law_beta, "HEAVY_TIES", 2.0)
        assert str(rivals.compare(constant, law=law, rng=0))


# ---------------------------------------------------------------- what must not matter


@pytest.mark.parametrize("law", [Transport(), Beta(n_draws=400)], ids=["transport", "beta"])
def test_threads_do_not_matter(law):
    alone = rivals.compare(candidates(8), law=law, rng=0)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(rivals.compare(candidates(8), law=law, rng=0)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    for other in found:
        np.testing.assert_array_equal(other.probability, alone.probability)


RUN = """
import hashlib, os, sys
import numpy as np
sys.path[:0] = [{tests!r}, {here!r}]
import rivals
from comparison.test_many import candidates, said
digest = hashlib.sha256()
for law in ("transport", rivals.laws.Beta(n_draws=400)):
    found = rivals.compare(candidates(40, 2000), law=law, rng=0)
    digest.update(np.round(found.probability, 12).tobytes())
    digest.update(repr(sorted(found.rejections)).encode())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_threads_of_blas_do_not_matter():
    """To 12 digits; how a matrix product is divided may change the last one."""
    import os
    import subprocess
    from pathlib import Path

    here = Path(__file__).parent
    code = RUN.format(tests=str(here.parent), here=str(here))
    found = set()
    for threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, threads)}
        run = [sys.executable, "-c", code]
        found.add(
            subprocess.run(run, env=environment, check=True, capture_output=True, text=True).stdout
        )
    assert len(found) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_fork_says_the_same():
    import multiprocessing

    alone = rivals.compare(candidates(6), law=Beta(n_draws=400), rng=0)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()

    def child():
        queue.put(rivals.compare(candidates(6), law=Beta(n_draws=400), rng=0).probability)

    process = context.Process(target=child)
    process.start()
    found = queue.get(timeout=60)
    process.join(60)
    np.testing.assert_array_equal(found, alone.probability)


def test_the_order_of_models_does_not_matter():
    """In closed form to rounding; by draws to the Monte Carlo error (test_comparison.py)."""
    models = dict(candidates(40))
    forward, backward = (
        rivals.compare(models, rng=0),
        rivals.compare(dict(reversed(models.items())), rng=0),
    )
    np.testing.assert_allclose(backward.probability[::-1, ::-1], forward.probability, atol=1e-12)
    assert backward.survivors == forward.survivors
    assert {name: why.by for name, why in backward.rejections.items()} == {
        name: why.by for name, why in forward.rejections.items()
    }
