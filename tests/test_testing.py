"""The conformance kit: our own laws keep it, and so does one that somebody else writes."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy.special import ndtr

import rivals
from rivals._core.losses import Provenance
from rivals.laws import Law
from rivals.testing import check_law


@dataclass(frozen=True, eq=False)
class Means:
    models: tuple
    source: Provenance
    values: np.ndarray
    n_points: int
    n_simulations: int = 0
    n_groups: int = 0


@dataclass(frozen=True, eq=False)
class Normal:
    centre: np.ndarray
    std: np.ndarray

    def below(self, value):
        return ndtr((value - self.centre) / self.std)[None]

    def bracket(self):
        return self.centre - 10 * self.std, self.centre + 10 * self.std

    def error(self, value):
        return np.zeros(self.centre.size)

    def over(self, new_groups):
        return self


@dataclass(frozen=True)
class Plain(Law):
    name: ClassVar[str] = "plain"
    summary_type: ClassVar = Means

    def summarise(self, study):
        return Means(study.names, study.source, np.stack(study.observed), study.n_points)

    def risk(self, summary):
        return summary.values.mean(axis=1)

    def differences(self, summary, setting, a, b):
        return self.normal(summary.values[a] - summary.values[b])

    def risks(self, summary, setting):
        return self.normal(summary.values)

    def normal(self, values):
        std = values.std(axis=1, ddof=1) / values.shape[1] ** 0.5
        return Normal(values.mean(axis=1), std + 1e-12)


class Rising(Plain):
    name: ClassVar[str] = "rising"

    def differences(self, summary, setting, a, b):
        found = super().differences(summary, setting, a, b)
        return Normal(found.centre + 0.01 * (b - a), found.std)


@pytest.mark.parametrize("law", [rivals.laws.Transport(), rivals.laws.Groups()], ids=str)
def test_our_laws(law):
    pytest.importorskip("jinja2")
    assert check_law(law) == 12


def test_a_law_of_somebody_else_does_everything():
    assert check_law(Plain(), n_simulations=0, report=False) == 12


def test_a_law_that_depends_on_the_order_of_models_is_found():
    with pytest.raises(AssertionError, match="order of models"):
        check_law(Rising(), n_simulations=0, report=False)


def test_every_question_obeys_looks():
    """P passes the threshold, but the confidence sequence does not allow a winner yet."""
    found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        groups = np.repeat(np.arange(16), 10)
        base = rng.exponential(size=160)
        losses = {"a": base, "b": base + 0.25 + 0.3 * rng.standard_normal(16)[groups]}
        result = rivals.compare(losses, groups=groups, looks="any", margin=0.001)
        other = result.ranking[1]
        if other in result.rejections or result.beside(result.ranking[0]).better[0] < 0.95:
            continue
        found += 1
        assert result.equivalence(0.001).outcomes == ("open",)
        assert len(result.ranks().first_tier) == 2
        assert result.beside(result.ranking[0]).outcomes.reasons == ("looks",)
    assert found > 5
