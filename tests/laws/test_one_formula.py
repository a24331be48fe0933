"""There is one formula: what compares, sweeps, calibrates and draws the page gives one number at
every scale, or refuses.
"""

import numpy as np
import pytest

import rivals
from rivals.calibration import ExperimentLosses
from rivals.report.runs import runs_over_c


def samples(scale, seed=0):
    rng = np.random.default_rng(seed)
    observed = np.stack([rng.exponential(size=200), 1.15 * rng.exponential(size=200)])
    return scale * observed, scale * rng.exponential(size=(2, 4, 200))


class Given:
    """Experiments whose losses are these."""

    def __init__(self, scale):
        self.scale = scale

    def batch(self, indices, rng_of):
        observed, synthetic = samples(self.scale)
        return [ExperimentLosses(observed, synthetic, observed) for _ in indices]


@pytest.mark.parametrize("scale", [1e-300, 1e-170, 1e-20, 1.0, 1e20, 1e160, 1e295])
@pytest.mark.parametrize("c", [0.1, 2.0])
def test_one_number_at_every_scale(scale, c):
    observed, synthetic = samples(scale)
    losses = {"A": (observed[0], synthetic[0]), "B": (observed[1], synthetic[1])}
    plain = rivals.compare(
        dict(zip("AB", zip(*samples(1.0), strict=True), strict=True)), c=c, rng=0
    )
    result = rivals.compare(losses, c=1.0, rng=0)
    by_compare = rivals.compare(losses, c=c, rng=0).probability[0, 1]
    by_sweep = result.sweep([c]).probability[0, 0, 1]
    by_page = next(
        run for run in runs_over_c(result, [0.95], [c]) if run.applied.setting.c == c
    ).probability[0, 1]
    sizes = {"n_data": 200, "n_truth": 200, "n_simulations": 4, "n_experiments": 2}
    study = rivals.calibrate(Given(scale), c=[c], **sizes, rng=0, executor=0, progress=False)
    assert by_compare == by_sweep == by_page == study.records["probability"][0]
    assert by_compare == pytest.approx(plain.probability[0, 1], rel=1e-9)


@pytest.mark.parametrize("scale", [1e-273, 1e-190, 1e160, 1e251])
@pytest.mark.parametrize("groups", [None, np.arange(60) % 3], ids=["transport", "groups"])
def test_the_distance_decides_the_scale_where_the_observed_losses_do_not(scale, groups):
    """Constant losses have no spread: squares of the distances alone would overflow, or vanish
    without a word.
    """
    rng = np.random.default_rng(0)
    drawn = rng.exponential(size=(2, 4, 60))

    def compare(scale):
        losses = {
            name: (np.full(60, mean * scale), scale * each)
            for name, mean, each in zip("AB", (1.0, 1.5), drawn, strict=True)
        }
        if groups is not None:  # that differ between groups, as law "groups" needs
            losses["B"] = (losses["B"][0] + 0.1 * scale * groups, losses["B"][1])
        return rivals.compare(losses, groups=groups, rng=0).probability[0, 1]

    assert 0.5 < compare(1.0) < 0.999
    assert compare(scale) == pytest.approx(compare(1.0), rel=1e-9)


def test_what_overflows_is_refused_in_one_sentence():
    observed, synthetic = samples(1e299)
    losses = {
        "A": (observed[0], 1e-299 * synthetic[0]),
        "B": (1e-299 * observed[1], 1e-299 * synthetic[1]),
    }
    for run in (
        lambda: rivals.compare(losses, c=1.0, rng=0),
        lambda: rivals.compare(losses, c=1e-3, rng=0).sweep([1.0]),
    ):
        with pytest.raises(ValueError, match="rescale the loss"):
            run().probability  # noqa: B018
