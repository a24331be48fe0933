"""Scripts written for emdcmp run: its names, its order of arguments, its results."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import ndtr

import rivals
import rivals.emdcmp as emd
from rivals import HierarchicalBetaProcess, QuantileFunction


@pytest.fixture
def ppfs():
    """As in the README of emdcmp: losses of two models, on data and on their simulations."""
    rng = np.random.default_rng(0)
    data = rng.normal(0.2, 1.0, 1000)

    def loss(y, width):
        return np.log(width) + (y / width) ** 2 / 2

    return [
        emd.make_empirical_risk_ppf(each)
        for each in (
            loss(data, 1.0),
            loss(data, 1.3),
            loss(rng.standard_normal(1000), 1.0),
            loss(1.3 * rng.standard_normal(1000), 1.3),
        )
    ]


def test_a_ppf_goes_through_the_sorted_samples():
    ppf = emd.make_empirical_risk_ppf([3.0, 1.0, 2.0])
    assert ppf([0.25, 0.5, 0.75]) == pytest.approx([1.0, 2.0, 3.0])
    assert ppf([0.0, 1.0]) == pytest.approx([0.0, 4.0])
    with pytest.raises(ValueError, match="two numbers"):
        emd.make_empirical_risk_ppf([[1.0, 2.0]])


def test_draws_have_the_law_of_the_process(ppfs):
    exact = HierarchicalBetaProcess(ppfs[0], ppfs[2], c=0.25, depth=8)
    draws = emd.draw_R_samples(ppfs[0], ppfs[2], 0.25, M=4000, rng=0)
    assert draws.shape == (4000,)
    # Simpson's rule takes the last steps of a path a little otherwise than straight pieces do.
    assert draws.mean() == pytest.approx(exact.risk_mean, abs=0.1 * exact.risk_std)
    assert draws.std() == pytest.approx(exact.risk_std, rel=0.1)


def test_any_callable_is_a_ppf():
    """R of a path through two straight ends: q* = Φ, δ = 0.1 everywhere."""
    a = emd.draw_R_samples(lambda p: p, lambda p: p + 0.1, 1e-6, M=500, rng=0)
    assert a.mean() == pytest.approx(0.5, abs=1e-4)
    assert a.std() < 2e-4


def test_b_is_that_of_the_library(ppfs):
    c = 2.0**-2
    b = emd.Bemd(*ppfs, c, M=8000, rng=0)
    laws = [
        HierarchicalBetaProcess(*pair, c=c, depth=7)
        for pair in ((ppfs[0], ppfs[2]), (ppfs[1], ppfs[3]))
    ]
    risks = [law.sample_risk(20_000, rng) for rng, law in enumerate(laws)]
    expected = np.mean(np.searchsorted(np.sort(risks[0]), risks[1])) / 20_000
    # Beside errors of 8 000 and 20 000 draws, Simpson's rule.
    assert b == pytest.approx(expected, abs=0.03)
    assert b == emd.Bemd(*ppfs, c, M=8000, rng=0)
    assert 1 - emd.Bemd(ppfs[1], ppfs[0], ppfs[3], ppfs[2], c, M=8000, rng=1) == pytest.approx(
        b, abs=0.02
    )


def test_a_model_that_is_too_good_does_not_lose_in_a_limit():
    """A misfit of next to nothing against one of 0.1: B follows the risks, which differ by .05."""
    q = QuantileFunction(np.random.default_rng(0).exponential(size=500))
    b = emd.Bemd(
        q, lambda p: q(p) + 0.05, lambda p: q(p) + 1e-9, lambda p: q(p) + 0.06, 2.0**-4, rng=0
    )
    assert b > 0.99


def test_parameters_of_emdcmp_are_taken_and_others_are_not(ppfs):
    emd.Bemd(*ppfs, c=1.0, progbarA=None, progbarB=None, use_multiprocessing=False, rng=0)
    emd.draw_R_samples(*ppfs[::2], c=1.0, max_M=64, relstderr_tol=0.1, rng=0)
    with pytest.raises(TypeError, match="no parameter 'n_paths'"):
        emd.Bemd(*ppfs, c=1.0, n_paths=3)
    with pytest.raises(TypeError, match="must be a function"):
        emd.draw_R_samples([1.0, 2.0], ppfs[2], 1.0)
    with pytest.raises(ValueError, match="never fall"):
        emd.draw_R_samples(lambda p: -p, ppfs[2], 1.0)


@dataclass(frozen=True)
class Offsets(emd.EpistemicDist):
    """Data about a mean that varies; candidates at −0.2 and 0.2."""

    spread: float = 0.3

    def __iter__(self):
        for n in range(self.N):
            rng = np.random.default_rng(n)
            mean = rng.normal(0, self.spread)

            def candidate(at, rng=rng):
                return lambda data: at + rng.standard_normal(data.size)

            def loss(at):
                return lambda data: (data - at) ** 2 / 2

            yield emd.Experiment(
                lambda L, mean=mean, rng=rng: mean + rng.standard_normal(L),
                candidate(-0.2),
                candidate(0.2),
                loss(-0.2),
                loss(0.2),
            )


def test_a_calibration_runs_and_is_drawn():
    task = emd.Calibrate(
        reason="test", c_list=[2.0**-4, 1.0], experiments=Offsets(40), Ldata=200, Linf=20_000, rng=0
    )
    output = task.run()
    assert len(output.Bemd) == 80
    results = task.unpack_results(output)
    means = [np.random.default_rng(n).normal(0, 0.3) for n in range(40)]
    # 20 000 points tell a mean of .03 from 0 in all but rare cases.
    clear = np.abs(means) > 0.03
    assert np.array_equal(results[1.0]["Bconf"][clear], (np.array(means) < 0)[clear])
    # B rises with how far the first model is ahead.
    assert np.corrcoef(results[1.0]["Bemd"], ndtr(-np.array(means) / 0.1))[0, 1] > 0.8
    again = emd.Calibrate(c_list=[1.0], experiments=Offsets(40), Ldata=200, Linf=20_000, rng=0)
    assert np.array_equal(again.unpack_results(again.run())[1.0]["Bemd"], results[1.0]["Bemd"])
    calibration = task.calibration(output)
    assert isinstance(calibration, rivals.Calibration)
    assert calibration.n_experiments == 40
    pytest.importorskip("matplotlib")
    ax = emd.calibration_plot(results, target_bin_size=10)
    lines = [line for line in ax.get_lines() if line.get_label().startswith("c = ")]
    assert [len(line.get_xdata()) for line in lines] == [4, 4]


def test_a_distribution_is_of_any_length():
    assert len(Offsets(3).generate(7)) == 7
    assert len(list(Offsets(3))) == 3
    with pytest.raises(TypeError, match="abstract"):
        emd.EpistemicDist(3)
    task = emd.Calibrate(c_list=[1.0], experiments=Offsets(2), Ldata=50, Linf=100, rng=0)
    with pytest.raises(ValueError, match="of another task"):
        task.unpack_results(emd.CalibrateOutput([0.5], [True, False]))
