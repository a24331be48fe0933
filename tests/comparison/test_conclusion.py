"""The conclusion says what was computed, and no more: on random results of all laws."""

import math
import re

import numpy as np
import pytest

import rivals

LAWS = ("transport", "beta", "groups", "groups, no simulations")


def random_result(seed):
    """Two to seven models of random quality, under a random law, horizon, threshold and margin."""
    rng = np.random.default_rng(seed)
    law = LAWS[seed % len(LAWS)]
    n_models = int(rng.integers(2, 8))
    n = 240
    group = np.arange(n) % int(rng.integers(3, 15))
    shared = rng.exponential(size=n)
    models = {}
    for number in range(n_models):
        effect = rng.normal(0.3 * number * rng.random(), 0.2, 20)[group]
        observed = shared + effect + 0.3 * rng.standard_normal(n)
        models[f"m{number}"] = (observed, 1.1 * rng.exponential(size=(4, n)) + 0.2 * number)
    options = {
        "threshold": float(rng.choice([0.8, 0.95, 0.99])),
        "margin": None if rng.random() < 0.6 else float(rng.choice([0.01, 0.1, 5.0])),
        "rng": seed,
    }
    if law.startswith("groups"):
        options["groups"] = group
        options["new_groups"] = [None, 1, 40, math.inf][int(rng.integers(4))]
        if law != "groups":
            models = {name: observed for name, (observed, _) in models.items()}
    elif law == "beta":
        options["law"] = rivals.laws.Beta(n_draws=500, max_draws=1000)
        options["c"] = 0.1
    return rivals.compare(models, **options)


def decimals(text):
    """Numbers between 0 and 1 that stand after P or probability."""
    return [float(number) for number in re.findall(r"P = (0\.\d+)", text)]


@pytest.mark.filterwarnings("ignore::rivals.RivalsWarning")
@pytest.mark.parametrize("seed", range(200))
def test_it_says_no_more_than_was_computed(seed):
    result = random_result(seed)
    text = result.conclusion
    best = result.ranking[0]
    # It ends with the recommendation, the model of lowest mean loss, which no rule rejects.
    assert text.endswith(f"If you need one model: {best}.")
    assert best in result.survivors
    # Only rejected models are said to be worse; all of them are, or are counted.
    first = text.split(" would predict better than ", 1)
    if result.rejections:
        assert "better than" in text
        said = re.sub(r"could not be shown.*", "", text).split("In a single new")[0]
        for name in result.survivors:
            if name != best:
                assert not re.search(rf"better than[^.;]*\b{name}\b \(P", said)
    else:
        assert len(first) == 1
        assert ("none of the" in text) == (len(result.names) > 2)
        assert "could not be shown" in text or len(result.names) > 5
    # Every probability in it is one of the matrix that decides, or of equivalence.
    known = np.concatenate([result.deciding.ravel(), result.probability.ravel()])
    known = np.append(known, 1.0 - (result.deciding + result.deciding.T).ravel())
    for value in decimals(text):
        assert np.abs(known - value).min() < 0.00051
    # The horizon is named.
    setting = result.applied.setting
    if setting.groups is None:
        assert text.startswith("If the experiment were repeated")
    elif setting.horizon == 1.0:
        assert text.startswith("In a single new group")
    elif math.isinf(setting.horizon):
        assert text.startswith("In the mean over all groups to come")
    else:
        assert text.startswith(f"If {setting.horizon:.0f} new groups were studied")
    sentences = re.findall(r"[.](?:\s|$)", text)
    assert 2 <= len(sentences) <= 4
    assert text in str(result).replace("\n", " ")
    assert result.to_dict()["conclusion"] == text


def test_groups_are_called_what_their_column_is_called():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    school = pandas.Series(np.repeat(np.arange(12), 40), name="School")
    a = rng.exponential(size=480)
    models = {"line": a, "mean": a + 0.3 + 0.2 * rng.standard_normal(480)}
    result = rivals.compare(models, groups=school, loss_unit="nats", rng=0)
    assert result.conclusion.startswith("If 12 new schools were studied, line would predict")
    assert "In a single new school" in result.conclusion
    assert " nats (with probability 0.95)" in result.conclusion
    carried = {name: rivals.Losses(values, groups=school) for name, values in models.items()}
    assert "12 new schools" in rivals.compare(carried, rng=0).conclusion


def test_names_are_safe_and_many_models_are_counted():
    rng = np.random.default_rng(1)
    group = np.arange(300) % 10
    a = rng.exponential(size=300)
    models = {f"m{k}\n": a + k * 0.2 + 0.1 * rng.standard_normal(300) for k in range(12)}
    text = rivals.compare(models, groups=group, rng=0).conclusion
    assert "\n" not in text
    assert "other models" in text


def test_a_rejection_by_another_than_the_best_is_a_sentence():
    """ "m1 better than m2" lacked its verb where the best itself rejects none."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(8), 20)
    steady = rng.exponential(size=160)
    varied = steady + rng.normal(0.0, 0.6, 8)[group]
    varied -= varied.mean() - steady.mean() + 0.02
    models = {"varied": varied, "steady": steady, "worse": steady + 0.2 + 0.1 * rng.random(160)}
    found = rivals.compare(models, groups=group)
    assert found.ranking[0] == "varied"
    assert found.rejections["worse"].by == "steady"
    assert ", steady would predict better than worse (P " in found.conclusion


def test_the_methods_name_what_the_losses_are():
    rng = np.random.default_rng(0)
    a = rng.exponential(size=300)
    models = {"a": a, "b": a + rng.normal(0.2, 0.1, size=300)}
    joint = rivals.compare(models, groups=np.arange(300), loss_unit="nats").methods()
    assert "by their loss in nats in each of 300 held-out groups with rivals" in joint
    assert "As each group has one loss, σ² was taken as 0." in joint
    points = rivals.compare(models, groups=np.arange(300) % 5).methods()
    assert "by their losses on 300 held-out points in 5 groups with rivals" in points
    assert "was taken as 0" not in points
