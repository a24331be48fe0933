"""One experiment: reproducible, the truth with its error, candidates checked."""

from functools import partial

import numpy as np
import pytest
from omegas import SEPARATION, gaussian, refitted, replicated, toy

import rivals
from rivals import Candidate, Experiment
from rivals._random import EXPERIMENT_DATA, EXPERIMENT_DESIGN, EXPERIMENT_SYNTHETIC, stream
from rivals.calibration.conditions import Conditions
from rivals.calibration.trial import (
    experiment_entropy,
    is_undecided,
    run_experiment,
    wants_index,
)
from rivals.laws import Beta, Transport
from rivals.models import losses_of_model

SIZES = {
    "c": (0.0625, 1.0),
    "n_data": 100,
    "n_truth": 2000,
    "law": Beta(n_draws=500),
    "n_simulations": 1,
}


def run(omega, entropy=0, place=0, index=0, **changes):
    return run_experiment(
        omega, Conditions.checked(entropy=entropy, **{**SIZES, **changes}), place, index
    )


def test_same_numbers_wherever_it_runs():
    first, second = (run(toy, 3, 1, 5) for _ in range(2))
    np.testing.assert_array_equal(first.probability, second.probability)
    assert (first.risk_a, first.risk_b) == (second.risk_a, second.risk_b)
    assert run(toy, 3, 1, 6).risk_a != first.risk_a
    assert run(toy, 3, 0, 5).risk_a != first.risk_a


def test_other_values_of_c_do_not_change_those_of_one():
    """Common random numbers: the result at a c depends on that c alone."""
    assert run(toy, 3).probability[1] == run(toy, 3, c=[1.0]).probability[0]


def test_the_law_of_the_paper_gives_the_numbers_it_always_gave():
    """Recorded before there were other laws: 276 of 500 × 500 pairs of draws more or fewer would be
    0.001.
    """
    outcome = run(toy, 3, 1, 5)
    np.testing.assert_allclose(outcome.probability, [0.554356, 0.698376], atol=1e-4)
    assert outcome.risk_a == pytest.approx(0.516231082253385, rel=1e-12)
    assert outcome.truth_error == pytest.approx(0.004543867289069388, rel=1e-9)


@pytest.mark.parametrize("law", [Transport(), Beta(n_draws=20_000)], ids=["transport", "beta"])
@pytest.mark.parametrize("order", [None, "time"])
def test_an_experiment_is_a_comparison(law, order):
    """The probability at each c is what `compare` says of the same losses, to its Monte Carlo
    error.
    """
    outcome = run(toy, 3, law=law, order=order, n_simulations=4)
    own = experiment_entropy(3, 0, 0)
    experiment = toy(stream(own, EXPERIMENT_DESIGN))
    data = experiment.observe(100, stream(own, EXPERIMENT_DATA))
    losses = {
        name: losses_of_model(
            candidate,
            data,
            n_simulations=4,
            rng=np.random.SeedSequence(own, spawn_key=(EXPERIMENT_SYNTHETIC, place)),
        )
        for place, (name, candidate) in enumerate(zip("ab", experiment.candidates, strict=True))
    }
    for c, probability in zip(SIZES["c"], outcome.probability, strict=True):
        compared = rivals.compare(losses, law=law, order=order, c=c, rng=0)
        tolerance = 1e-12 if law.closed_form else 0.03  # 4 standard errors of two samples
        assert probability == pytest.approx(compared.probability[0, 1], abs=tolerance)
    assert (outcome.standard_error == 0.0).all() == law.closed_form


def test_a_series_has_a_larger_sampling_error():
    """Noise of autocorrelation 0.9: its long-run error brings B closer to ½ than the i.i.d. one."""

    def series(rng):
        def observe(n, rng):
            noise = rng.standard_normal(n)
            for place in range(1, n):
                noise[place] += 0.9 * noise[place - 1]
            return 0.3 + noise

        return Experiment(observe=observe, candidates=(gaussian(0.0), gaussian(0.5)))

    sizes = {"law": Transport(), "c": (1e-9,), "n_data": 400}
    for index in range(5):
        iid, hac = (
            run(series, index=index, order=order, **sizes).probability[0]
            for order in (None, "time")
        )
        assert abs(hac - 0.5) < abs(iid - 0.5)


