"""Criteria of other kinds, of the models of a comparison."""

import numpy as np
import pytest

from rivals import Losses, Provenance, compare, criteria, load


@pytest.fixture(scope="module")
def losses():
    rng = np.random.default_rng(0)
    base = rng.exponential(size=300)
    values = {"a": base, "b": base + 0.1 + 0.2 * rng.standard_normal(300)}
    simulated = {name: rng.exponential(1.1, size=(4, 300)) for name in values}
    source = Provenance("negative log density", "nats")
    return {name: Losses(values[name], simulated[name], source=source) for name in values}


def test_each_criterion_is_that_of_its_function(losses):
    pytest.importorskip("arviz_stats")
    rng = np.random.default_rng(1)
    draws = {name: -rng.exponential(size=(500, 50)) / 9 - 1.0 for name in "ab"}
    fitted = {name: -rng.exponential(size=40) for name in "ab"}
    counts = {"a": 2, "b": 3}
    result = compare(losses, method="beta", rng=0)
    found = result.criteria(log_likelihood=fitted, n_parameters=counts, draws=draws, tolerance=0.5)
    assert found.models == ("a", "b")
    assert found.values["P"] == (0.5, result.probability["a", "b"])
    a, b = losses["a"].observed, losses["b"].observed
    assert found.values["B^R"][1] == pytest.approx((b - a).mean() / np.log(10))
    assert found.values["B^Q"][1] == criteria.loss_only(a, b, tolerance=0.5).value
    assert found.values["elpd"][1] == pytest.approx(-(b - a).sum())
    assert found.errors["elpd"][1] == pytest.approx(np.std(b - a, ddof=1) * np.sqrt(300))
    expected = 2 * (fitted["a"].sum() - fitted["b"].sum())
    assert found.values["AIC"][1] == pytest.approx(expected + 2)
    assert found.values["BIC"][1] == pytest.approx(expected + np.log(40))
    waic = [criteria.waic(draws[name]).value for name in "ab"]
    assert found.values["WAIC"][1] == pytest.approx(waic[1] - waic[0])
    assert "B^EMD" in str(found)


def test_what_was_not_given_is_unknown_and_the_columns_stay(losses):
    found = compare(losses, method="transport", rng=0).criteria("B^Q")
    record = found.to_records()[1]
    assert np.isnan(record["aic"])
    assert np.isnan(record["elpd"])
    assert record["b_q"] > 0.5
    assert len(record) == 2 + 2 * 8
    assert "AIC" not in str(found)


@pytest.mark.parametrize(
    ("names", "given", "says"),
    [
        (["AIC"], {}, "AIC: it needs log likelihoods at the best parameters"),
        (["BIC"], {"log_likelihood": {"a": [-1.0], "b": [-1.0]}}, "numbers of fitted parameters"),
        (["LOO"], {}, "LOO: it needs log likelihoods of posterior draws"),
        (["DIC"], {}, "criteria must be"),
        ([], {"draws": {"a": [[1.0]]}}, "give them for all models"),
    ],
)
def test_what_is_missing_is_refused_by_name(losses, names, given, says):
    with pytest.raises(ValueError, match=says):
        compare(losses, method="transport", rng=0).criteria(*names, **given)


def test_losses_that_are_no_log_density_have_no_elpd(losses):
    plain = {name: (each.observed, each.simulated) for name, each in losses.items()}
    result = compare(plain, method="transport", rng=0)
    assert np.isnan(result.criteria().values["elpd"][1])
    with pytest.raises(ValueError, match="elpd: it needs losses that are minus a log density"):
        result.criteria("elpd")


def test_a_comparison_from_a_file_asks_for_its_losses(losses, tmp_path):
    result = compare(losses, method="transport", rng=0)
    result.save(tmp_path / "result.npz")
    read = load(tmp_path / "result.npz")
    with pytest.raises(ValueError, match="a comparison that was read from a file has none"):
        read.criteria("B^Q")
    given = {name: each.observed for name, each in losses.items()}
    again, known = read.criteria(losses=given).values, result.criteria().values
    assert again.keys() == known.keys()
    assert all(again[name] == pytest.approx(known[name], nan_ok=True) for name in known)
