"""
Sites that share no data: a meta-analysis of models
===================================================

Install: ``pip install "rivals[plot,table]"``.

Ten hospitals each compared a new risk score with the present one, and may publish no data on
patients: only the difference of the mean losses, and its standard error. That is all the method
needs.
"""

import matplotlib.pyplot as plt
import pandas as pd

import rivals

estimates = {  # difference of the mean losses, and its standard error
    "Aarhus": (0.031, 0.011),
    "Bern": (0.012, 0.009),
    "Cork": (0.045, 0.020),
    "Dresden": (-0.008, 0.012),
    "Évora": (0.027, 0.008),
    "Faro": (0.019, 0.015),
    "Gent": (0.052, 0.024),
    "Halle": (0.004, 0.010),
    "Innsbruck": (0.038, 0.013),
    "Jena": (0.022, 0.007),
}
published = pd.DataFrame(estimates.values(), columns=["difference", "standard error"])
published["hospital"] = list(estimates)
summaries = rivals.read.summaries(
    published,
    groups="hospital",
    models=["present score", "new score"],
    estimate="difference",
    error="standard error",
    loss_name="negative log probability",
    unit="nats",
    left_out=False,
)
result = rivals.compare(summaries)
print(result)

# %%
# As in a meta-analysis
# ---------------------
# Each hospital with its own error, the spread τ between hospitals, and what follows for one
# new hospital (the prediction interval), for ten, and for all.

figure, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
rivals.plots.plot_forest(result, ax=ax)

# %%

print(result.details())
