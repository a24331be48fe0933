"""Numbers that stand in sentences of the paper's pages come out of the committed results."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

from rivals.testbeds import blackbody

ROOT = Path(__file__).resolve().parents[1]
WEAK_A_B = "AvsB|Gaussian|low|short|weak"


@pytest.fixture(scope="module")
def tool():
    if not (ROOT / "results").exists():
        pytest.skip("an sdist has neither the results nor the pages")
    return runpy.run_path(str(ROOT / "tools" / "paper_page.py"))


@pytest.fixture(scope="module")
def corrections(tool):
    """With what was said there before it moved to the ideas."""
    pages = ROOT.parent / "docs" / "paper"
    return "\n".join((pages / f"{each}.md").read_text("utf-8") for each in ("corrections", "ideas"))


@pytest.fixture(scope="module")
def index(tool):
    return tool["PAGE"].read_text(encoding="utf-8")


def ends(values, digits=0):
    """The lowest and the highest, as the pages write them."""
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}".replace("-", "−")


def percent(by_condition, begin):
    """Of the conditions whose names begin so."""
    return [100 * value for key, value in by_condition.items() if key.startswith(begin)]


# ---------------------------------------------------------------- calibration with the neurons


@pytest.fixture(scope="module")
def neurons(tool):
    return tool["result"]("neuron-calibration")["numbers"]


def test_where_the_authors_experiments_keep_the_bound(neurons):
    """C against D up to c = 1; with A at one place only."""
    kept = {
        (float(c), key): each["kept"]
        for c, row in neurons["valid c"]["original study"].items()
        for key, each in row["bound"]["conditions"].items()
    }
    without = [kept[c, key] for c, key in kept if key.startswith("CvsD") and c <= 1]
    assert without == [True] * 8
    assert sum(kept[c, key] for c, key in kept if key.startswith("A")) == 1


def test_winners_that_the_authors_experiments_state(neurons, corrections, index):
    authors = neurons["valid c"]["original study"]
    for c in ("0.25", "1"):
        assert max(percent(authors[c]["stated"], "CvsD")) < 0.5
    assert "from 2⁻² on hardly names a winner" in index
    wrong = [each for c in ("0.0625", "0.25", "1") for each in percent(authors[c]["error"], "A")]
    assert f"With A, {ends(wrong)} % of the winners named" in corrections
    ours = neurons["valid c"]["as published"]
    both = [ends(percent(row["1"]["stated"], "A")) for row in (authors, ours)]
    assert "(with A at c = 1, {} %; ours {} %)".format(*both) in corrections
    copies = neurons["copies: wrong and stated"][WEAK_A_B]["0.25"]["stated"]
    assert f"from {ends([100 * each for each in copies])} % (A vs B, weak, 2⁻²)" in index


def test_how_far_the_true_cell_is_out_of_step(neurons, corrections):
    name = "residuals of the true cell and of the other, mV"
    both = [neurons["out of step"][WEAK_A_B.replace("weak", each)] for each in ("weak", "strong")]
    fitted = [each[name]["fitted"][0] for each in both]
    later = [each[name]["fifth second"][0] for each in both]
    assert 7 < min(fitted) < max(fitted) < 8
    assert "misses by 7 to 8 mV where its width is fitted" in corrections
    assert {f"{each:.0f}" for each in later} == {"13"}
    assert "misses by 13 mV" in corrections


def test_winners_that_fail_in_a_replication(neurons, corrections):
    found = neurons["truth is a replication"]["constants as published, law beta"]
    same, other = (
        [100 * each for c in ("0.25", "1") for each in found[name][c]["error"].values()]
        for name in ("same process", "replication")
    )
    words = f"{ends(other)} % of the named winners fail where {ends(same)} % did"
    assert words in corrections


@pytest.mark.parametrize("strength", ["weak", "strong"])
def test_the_better_of_a_and_b_changes_only_with_twice_the_noise(tool, strength):
    """With the published constants, where the truth is a replication."""
    from rivals_paper.gpu.records import ask
    from rivals_paper.gpu.replications import replication
    from rivals_paper.neuron_runs import MAIN
    from rivals_paper.records import replicated

    key = WEAK_A_B.replace("weak", strength)
    condition = next(each for each in MAIN if each.key == key)
    same, other = replicated("constants as published", key).values()
    changed = [place for place, one in enumerate(same.truth) if one != other.truth[place]]
    assert len(changed) > 100
    for place in changed:
        first, again = replication(condition, place, ask(condition, place, "published"))
        assert again.drawn.scale > 2 * first.drawn.scale


def test_the_example_as_published(tool, corrections):
    risk = tool["neuron_risks"]("as published", ["LP 1"])[0]
    assert f"as computed it is at {risk:.1f}, among the others" in corrections
    widths = tool["neuron_risks"]("as published", ["A", "B", "C", "D"], "sigma")
    assert f"residuals are {ends(widths)} mV" in corrections


# ---------------------------------------------------------------- black body radiation


def test_choices_with_the_limits_mended(tool, corrections):
    mended = tool["result"]("blackbody-calibration")["numbers"][
        "published experiments, exact process"
    ]
    right = [100 * mended[f"2^-{k}"]["picks the truly better model"] for k in (15, 12, 9, 6, 3)]
    assert f"{ends(right, 1)} % of the choices are right at every c up to 2⁻³" in corrections


def test_the_largest_calibration(tool, index):
    def valid(power):
        return tool["million"](2.0**power)["valid by all"]

    assert all(valid(power) for power in (-9, -6, -3, 0, 1, 2, 3, 4))
    assert not valid(-15)
    assert not valid(6)
    assert "on one GPU, 2⁻⁹ to 2⁴" in index


def test_risks_of_black_body_radiation(tool, corrections):
    numbers = tool["result"]("blackbody-rdists")["numbers"]
    risks = [
        numbers[panel]["corrected"][law]["empirical_risk"]
        for panel in "ghi"
        for law in ("Planck", "Rayleigh-Jeans")
    ]
    assert f"they are {min(risks):.2f} to {max(risks):.1f} nats".replace("-", "−") in corrections
    at_c = [
        100 * tool["value"]("blackbody-rdists", rf"observed spectrum, c = 2.{k}.*")
        for k in ("-3", "0")
    ]
    assert "{:.0f} and {:.0f} %, at the fitted temperature".format(*at_c) in corrections


def test_the_table_of_criteria(tool, corrections):
    odds = tool["span"]("criteria-table", r"B\^EMD.*").replace(" … ", " to ")
    assert f"(log₁₀ odds {odds})" in corrections
    clear = tool["values"]("criteria-table", r"B\^l, 15-30 µm, .* gain 2\^20, .*")
    assert len(clear) == 6
    assert f"(log₁₀ odds {min(clear):.1f} to {max(clear):.0f})" in corrections
    cell = r"B\^l, 20-1000 µm, L = 32768, gain 2\^20, no bias"
    before, after = (
        tool["value"]("criteria-table", cell, each) for each in ("as published", "corrected")
    )
    assert f"{before:.2f} becomes {after:+.2f}".replace("-", "−") in corrections
    noise = tool["result"]("criteria-table")["numbers"]["relative noise"]["20-1000 µm"]
    shown = [f"{100 * each:.1g}" for each in noise]
    assert shown[:3] == shown[3:]
    assert f"at 20–1000 µm it is {', '.join(shown[:3])} %" in corrections


def test_criteria_as_data_accumulate(tool, corrections):
    numbers = tool["result"]("criteria")["numbers"]
    most, none = (numbers["scores"][f"planck,{k}"] for k in (6, 0))
    published, refitted = (
        most[name][-1] - none[name][-1] for name in ("AIC as published", "AIC corrected")
    )
    assert f"AIC differences of {published:.0f} were" in corrections
    assert f"refitted they are {refitted:.1f} at 4096 points" in corrections
    spread = numbers["spread of the risk over simulations"]
    assert 0.45 < spread["planck,0,4096"]["median"] / spread["planck,0,64"]["median"] < 0.55
    assert "Planck's spread halves while data grow 64-fold" in corrections


@pytest.mark.parametrize("m", [2, 4, 6])
def test_criteria_of_families_that_contain_the_truth(tool, m):
    """AIC and elpd have no trend with ln L; MDL is BIC/2 and a constant.

    The 25 values of MDL have Monte Carlo errors up to 0.23, so that they range over a nat at most.
    """
    numbers = tool["result"]("criteria")["numbers"]
    size = np.log(numbers["sizes"])

    def difference(name):
        one, none = (np.array(numbers["scores"][f"planck,{k}"][name]) for k in (m, 0))
        return one - none

    for name in ("AIC corrected", "elpd corrected"):
        line, covariance = np.polyfit(size, difference(name), 1, cov=True)
        assert abs(line[0]) < 3 * np.sqrt(covariance[0, 0])
    assert np.ptp(difference("MDL corrected") - difference("BIC corrected") / 2) < 1


def test_what_the_published_priors_missed(tool, corrections):
    off = [
        row["ours"] - row["reference"]
        for row in tool["rows"]("criteria", "log evidence, .*", "as published")
    ]
    assert f"{max(off):.0e}" == "1e+04"
    assert "nested sampling was off by up to 10⁴ nats" in corrections
    noise = []
    for wavelengths in ((20, 1000), (15, 30)):
        mean = np.mean(blackbody.planck(np.linspace(*wavelengths, 4096), 4000))
        noise += [np.log2(np.sqrt(mean / 2.0**k)) for k in (12, 16, 20)]
    assert [f"{each:.0f}" for each in (min(noise), max(noise))] == ["-20", "-12"]
    assert "whose σ is 2⁻²⁰ to 2⁻¹²" in corrections


def test_how_well_the_published_numbers_come_out(tool, corrections):
    exact = [
        abs(row["ours"] - row["reference"])
        for row in tool["rows"]("criteria-table", r"B\^[lR],.*", "as published")
    ]
    assert len(exact) == 72
    assert max(exact) < 7e-4
    emd = _scores(tool, "criteria-table", r"B\^EMD.*")
    assert len(emd) == 36
    assert max(emd) < 2.3
    information = tool["rows"]("criteria", "[AB]IC, .*", "as published")
    near = sum(abs(row["ours"] - row["reference"]) <= 0.03 for row in information)
    calibration = _scores(tool, "blackbody-calibration", ".*")
    assert calibration[-2] < 2.7
    words = (
        f"come out to 7e-4, its {len(emd)} B^EMD within 2.3 standard errors, {near} of "
        f"{len(information)} AIC and BIC to 0.03, and {len(calibration) - 1} of {len(calibration)} "
        f"numbers of Fig. 9 within 2.7 standard errors; the other is off by {calibration[-1]:.1f}"
    )
    assert words in corrections


def _scores(tool, name, what):
    """Differences to the authors' numbers in standard errors, the largest last."""
    return sorted(abs(tool["_score"](row)) for row in tool["rows"](name, what, "as published"))


