"""A process from functions, arrays and losses; which desiderata it keeps."""

import numpy as np
import pytest

import rivals
from rivals import HierarchicalBetaProcess, Losses, TransportLaw
from rivals.laws import Process, process
from rivals.testing import check_process


def q(phi):
    return 2.0 + phi**2


def delta(phi):
    return 0.05 + 0.1 * phi


PHI = np.linspace(0.0, 1.0, 2**14 + 1)


class GammaWalk(Process):
    """Independent rises from Φ = 0 on: what the paper calls accumulating."""

    def sample_paths(self, n_paths, depth=8, rng=None):
        rng = np.random.default_rng(rng)
        phi = np.linspace(0, 1, 2**depth + 1)
        rise = np.diff(self.q(phi))
        variance = self.c * self.delta(0.5 * (phi[1:] + phi[:-1])) ** 2 / rise.size
        steps = rng.gamma(rise**2 / variance, variance / rise, (n_paths, rise.size))
        noise = rng.standard_normal((n_paths, 1))
        first = self.q(0.0) + np.sqrt(self.c) * self.delta(0.0) * noise
        return phi, np.hstack([first, first + np.cumsum(steps, axis=1)])


@pytest.fixture
def losses():
    rng = np.random.default_rng(3)
    return Losses(5.0 + rng.exponential(size=700), 5.0 + rng.exponential(1.2, size=700))


@pytest.mark.parametrize("depth", [None, 8])
def test_losses_give_the_beta_process_to_the_last_bit(losses, depth):
    known = HierarchicalBetaProcess.from_losses(losses, 0.5, depth)
    made = process(losses, c=0.5, depth=depth)
    assert (made.risk_mean, made.risk_std) == (known.risk_mean, known.risk_std)
    assert np.array_equal(made.sample_risk(100, 1), known.sample_risk(100, 1))
    assert np.array_equal(made.sample_paths(3, 6, 1)[1], known.sample_paths(3, 6, 1)[1])


def test_losses_give_the_law_of_transport(losses):
    assert process(losses, c=0.5, kind="transport") == TransportLaw.from_losses(losses, 0.5)


def test_functions_through_the_losses_give_the_same_process(losses):
    """q* and q~ − q* as functions: read at 16 385 places, where the losses have 702."""
    known = HierarchicalBetaProcess.from_losses(losses, 0.5, 8)
    made = process(known.q, known.delta, 0.5, depth=8)
    assert made.risk_mean == pytest.approx(known.risk_mean, abs=1e-3 * known.risk_std)
    assert made.risk_std == pytest.approx(known.risk_std, rel=1e-3)


@pytest.mark.parametrize("kind", ["beta", "transport", GammaWalk])
def test_values_and_functions_are_the_same(kind):
    of_functions = process(q, delta, 0.25, kind=kind)
    of_values = process(q(PHI), delta(PHI), 0.25, kind=kind)
    assert of_functions.risk_mean == of_values.risk_mean
    assert np.array_equal(of_functions.sample_risk(50, 2), of_values.sample_risk(50, 2))


