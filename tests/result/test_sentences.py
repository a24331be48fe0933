"""Every sentence about a result, word by word: the one file that freezes wording."""

from math import inf, nan

import pytest

from rivals._core.evidence import Note
from rivals._core.losses import Provenance
from rivals._core.texts import in_python
from rivals._result import sentences as say
from rivals._result.track_record import Cell

SCHOOLS = Provenance("negative log density", "nats", True, 160, "gaussian", "pupil", "scikit-learn")
CELL = Cell("budget 1", "groups", "left out", "log", 20, 0.95, 0.99, 0.885, 0.0123, 63, 700)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.50"), (0.6178, "0.61"), (0.9499, "0.94"), (0.95, "0.95"), (0.9501, "0.950"),
        (0.95071, "0.950"), (0.9899, "0.989"), (0.99, "0.990"), (0.9989, "0.998"),
        (0.999, "0.999"), (0.9991, ">0.999"), (1.0, ">0.999"), (0.0499, "0.049"),
        (0.001, "0.001"), (0.0009, "<0.001"), (0.0, "<0.001"), (nan, "–"),
    ],
)  # fmt: skip
def test_probabilities_are_cut_and_never_pass_a_threshold(value, text):
    assert say.probability(value) == text


def test_p_is():
    assert say.p_is(0.6178) == "P = 0.61"
    assert say.p_is(0.99999) == "P > 0.999"
    assert say.p_is(0.0) == "P < 0.001"


@pytest.mark.parametrize(
    ("noun", "many"),
    [
        ("school", "schools"), ("study", "studies"), ("day", "days"), ("class", "classes"),
        ("box", "boxes"), ("batch", "batches"), ("new class", "new classes"), ("site", "sites"),
        ("woman", "women"), ("new person", "new people"), ("human", "humans"),
        ("species", "species"), ("schools", "schools"), ("strata", "strata"),
        ("analysis", "analyses"), ("cls", "cls"), ("new cls", "new cls"),
    ],
)  # fmt: skip
def test_plurals(noun, many):
    assert say.plural(noun) == many
    assert say.count(1, noun) == f"1 {noun}"
    assert say.count(0, noun) == f"0 {many}"
    assert say.count(133, noun) == f"133 {many}"


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (say.percent(0.9), "90 %"),
        (say.percent(0.015), "1.5 %"),
        (say.percent(0.0), "0 %"),
        (say.fixed(-0.0001, 2), "0.00"),
        (say.fixed(-0.126, 2), "-0.13"),
        (say.fixed(None, 2), "–"),
        (say.fixed(nan, 2), "–"),
        (say.fixed(inf, 2), "∞"),
        (say.fixed(-inf, 2), "−∞"),
        (say.span((0.002, 0.0119), 3), "0.002 to 0.012"),
        (say.span((-inf, inf), 3), "−∞ to ∞"),
        (say.span((nan, nan), 3), "–"),
        (say.span(None, 3), "–"),
        (say.decimals_for([0.012, 4.0]), 3),
        (say.fixed(1.234e-20, say.decimals_for([1e-21])), "1.23e-20"),
        (say.fixed(-1.5e15, 0), "-1.5e+15"),
        (say.decimals_for([120.0]), 0),
        (say.decimals_for([0.0, nan, inf]), 4),
        (say.listed(["A"]), "A"),
        (say.listed(["A", "B"]), "A and B"),
        (say.listed(["A", "B", "C"], "or"), "A, B or C"),
        (say.listed(list("ABCDE")), "5 other models"),
        (say.new(1, "school"), "1 new school"),
        (say.new(160.0, "class"), "160 new classes"),
        (say.new(inf, "study"), "all studies"),
        (say.where(160, 160, "school"), "if the study were repeated"),
        (say.where(0, 0, "group"), "at another place"),
        (say.where(1, 160, "school"), "in a single new school"),
        (say.where(5, 160, "school"), "in 5 new schools"),
        (say.where(442, None, "patient"), "in 442 new patients"),
        (say.where(1, None, "patient"), "in 1 new patient"),
        (say.where(inf, 160, "school"), "in the mean over all schools"),
        (say.by_more(0.01, "nats"), " by more than 0.01 nats"),
        (say.by_more(0.01, ""), " by more than 0.01"),
        (say.by_more(0.0, "nats"), ""),
        (say.chance(0.001), "<0.01"),
        (say.chance(0.434), "0.43"),
        (say.chance(0.9999), ">0.99"),
        (say.even_odds(inf), "–"),
        (say.even_odds(12.0), "12 more"),
    ],
)
def test_numbers_and_names(found, text):
    assert found == text