# ---------------------------------------------------------------- the method


@pytest.fixture(scope="module")
def refinements():
    file = ROOT / "benchmarks" / "results" / "refinements.json"
    return json.loads(file.read_text(encoding="utf-8"))


def test_how_far_eight_refinements_are_from_convergence(tool, refinements, corrections):
    off = "mean of R off by, in standard deviations"

    def rows(points, c):
        return [row for row in refinements["rows"] if (row["points"], row["c"]) == (points, c)]

    kinds = [f"{row[off]:.2f}" for row in rows(4000, 2.0**-6)]
    words = "by {} (normal data), {} (Student's t) and {} (gamma) at c = 2⁻⁶"
    assert words.format(*kinds) in corrections
    assert f"by at most {max(row[off] for row in rows(4000, 0.25)):.2f} at ¼" in corrections
    most = [max(row[off] for row in rows(16_384, c)) for c in (2.0**-6, 0.25)]
    assert "at 16 384 points by up to {:.2f} and {:.2f}".format(*most) in corrections
    apart = [max(row["largest difference of B"] for row in rows(4000, c)) for c in (2.0**-9, 0.25)]
    words = "B differs by up to {:.2f} at 2⁻⁹ and by at most {:.2f} at ¼".format(*apart)
    assert words in corrections
    assert f"({4000:,} points, {refinements['seeds']} data sets each)".replace(",", " ", 1) in (
        corrections
    )


