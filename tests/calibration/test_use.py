"""What `compare` makes of a calibration, of several, of one that is not complete, and of more than
two models.
"""

import json
from math import ceil

import numpy as np
import pytest
from test_result import calibrated, made_up

import rivals
from rivals import Calibration, Losses
from rivals.calibration import replications
from rivals.calibration.correction import beyond_scores
from rivals.testbeds.toys import gaussian


def losses_of(means, n=100, seed=0):
    """Models of the same noise, so that B is large where means differ."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal(n)
    return {
        name: Losses(
            mean + noise + 0.1 * rng.standard_normal(n), mean + rng.standard_normal((1, n))
        )
        for name, mean in means.items()
    }


PAIR = losses_of({"A": 0.0, "B": 1.0})


def study(**options):
    return made_up(*calibrated(512), law="transport", **options)


# -------------------------------- what it was, and whether it is complete


def test_an_interrupted_study_says_so_in_print_json_and_page(tmp_path):
    result = rivals.compare(PAIR, c=made_up(*calibrated(250), law="transport", wanted=512), rng=0)
    said = (
        "The calibration is not complete: 250 of 512 experiments of 'o' "
        "have an outcome; run the study to its end."
    )
    assert said in " ".join(str(result).split())
    assert said in result.to_dict()["calibration"]["remarks"]
    result.report(tmp_path / "page.html")
    assert "250 of 512 experiments" in (tmp_path / "page.html").read_text()
    result.save(tmp_path / "x.npz")
    assert rivals.load(tmp_path / "x.npz").to_dict() == result.to_dict()
    assert "not complete" not in str(rivals.compare(PAIR, c=study(), rng=0))


def test_a_study_of_too_few_experiments_is_refused():
    with pytest.raises(ValueError, match="'o' has 63 experiments: fewer than 64 are too few"):
        rivals.compare(PAIR, c=made_up(*calibrated(63), law="transport", wanted=512), rng=0)


def test_other_models_than_those_of_the_study_are_named():
    known = {"candidates": ["A", "C"], "descriptions": {"o": "each session has an offset"}}
    text = " ".join(str(rivals.compare(PAIR, c=study(**known), rng=0)).split())
    assert "made with A, C, not with B: it holds as far as these resemble those" in text
    assert "Calibrated on 512 experiments of 'o' (each session has an offset)" in text
    for candidates in (["A", "B"], []):
        assert "made with" not in str(rivals.compare(PAIR, c=study(candidates=candidates), rng=0))


def test_a_study_keeps_what_its_epistemic_distributions_were(tmp_path):
    y = np.random.default_rng(0).standard_normal(50)
    models = {"low": gaussian(-0.1), "high": gaussian(0.1), "wide": gaussian(width=2.0)}

    def described(rng):
        """Two candidates without names.

        More than this line is not kept.
        """
        return rivals.Experiment(
            observe=lambda n, rng: rng.standard_normal(n),
            candidates=(models["low"], models["high"]),
        )

    size = {
        "n_data": 50,
        "n_truth": 100,
        "n_simulations": 1,
        "n_experiments": 6,
        "rng": 0,
        "executor": 0,
        "progress": False,
    }
    path = tmp_path / "study.sqlite"
    rivals.calibrate({"Ω": replications(models, y, offset=0.1, gain=0.2)}, **size, store=path)
    about = rivals.calibration.open_store(path).about
    assert about["candidates"] == ["high", "low", "wide"]
    assert about["n_candidates"] == 3
    assert about["descriptions"] == {"Ω": "replications with offset 0.1, gain 0.2"}
    about = rivals.calibrate(described, **size).about
    assert (about["candidates"], about["n_candidates"]) == ([], 2)
    assert about["descriptions"] == {"described": "Two candidates without names."}


def test_the_error_among_stated_winners_stands_beside_the_verdict():
    sharp, truth = calibrated(1000, sharpen=2.0)
    remark = rivals.compare(PAIR, c=made_up(sharp, truth, law="transport"), rng=0).to_dict()[
        "calibration"
    ]["remarks"][0]
    assert "P is what the law states, corrected by them; with it, " in remark
    assert remark.endswith("stated winners are wrong there.")


# ---------------------------------------------------------------- experiments of one's own


def test_real_experiments_make_a_calibration():
    probability, truth = calibrated(400, sharpen=3.0)
    sharper, _ = calibrated(400, sharpen=9.0)
    own = Calibration.from_experiments(
        {1.0: probability, 0.1: sharper},
        truth,
        n_data=100,
        n_simulations=1,
        name="clinics",
        candidates=["A", "B"],
    )
    assert own.c == (0.1, 1.0)
    assert own.choose_c(valid_only=False) == 1.0
    np.testing.assert_array_equal(own.records["probability"][1::2], probability)
    np.testing.assert_array_equal(own.records["truly_better"][1::2], truth)
    result = rivals.compare(PAIR, c=own, rng=0)
    np.testing.assert_array_equal(result.calibrated, own.correct(result.probability, 1.0))
    assert "400 experiments of 'clinics'" in " ".join(str(result).split())
    json.dumps(own.to_dict())
    str(own)


@pytest.mark.parametrize(
    ("probability", "truth", "message"),
    [
        ({1.0: [0.5, 0.5]}, [1.0], "'experiments': probability has the shape"),
        ({1.0: [0.5, 1.5]}, [1.0, 0.0], r"lie in \[0, 1\]"),
        ({-1.0: [0.5, 0.5]}, [1.0, 0.0], "c"),
    ],
)
def test_experiments_of_another_form_are_refused(probability, truth, message):
    with pytest.raises(ValueError, match=message):
        Calibration.from_experiments(probability, truth, n_data=100)


# ---------------------------------------------------------------- what it costs


@pytest.mark.parametrize("n_omegas", [1, 3])
def test_every_curve_is_fitted_once(monkeypatch, n_omegas):
    """And not once for each simulation; outcomes are not copied at each question."""
    import rivals.calibration.result as module

    fitted = []
    fit = module.fit_correction

    def counted(probability, truth):
        fitted.append(truth.size)
        return fit(probability, truth)

    monkeypatch.setattr(module, "fit_correction", counted)
    probability, truth = calibrated(512 * n_omegas)
    names = tuple("abc"[:n_omegas])
    omega = np.repeat(np.arange(n_omegas), 512)
    calibration = made_up(probability, truth, omegas=names, omega=omega, law="transport")
    rng = np.random.default_rng(0)
    losses = {
        name: Losses(rng.exponential(size=100), rng.exponential(size=(2, 100))) for name in "AB"
    }
    rivals.compare(losses, c=calibration, rng=0)
    assert fitted == [512] * n_omegas
    assert calibration._of("a").probability is calibration._of("a").probability


# ---------------------------------------------------------------- several


def test_the_verdict_under_each_of_several_and_the_most_cautious(tmp_path):
    bold = study(omegas=("bold",))
    vague = made_up(*calibrated(512, sharpen=20.0), law="transport", omegas=("vague",))
    alone = {
        name: rivals.compare(PAIR, c=one, rng=0) for name, one in (("bold", bold), ("vague", vague))
    }
    assert alone["bold"].survivors == ("A",)
    assert alone["vague"].survivors == ("A", "B")
    for order in ([bold, vague], [vague, bold]):
        both = rivals.compare(PAIR, c=order, rng=0)
        assert both.survivors == ("A", "B")
        np.testing.assert_array_equal(both.calibrated, alone["vague"].calibrated)
        assert both.to_dict()["calibration"]["survivors"] == {"bold": ["A"], "vague": ["A", "B"]}
        text = " ".join(str(both).split())
        assert "under 'bold': A; " in text or "under 'bold': A. " in text
        assert "The most cautious decides." in text
    both.save(tmp_path / "x.npz")
    assert rivals.load(tmp_path / "x.npz").to_dict() == both.to_dict()


def test_one_study_with_several_epistemic_distributions_lists_each():
    good, truth_good = calibrated(512, 1)
    sharp, truth_sharp = calibrated(512, 2, sharpen=20.0)
    both = made_up(
        np.concatenate([good, sharp]),
        np.concatenate([truth_good, truth_sharp]),
        omegas=("good", "sharp"),
        omega=np.repeat([0, 1], 512),
        law="transport",
    )
    result = rivals.compare(PAIR, c=both, rng=0)
    assert result.to_dict()["calibration"]["survivors"] == {"good": ["A"], "sharp": ["A", "B"]}
    assert result.survivors == ("A", "B")
    same = rivals.compare(losses_of({"A": 0.0, "B": 0.0}), c=both, rng=0)
    assert (
        "The same models survive under each of 2 epistemic distributions (good, sharp)."
        in " ".join(str(same).split())
    )


@pytest.mark.parametrize("c", [[], [0.1, 0.2], [study(), 0.2]])
def test_a_list_holds_calibrations(c):
    with pytest.raises(TypeError, match=r"a list of calibrations: got a list of .*sweep\(c="):
        rivals.compare(PAIR, c=c)


# ---------------------------------------------------------------- best of k


@pytest.mark.parametrize("n", [64, 99, 400, 1023])
def test_the_learned_threshold_is_an_order_statistic(n):
    """B is beyond 0.95 from just above the ⌈.95 (n + 1)⌉-th smallest score on."""
    scores = np.sort(np.random.default_rng(n).uniform(0.951, 1.0, n))
    place = ceil(0.95 * (n + 1) + 1e-9) - 1  # beyond 0.95, not at it
    assert beyond_scores(np.nextafter(scores[place], 2.0), [scores]) > 0.95
    assert beyond_scores(scores[place], [scores]) <= 0.95
    assert beyond_scores(1 - scores[place], [scores]) >= 0.05


def test_the_truly_best_is_rejected_as_often_as_may_be():
    """Exchangeable scores: the next is beyond 0.95 with probability 0.05, or a little less; 2 000
    studies of 99.
    """
    scores = np.random.default_rng(0).uniform(0.95, 1.0, (2000, 100))
    rejected = [beyond_scores(row[99], [np.sort(row[:99])]) > 0.95 for row in scores]
    assert 0.03 < np.mean(rejected) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)


def test_of_several_the_least_counts_and_never_more_than_b():
    sharp, dull = np.full(99, 0.99), np.zeros(99)
    assert beyond_scores(np.array(0.97), [dull]) == 0.97
    assert beyond_scores(np.array(0.97), [dull, sharp]) == 0.5


@pytest.mark.parametrize(("n_candidates", "limit"), [(2, 1 - 0.05 / 2), (3, 0.99), (5, 0.99)])
def test_three_models_are_judged_as_one_of_three(n_candidates, limit):
    three = losses_of({"A": 0.0, "B": 0.02, "C": 3.0})
    calibration = study(score=np.full((512, 1), 0.99), n_candidates=n_candidates)
    result = rivals.compare(three, c=calibration, rng=0)
    assert result.threshold == 0.95
    np.testing.assert_allclose(result.calibrated + result.calibrated.T, 1.0)
    beats = (result.probability > limit).any(axis=0)
    assert set(result.survivors) == {
        name for name, beaten in zip("ABC", beats, strict=True) if not beaten
    }
    # A pair of them is read through the curve of pairs.
    pair = rivals.compare({name: three[name] for name in "AB"}, c=calibration, rng=0)
    np.testing.assert_array_equal(pair.calibrated, calibration.correct(pair.probability, 1.0))


@pytest.mark.parametrize("sharpen", [0.5, 1.0, 3.0])
def test_a_third_model_never_makes_a_pair_surer(sharpen):
    """B of a pair was corrected by its curve, and no longer once a third model was there: a
    hopeless one made verdicts bolder.
    """
    three = losses_of({"A": 0.0, "B": 0.6, "C": 3.0})
    calibration = made_up(*calibrated(512, sharpen=sharpen), law="transport")
    pair = rivals.compare({name: three[name] for name in "AB"}, c=calibration, rng=0)
    beside = rivals.compare(three, c=calibration, rng=0)
    assert 0.9 < beside.probability[0, 1] == pytest.approx(pair.probability[0, 1])
    assert 0.5 <= beside.calibrated[0, 1] <= pair.calibrated[0, 1] + 1e-12


def test_studies_have_one_number_of_candidates():
    models = [gaussian(shift) for shift in (-0.1, 0.1, 0.3)]

    def mixed(rng):
        return rivals.Experiment(
            observe=lambda n, rng: rng.standard_normal(n), candidates=models[: rng.integers(2, 4)]
        )

    with pytest.raises(ValueError, match="experiments have 2 and 3 candidates"):
        rivals.calibrate(
            mixed,
            n_data=50,
            n_truth=100,
            n_simulations=1,
            n_experiments=20,
            rng=0,
            executor=0,
            progress=False,
        )
