"""The model confidence set, beside paired differences; with the package arch, in
tests/recipes/test_arch.py, more of it.
"""

import json

import numpy as np
import pytest

from rivals import criteria
from rivals.criteria import ConfidenceSet, confidence_set


def losses(n=400, **means):
    y = np.random.default_rng(0).normal(size=n)
    return {name: (y - mean) ** 2 / 2 for name, mean in means.items()}


def test_the_clear_loser_is_excluded_and_equals_are_kept():
    pytest.importorskip("arch")
    found = confidence_set(losses(good=0.05, twin=0.05, near=0.0, bad=0.7), rng=0)
    assert found.included == ("good", "twin", "near")
    assert found.excluded == ("bad",)
    assert found.p_values["good"] == found.p_values["twin"] > 0.05
    assert found.p_values["bad"] < 0.01


def test_without_arch_the_extra_is_named_and_the_table_says_so(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "arch.bootstrap", None)
    with pytest.raises(
        ImportError, match=r"the model confidence set: .*'arch.*pip install \"rivals\[mcs\]\""
    ):
        confidence_set(losses(a=0.0, b=0.1))
    fitted = {
        name: criteria.Fitted(-sample, 1, test_losses=sample)
        for name, sample in losses(a=0.0, b=0.1).items()
    }
    table = criteria.table(fitted)
    assert "rivals[mcs]" in table.omitted["MCS"]
    assert table["risk"].difference[1] != 0


def test_models_with_the_same_losses_need_no_test():
    """All are the best: p = 1, whatever is resampled, and no difference."""
    found = confidence_set(losses(a=0.0, b=0.0), rng=0)
    assert found.p_values == {"a": 1.0, "b": 1.0}
    assert found.differences["b"] == (0.0, 0.0)


def test_the_text_and_the_numbers():
    found = ConfidenceSet(
        p_values={"A": 1.0, "B\n": 0.05},
        differences={"A": (0.0, 0.0), "B\n": (-3.0, 1.5)},
        criterion="elpd (LOO)",
        level=0.95,
        block=1,
        n_resamples=400,
        entropy=3,
    )
    assert found.excluded == ("B\n",)  # a p-value of 1 − level is outside
    assert "B\\n    -3 ± 1.5           0.050    no" in str(found)
    assert found.standard_error["B\n"] == pytest.approx(np.sqrt(0.05 * 0.95 / 400))
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["differences"]["B\n"] == [-3.0, 1.5]
    assert (plain["p_values"]["B\n"], plain["excluded"]) == (0.05, ["B\n"])


def test_what_is_refused():
    pair = losses(a=0.0, b=0.5)
    with pytest.raises(
        ValueError,
        match="'b' and 'a': risk: one model was scored on 399 points, the other on 400; score both",
    ):
        confidence_set(pair | {"b": pair["b"][1:]})
    with pytest.raises(ValueError, match="'a' and 'b' differ by the same amount at every point"):
        confidence_set({"a": pair["a"], "b": pair["a"] + 0.25})
    elpd = criteria.waic(np.tile(-pair["b"], (3, 1)))
    with pytest.raises(
        ValueError,
        match=r"'b' and 'a': the scores are of different criteria: got elpd \(WAIC\) and risk",
    ):
        confidence_set({"a": pair["a"], "b": elpd})
    with pytest.raises(
        ValueError, match="model 'b': AIC has no independent contribution of each data point"
    ):
        confidence_set({"a": pair["a"], "b": criteria.aic(-pair["b"], 1)})
    with pytest.raises(ValueError, match=r"model 'b': losses: 1 of 2 are infinite"):
        confidence_set({"a": [1.0, 2.0], "b": [1.0, np.inf]})
    with pytest.raises(ValueError, match="level must be a probability between 0 and 1; got 95"):
        confidence_set(pair, level=95)
    with pytest.raises(ValueError, match="block must be at most half of the 400 points"):
        confidence_set(pair, block=300)
    with pytest.raises(ValueError, match="at least two models"):
        confidence_set({"a": pair["a"]})
    with pytest.raises(ValueError, match="at least two points"):
        confidence_set({"a": [1.0], "b": [2.0]})