@pytest.mark.parametrize("kind", ["beta", "transport", GammaWalk])
def test_all_is_in_the_unit_of_the_loss(kind, losses):
    """q, paths and risks lie at the losses; the mean of the paths integrates to that of the
    risk.
    """
    for made in (process(q, delta, 0.01, kind=kind), process(losses, c=0.01, kind=kind)):
        phi, paths = made.sample_paths(4000, 10, 0)
        # A path that follows q* is as far from it as its own spread and chance allow.
        assert np.abs(np.median(paths, axis=0)[8:-8] - made.q(phi)[8:-8]).max() < 0.1
        assert made.q(0.5) == pytest.approx(np.median(paths[:, phi.size // 2]), abs=0.05)
        risks = np.mean(0.5 * (paths[:, 1:] + paths[:, :-1]), axis=1)
        # Straight pieces between 1 025 places add less than a hundredth of the unit.
        assert risks.mean() == pytest.approx(
            made.risk_mean, abs=5 * made.risk_std / np.sqrt(4000) + 0.01
        )


def test_transport_from_functions_is_in_closed_form():
    made = process(q, delta, 0.25, kind="transport")
    assert made.risk_mean == pytest.approx(2 + 1 / 3, abs=1e-8)
    assert made.risk_std == pytest.approx(0.5 * 0.1, abs=1e-8)


def test_ends_of_ones_own():
    def ends(n, rng):
        first = 2.0 + 0.3 * rng.random(n)
        return first, first + 1.0

    made = process(q, delta, 0.01, ends=ends)
    paths = made.sample_paths(5000, 6, 0)[1]
    assert np.allclose(paths[:, -1] - paths[:, 0], 1.0)
    assert paths[:, 0].min() >= 2.0
    assert paths[:, 0].max() <= 2.3
    draws = made.sample_risk(20_000, 0)
    # The moments are those of 65 536 pairs, the draws pick 20 000 among them.
    assert draws.mean() == pytest.approx(made.risk_mean, abs=5 * made.risk_std / np.sqrt(20_000))
    assert draws.std() == pytest.approx(made.risk_std, rel=0.03)
    assert made.at(4.0).sample_paths(100, 2, 0)[1][:, -1].max() <= 3.3


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"q": lambda phi: 1 - phi}, "q falls at Φ = 0, from 1 to"),
        ({"q": [0, 2, 1, 3]}, "q falls at Φ = 0.3333, from 2 to 1"),
        ({"delta": lambda phi: phi - 0.5}, "delta is -0.5 at Φ = 0"),
        ({"q": [0.0, 1.0, 2.0], "delta": [0.1, 0.2]}, "q has 3 values and delta 2"),
        ({"q": lambda phi: -np.log1p(-phi)}, "q is inf at Φ = 1"),
        ({"q": lambda phi: phi[:-1]}, "must return one for each"),
        ({"q": "losses"}, "must be a function of Φ, or numbers"),
        ({"delta": None}, "delta is missing"),
        ({"c": 0.0}, "c must be"),
        ({"kind": "gamma"}, "must be 'beta', 'transport' or a class"),
        ({"kind": "transport", "ends": lambda n, rng: (0, 1)}, "ends= is of the beta process"),
        ({"ends": lambda n, rng: (rng.random(n), rng.random(n))}, "ends cross"),
        ({"ends": lambda n, rng: rng.random(n)}, "must return two arrays"),
        ({"q": Losses([1.0, 2.0], [1.0, 2.0])}, "leave delta= and ends= out"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_is_refused(given, says):
    with pytest.raises((ValueError, TypeError), match=says):
        process(**{"q": q, "delta": delta, "c": 0.25, **given})


def broken(checked):
    return {name for name, kept in checked.kept.items() if not kept}


def test_desiderata_of_the_processes_that_are_known():
    """As theory.md says; and a gamma walk accumulates."""
    assert broken(check_process("beta")) == {"centred", "variance c δ²", "unit of the loss"}
    assert broken(check_process("transport")) == set()
    assert broken(check_process(GammaWalk)) == {"non-accumulating", "variance c δ²"}


def test_a_path_that_falls_is_found():
    class Falls(Process):
        def sample_paths(self, n_paths, depth=8, rng=None):
            phi = np.linspace(0, 1, 2**depth + 1)
            noise = np.random.default_rng(rng).standard_normal((n_paths, phi.size))
            return phi, self.q(phi) + np.sqrt(self.c) * self.delta(phi) * noise

    checked = check_process(Falls)
    assert "monotone" in broken(checked)
    assert str(checked).splitlines()[0].startswith("broken  monotone")


def test_the_page_of_a_process_is_drawn():
    pytest.importorskip("matplotlib")
    ax = rivals.plots.plot_quantiles(process(q, delta, 0.25))
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["q* ± √c δ", "sampled paths", "q*"]