SENTENCES = [
    (
        say.opening(3, 7185, 160, "school", SCHOOLS),
        "3 models, 7185 pupils in 160 schools. Loss: negative log density (nats), schools left "
        "out.",
    ),
    (
        say.opening(2, 300, 12, "class", Provenance(left_out=True, n_folds=4)),
        "2 models, 300 points in 12 classes. Loss: not named, classes left out in 4 folds.",
    ),
    (say.opening(2, 1, 0, "group", Provenance()), "2 models, 1 point."),
    (say.opening(2, 5, 5, "fold", Provenance(point="fold")), "2 models, 5 folds."),
    (
        say.picture_of_differences(0.9, "P(best wins again)", [], 0),
        "Bars: 90 % intervals. At the right P(best wins again), and the decision.",
    ),
    (say.not_shown(3)[0], "… and 3 more: result.to_dataframe()"),
    (
        say.decided("A", {"B": 0.98, "C": 0.9999}, {}, "if the study were repeated", ""),
        "A would probably win again (P = 0.980 or more) if the study were repeated.",
    ),
    (
        say.decided("A", {}, {}, "if the study were repeated", "", tied=["B"]),
        "A ties with B: their mean losses are equal.",
    ),
    (
        say.decided("A", {"C": 0.97}, {"D": 0.6}, "in 1 new row", "", tied=["B"]),
        "A ties with B: their mean losses are equal. A would probably win again (P = 0.970) "
        "against C in 1 new row. Open against D (P = 0.60).",
    ),
    (
        say.expected_back(8, 0.2345),
        "Of these 8 rejected models, 0.2 are expected to be better next time.",
    ),
    (
        say.uncertainty(
            "A", "B", {"groups": 61.0, "points": 17.0, "training": 22.0}, 159.0, "school", "pupil"
        ),
        "Uncertainty of B beside A: 61 % schools, 22 % training data, 17 % pupils (159 degrees of "
        "freedom).",
    ),
    (
        say.helps_most("points", "school", "pupil"),
        "More pupils in each school would narrow it most.",
    ),
    (
        say.decided(
            "A", {"B": 0.96}, {"C": 0.91234}, "in a single new school", " by more than 0.1 nats"
        ),
        "A would probably win again by more than 0.1 nats (P = 0.960) against B in a single new "
        "school, but not surely against C (P = 0.91). If you need one model: A.",
    ),
    (
        say.decided("A", {}, {"C": 0.6, "D": 0.9}, "if the study were repeated", ""),
        "No winner is named: A has the lowest mean loss, but would not surely win again if the "
        "study were repeated: C (P = 0.60), D (P = 0.90). If you need one model: A.",
    ),
    (
        say.decided("A", {}, dict.fromkeys("BCDEFG", 0.65), "in a single new class", ""),
        "No winner is named: A has the lowest mean loss, but would not surely win again in a "
        "single new class: 6 models (P up to 0.65). If you need one model: A.",
    ),
    (
        say.decided("A", {"B": 0.96}, {}, "if the study were repeated", "", ["C"]),
        "A would probably win again (P = 0.960) against B if the study were repeated.",
    ),
    (say.decided("A", {}, {}, "if the study were repeated", "", ["C"]), ""),
    (say.not_beaten_by_best({"C": "B"}), "Rejected by a model other than the best: C by B."),
    (
        say.looks_not_yet("A", ["B", "C"], "class"),
        "Looked at once, P would name A against B and C; looked at after every class, the "
        "evidence is not enough yet.",
    ),
    (
        say.provisional(0.25, "B", 0.9912, 0.834, 95),
        "Provisional: against B, at c = 0.25 P = 0.991; over what c has been on 95 real data sets "
        "P = 0.83. Groups, or a calibration, would tell more.",
    ),
    (
        say.small_lead("B", 0.62, "in a single new school"),
        "Its lead over B is small: in a single new school P is 0.62.",
    ),
    (
        say.unstable("B", "A", 0.97, 0.75),
        "B is not rejected although A is better with P = 0.970: only 75 % of the single "
        "simulations share that.",
    ),
    (
        say.too_close("B", "A", 0.952),
        "B is not rejected although A is better with P = 0.952: that is within the Monte Carlo "
        "error of the threshold.",
    ),
    (
        say.track_record(CELL, 20, "school"),
        "Track record: of winners with P between 0.95 and 0.99 from about 20 left-out groups, "
        "88 ± 1 % won again (63 real data sets, 700 pairs; log loss).",
    ),
    (
        say.settings("groups", 0.25, 16, 0.95, None),
        "Method: groups, c = 0.25, 16 simulations, threshold 0.95.",
    ),
    (
        say.settings("beta", 1.0, 1, 0.95, 7),
        "Method: beta, c = 1, 1 simulation, threshold 0.95, rng = 7.",
    ),
    (say.settings("groups", 0.25, 0, 0.9, None), "Method: groups, threshold 0.9."),
    (
        say.ahead("A", "B", 0.00213, 0.012, 0.9, "nats"),
        "With probability 0.9, A is ahead of B by 0.002 to 0.012 nats.",
    ),
    (  # As in the table: not "by 1 to 1".
        say.ahead("A", "B", 0.99713, 1.01081, 0.9, ""),
        "With probability 0.9, A is ahead of B by 0.997 to 1.011.",
    ),
    (
        say.at_least("A", "B", 0.99977, 0.95, ""),
        "A is better than B by at least 0.999 (P = 0.95); that is the largest margin at which the "
        "decision stands.",
    ),
    (
        say.at_least("A", "B", 0.0123, 0.95, ""),
        "A is better than B by at least 0.0123 (P = 0.95); that is the largest margin at which the "
        "decision stands.",
    ),
    (
        say.equivalent("A", {"B": 0.9999, "C": 0.99999}, 0.1, "nats"),
        "Equivalent to A within 0.1 nats: B and C (P > 0.999).",
    ),
    (
        say.too_few_for_equivalence(8, 12, "class"),
        "Whether models are equivalent is not judged: 8 classes cannot show it reliably, 12 or "
        "more can.",
    ),
    (
        say.margin_below_spread(0.1, 0.234, "class"),
        "The margin 0.1 is below the spread between classes (0.23): nothing shows equivalence "
        "reliably then.",
    ),
    (
        say.spread_between("B", 0.123, 0.456, "class", "nats"),
        "The difference from B varies between classes with a standard deviation τ of 0.12 nats "
        "(I² = 46 % of the variance of the observed differences).",
    ),
    (
        say.sensitivity([0.25, 1.0], "A", [["A"], ["A", "B"]]),
        "Not rejected at other sensitivities: c = 0.25: A; c = 1: A and B.",
    ),
    (
        say.nothing_open("A"),
        "Nothing is open: every other model is rejected in favour of A, and more groups are not "
        "needed for this decision.",
    ),
    (say.where_then(None, "class"), "if that larger study were repeated"),
    (say.where_then(1, "class"), "in a single new class"),
    (say.where_then(None, "patient", True), "in as many new patients"),
    (say.where_then(9, "patient", True), "in 9 new patients"),
    (
        say.plan_question("A", 8, "class", 0.95, "", "in a single new class", looks=True),
        "Chance that so many more classes, like the 8 observed, decide between A and a model, at "
        "any of the looks after each class: that one of them would win, with P above 0.95, in a "
        "single new class.",
    ),
    (say.required("better", "old", 0.01, "kg"), "better than old by more than 0.01 kg"),
    (say.required("not-worse", "old", 0.01, "kg"), "at most 0.01 kg worse than old"),
    (say.monte_carlo(0.0158, 3), "Monte Carlo error at most 0.016, rng = 3."),
    (
        say.method_of_loss(SCHOOLS, "school", 160),
        "Losses were negative log density under gaussian noise (nats), computed with "
        "scikit-learn; whole schools were left out in turn.",
    ),
    (
        say.method_of_loss(Provenance(left_out=True, n_folds=10), "class", 160),
        "Losses were as given; whole classes were left out in 10 folds.",
    ),
    (say.method_of_loss(Provenance(), "class", 160), ""),
    (
        say.method_of_c(0.25, "groups", 16, "the default"),
        "The sensitivity c = 0.25 was the default, with 16 simulations of each model.",
    ),
    (say.method_of_c(0.25, "groups", 0, "the default"), ""),
    (
        say.method_of_rule(0.95, 0.1, "nats", looks=True),
        "A model was rejected where a rival of lower mean loss was better by more than 0.1 nats "
        "with a probability above 0.95 and, since data were looked at as they came, zero lies "
        "outside of the 90 % confidence sequence of the difference.",
    ),
    (
        say.ranked(0.95, ["A", "B"], 12),
        "First tier: A and B. A model is behind another where P is above 0.95; a tier holds models "
        "that are behind none of those that are left.",
    ),
    (
        say.looks_order("class"),
        "The classes are taken in the order in which they first appear in the data: it must be "
        "that of their arrival, not one that was sorted by a result.",
    ),
    (
        say.looks_skipped(300, 1998, "class"),
        "Of 1998 numbers of classes, 300 were looked at: the first ones, then evenly spaced ones.",
    ),
]


