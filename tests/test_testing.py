"""The conformance kit: our own laws keep it, and so does one that somebody else writes."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from scipy.special import ndtr, stdtr

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


class T:
    """Student's t about centres."""

    def __init__(self, centre, std, degrees):
        self.centre, self.std, self.degrees = centre, std + 1e-12, degrees

    def below(self, value):
        return stdtr(self.degrees, (value - self.centre) / self.std)[None]

    def bracket(self):
        return self.centre - 1e4 * self.std, self.centre + 1e4 * self.std

    def error(self, value):
        return np.zeros(self.centre.size)

    def over(self, new_groups):
        return self


@dataclass(frozen=True)
class Student(Plain):
    """The paired t test, one-sided."""

    name: ClassVar[str] = "student"

    def normal(self, values):
        size = values.shape[1]
        return T(values.mean(axis=1), values.std(axis=1, ddof=1) / size**0.5, size - 1)


@dataclass(frozen=True, eq=False)
class OverTau:
    """Normal random effects; the spread between groups on a grid, its prior half normal."""

    values: np.ndarray  # pairs × groups
    noise: np.ndarray
    new_groups: float

    def grid(self):
        scale = self.values.std(axis=1, ddof=1) + 1e-9
        tau = scale[:, None] * np.linspace(0.0, 3.0, 61)
        variance = tau[..., None] ** 2 + self.noise[:, None] + 1e-18
        weight = 1.0 / variance
        mean = (weight * self.values[:, None]).sum(-1) / weight.sum(-1)
        spread = weight * (self.values[:, None] - mean[..., None]) ** 2 - np.log(weight)
        log_p = -0.5 * (spread.sum(-1) + np.log(weight.sum(-1)) + (tau / scale[:, None]) ** 2)
        p = np.exp(log_p - log_p.max(axis=1, keepdims=True))
        std = np.sqrt(1.0 / weight.sum(-1) + tau**2 / self.new_groups)
        return p / p.sum(axis=1, keepdims=True), mean, std

    def below(self, value):
        p, mean, std = self.grid()
        return (p * ndtr((value[:, None] - mean) / std)).sum(axis=1)[None]

    def bracket(self):
        _, mean, std = self.grid()
        return (mean - 40 * std).min(axis=1), (mean + 40 * std).max(axis=1)

    def error(self, value):
        return np.zeros(len(self.values))

    def over(self, new_groups):
        return replace(self, new_groups=new_groups or self.values.shape[1])


@dataclass(frozen=True)
class HalfNormal(Law):
    name: ClassVar[str] = "half normal"
    needs_groups: ClassVar[bool] = True

    def summarise(self, study):
        return rivals.GroupSummaries.of(study)

    def risk(self, summary):
        return summary.means.mean(axis=1)

    def differences(self, summary, setting, a, b):
        gaps = summary.gaps[a] - summary.gaps[b]
        return OverTau(gaps, summary.sampling(a, b), summary.n_groups)

    def risks(self, summary, setting):
        return OverTau(summary.means, summary.own_sampling, summary.n_groups)

    def to_arrays(self, summary):
        return {"json": summary.to_json()}, {}

    def from_arrays(self, models, source, plain, arrays):
        return rivals.GroupSummaries.from_json(plain["json"])


@pytest.mark.parametrize(
    ("law", "n_simulations"),
    [
        (rivals.laws.Transport(), 2),
        (rivals.laws.Groups(), 2),
        (rivals.laws.Beta(depth=4, n_draws=500), 2),
        (rivals.laws.Paper(n_draws=500), 1),
        (Student(), 0),
        (HalfNormal(), 0),
    ],
    ids=lambda each: getattr(each, "name", each),
)
def test_laws_of_ours_and_of_others(law, n_simulations):
    pytest.importorskip("jinja2")
    assert check_law(law, n_simulations=n_simulations) == 12


def test_a_law_of_another_package_is_asked_for_by_name(monkeypatch, tmp_path):
    import importlib.metadata as metadata

    entry = metadata.EntryPoint("student", f"{__name__}:Student", rivals.laws.GROUP)
    monkeypatch.setattr(metadata.EntryPoint, "load", lambda self: Student)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [entry])
    losses = {name: np.random.default_rng(i).exponential(size=50) for i, name in enumerate("ab")}
    result = rivals.compare(losses, method="student")
    assert result.method == Student()
    result.save(tmp_path / "result.npz")
    monkeypatch.delitem(Law.KNOWN, "student")  # as in a process that has not imported it
    assert str(rivals.load(tmp_path / "result.npz")) == str(result)
    with pytest.raises(ValueError, match="did you mean 'student'"):
        rivals.compare(losses, method="studnt")
    monkeypatch.setattr(metadata.EntryPoint, "load", lambda self: T)
    with pytest.raises(TypeError, match="is no subclass of"):
        rivals.compare(losses, method="student")


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
