"""Several factors on the command line."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("polars")

import rivals as library
from terminal import rivals

FACTORS = ("--groups", "subject", "--groups", "item")


@pytest.fixture
def losses(tmp_path):
    """A table of 20 × 12 cells, and halves of it."""
    rng = np.random.default_rng(1)
    subject, item = np.divmod(np.arange(240), 12)
    columns = {
        f"m{place}": 5.0
        + 0.4 * place
        + 0.5 * rng.standard_normal(20)[subject]
        + 0.5 * rng.standard_normal(12)[item]
        + rng.standard_normal(240)
        for place in range(3)
    }
    columns["subject"] = [f"s{n}" for n in subject]
    columns["item"] = [f"i{n}" for n in item]
    rows = list(zip(*columns.values(), strict=True))
    for name, part in (("all", rows), ("one", rows[:130]), ("two", rows[130:])):
        with (tmp_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([columns, *part])
    return tmp_path, columns


def test_the_decision_is_that_of_the_library(losses):
    folder, columns = losses
    run = rivals(
        "compare", folder / "all.csv", *FACTORS, "--new-groups", "subject=30,item=0", "--json"
    )
    found = json.loads(run.out)
    models = {name: columns[name] for name in ("m0", "m1", "m2")}
    groups = {name: columns[name] for name in ("subject", "item")}
    expected = library.compare(models, groups=groups, new_groups={"subject": 30, "item": 0})
    assert found["new_groups"] == {"subject": 30, "item": 0}
    assert found["ranking"] == list(expected.ranking)
    assert found["risk"] == pytest.approx(expected.risk)
    assert [row["p_better"] for row in found["records"][1:]] == pytest.approx(
        [row["p_better"] for row in expected.to_records()[1:]]
    )


@pytest.mark.filterwarnings("ignore:.*have one point")
def test_sites_join_to_all_points(losses):
    folder, _ = losses
    for name in ("one", "two"):
        made = folder / f"{name}.json"
        run = rivals("summarise", folder / f"{name}.csv", *FACTORS, "--out", made)
        assert run.status == 0, run.err
    joined = rivals("compare", folder / "one.json", folder / "two.json", "--json")
    whole = rivals("compare", folder / "all.csv", *FACTORS, "--json")
    one, other = json.loads(joined.out), json.loads(whole.out)
    assert one["new_groups"] == other["new_groups"] == {"subject": 20, "item": 12}
    assert one["risk"] == pytest.approx(other["risk"])


def test_a_plan_by_factor_with_costs(losses):
    folder, _ = losses
    more = "subject=10,subject=20,item=10"
    run = rivals(
        "plan", folder / "all.csv", *FACTORS, "--more-groups", more, "--cost", "subject=5,item=1"
    )
    assert run.status == 0, run.err
    assert "20 more subjects" in run.out
    assert "the cheapest design" in run.out or "no design that was looked at" in run.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--groups", "subject", "--groups", "itm"), "--groups: .* no column 'itm'"),
        ((*FACTORS, "--new-groups", "itm=3"), "--new-groups: there is no factor 'itm'"),
        ((*FACTORS, "--new-groups", "item=x"), "'x' is no number"),
        ((*FACTORS, "--new-groups", "=3"), "write a factor and a number, as subject=30"),
        ((*FACTORS, "--looks", "any"), "--looks are at groups that come one after the other"),
    ],
)
def test_mistakes_are_told_in_words_of_the_command_line(losses, options, said):
    folder, _ = losses
    run = rivals("compare", folder / "all.csv", *options)
    assert run.status == 2

    assert re.search(said, run.err), run.err