@pytest.mark.parametrize(("found", "text"), SENTENCES, ids=[text[:30] for _, text in SENTENCES])
def test_sentences(found, text):
    assert in_python(found) == text


NOTES = [
    (Note("few points", value=60), "There are only 60 points"),
    (Note("left out", value=1.5), "Classes were left out in turn"),
    (Note("left out", value=1.5), "2.5 times as large"),
    (Note("training not said"), "if classes were left out in turn, say so"),
    (Note("unequal sizes", value=2.34), "worth only as much as 2.3 classes of equal size"),
    (Note("goes with size", ("A", "B"), 0.7), "between A and B depends on the size of the class"),
    (Note("ties", ("A",), 0.92), "A: 92 % of its losses are tied"),
    (Note("unequal simulations", ("A",), 50), "A: simulations of 50 points"),
    (Note("same losses", ("A", "B")), "A and B have the same losses at every point"),
    (Note("opposite sign", ("A",), -0.95), "A: its losses fall where those of the other"),
]


@pytest.mark.parametrize(("note", "text"), NOTES, ids=[text[:30] for _, text in NOTES])
def test_notes(note, text):
    assert text in say.noted(note, "class")


def test_names_are_escaped_for_a_page():
    assert say.html("<b> & C") == "&lt;b&gt; &amp; C"
