"""Published black body numbers that are cheap to recompute."""

import json

import numpy as np
import pytest

from rivals.testbeds import blackbody
from rivals_paper import (
    blackbody_calibration,
    blackbody_records,
    criteria_table,
    nested_families,
    nested_mdl,
    registry,
    seeds,
)
from rivals_paper.blackbody_experiments import _block, _published, published_experiments
from rivals_paper.blackbody_models import fitted_as_published, losses_as_published
from rivals_paper.mirrored import probability_as_published
from rivals_paper.nested_model import fit_nested
from rivals_paper.output import Task, published

# The first four published probabilities at c = 2^-6.
STORED_AT_2_6 = [0.0519, 0.9998, 0.6033, 0.0]


@pytest.mark.parametrize(("c", "stated"), [(2.0**-3, 0.792), (1.0, 0.602)])
def test_probability_of_the_observed_spectrum(c, stated):
    """The paper states 80 % and 60 %.

    An independent replica found 0.792 and 0.602, with an error of 0.01 to 0.02.
    """
    data = blackbody.observe(4096, rng=seeds.generator("UV", "data"))
    losses = losses_as_published(data, fitted_as_published(data))
    value, _ = probability_as_published(losses["planck"], losses["rayleigh-jeans"], c, 2000, 0)
    assert value == pytest.approx(stated, abs=0.04)


@pytest.mark.parametrize("index", [0, 7, 20, 28])
def test_likelihood_ratio_and_risk_of_the_table(index):
    stored = published("criteria_table")
    cell = criteria_table._cells(stored)[index]
    found = criteria_table._as_published(cell, np.random.default_rng(0))
    for criterion in ("B^l", "B^R"):
        theirs = np.ravel(stored["criteria"][criterion])[index]
        assert found[criterion][0] == pytest.approx(theirs, rel=1e-3)
    theirs = np.ravel(stored["criteria"]["B^EMD"])[index]
    value, error = found["B^EMD"]
    assert abs(value - theirs) < 4 * np.sqrt(2) * error
    assert found["B^Bayes"][0] == pytest.approx(
        0, abs=1e-6
    )  # what was printed is the sampler's noise
    assert abs(np.ravel(stored["criteria"]["B^Bayes"])[index]) < 4 * found["B^Bayes"][1]


def test_published_aic_rests_on_another_spectrum():
    stored = published("asymptotics")
    position = stored["sizes"].index(4096)
    data = nested_families.observe(4096)
    for law in blackbody.LAWS:
        theirs = stored["curves"][nested_families.key(law, 2)]
        example = fit_nested(
            nested_families.example(), law=law, n_coefficients=2, method="published"
        )
        assert 2 * example.loss(data).sum() + 8 == pytest.approx(theirs["AIC"][position], abs=1e-2)
        own = fit_nested(data, law=law, n_coefficients=2, method="published")
        assert 2 * own.loss(data).sum() + 8 == pytest.approx(
            theirs["AIC_refit"][position], abs=1e-2
        )


def test_complexity_by_both_ways():
    """Asymptotics against Monte Carlo at 76 recordings.

    They differ by O(1/L) and by what lies at the borders.
    """
    wavelength = nested_families.observe(76).wavelength
    rng = np.random.default_rng(0)
    fisher = nested_mdl.complexity("planck", 0, wavelength, rng)
    simulated = nested_mdl.complexity_by_simulation("planck", wavelength, 200, rng)
    assert abs(simulated.value - fisher.value) < 4 * simulated.standard_error + 0.05


def test_published_event_space():
    values, allowed = nested_mdl._event_space(nested_families.observe(76).wavelength)
    counts = allowed.sum(axis=1)
    assert (counts.min(), counts.max()) == (16, 39)
    assert np.log(counts).sum() == pytest.approx(252, abs=0.5)
    assert values.shape == allowed.shape


def test_simulated_blocks_of_the_published_calibration():
    """Twelve comparisons at a time.

    The generators of an experiment start anew where a batch begins within it.
    """
    assert [_block(0, j) for j in range(8)] == list(range(8))
    assert [_block(1, j) for j in range(8)] == [0, 1, 2, 3, 0, 1, 2, 3]