def test_the_truth_of_replications_is_the_part_won():
    """With offsets much wider than the problems vary, and each replication decided, a wins one in
    two.
    """
    alone = [run(partial(replicated, offset=1.0), index=index) for index in range(20)]
    several = [
        run(partial(replicated, offset=1.0), index=index, n_replications=8) for index in range(20)
    ]
    assert {outcome.truth for outcome in alone} <= {0.0, 0.5, 1.0}
    assert all(float(outcome.truth * 16).is_integer() for outcome in several)
    # 160 replications: a standard error of 0.04.
    assert np.mean([outcome.truth for outcome in several]) == pytest.approx(0.5, abs=0.16)
    assert all(outcome.replicated for outcome in alone)
    assert not run(toy).replicated
    # Nothing before the truth depends on it.
    np.testing.assert_array_equal(alone[3].probability, several[3].probability)


def test_where_nothing_varies_a_replication_is_new_data_of_the_process():
    outcomes = [
        run(partial(replicated, spread=0.3, offset=0.0), index=index) for index in range(40)
    ]
    same = [run(partial(toy, spread=0.3), index=index).truth for index in range(40)]
    # The problems are the same ones; only those too close to call may differ.
    assert np.mean([one.truth == other for one, other in zip(outcomes, same, strict=True)]) > 0.85


@pytest.mark.parametrize(
    ("replicate", "message"),
    [
        (
            lambda n, rng: rng.standard_normal(n - 1),
            r"replicate\(2000, rng\) returned data with 1999 and 1999 losses",
        ),
        (
            lambda n, rng: rng.standard_normal((n, 2)),
            "returned data with 4000 and 4000 losses of candidates a and b",
        ),
    ],
)
def test_a_replication_of_another_size(replicate, message):
    models = [
        Candidate(loss=lambda y: np.ravel(y) ** 2, simulate=lambda n, rng: rng.standard_normal(n))
    ] * 2

    def omega(rng):
        return Experiment(
            observe=lambda n, rng: rng.standard_normal(n),
            candidates=tuple(models),
            replicate=replicate,
        )

    with pytest.raises(ValueError, match=message):
        run(omega)


def test_the_truth_and_its_error():
    """R_a − R_b = 2 s μ in closed form; the recorded error is that of the mean of 2 s y, 2 s/√n."""
    sizes = {"c": (1.0,), "n_data": 50, "n_truth": 20_000, "law": Beta(n_draws=10)}
    deviations = []
    for index in range(40):
        truth = []

        def omega(rng, truth=truth):
            mean = rng.normal(0, 0.5)
            truth.append(2 * SEPARATION * mean)
            return Experiment(
                observe=lambda n, rng: mean + rng.standard_normal(n),
                candidates=(gaussian(-SEPARATION), gaussian(SEPARATION)),
            )

        outcome = run(omega, index=index, **sizes)
        assert outcome.truth_error == pytest.approx(2 * SEPARATION / np.sqrt(20_000), rel=0.1)
        deviations.append((outcome.risk_a - outcome.risk_b - truth[0]) / outcome.truth_error)
    assert np.std(deviations) == pytest.approx(1.0, abs=0.35)


def undecided(outcome):
    return bool(is_undecided(outcome.risk_a, outcome.risk_b, outcome.truth_error))


def test_a_truth_too_close_to_call_is_marked():
    sizes = {"c": (1.0,), "n_data": 50, "n_truth": 200, "law": Beta(n_draws=10)}

    def tie(rng):
        return Experiment(
            observe=lambda n, rng: rng.standard_normal(n),
            candidates=(gaussian(0.1), gaussian(-0.1)),
        )

    marked = [undecided(run(tie, index=index, **sizes)) for index in range(60)]
    assert np.mean(marked) > 0.85  # 95 % of them, to 3 standard errors


def test_identical_candidates_are_undecided():
    def twins(rng):
        return Experiment(
            observe=lambda n, rng: rng.standard_normal(n), candidates=(gaussian(0.1), gaussian(0.1))
        )

    outcome = run(twins)
    assert undecided(outcome)
    assert outcome.truth_error == 0.0


def test_candidates_may_be_refitted():
    assert np.isfinite(run(refitted).probability).all()


@pytest.mark.parametrize(
    ("candidates", "error", "message"),
    [
        ((gaussian(0.0),), ValueError, "two candidates or more: got 1"),
        ((gaussian(0.0), 3), TypeError, "candidate b: expected Losses"),
    ],
)
def test_what_is_not_a_pair(candidates, error, message):
    def omega(rng):
        return Experiment(observe=lambda n, rng: rng.standard_normal(n), candidates=candidates)

    with pytest.raises(error, match=message):
        run(omega)


