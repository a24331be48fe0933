"""
How many simulations?
=====================

Install: ``pip install "rivals[plot]"``.

The mismatch between model and data is estimated from simulations, so another seed gives
another estimate. Far from the threshold this does not matter. Close to it, the verdict
may depend on the seed. ``result.stability`` warns you.
"""

import matplotlib.pyplot as plt
import numpy as np

import rivals


def detector(offset):
    """Readings with unit noise about an offset."""
    return rivals.Candidate(
        loss=lambda y: (y - offset) ** 2 / 2,
        simulate=lambda n, rng: offset + rng.standard_normal(n),
    )


readings = np.random.default_rng(0).standard_normal(400)
models = {"no offset": detector(0.0), "offset": detector(0.5)}

# %%
# One comparison, with 16 simulations of each model
# -------------------------------------------------

result = rivals.compare(models, readings, c=0.27, rng=0)
print(result)

# %%
# "stable" is the fraction of the 16 single simulations that give the same verdict on
# "offset" as all of them together. Below 90 % a rejection is undecided, and the model
# survives.
#
# Other seeds
# -----------
# We repeat the comparison with thirty seeds. With a single simulation of each model the
# probability varies widely, and the verdict with it. The spread falls as the number of
# simulations grows.


def probability_with(n_simulations, seed):
    again = rivals.compare(
        models, readings, c=0.27, n_simulations=n_simulations, rng=seed
    )
    return again.probability[0, 1]


numbers = [1, 4, 16, 64]
probability = {n: [probability_with(n, seed) for seed in range(30)] for n in numbers}

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
jitter = np.linspace(-0.15, 0.15, 30)
for place, n in enumerate(numbers):
    values = np.array(probability[n])
    rejects = values > result.threshold
    ax.scatter(place + jitter, values, c=np.where(rejects, "tab:red", "tab:blue"), s=16)
    print(f"{n:2d} simulations: {rejects.sum():2d} of 30 seeds reject, ", end="")
    print(f"standard deviation {values.std():.3f}")
ax.axhline(result.threshold, color="black", linewidth=1)
ax.set_xticks(range(len(numbers)), [f"{n}" for n in numbers])
ax.set(xlabel="simulations of each model", ylabel="P(no offset is better)")
ax.set_title("Red: this seed rejects the offset", fontsize="medium", loc="left")

# %%
# More simulations give a repeatable number, but they cannot make it certain that a
# probability so close to the threshold is on the right side of it. Report such a case as
# undecided.
