"""The study of "Why the winner of cross-validation often fails to replicate", simulated.

Two models of pupils in ten schools. In each school the difference of their mean losses is its own;
in the mean over all schools model A is better by 0.02 nats. Each picture of that page is a
function here, which returns what the picture shows; so are the numbers of its sentences.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

import rivals

MEAN = -0.02  # of A less B, over all schools
BETWEEN = 0.10  # standard deviation between schools
WITHIN = 0.40  # between pupils of a school
SCHOOLS, PUPILS = 10, 60
BLUE, ORANGE, GREY, PALE = "#4a8fd0", "#d9812e", "#7d828a", "#9aa4b0"


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
    _number, schools, pupils = differences.shape
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
    _figure, ax = plt.subplots(figsize=(6.4, height), layout="constrained")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def chosen():
    """The study of the story: the first in which B leads by more than two standard errors."""
    many = studies(200)
    mean, error = by_pupils(many)
    return many[np.flatnonzero(mean / error > 2.0)[0]]


# ---------------------------------------------------------------- numbers in sentences


def lead():
    """Standard errors over pupils by which B leads, as "3.5"."""
    mean, error = by_pupils(chosen()[None])
    return f"{mean[0] / error[0]:.1f}"


def schools_for_b():
    """In how many schools B is better."""
    return int((chosen().mean(axis=1) > 0).sum())


def p_of_the_study():
    """P(A would win again), from the schools of the study."""
    return f"{p_by_schools(chosen()[None])[0]:.2f}"


@cache
def again(number=300):
    """The means of repeated studies."""
    return studies(number, seed=2).mean(axis=(1, 2))


def wins_of_a():
    """In how many of the repeated studies A wins."""
    return int((again() < 0).sum())


@cache
def failures(number=600):
    """How often winners fail to replicate, and how often one is named: by pupils, by schools."""
    means = 0.06 * np.random.default_rng(6).standard_normal((number, 1, 1))  # of other pairs
    first = studies(number, seed=3, means=means)
    later = studies(number, seed=4, means=means).mean(axis=(1, 2))
    mean, error = by_pupils(first)
    surely = np.abs(mean / error) > 1.645
    p = p_by_schools(first)
    sure = np.maximum(p, 1 - p) > 0.95
    wrong = np.sign(mean) != np.sign(later)
    favours = np.where(p > 0.5, -1, 1)
    return {
        "pupils": (int(wrong[surely].sum()), int(surely.sum())),
        "schools": (int((favours != np.sign(later))[sure].sum()), int(sure.sum())),
    }


def failed(by):
    """As "18 % (75 of 412)"."""
    failure, name = failures()[by]
    return f"{100 * failure / name:.0f} % ({failure} of {name})"


def named(by):
    """In how many of the 600 studies a winner is named."""
    return failures()[by][1]


# ---------------------------------------------------------------- pictures


def winner():
    """The mean difference and its error over pupils."""
    mean, error = by_pupils(chosen()[None])
    ax = axes(1.5)
    ax.errorbar(mean, [0], xerr=2 * error, fmt="o", color=ORANGE, capsize=4)
    ax.axvline(0, color=GREY, lw=1)
    ax.set(yticks=[], xlim=(-0.3, 0.3))
    ax.set_xlabel("mean loss of A less B (nats), ± 2 standard errors of 600 pupils")
    ax.annotate("A better", (-0.28, 0.02), color=GREY)
    ax.annotate("B better", (0.2, 0.02), color=GREY)
    return f"The mean difference over 600 pupils lies {lead()} standard errors on the side of B."


def by_school():
    """The mean difference in each school."""
    study = chosen()
    mean = study.mean(axis=1)
    error = study.std(axis=1, ddof=1) / np.sqrt(PUPILS)
    order = np.argsort(mean)
    ax = axes(3.0)
    for place, school in enumerate(order):
        colour = BLUE if mean[school] < 0 else ORANGE
        ax.errorbar(mean[school], place, xerr=2 * error[school], fmt="o", color=colour, capsize=3)
    ax.axvline(0, color=GREY, lw=1)
    ax.set(yticks=[], ylabel="ten schools", xlim=(-0.3, 0.3))
    ax.set_xlabel("mean loss of A less B in each school (nats), ± 2 standard errors")
    return (
        f"B is better in {schools_for_b()} of ten schools; the schools differ by far more than "
        "the error of each."
    )


def repeated():
    """The means of repeated studies."""
    ax = axes()
    _counts, edges, bars = ax.hist(again(), bins=31, range=(-0.15, 0.11), color=BLUE)
    for bar, edge in zip(bars, edges[:-1], strict=True):
        if edge >= 0:
            bar.set_color(ORANGE)
    ax.axvline(0, color=GREY, lw=1)
    ax.set_xlabel("mean loss of A less B in 300 repeated studies of ten new schools (nats)")
    ax.set_ylabel("studies")
    return f"A is ahead in {wins_of_a()} of 300 repeated studies, although B won the first one."


def rates():
    """How often a winner is named, and fails."""
    ax = axes(1.9)
    labels = {"pupils": "pupils taken as independent", "schools": "schools decide"}
    for by, label in labels.items():
        failure, name = failures()[by]
        first = by == "pupils"
        ax.barh(label, name, color=PALE, label="a winner is named" if first else None)
        ax.barh(
            label,
            failure,
            color=ORANGE,
            label="and fails to replicate" if first else None,
        )
    ax.set_xlabel("of 600 pairs of models (simulated)")
    ax.legend(frameon=False)
    return (
        f"With pupils taken as independent a winner is named in {named('pupils')} of 600 studies, "
        f"of which {failed('pupils')} fail to replicate; with schools deciding, in "
        f"{named('schools')}, of which {failed('schools')} fail."
    )


def more_schools():
    """How often each model is named, by the number of schools."""
    ax = axes(2.4)
    numbers = (10, 20, 40, 80, 160)
    named_a = []
    for place, schools in enumerate(reversed(numbers)):
        p = p_by_schools(studies(400, schools, seed=5))
        a, b = 100 * np.mean(p > 0.95), 100 * np.mean(p < 0.05)
        named_a.append(f"{a:.0f} %")
        ax.barh(place, a, color=BLUE, label="A is named" if not place else None)
        ax.barh(place, 100 - a - b, left=a, color=PALE, label="open" if not place else None)
        ax.barh(place, b, left=100 - b, color=ORANGE, label="B is named" if not place else None)
    ax.set_yticks(range(len(numbers)), [f"{schools} schools" for schools in reversed(numbers)])
    ax.set_xlabel("% of 400 studies (simulated); in truth A is better")
    ax.legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    shown = ", ".join(reversed(named_a))
    return (
        f"A is named in {shown} of 400 studies with 10, 20, 40, 80 and 160 schools; B hardly ever."
    )