def test_an_epistemic_distribution_that_asks_is_told_its_index():
    told = []

    def asks(rng, index):
        told.append(index)
        return toy(rng)

    outcomes = [run(asks, index=index) for index in (0, 7)]
    assert told == [0, 7]
    # The generator is the same as without: so are the numbers.
    assert [outcome.risk_a for outcome in outcomes] == [
        run(toy, index=index).risk_a for index in (0, 7)
    ]


class Asks:
    def __call__(self, rng, *, index):
        return toy(rng)


def test_who_is_told_its_index():
    """Who has a parameter of that name to fill, in whatever form; a default, or an argument bound
    before, is kept.
    """

    def asks(rng, index):
        return toy(rng)

    def does_not(rng, index=3):
        return toy(rng)

    assert wants_index(asks)
    assert wants_index(Asks())
    assert wants_index(partial(Asks()))
    assert not wants_index(does_not)
    assert not wants_index(partial(asks, index=3))
    assert not wants_index(toy)
    assert not wants_index(dict)  # a class of C, which has no signature


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"c": []}, ValueError, "one or more different values"),
        ({"c": 1.0}, TypeError, "c is not a sequence of numbers"),
        ({"n_data": 1}, ValueError, "n_data must be at least 2"),
        ({"order": "space"}, ValueError, "order must be one of 'time'"),
        ({"n_simulations": 0}, ValueError, "n_simulations must be at least 1"),
        ({"n_replications": 1.5}, TypeError, "n_replications must be a whole number"),
    ],
)
def test_settings_are_checked_where_they_are_made(changes, error, message):
    with pytest.raises(error, match=message):
        Conditions.checked(entropy=0, **{**SIZES, **changes})


@pytest.mark.parametrize(
    ("law", "message"),
    [("groups", "law 'groups' is not calibrated"), ("transprt", "did you mean 'transport'?")],
)
def test_laws_that_cannot_be_calibrated(law, message):
    with pytest.raises(ValueError, match=message):
        Conditions.checked(entropy=0, **{**SIZES, "law": law})


def test_settings_sort_c():
    assert Conditions.checked(entropy=0, **{**SIZES, "c": [4.0, 1.0]}).c == (1.0, 4.0)


def test_points_may_be_columns():
    """What data look like is the business of the candidates: here two rows, x and y, whatever the
    number of points.
    """
    line = Candidate(
        loss=lambda data: (data[1] - data[0]) ** 2,
        simulate=lambda n, rng: np.stack([x := rng.standard_normal(n), x + rng.standard_normal(n)]),
    )
    flat = Candidate(
        loss=lambda data: data[1] ** 2, simulate=lambda n, rng: rng.standard_normal((2, n))
    )

    def omega(rng):
        return Experiment(observe=line.simulate, candidates=(line, flat), replicate=line.simulate)

    assert run(omega).truth == 1.0


def test_of_several_candidates_the_score_is_what_would_reject_the_truly_best():
    """Law "transport" of all candidates at once: the largest probability of a rival of lower mean
    loss.
    """
    centres = dict(zip("uvwx", (0.0, 0.05, -0.1, 0.3), strict=True))

    def omega(rng):
        mean = rng.normal(0, 0.1)
        return Experiment(
            observe=lambda n, rng: mean + rng.standard_normal(n),
            candidates={name: gaussian(centre) for name, centre in centres.items()},
        )

    settings = Conditions.checked(
        c=(0.05, 1.0), n_data=100, n_truth=2000, entropy=5, n_simulations=2
    )
    found = [run_experiment(omega, settings, 0, index) for index in range(30)]
    assert all(outcome.n_candidates == 4 and outcome.names == tuple("uvwx") for outcome in found)
    scores = np.array([outcome.score for outcome in found])
    # Nobody of lower mean loss, or somebody who is at least the likelier winner.
    assert ((scores == 0.0) | (scores > 0.5)).all()
    assert (scores == 0.0).any()
    assert (scores > 0.5).any()
    # A larger c is more cautious.
    assert (scores[:, 1] <= scores[:, 0]).all()


def test_the_score_of_a_pair_is_the_probability_of_the_wrong_one():
    """Nothing where the truly better one leads in the data, too; law "transport" gives its rival
    less than one half then.
    """
    for index in range(40):
        outcome = run(toy, index=index, law=Transport())
        against = (
            1 - outcome.probability if outcome.risk_a < outcome.risk_b else outcome.probability
        )
        np.testing.assert_array_equal(outcome.score, np.where(against > 0.5, against, 0.0))
