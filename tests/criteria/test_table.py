"""All criteria side by side, for two Gaussian models of the same data."""

import json

import numpy as np
import pytest

import rivals
from rivals import criteria


@pytest.fixture(scope="module")
def models():
    """Unit Gaussian data; A: mean fitted, B: mean fixed at 0.3."""
    rng = np.random.default_rng(0)
    y, test = rng.normal(size=400), rng.normal(size=400)

    def loss(mean, values):
        return 0.5 * (values - mean) ** 2 + 0.5 * np.log(2 * np.pi)

    fitted = {}
    for name, mean, free in (("A", y.mean(), 1), ("<b>B</b>", 0.3, 0)):
        draws = mean + free * rng.normal(size=(500, 1)) / 20
        evidence = criteria.Score(
            "log evidence",
            loss(mean, y).sum() + 3 * free,
            standard_error=0.1,
            scale="−log evidence",
            variations=criteria.Variations(parameters=True),
        )
        complexity = criteria.Score(
            "log complexity", 2.0 * free, standard_error=0.05, scale="log complexity"
        )
        fitted[name] = criteria.Fitted(
            -loss(mean, y),
            free,
            draws=-loss(draws, y),
            evidence=evidence,
            complexity=complexity,
            test_losses=loss(mean, test),
            losses=rivals.Losses(loss(mean, test), loss(mean, mean + rng.normal(size=400))),
        )
    return fitted


@pytest.fixture(scope="module")
def table(models):
    pytest.importorskip("arviz_stats")
    return criteria.table(models, c=0.5, rng=1)


def test_every_criterion_is_there_and_the_reference_differs_from_itself_by_nothing(table):
    rows = [
        row for row in table.rows if row.criterion != "MCS"
    ]  # it is there with the package arch
    assert [row.criterion for row in rows] == [
        "log likelihood",
        "AIC",
        "BIC",
        "DIC",
        "elpd (WAIC)",
        "elpd (LOO)",
        "log evidence",
        "MDL",
        "risk",
        "B^Q",
        "B^EMD",
    ]
    for row in rows:
        assert row.difference[0] == (0.5 if row.criterion in ("B^Q", "B^EMD") else 0)
        assert np.isnan(row.standard_error[0])
    assert set(table.omitted) <= {"MCS"}


def test_differences_follow_from_the_likelihood(models, table):
    ratio = sum(models["A"].log_likelihood) - sum(models["<b>B</b>"].log_likelihood)
    assert table["log likelihood"].difference[1] == pytest.approx(ratio)
    assert table["AIC"].difference[1] == pytest.approx(2 * ratio - 2)
    assert table["BIC"].difference[1] == pytest.approx(2 * ratio - np.log(400))
    assert table["MDL"].difference[1] == pytest.approx(ratio - 2)
    assert table["log evidence"].difference[1] == pytest.approx(ratio - 3)
    assert table["log evidence"].standard_error[1] == pytest.approx(0.1 * np.sqrt(2))
    assert (
        table["B^EMD"].difference[1] < 0.5
    )  # the worse model has the lower risk less often than not


def test_variations_are_those_of_the_paper(table):
    described = {row.criterion: str(row.variations) for row in table.rows}
    assert described["log likelihood"] == "none"
    assert described["AIC"] == "in-distribution, parameters"
    assert described["BIC"] == described["log evidence"] == "parameters"
    assert described["MDL"] == "out-of-distribution, parameters"
    assert described["elpd (LOO)"] == described["risk"] == "in-distribution"
    assert described["B^EMD"] == "in-distribution, out-of-distribution"


def test_the_table_in_all_its_forms(table):
    text = str(table)
    assert repr(table) == text
    assert "Differences against A" in text
    assert "±" in text
    assert "&lt;b&gt;B&lt;/b&gt;" in table._repr_html_()
    assert json.loads(json.dumps(table.to_dict()))["rows"][1]["criterion"] == "AIC"
    frame = pytest.importorskip("pandas") and table.to_dataframe()
    assert set(frame["model"]) == {"A", "<b>B</b>"}
    assert frame.loc["AIC", "difference"].tolist() == table["AIC"].difference.tolist()
    with pytest.raises(KeyError, match="no criterion 'CIC'"):
        table["CIC"]


def test_a_score_in_plain_numbers():
    score = criteria.waic(np.random.default_rng(0).normal(scale=3, size=(50, 4)))
    plain = json.loads(json.dumps(score.to_dict()))
    assert plain["criterion"] == "elpd (WAIC)"
    assert plain["value"] == float(score)
    assert plain["lower_is_better"] is False
    assert plain["accounts_for"] == "in-distribution"
    assert plain["diagnostics"] == list(score.diagnostics) != []


def test_what_cannot_be_computed_is_said(models):
    short = {
        name: criteria.Fitted(model.log_likelihood, model.n_parameters)
        for name, model in models.items()
    }
    table = criteria.table(short, reference="<b>B</b>")
    assert [row.criterion for row in table.rows] == ["log likelihood", "AIC", "BIC"]
    assert table.omitted["MDL"] == "no complexity for A, <b>B</b>"
    assert "MDL left out: no complexity" in repr(table)


def test_one_model_or_an_unknown_reference_is_refused(models):
    with pytest.raises(ValueError, match="at least two models; got 1"):
        criteria.table({"A": models["A"]})
    with pytest.raises(ValueError, match=r"reference must be one of .*: got 'C'"):
        criteria.table(models, reference="C")
