"""The neuron example: its candidates in both variants, and the table made of them."""

import json

import numpy as np
import pytest

from rivals_paper import registry
from rivals_paper.neuron_example import draw_risks, example_noise, fit_as_published, fit_corrected
from rivals_paper.output import AS_PUBLISHED, CORRECTED, Task


@pytest.mark.slow
def test_example_as_published_and_corrected():
    noise = example_noise()
    assert noise.shape == (4000,)
    assert np.std(noise) == pytest.approx(2.0, rel=0.05)
    as_published = fit_as_published()
    corrected = fit_corrected(np.random.default_rng(0))
    # A and B below C and D in both; with its input the cell that made the data is far below. As published, rounding errors grow
    # to millivolts, so that risks differ between versions of NumPy, by 0.02: more than half of what A and B differ by.
    for found in (as_published, corrected):
        risks = {label: each.losses.empirical_risk for label, each in found.items()}
        assert max(risks["A"], risks["B"]) < min(risks["C"], risks["D"])
    assert corrected["B"].losses.empirical_risk < corrected["A"].losses.empirical_risk
    assert corrected["LP 1"].losses.empirical_risk < 2.3
    assert as_published["A"].losses.n_synthetic == 12_000
    assert corrected["A"].losses.n_synthetic == 4000
    for variant, found in ((AS_PUBLISHED, as_published), (CORRECTED, corrected)):
        draws = draw_risks({"A": found["A"]}, variant, 2**-6, 500, np.random.default_rng(0))["A"]
        # At small c the risk distribution is narrow and lies near the empirical risk.
        assert draws.mean() == pytest.approx(found["A"].losses.empirical_risk, abs=0.3)


@pytest.mark.slow
def test_table_writes_numbers_that_are_near_the_published_ones(tmp_path):
    content = registry.reproduce(registry.find("neuron-table"), Task(tmp_path, experiments=3))
    assert (tmp_path / "neuron-table.png").stat().st_size > 10_000
    assert json.loads((tmp_path / "neuron-table.json").read_text(encoding="utf-8")) == content
    rows = [row for row in content["comparisons"] if row["variant"] == AS_PUBLISHED]
    assert len(rows) == 6
    # One run spreads by 0.04 to 0.07, the mean of three and the published one by 1.15 times that.
    assert all(abs(row["ours"] - row["published"]) < 0.25 for row in rows)