def test_where_the_bound_is_kept(tool, neurons):
    ideas = (ROOT.parent / "docs" / "paper" / "ideas.md").read_text(encoding="utf-8")
    kept = {
        float(c): row["bound"]["kept"]
        for c, row in neurons["valid c"]["corrected, law beta, all c that were tried"].items()
    }
    assert max(kept.values()) < 6
    assert (kept[2.0**-6], kept[1.0]) == (5, 3)
    assert "in five at 2⁻⁶, in three at 1" in ideas
    assert f"the black body from {tool['blackbody_bound']('corrected')}" in ideas


# ---------------------------------------------------------------- c, and the two processes


@pytest.fixture(scope="module")
def ideas(tool):
    return (ROOT.parent / "docs" / "paper" / "ideas.md").read_text(encoding="utf-8")


def study(name):
    file = ROOT.parent / "benchmarks" / "results" / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8"))


def test_a_c_of_one_system_on_another(ideas):
    found = study("universality")["beta"]
    assert found["chosen"]["neurons, cautious"] is None
    on = ("black body", "neurons", "ten families", "real data sets")
    for name, shown in (
        ("black body, informative", "black body, informative: 2⁻⁹"),
        ("ten families, informative", "ten families, informative: 2⁻⁵"),
        ("real data sets, cautious", "real data, cautious: 2¹"),
    ):
        row = found["used"][name]
        cells = [f"{100 * row[o]['named']:.0f} / {100 * row[o]['failed']:.1f} %" for o in on]
        assert f"| {shown} | {' | '.join(cells)} |" in ideas
    assert [np.log2(found["chosen"][name]) for name in found["used"]] == [1, -9, 0, -5, 1, 1]


def test_both_processes_at_equal_numbers_of_named_winners(ideas):
    found = study("beta_against_transport")
    rates, scores = [], []
    for kind in ("families", "real"):
        part = found[kind]
        rates.append(
            [
                "{:.1f} ± {:.1f} %".format(*(100 * x for x in part[f"{law}: failed, 20% named"]))
                for law in ("beta", "transport")
            ]
        )
        for score in ("Brier score", "log score"):
            both = [part[f"{law}: {score}"][0] for law in ("transport", "beta")]
            scores.append("{:.3f} and {:.3f}".format(*both).replace("-", "−"))
    families, real = rates
    assert f"beta fails in {families[0]} and transport in {families[1]}" in ideas
    assert f"and in {real[0]} and {real[1]} on" in ideas
    assert f"{scores[0]}, {scores[1]} on the families, {scores[2]}, {scores[3]} on real" in ideas
    counts = [found[kind]["pairs"] for kind in ("families", "real")]
    assert [f"{each:,}".replace(",", " ") for each in counts] == ["3 000", "6 604"]
    seconds = found["families"]["seconds for a pair at all c"]
    assert seconds["beta"] / seconds["transport"] == pytest.approx(50, rel=0.3)
