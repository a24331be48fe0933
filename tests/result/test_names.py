"""Names of models come through everything that is shown as they are, whatever letters they have.

Those that cannot be printed, such as codes for terminals, stand there as Python writes them.
"""

import json
import re
import subprocess
import sys
from html import unescape

import numpy as np
import pytest

import rivals
from rivals._core.checks import UNPRINTABLE, name_of
from rivals._result.renderers import LATEX

hypothesis = pytest.importorskip("hypothesis")
given, settings, st = hypothesis.given, hypothesis.settings, hypothesis.strategies

WORST = [
    "k=5",
    "Ridge(alpha=1.0)",
    "left_out=True",
    "--groups",
    "pass groups=, or margin=0.1",
    'say "so", won\'t you',
    "{noun} [x](y) <b>&amp;</b>",
    r"back\slash $x_1^2$ ~ % # | * ` _",
    "red\x1b[31m bell\a",
    "\x02groups=\x1f--groups\x03",
    "turned \u202e round",
    "שלום مرحبا",
    "line\nbreak\ttab",
    "é ü – − ∞ 模型 🦊",
    "x" * 300,
]
LETTERS = st.sampled_from(["=", "(", ")", "--", "{", "}", "\\", "&", "<", "\x1b[0m", "\u202e", "é"])
MADE = st.lists(LETTERS | st.text("ab_ $%#^~*`|'\"", min_size=1)).map("".join)
NAMES = st.lists(
    st.sampled_from(WORST) | MADE,
    min_size=3,
    max_size=3,
    unique_by=lambda name: "".join(filter(str.isprintable, " ".join(name_of(name).split()))),
).filter(lambda names: all(name_of(name).strip() for name in names))


def plain_of_latex(text):
    """Read in one pass; a long dash and two short ones are written alike."""
    letters = {written: letter for letter, written in LATEX.items() if written != "--"}
    letters |= {r"\{": "{", r"\}": "}", r"\textbackslash ": "\\"}
    parts = sorted(map(re.escape, letters), key=len, reverse=True)
    return re.sub("|".join(parts), lambda found: letters[found[0]], text)


def plain_of_markdown(text):
    return re.sub(r"\\([\\`*\[\]<|])", r"\1", text)


def outputs(result):
    """Every text, as a reader sees it; and the names that must be in it."""
    two = result.ranking[:2]
    yield "print", str(result), result.ranking
    yield "beside", str(result.beside(result.ranking[-1])), result.ranking
    yield "P", str(result.probability), result.ranking
    yield "ranks", str(result.ranks()), result.ranking
    yield "looks", str(result.looks()), result.ranking
    yield "plan", str(result.plan([5])), result.survivors
    yield "gate", str(result.gate(two[1], model=two[0])), two
    yield (
        "JSON",
        str(json.loads(json.dumps(result.to_dict()))["ranking"]),
        map(repr, result.ranking),
    )
    yield "Markdown", plain_of_markdown(result.to_markdown()), result.ranking
    yield (
        "LaTeX",
        plain_of_latex(result.to_latex()),
        [name.replace("–", "--") for name in result.ranking],
    )
    yield "HTML", unescape(result._repr_html_()), result.ranking


def check(names):
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(12), 8)
    losses = 1.0 + rng.exponential(size=(1, 96)) + 0.2 * rng.standard_normal((3, 12))[:, groups]
    models = {
        name: rivals.Losses(each, groups=groups, left_out=False)
        for name, each in zip(names, losses, strict=True)
    }
    result = rivals.compare(models)
    assert tuple(result.risk) == tuple(map(name_of, names))
    for what, text, shown in outputs(result):
        for name in shown:
            assert name in text, f"{what}: {name!r} is not in {text!r}"
        assert not UNPRINTABLE.search(text.replace("\n", "").replace("\t", "")), what
    for each in (str(result), result.details(), str(result.plan([5]))):
        assert "\x1b" not in each
        assert "\u202e" not in each
    return result


@pytest.mark.parametrize("name", WORST)
def test_names_are_intact_everywhere(name):
    check([name, "plain", "other"])


@settings(max_examples=40)
@given(NAMES)
def test_so_are_any_others(names):
    check(names)


@pytest.mark.parametrize("name", WORST)
def test_and_on_the_page(name, tmp_path):
    pytest.importorskip("jinja2")
    path = tmp_path / "page.html"
    check([name, "plain", "other"]).report(path)
    page = path.read_text(encoding="utf-8")
    assert name_of(name) in unescape(page)
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_and_on_the_command_line(tmp_path):
    """A file has names of columns as text; options are named in the command's own words."""
    pytest.importorskip("typer")
    polars = pytest.importorskip("polars")
    names = [name for name in WORST if not UNPRINTABLE.search(name)]
    rng = np.random.default_rng(0)
    columns = {name: rng.exponential(size=96) for name in names}
    path = tmp_path / "losses.csv"
    polars.DataFrame({"site": np.arange(96) % 12, **columns}).write_csv(path)

    def ran(*command):
        command = [sys.executable, "-m", "rivals", *command]
        return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)

    done = ran("compare", str(path), "--groups", "site", "--details")
    for name in names:
        assert name in done.stdout, done.stderr
    done = ran("compare", str(path), "--groups", "site", "--json")
    assert set(json.loads(done.stdout)["ranking"]) == set(names)
    done = ran("gate", str(path), "--groups", "site", "--left-out", "--baseline", "k=5")
    assert "left_out=True" in done.stdout + done.stderr
    assert "Ridge(alpha=1.0)" in done.stdout + done.stderr
    assert "Pass --model" in done.stdout + done.stderr


def test_names_of_any_kind_are_shown_as_text():
    losses = np.random.default_rng(0).exponential(size=(4, 60))
    names = [1, ("ridge", 0.1), 2.5, None]
    result = rivals.compare(dict(zip(names, losses, strict=True)), groups=np.arange(60) % 6)
    assert tuple(result.risk) == ("1", "('ridge', 0.1)", "2.5", "None")
    with pytest.raises(ValueError, match="two models are called '1'"):
        rivals.compare({1: losses[0], "1": losses[1]}, groups=np.arange(60) % 6)
