# needs: cmdstanpy>=1.2
"""Posteriors of CmdStanPy. CmdStan itself is a compiler: where it is not installed, a
stand-in generates the quantities by hand.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from rivals.read import posterior

cmdstanpy = pytest.importorskip("cmdstanpy")
pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")

PROGRAM = """
data { int<lower=0> n; vector[n] x; vector[n] y; }
parameters { real a; real b; real<lower=0> width; }
model { a ~ normal(0, 5); b ~ normal(0, 5); width ~ normal(0, 2); y ~ normal(a + b * x, width); }
generated quantities {
  vector[n] log_lik;
  vector[n] y_rep;
  for (i in 1:n) {
    log_lik[i] = normal_lpdf(y[i] | a + b * x[i], width);
    y_rep[i] = normal_rng(a + b * x[i], width);
  }
}
"""

rng = np.random.default_rng(0)
N, NEW = 60, 200
X = rng.normal(size=N + NEW)
Y = 1.0 + 2.0 * X + 0.5 * rng.normal(size=N + NEW)
HELD_OUT = {"n": NEW, "x": X[N:], "y": Y[N:]}


class Generated:
    """What `generate_quantities` returns, as far as it is used: `metadata.stan_vars` and
    `stan_variable`.
    """

    def __init__(self, values):
        self._values = values
        self.metadata = type("Metadata", (), {"stan_vars": values})

    def stan_variable(self, name):
        return self._values[name]


class StandIn(cmdstanpy.CmdStanModel):
    """The program above without a compiler."""

    def __init__(self):
        pass

    def __repr__(self):
        return "StandIn()"

    def generate_quantities(self, data=None, previous_fit=None, seed=None, **options):
        a, b, width = (previous_fit[name][:, None] for name in ("a", "b", "width"))
        law = stats.norm(a + b * data["x"], width)
        simulated = law.rvs(size=(len(a), data["n"]), random_state=seed)
        return Generated({"log_lik": law.logpdf(data["y"]), "y_rep": simulated})


def compiler_is_there():
    try:
        cmdstanpy.cmdstan_path()
    except ValueError:
        return False
    return True


@pytest.fixture(scope="module", params=["stand-in", "compiled"])
def fit(request, tmp_path_factory):
    """A model, its posterior, and the draws of a, b and width."""
    if request.param == "stand-in":
        own = np.random.default_rng(1)
        draws = {
            "a": own.normal(1, 0.1, 300),
            "b": own.normal(2, 0.1, 300),
            "width": own.gamma(100, 0.005, 300),
        }
        return StandIn(), draws, draws
    if not compiler_is_there():
        pytest.skip("CmdStan is not installed (cmdstanpy.install_cmdstan)")
    path = tmp_path_factory.mktemp("stan") / "line.stan"
    path.write_text(PROGRAM, encoding="utf-8")
    model = cmdstanpy.CmdStanModel(stan_file=path)
    data = {"n": N, "x": X[:N], "y": Y[:N]}
    found = model.sample(
        data, chains=2, iter_sampling=150, iter_warmup=200, seed=1, show_progress=False, sig_figs=18
    )
    return model, found, {name: found.stan_variable(name) for name in ("a", "b", "width")}


def densities(draws, targets):
    a, b, width = (draws[name][:, None] for name in ("a", "b", "width"))
    return stats.norm(a + b * X[N:], width).logpdf(targets)


def lpd(densities):
    return np.log(len(densities)) - logsumexp(densities, axis=0)


def test_losses_are_those_by_hand(fit):
    model, posterior_draws, draws = fit
    found = posterior(model, posterior_draws, HELD_OUT, n_simulations=2, rng=0)
    # CmdStan writes its numbers as text, by default with eight digits.
    digits = {"rtol": 0, "atol": 1e-12} if isinstance(model, StandIn) else {"rtol": 0, "atol": 1e-6}
    np.testing.assert_allclose(found.observed, lpd(densities(draws, Y[N:])), **digits)


def test_simulations_follow_the_posterior_predictive(fit):
    model, posterior_draws, draws = fit
    own = np.random.default_rng(5)
    expected = []
    for _ in range(20):
        chosen = own.integers(len(draws["a"]), size=NEW)
        y = own.normal(draws["a"][chosen] + draws["b"][chosen] * X[N:], draws["width"][chosen])
        expected.append(lpd(densities(draws, y)))
    found = posterior(model, posterior_draws, HELD_OUT, n_simulations=20, rng=3).synthetic
    assert stats.ks_2samp(found.ravel(), np.concatenate(expected)).pvalue > 1e-3


def test_seeds_repeat(fit):
    model, posterior_draws, _ = fit
    first, second, other = (
        posterior(model, posterior_draws, HELD_OUT, n_simulations=2, rng=seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.synthetic, second.synthetic)
    assert not np.array_equal(first.synthetic, other.synthetic)


def test_what_is_wrong_is_said(fit):
    model, posterior_draws, _ = fit
    with pytest.raises(ValueError, match="generates no 'log_likelihood'"):
        posterior(model, posterior_draws, HELD_OUT, variable="log_likelihood")
    with pytest.raises(ValueError, match="held_out has no 'z'"):
        posterior(model, posterior_draws, HELD_OUT, observed="z")
    with pytest.raises(TypeError, match="a mapping, the data of the program"):
        posterior(model, posterior_draws, Y)
