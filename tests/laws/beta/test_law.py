"""Laws "beta" and "paper": their numbers never change; draws against exact moments; limits."""

import numpy as np
import pytest

import rivals
from rivals import HierarchicalBetaProcess, Losses
from rivals.laws import Beta
from rivals.laws.beta import MOST_DRAWS, tied_fraction
from samples import make_losses


def sample(seed, n=400):
    """Losses of four kinds."""
    rng = np.random.default_rng(seed)
    return {
        "exponential": tuple(rng.exponential(1.0, (2, n))),
        "lognormal": (rng.lognormal(0, 1.0, n), rng.lognormal(0, 1.1, n)),
        "student": (rng.standard_t(3, n), rng.standard_t(4, n)),
        "rounded": tuple(np.round(rng.normal(0.2, 1.0, (2, n)), 1)),
    }


# P of every pair, as release 914c3b2 gave them. They are counts of draws: no last digit of a draw,
# which processors may round differently, changes them.
# fmt: off
STORED = {
    ("beta", 1.0, 1): [
        ["0x1.de418cb614b2dp-1", "0x1.cccd0c2e3b64dp-2", "0x1.428a3814a2f58p-3"],
        ["0x1.6b62218d00a57p-2", "0x1.4b090266b2d46p-6"],
        ["0x1.066135bcd9e0dp-1"],
    ],
    ("beta", 0.0625, 2): [
        ["0x1.fffd7fab6a34ep-1", "0x1.6e20ddc619546p-4", "0x0.0p+0"],
        ["0x1.0264e48626f61p-7", "0x0.0p+0"],
        ["0x1.43dbba0b41055p-1"],
    ],
    ("beta", 8.0, 3): [
        ["0x1.9c5e9415fbd2fp-1", "0x1.e3198f948cd28p-2", "0x1.885fd56a89b1ep-2"],
        ["0x1.9b676a7264a17p-2", "0x1.a71560a278952p-3"],
        ["0x1.ffd5f138bcdffp-2"],
    ],
    ("paper", 1.0, 4): [
        ["0x1.86587bce0670dp-1", "0x1.62849791f8eb2p-2", "0x1.0fa5941a2d90dp-3"],
        ["0x1.f406873276ec2p-3", "0x1.b357fccf82422p-5"],
        ["0x1.134da75eadf36p-1"],
    ],
}
PROCESS = [
    "0x1.48dd8ebb1c58fp+1",
    "0x1.a47a4d3f851b7p+0",
    "0x1.0e4229cbaf3bcp+2",
    "0x1.35a2d2a0c48fcp+0",
    "0x1.ad68604a7efb8p+1",
    "0x1.1275810437e79p-1",
    "0x1.77da62e190603p+1",
    "0x1.af139b82b5e50p-5",
    "0x1.275c6efcb291ap-1",
    "0x1.ec64f8845cc60p-1",
    "0x1.8802ba4f07da2p+0",
    "0x1.0e1ce3afe7cb2p+1",
    "0x1.4cf9e664a8ad3p+1",
    "0x1.b4a21e130de3fp+1",
    "0x1.4fc8f624186eep+3",
    "0x1.e18938ffdd437p+5",
]
# fmt: on


@pytest.mark.parametrize(("law", "c", "seed"), STORED)
@pytest.mark.filterwarnings("ignore::rivals.RivalsWarning")
def test_with_one_simulation_p_never_changes(law, c, seed):
    found = rivals.compare(sample(seed), method=law, c=c, n_simulations=1, rng=seed).probability
    for place, row in enumerate(STORED[law, c, seed]):
        expected = [float.fromhex(each) for each in row]
        assert found[place, place + 1 :].tolist() == expected
        assert found[place + 1 :, place].tolist() == [1.0 - each for each in expected]


def test_nor_does_the_process():
    """Up to a few last digits, which differ between mathematical libraries."""
    process = HierarchicalBetaProcess.from_losses(Losses(*sample(6)["lognormal"]), c=0.25)
    found = [
        process.risk_mean,
        process.risk_std,
        *process.sample_risk(5, rng=6),
        *process.sample_paths(1, depth=3, rng=6)[1][0],
    ]
    np.testing.assert_allclose(found, [float.fromhex(each) for each in PROCESS], rtol=1e-12)


def test_p_is_that_of_the_moments_for_nearly_normal_risks():
    """Risks of many light losses are nearly normal; 12 000 draws of each: ± 0.0046."""
    losses = {"a": make_losses("gaussian", 1000, 0), "b": make_losses("gaussian", 1000, 5)}
    result = rivals.compare(losses, method="beta", c=0.1, rng=0)
    processes = [
        HierarchicalBetaProcess.from_losses(each, c=0.1, reference=result.summary.reference)
        for each in losses.values()
    ]
    gap = processes[1].risk_mean - processes[0].risk_mean
    score = gap / np.hypot(processes[0].risk_std, processes[1].risk_std)
    normal = 0.5 * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (score + 0.044715 * score**3)))
    # 4.5 standard errors, and what the law differs from a normal one.
    assert result.probability[0, 1] == pytest.approx(normal, abs=4.5 * 0.0046 + 0.02)


def test_an_interval_is_of_the_draws():
    result = rivals.compare(sample(7), method=Beta(n_draws=2000), rng=1)
    low, high = result._decided.reduced.risk_interval(result.setting)
    law = result.method.risks(result.summary, result.setting)
    np.testing.assert_allclose(law.below(low)[0], 0.05, atol=2e-3)
    np.testing.assert_allclose(law.below(high)[0], 0.95, atol=2e-3)
    others = np.array([1, 2])
    low, high = result._decided.reduced.interval(result.setting, others, np.zeros(2, int))
    beside = result.method.differences(result.summary, result.setting, others, np.zeros(2, int))
    np.testing.assert_allclose(beside.below(low)[0], 0.05, atol=1e-4)
    np.testing.assert_allclose(beside.below(high)[0], 0.95, atol=1e-4)


def test_ties_are_noted():
    losses = {
        "a": (np.repeat([0.0, 1.0], 100), np.repeat([0.0, 1.0], 100)),
        "b": sample(1, 200)["student"],
    }
    result = rivals.compare(losses, method="beta", rng=0)
    assert [note.code for note in result.notes] == ["ties"]
    assert tied_fraction(np.arange(50.0)) == 0.0
    assert tied_fraction(np.zeros(50)) == 1.0


def test_the_law_paper_is_one_simulation_of_eight_refinements():
    losses = sample(3)
    paper = rivals.compare(losses, method="paper", rng=1)
    same = rivals.compare(losses, method=Beta(depth=8), rng=1)
    np.testing.assert_array_equal(paper.probability, same.probability)
    assert paper.c == 1.0
    several = {name: (x, np.stack([s, s + 0.1])) for name, (x, s) in losses.items()}
    with pytest.raises(ValueError, match="one simulation of each model; got 2"):
        rivals.compare(several, method="paper")


@pytest.mark.parametrize(
    "options",
    [{"n_draws": 1}, {"n_draws": MOST_DRAWS + 1}, {"n_draws": 10**11}, {"depth": 25}, {"depth": 0}],
)
def test_numbers_of_draws_and_levels_have_limits(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        Beta(**options)
