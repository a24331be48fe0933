"""
Is a winner's winner a winner?
==============================

Install: ``pip install "rivals[plot]"``.

If A probably beats B, and B probably beats C, does A probably beat C? Not always. Dice
show when it fails, and how far it can fail. It decides whether every pair of models has
to be compared.
"""

import matplotlib.pyplot as plt
import numpy as np

import rivals

# %%
# Three dice in a circle
# ----------------------
# Take the faces of a die for six equally probable values of a risk; the lower one wins.
# Each of these three dice beats the next with probability 5/9, in a circle.

dice = {"A": [1, 1, 6, 6, 8, 8], "B": [2, 2, 4, 4, 9, 9], "C": [3, 3, 5, 5, 7, 7]}


def beats(first, second):
    """P(first < second) for two independent dice, ties counted half."""
    first, second = np.array(dice[first])[:, None], np.array(dice[second])[None]
    return np.mean(first < second) + np.mean(first == second) / 2


figure, axes = plt.subplots(3, 1, figsize=(6, 3.6), sharex=True, layout="constrained")
for ax, name, rival in zip(axes, "ABC", "BCA", strict=True):
    faces, counts = np.unique(dice[name], return_counts=True)
    ax.bar(faces, counts / 6, width=0.6)
    ax.set(ylabel=name, ylim=(0, 0.45), yticks=[])
    better = beats(name, rival)
    ax.set_title(f"{name} beats {rival} with probability {better:.3f}", loc="left")
axes[-1].set_xlabel("risk")

# %%
# How far it can go
# -----------------
# If both probabilities are b, the third, of A against C, is at least b² for any three
# independent risks, once b exceeds 0.618, one over the golden ratio. Below that a circle
# is possible: then C beats A as often. The lower curve is reached, so no better bound
# exists. Gaussian risks, as under law "transport", keep their order at any b: the third
# probability is at least the smaller of the two. Each grey point is three random dice.

golden = (1 + np.sqrt(5)) / 2
b = np.linspace(0.5, 1, 201)
lowest = np.where(b > 1 / golden, b**2, 2 - 1 / b)

rng = np.random.default_rng(0)
faces = np.argsort(rng.random((20_000, 3, 4)).reshape(20_000, 12), axis=1)
a_faces, b_faces, c_faces = faces.reshape(20_000, 3, 4).transpose(1, 0, 2)


def wins(first, second):
    return np.mean(first[:, :, None] < second[:, None, :], axis=(1, 2))


first, second = wins(a_faces, b_faces), wins(b_faces, c_faces)
third = wins(a_faces, c_faces)
equal = (first == second) & (first >= 0.5)

figure, ax = plt.subplots(figsize=(6, 4.2), layout="constrained")
jitter = rng.uniform(-0.006, 0.006, (2, equal.sum()))
ax.plot(first[equal] + jitter[0], third[equal] + jitter[1], ".", ms=2, color="0.7")
ax.plot(b, lowest, label="lowest for any independent risks")
ax.plot(b, b, "--", label="lowest for Gaussian risks")
ax.axvline(1 / golden, color="0.5", lw=0.8)
ax.text(1 / golden, 0.02, " 1/golden ratio", color="0.3")
ax.set(xlabel="P(A beats B) = P(B beats C) = b", ylabel="P(A beats C)")
ax.legend(loc="lower right")

# %%
# What it means for models
# ------------------------
# Under law "beta" the risks are independent, and the bound holds: with a threshold of
# 0.95, what is beaten with more than √0.95 = 0.975 by a model that is itself beaten with
# more than 0.975 need not be compared with the winner. Here are three Gaussian models at
# growing distance from the data.


def gaussian(mean):
    return rivals.Candidate(
        loss=lambda y: (y - mean) ** 2 / 2,
        simulate=lambda n, rng: mean + rng.standard_normal(n),
    )


data = np.random.default_rng(3).standard_normal(1000)
models = {"A": gaussian(0), "B": gaussian(0.4), "C": gaussian(0.7)}
result = rivals.compare(models, data, law="beta", c=2**-4, rng=0)
ab, bc, ac = result.probability[[0, 1, 0], [1, 2, 2]]
print(f"P(A beats C) = {ac:.3f}, at least {ab:.3f} × {bc:.3f} = {ab * bc:.3f}")

# %%
# The bound is all there is: no formula gives the third probability from the other two.
# Bayes factors differ in this. A over B times B over C is A over C, because each model
# has one number, its evidence. A distribution of the risk has a width as well, and odds
# do not multiply:

product = ab / (1 - ab) * bc / (1 - bc)
print(f"odds of A over C: {ac / (1 - ac):.0f}; product of the other two: {product:.0f}")