def test_published_experiments_one_by_one():
    """Data, simulations and truth are the original's.

    Risks to the digits kept, probabilities within 128 draws of each risk.
    """
    mirrored, exact = _published(range(4), seed=0)
    assert mirrored.difference == pytest.approx(
        [0.16568218, -0.10165373, -0.033166645, 0.21467946], abs=1e-7
    )
    at = mirrored.log2_c.tolist().index(-6)
    for record in (mirrored, exact):  # at this c the limits hardly matter
        assert record.probability[:, at] == pytest.approx(STORED_AT_2_6, abs=0.1)
    # At 2^-15 they do: the fourth has the risk of Rayleigh-Jeans clearly below, and the mirrored
    # process says the opposite.
    assert mirrored.probability[3, 0] == 1
    assert exact.probability[3, 0] == 0


def test_published_experiments_are_kept(tmp_path, monkeypatch):
    """A larger number adds to what is there, with the same result as all at once."""
    monkeypatch.setattr("rivals_paper.blackbody_experiments.LOG2_C", (-6,))
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    two, _ = published_experiments(tmp_path / "a", 2, 0, progress=False)
    three, exact = published_experiments(tmp_path / "a", 3, 0, progress=False)
    at_once, _ = published_experiments(tmp_path / "b", 3, 0, progress=False)
    assert (three.probability == at_once.probability).all()
    assert (three.again == at_once.again).all()
    assert (three.first(2).probability == two.probability).all()
    assert len(exact) == 3


def test_records_keep_what_is_counted(tmp_path):
    """Only an exact 0 or 1 is read as such; the rest is within half of 1/65535."""
    probability = np.array([[0.0, 1e-9, 0.25, 1 - 1e-9, 1.0]])
    record = blackbody_records.Record(
        np.arange(5), probability, np.array([-0.1]), np.array([1e-3]), 1 - probability
    )
    blackbody_records.write(record, tmp_path / "some.npz")
    found = blackbody_records.read(tmp_path / "some.npz")
    assert ((found.probability == 0) | (found.probability == 1)).tolist() == [
        [True, False, False, False, True]
    ]
    assert found.probability == pytest.approx(probability, abs=1 / 65535)
    assert found.again == pytest.approx(1 - probability, abs=1 / 65535)
    assert found.experiments.truth.tolist() == [1.0]
    assert (blackbody_records.rounded(record).probability == found.probability).all()


def test_committed_calibration_has_the_size_of_the_paper(tmp_path, monkeypatch):
    """4096 experiments; the published numbers within four standard errors, since the experiments
    are the same.
    """
    monkeypatch.setattr(
        blackbody_calibration, "_draw", lambda records: None
    )  # the picture takes most of the time
    content = registry.reproduce(registry.find("blackbody-calibration"), Task(tmp_path))
    assert (
        set(content["settings"]["experiments"].values())
        == {published("calibration")["n_experiments"]}
        == {4096}
    )
    rows = [row for row in content["comparisons"] if row["variant"] == "as published"]
    assert len(rows) == 24
    for row in rows:
        assert abs(row["ours"] - row["reference"]) < 4 * row["standard_error"], row["what"]
    # Whether a bin is overconfident is chance at 128 of them; that half of a good curve's bins are
    # would not be.
    assert all(row["standard_error"] < 0.06 for row in rows)
    exact = content["numbers"][blackbody_calibration.EXACT_LIMITS]["2^-15"]
    assert exact["picks the truly better model"] > 0.95


@pytest.mark.slow
def test_new_experiments_are_computed(tmp_path):
    content = registry.reproduce(
        registry.find("blackbody-calibration"), Task(tmp_path, experiments=8)
    )
    assert set(content["settings"]["experiments"].values()) == {8}
    committed = blackbody_records.committed("as-published")
    kept = blackbody_records.read(tmp_path / "blackbody-as-published-0.npz")
    assert (kept.probability == committed.first(8).probability).all()


@pytest.mark.parametrize("name", [pytest.param("quantiles", marks=pytest.mark.slow), "process"])
def test_quick_figures_are_written(tmp_path, name):
    content = registry.reproduce(registry.find(name), Task(tmp_path))
    stored = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    assert stored == content
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000
    for row in stored["comparisons"]:
        # Neuron recordings differ from run to run, by the rounding of a loose solver:
        # test_neuron_runs.py has their spread.
        if row["variant"] == "as published" and not row["what"].startswith("neuron"):
            error = row["standard_error"] or 2e-3 * abs(row["reference"])
            assert abs(row["ours"] - row["reference"]) < 4 * error
