"""A law of one's own: one class and one line in the list take it through everything, with no other
change.
"""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy.special import ndtr

import rivals
from rivals import laws
from rivals.laws import Applied, Law
from rivals.plots import plot_intervals, plot_probability, plot_quantiles, plot_risks, plot_sweep
from rivals.testbeds import toys


@dataclass(frozen=True)
class Wide(Law):
    """R ~ N(mean loss, c · Var(loss)): a replication moves the risk by a part of the spread of the
    losses.
    """

    factor: float = 1.0

    name: ClassVar[str] = "wide"
    default_c: ClassVar[float] = 0.5
    grid: ClassVar[tuple[float, ...]] = (0.125, 0.5, 2.0)
    needs_simulations: ClassVar[bool] = False

    def apply(self, losses, setting, summaries=None):
        return WideRisks(self, losses, setting, summaries)


class WideRisks(Applied):
    @property
    def risk_mean(self):
        return self.reference + self.empirical

    @property
    def risk_std(self):
        spread = np.array([np.std(sample.observed) for sample in self.losses])
        return self.law.factor * np.sqrt(self.setting.c) * spread

    def matrix(self):
        gap = self.empirical[None, :] - self.empirical[:, None]
        probability = ndtr(gap / np.hypot(self.risk_std[None, :], self.risk_std[:, None]))
        return probability, np.zeros_like(probability)


@pytest.fixture(autouse=True)
def listed(monkeypatch):
    monkeypatch.setitem(laws.LAWS, Wide.name, Wide)


@pytest.fixture
def result():
    return rivals.compare(toys.losses(), law="wide", rng=0)


def test_compare_print_and_json(result):
    assert (result.law, result.c) == ("wide", 0.5)
    assert "law 'wide', c = 0.5" in str(result)
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert content["law"] == "wide"
    assert result.risks["A"].std() == pytest.approx(result.risk_std["A"], rel=0.05)
    assert "wide" in result._repr_html_()


def test_options(result):
    wider = rivals.compare(toys.losses(), law=Wide(factor=10.0), rng=0)
    assert wider.risk_std["A"] == pytest.approx(10.0 * result.risk_std["A"])
    assert wider.to_dict()["options"] == {"factor": 10.0}


def test_sweep(result):
    assert result.sweep().c == Wide.grid
    assert (np.diff(result.sweep([0.1, 1.0, 10.0]).probability[:, 0, 1]) < 0.0).all()


def test_save_and_load(tmp_path):
    result = rivals.compare(toys.losses(), law=Wide(factor=3.0), rng=0)
    result.save(tmp_path / "x.npz")
    again = rivals.load(tmp_path / "x.npz")
    np.testing.assert_array_equal(again.probability, result.probability)
    assert again.applied.law == Wide(factor=3.0)


def test_page(result, tmp_path):
    pytest.importorskip("jinja2")
    result.report(tmp_path / "page.html")
    assert "law=&#39;wide&#39;" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_plots(result):
    pytest.importorskip("matplotlib")
    for plot in (plot_risks, plot_intervals, plot_probability):
        assert plot(result).figure
    assert plot_quantiles(result, "A").figure
    assert plot_sweep(result.sweep()).figure


def test_calibrate():
    sizes = {"n_data": 60, "n_experiments": 64, "n_truth": 500, "n_simulations": 1}
    calibration = rivals.calibrate(
        toys.omega, law="wide", **sizes, rng=0, executor=0, progress=False
    )
    assert (calibration.law, calibration.c) == ("wide", Wide.grid)
    plain = rivals.calibrate(toys.omega, c=Wide.grid, **sizes, rng=0, executor=0, progress=False)
    assert not np.array_equal(calibration.records["probability"], plain.records["probability"])


def test_command_line(tmp_path, capsys, monkeypatch):
    pytest.importorskip("typer")
    from rivals.cli import main

    for kind, part in (("observed", 0), ("synthetic", 1)):
        columns = np.array([pair[part] for pair in toys.losses().values()]).T
        np.savetxt(tmp_path / f"{kind}.csv", columns, delimiter=",", header="A,B", comments="")
    files = [str(tmp_path / f"{kind}.csv") for kind in ("observed", "synthetic")]
    monkeypatch.setattr("sys.argv", ["rivals", "compare", *files, "--law", "wide", "--json"])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 0
    assert json.loads(capsys.readouterr().out)["law"] == "wide"


@dataclass(frozen=True)
class Bare(Law):
    """No more than a law must have: it has no c."""

    name: ClassVar[str] = "bare"

    def apply(self, losses, setting, summaries=None):
        return BareRisks(self, losses, setting, summaries)


class BareRisks(WideRisks):
    @property
    def risk_std(self):
        return np.array(
            [np.std(sample.observed) / np.sqrt(sample.n_observed) for sample in self.losses]
        )


def test_a_law_without_c_says_so_and_not_that_it_has_groups():
    result = rivals.compare(toys.losses(), law=Bare(), rng=0)
    assert np.isnan(result.c)
    assert result.survivors == ("A",)
    for ask in (result.sweep, lambda: result.sweep([1.0])):
        with pytest.raises(
            ValueError,
            match=r"^law 'bare' has no c to sweep over; compare under a law that has one$",
        ):
            ask()
    with pytest.raises(
        ValueError,
        match=r"law 'bare' has no c here: got c = 0.5; leave c out, or compare under a law",
    ):
        rivals.compare(toys.losses(), law=Bare(), c=0.5)
    with pytest.raises(ValueError, match="law 'bare' is not calibrated: it has no c"):
        rivals.calibrate(
            toys.omega, law=Bare(), n_data=50, n_experiments=1, executor=0, progress=False
        )
