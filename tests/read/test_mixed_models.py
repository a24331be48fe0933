"""Mixed models at new groups: the marginal density, against multivariate normals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rivals
from rivals.read import leave_out
from rivals.read._mixed_models import random_design

smf = pytest.importorskip("statsmodels.formula.api")
pandas = pytest.importorskip("pandas")

pytestmark = pytest.mark.filterwarnings(
    "ignore::statsmodels.tools.sm_exceptions.ConvergenceWarning",
    "ignore:Random effects covariance is singular",
)


def sleep(n_subjects=8, seed=0):
    """Reaction times that grow with days, for each subject at its own pace."""
    rng = np.random.default_rng(seed)
    subject = np.repeat(np.arange(n_subjects), 10)
    days = np.tile(np.arange(10.0), n_subjects)
    own = rng.multivariate_normal([0, 0], [[600, 10], [10, 35]], size=n_subjects)[subject]
    reaction = 250 + own[:, 0] + (10 + own[:, 1]) * days + rng.normal(0, 25, size=days.size)
    half = np.where(days < 5, "a", "b")
    return pandas.DataFrame({"reaction": reaction, "days": days, "subject": subject, "half": half})


def fit(rows, re_formula="~days"):
    return smf.mixedlm("reaction ~ days", rows, groups="subject", re_formula=re_formula).fit()


def densities(results, test):
    """Mean and covariance of one new subject, by hand."""
    days = test.days.to_numpy()
    design = np.column_stack([np.ones(days.size), days])
    mean = results.fe_params["Intercept"] + results.fe_params["days"] * days
    covariance = design @ np.asarray(results.cov_re) @ design.T + results.scale * np.eye(days.size)
    return stats.multivariate_normal(mean, covariance)


def test_the_marginal_density_of_a_new_subject_is_that_of_a_multivariate_normal():
    data = sleep()
    found = leave_out(fit, data, groups="subject", rng=0)
    joint = leave_out(fit, data, groups="subject", joint=True, rng=0)
    assert joint.source.loss == "joint negative log density"
    pointwise, whole = np.empty(len(data)), []
    for each in range(8):
        test = data[data.subject == each]
        normal = densities(fit(data[data.subject != each]), test)
        scale = np.sqrt(np.diag(normal.cov_object.covariance))
        pointwise[test.index] = -stats.norm(normal.mean, scale).logpdf(test.reaction)
        whole.append(-normal.logpdf(test.reaction))
    np.testing.assert_allclose(found.observed, pointwise, atol=1e-10)
    np.testing.assert_allclose(joint.observed, whole, atol=1e-9)
    assert joint.groups.names == found.groups.names
    assert found.source.library == "statsmodels"


def test_simulated_subjects_have_the_covariance_of_the_model():
    data = sleep()
    from rivals.read._mixed_models import mixed_density

    results = fit(data)
    test = data[data.subject == 0]
    density = mixed_density(results, test, np.zeros(10, dtype=int))
    drawn = density.sample(40_000, np.random.default_rng(0))
    normal = densities(results, test)
    expected = normal.cov_object.covariance
    # Of 40 000 draws a covariance is known to √(2/40 000) of the variances.
    np.testing.assert_allclose(np.cov(drawn.T), expected, atol=5 * 0.007 * expected.max())
    # Joint losses of simulations are half the dimension more than the log determinant.
    joint = -density.joint(drawn)[:, 0]
    entropy = 0.5 * np.linalg.slogdet(2 * np.pi * np.e * expected)[1]
    assert joint.mean() == pytest.approx(entropy, abs=5 * np.sqrt(5 / 40_000))


def test_joint_losses_of_independent_points_are_sums():
    data = sleep()

    def independent(rows):
        return smf.ols("reaction ~ days", rows).fit()

    found = leave_out(independent, data, groups="subject", rng=0)
    options = {"groups": "subject", "joint": True, "n_simulations": 16, "rng": 0}
    joint = leave_out(independent, data, **options)
    sums = found.observed.reshape(8, 10).sum(axis=1)
    np.testing.assert_allclose(joint.observed, sums, atol=1e-9)
    assert joint.simulated.shape == (16, 8)


@pytest.mark.parametrize(
    "formula",
    [None, "1", "~days", "~0 + days", "~C(half)", "~half", "~np.log(days + 1)", "~I(days ** 2)"],
)
def test_the_design_of_random_effects_is_made_anew(formula):
    data = sleep()
    own = smf.mixedlm("reaction ~ days", data, groups="subject", re_formula=formula)
    made = random_design(own)(data.iloc[:15])
    np.testing.assert_array_equal(made, own.exog_re[:15])


def test_a_design_that_is_not_reproduced_is_refused():
    data = sleep()
    own = smf.mixedlm("reaction ~ days", data, groups="subject", re_formula="~days")
    own.exog_re = own.exog_re + np.array([0.0, 1.0])
    with pytest.raises(TypeError, match=r"random effects \(.*days\) cannot be made anew"):
        random_design(own)


def test_variance_components_are_refused_with_what_to_do():
    data = sleep()

    def components(rows):
        return smf.mixedlm(
            "reaction ~ days", rows, groups="subject", vc_formula={"half": "0 + C(half)"}
        ).fit()

    with pytest.raises(TypeError, match=r"fold 1 of 8.*vc_formula.*lambda rows"):
        leave_out(components, data, groups="subject")


def test_joint_needs_the_groups_of_the_random_effects():
    data = sleep()
    data["site"] = data.subject // 2
    with pytest.raises(ValueError, match="of other groups"):
        leave_out(fit, data, groups="site", joint=True)
    assert leave_out(fit, data, groups="site", rng=0).n_points == 80


def test_a_mixed_model_of_the_truth_wins_over_one_of_less():
    data = sleep(18)
    pooled = {"pooled": lambda rows: smf.ols("reaction ~ days", rows).fit(), "slopes": fit}
    result = rivals.compare(leave_out(pooled, data, groups="subject", joint=True, rng=0))
    assert result.best == "slopes"
