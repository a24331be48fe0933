"""Mistakes that would give a confident answer: refused, or said in one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rivals

rng = np.random.default_rng(0)
OBSERVED = {name: rng.exponential(scale, 500) for name, scale in (("A", 1.0), ("B", 1.5))}


@pytest.mark.parametrize("law", ["transport", "beta"])
def test_the_same_sample_as_observed_and_synthetic_is_refused(law):
    for same in (OBSERVED["A"], OBSERVED["A"][::-1], np.stack([rng.exponential(1.0, 500), OBSERVED["A"]])):
        other = (OBSERVED["B"], rng.exponential(1.5, same.shape))
        with pytest.raises(
            ValueError, match=r"model 'A': the synthetic losses equal the observed ones.*simulated itself"
        ):
            rivals.compare({"A": (OBSERVED["A"], same), "B": other}, law=law)


def test_a_constant_loss_that_is_reproduced_is_no_mistake():
    constant = (np.full(100, 2.0), np.full(100, 2.0))
    assert rivals.compare({"A": constant, "B": constant}, rng=0).survivors == ("A", "B")


@pytest.mark.filterwarnings("ignore:.*only 30 losses")
def test_a_constant_classifier_is_not_refused_by_chance():
    """Its losses take two values, and a simulation has each as often as the data in one case of six: this was refused."""

    def classifier(seed, share=0.5):
        labels = np.random.default_rng(seed).random((17, 30)) < share
        losses = np.where(labels, -np.log(0.5 + 0.001 * seed), -np.log(0.5 - 0.001 * seed))
        return losses[0], losses[1:]

    for seed in range(1, 41):
        rivals.compare({"A": classifier(seed), "B": classifier(seed + 100)}, rng=0)


def test_rows_with_an_index_are_put_into_one_order():
    pandas = pytest.importorskip("pandas", reason='needs pandas: pip install "rivals[pandas]"')
    simulated = {name: rng.exponential(1.0, (2, 500)) for name in OBSERVED}
    a, b = (pandas.Series(OBSERVED["A"] + offset) for offset in (0.0, 0.01))
    ordered = rivals.compare({"A": (a, simulated["A"]), "B": (b, simulated["B"])}, rng=0)
    moved = rng.permutation(500)
    others = (b.iloc[moved], simulated["B"][:, moved])
    for given in (others, rivals.Losses(*others)):
        with pytest.warns(
            rivals.RivalsWarning, match="the rows of model 'B' stand in another order than those of model 'A'"
        ):
            result = rivals.compare({"A": (a, simulated["A"]), "B": given}, rng=0)
        np.testing.assert_array_equal(result.probability, ordered.probability)
        np.testing.assert_array_equal(result.losses["B"].observed, ordered.losses["B"].observed)
    shifted = b.set_axis(b.index + 1)
    with pytest.raises(ValueError, match=r"different labels: the label 0 of model 'A' is not.*\.to_numpy\(\)"):
        rivals.compare({"A": (a, simulated["A"]), "B": (shifted, simulated["B"])}, rng=0)
    twice = b.set_axis(np.arange(500) // 2)
    with pytest.raises(ValueError, match=r"the index of model 'B'.*occurs twice"):
        rivals.compare({"A": (a, simulated["A"]), "B": (twice, simulated["B"])}, rng=0)
    # Labels of points are rows, too.
    sessions = pandas.Series(np.arange(500) // 50)
    given = {"A": (a, simulated["A"]), "B": (b, simulated["B"])}
    with pytest.warns(
        rivals.RivalsWarning, match="the rows of clusters stand in another order than those of the losses"
    ):
        result = rivals.compare(given, clusters=sessions.iloc[moved], rng=0)
    np.testing.assert_array_equal(result.probability, rivals.compare(given, clusters=sessions, rng=0).probability)
    # An array has no labels: its rows are in order.
    rivals.compare({"A": (a, simulated["A"]), "B": (shifted.to_numpy(), simulated["B"])}, rng=0)


def test_many_shared_values_are_said():
    partly = np.concatenate([OBSERVED["A"][:200], rng.exponential(1.0, 300)])
    with pytest.warns(
        rivals.RivalsWarning, match="model 'A': 40% of its synthetic losses also occur among the observed"
    ):
        rivals.compare({"A": (OBSERVED["A"], partly), "B": (OBSERVED["B"], rng.exponential(1.5, 500))}, rng=0)


@pytest.mark.parametrize("sureness", [0.5, 4.0])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_labels_that_are_simulated_as_observed_are_no_mistake(sureness, n_classes):
    """At the same point the same label has the same loss."""

    def losses(generator):
        scores = np.exp(sureness * generator.normal(size=(300, n_classes)))
        probability = scores / scores.sum(axis=1, keepdims=True)
        labels = (generator.random((2, 300, 1)) > probability.cumsum(axis=1)[:, :-1]).sum(axis=2)
        return tuple(-np.log(probability[np.arange(300), drawn]) for drawn in labels)

    generator = np.random.default_rng(1)
    given = {"A": losses(generator), "B": losses(generator)}
    assert np.mean(given["A"][0] == given["A"][1]) > 0.2
    rivals.compare(given, rng=0)  # warnings are errors in the tests


def test_a_sample_that_was_resampled_is_said():
    resampled = np.random.default_rng(2).choice(OBSERVED["A"], 500)
    with pytest.warns(rivals.RivalsWarning, match="100% of its synthetic losses"):
        rivals.compare({"A": (OBSERVED["A"], resampled), "B": (OBSERVED["B"], rng.exponential(1.5, 500))}, rng=0)


def test_log_likelihoods_instead_of_losses_are_recognised():
    y = rng.standard_normal((3, 1000))
    given = {"A": (-(y[0] ** 2) / 2, -(y[1] ** 2) / 2), "B": (-(y[0] ** 2) / 8 - 0.7, -(y[2] ** 2) / 2 - 0.7)}
    with pytest.warns(rivals.RivalsWarning, match="from_log_likelihood.*--log-likelihood"):
        rivals.compare(given, rng=0)


@pytest.mark.parametrize(
    "sample",
    [
        rng.standard_normal((2, 1000)),
        rng.exponential(size=(2, 1000)),
        rng.uniform(size=(2, 1000)),
        rng.standard_t(3, (2, 1000)),
    ],
    ids=["gaussian", "exponential", "uniform", "student"],
)
def test_losses_are_not_taken_for_log_likelihoods(sample):
    given = {"A": tuple(sample), "B": tuple(sample + 0.1)}
    rivals.compare(given, rng=0)  # warnings are errors in the tests


def test_pairs_have_names_in_the_order_of_the_table():
    given = {"worse": (OBSERVED["B"], rng.exponential(1.5, 500)), "better": (OBSERVED["A"], rng.exponential(1.0, 500))}
    result = rivals.compare(given, c=0.1, rng=0)
    assert result.pairs.names == result.ranking == ("better", "worse")
    assert result.pairs["better", "worse"] == result.probability[1, 0]
    assert str(result.pairs).splitlines()[2].split()[0] == "better"
    with pytest.raises(KeyError, match="unknown model 'wors'; there are better, worse"):
        result.pairs["wors", "better"]


@pytest.mark.parametrize("path", ["study.sqlite", Path("study.sqlite")])
def test_the_path_of_a_store_as_c_names_what_opens_it(path):
    with pytest.raises(TypeError, match=r"got 'study\.sqlite'.*c=rivals\.calibration\.open_store\('study\.sqlite'\)"):
        rivals.compare({"A": OBSERVED["A"], "B": OBSERVED["B"]}, c=path)
