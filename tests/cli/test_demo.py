"""`rivals demo`: a verdict, an undecided pair, what c does to them; what it prints holds."""

import re

import pytest

from rivals.cli.demo import blackbody_comparison, in_other_words, what_c_does


@pytest.fixture(scope="module")
def result():
    return blackbody_comparison()


def test_demo_prints_and_writes(tmp_path, run, result):
    out = tmp_path / "a report"
    shown = run("demo", "--out", str(out))
    assert shown.exit_code == 0, shown.output
    for line in (
        str(result),
        "In other words, Wien is rejected",
        "Rayleigh-Jeans is rejected up to c = ",
        "rivals calibrate",
    ):
        assert " ".join(line.split()) in " ".join(shown.output.split())  # lines are wrapped
    for picture in ("risks.png", "paths.png"):
        assert (out / picture).read_bytes()[:4] == b"\x89PNG"
    assert "The paper's process, law 'beta', c = 0.25, 1 simulation" in " ".join(
        shown.output.split()
    )
    assert (out / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_it_has_a_verdict_and_an_undecided_pair(result):
    assert result.survivors == ("Planck", "Rayleigh-Jeans")
    assert not result.undecided
    assert min(result.stability.values()) >= 0.9
    assert 0.6 < result.probability[0, 1] < 0.9


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_verdict_is_not_that_of_one_seed(seed):
    assert blackbody_comparison(rng=seed).survivors == ("Planck", "Rayleigh-Jeans")


def test_what_a_colleague_is_told_holds(result):
    text = in_other_words(result)
    assert text.startswith("Wien is rejected: in a replication it would lose to Planck again")
    assert ("with probability > .999" in text) == (result.probability[0, 2] > 0.9995)
    gap, error = result.difference["Rayleigh-Jeans"]
    assert f"Rayleigh-Jeans is {gap:.2f} ± {error:.2f} nats per point behind Planck" in text
    assert gap > 5 * error  # so that sampling error is not the reason to keep both
    # Neither law simulates what was recorded: a law that does would be this far off by chance
    # alone.
    by_chance = result.losses["Planck"].simulations
    assert result.applied.distance[result.names.index("Planck")] > 4 * abs(
        by_chance[0].mean() - by_chance[1].mean()
    )


def test_what_is_said_about_c_holds(result):
    text = what_c_does(result)
    for name in ("Rayleigh-Jeans", "Wien"):
        last = float(re.search(rf"{name} is rejected up to c = ([\d.]+) and kept above", text)[1])
        for c in (0.8 * last, 1.25 * last):
            assert (name in blackbody_comparison(c=c).rejections) == (c < last)


def test_the_smaller_c_that_it_suggests_gives_the_other_verdict():
    assert blackbody_comparison(c=2**-6).survivors == ("Planck",)
