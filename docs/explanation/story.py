"""The study of "Why the winner of cross-validation often fails to replicate", simulated.

Two models of pupils in ten schools. In each school the difference of their mean losses is its own;
in the mean over all schools model A is better by 0.02 nats. Each picture of that page is a
function here.
"""

import matplotlib.pyplot as plt
import numpy as np

import rivals

MEAN = -0.02  # of A less B, over all schools
BETWEEN = 0.10  # standard deviation between schools
WITHIN = 0.40  # between pupils of a school
SCHOOLS, PUPILS = 10, 60
BLUE, ORANGE, GREY = "#2a5d8f", "#c2691c", "#777777"


def studies(number, schools=SCHOOLS, seed=1, means=MEAN):
    """Losses of A less B: studies × schools × pupils."""
    rng = np.random.default_rng(seed)
    effects = means + BETWEEN * rng.standard_normal((number, schools, 1))
    return effects + WITHIN * rng.standard_normal((number, schools, PUPILS))


def by_pupils(differences):
    """Mean and standard error that take all pupils as independent."""
    points = differences.reshape(len(differences), -1)
    return points.mean(axis=1), points.std(axis=1, ddof=1) / np.sqrt(points.shape[1])


def p_by_schools(differences):
    """P(A better if the study were repeated), from the spread between schools."""
    number, schools, pupils = differences.shape
    school = np.repeat(np.arange(schools), pupils)
    found = []
    for study in differences:
        flat = study.ravel()
        losses = {
            "A": rivals.Losses(flat, groups=school, left_out=False),
            "B": rivals.Losses(np.zeros(flat.size), groups=school, left_out=False),
        }
        found.append(rivals.compare(losses).probability[0, 1])
    return np.array(found)


def axes(height=2.4):
    figure, ax = plt.subplots(figsize=(6.4, height), layout="constrained")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def chosen():
    """The study of the story: the first in which B leads by more than two standard errors."""
    many = studies(200)
    mean, error = by_pupils(many)
    return many[np.flatnonzero(mean / error > 2.0)[0]]


def winner():
    mean, error = by_pupils(chosen()[None])
    ax = axes(1.5)
    ax.errorbar(mean, [0], xerr=2 * error, fmt="o", color=ORANGE, capsize=4)
    ax.axvline(0, color=GREY, lw=1)
    ax.set(yticks=[], xlim=(-0.3, 0.3), xlabel="mean loss of A less B (nats), ± 2 standard errors of 600 pupils")
    ax.annotate("A better", (-0.28, 0.02), color=GREY)
    ax.annotate("B better", (0.2, 0.02), color=GREY)


def by_school():
    study = chosen()
    mean = study.mean(axis=1)
    error = study.std(axis=1, ddof=1) / np.sqrt(PUPILS)
    order = np.argsort(mean)
    ax = axes(3.0)
    colours = [BLUE if value < 0 else ORANGE for value in mean[order]]
    for place, (value, half, colour) in enumerate(zip(mean[order], 2 * error[order], colours)):
        ax.errorbar(value, place, xerr=half, fmt="o", color=colour, capsize=3)
    ax.axvline(0, color=GREY, lw=1)
    ax.set(yticks=[], ylabel="ten schools", xlim=(-0.3, 0.3), xlabel="mean loss of A less B in each school (nats), ± 2 standard errors")


def repeated():
    later = studies(300, seed=2).mean(axis=(1, 2))
    ax = axes()
    counts, edges, bars = ax.hist(later, bins=31, range=(-0.15, 0.11), color=BLUE)
    for bar, edge in zip(bars, edges):
        if edge >= 0:
            bar.set_color(ORANGE)
    ax.axvline(0, color=GREY, lw=1)
    ax.set(xlabel="mean loss of A less B in 300 repeated studies of ten new schools (nats)", ylabel="studies")


def failures(number=600):
    """How often named winners fail to replicate, and how often one is named: by pupils, by schools."""
    means = 0.06 * np.random.default_rng(6).standard_normal((number, 1, 1))  # of other pairs of models
    first = studies(number, seed=3, means=means)
    again = studies(number, seed=4, means=means).mean(axis=(1, 2))
    mean, error = by_pupils(first)
    surely = np.abs(mean / error) > 1.645
    sign = np.sign(mean)
    p = p_by_schools(first)
    sure = np.maximum(p, 1 - p) > 0.95
    favours = np.where(p > 0.5, -1, 1)
    return {
        "pupils taken as independent": (np.mean(sign[surely] != np.sign(again[surely])), surely.mean()),
        "schools decide": (np.mean(favours[sure] != np.sign(again[sure])) if sure.any() else 0.0, sure.mean()),
    }


def rates():
    found = failures()
    ax = axes(1.9)
    names = list(found)
    ax.barh(names, [100 * named for _, named in found.values()], color="#cfd8e3", label="a winner is named")
    ax.barh(names, [100 * failed * named for failed, named in found.values()], color=ORANGE, label="and fails to replicate")
    ax.set(xlabel="% of studies of 600 pairs of models (simulated)")
    ax.legend(frameon=False)


def more_schools():
    ax = axes()
    for schools, colour in ((10, ORANGE), (40, GREY), (160, BLUE)):
        p = np.sort(p_by_schools(studies(150, schools, seed=5)))
        ax.plot(p, np.linspace(0, 100, p.size), color=colour, label=f"{schools} schools")
    ax.axvline(0.95, color=GREY, lw=1, ls=":")
    ax.set(xlabel="P(A would win again if the study were repeated)", ylabel="% of studies below")
    ax.legend(frameon=False)
