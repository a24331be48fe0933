"""Sums of a table on its own engine are the summaries of its losses, to rounding."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import rivals
from rivals._core import reducer
from rivals.read import summaries as summaries_of

ENGINES = ["polars", "polars lazy", "duckdb", "dask", "pandas", "pyarrow"]


def on(engine, frame):
    """A table of polars on another engine."""
    if engine == "polars":
        return frame
    if engine == "polars lazy":
        return frame.lazy()
    if engine == "pandas":
        return frame.to_pandas()
    if engine == "pyarrow":
        return frame.to_arrow()
    if engine == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        table = frame.to_arrow()
        return duckdb.connect().from_arrow(table)
    dask = pytest.importorskip("dask.dataframe")
    return dask.from_pandas(frame.to_pandas(), npartitions=3)


def drawn(rng, *, n_models=3, offset=0.0, balanced=False, simulated=False):
    """Losses at points of random groups, with the groups shuffled."""
    n_groups = int(rng.integers(3, 13))
    sizes = np.full(n_groups, 8) if balanced else rng.integers(1, 30, n_groups)
    sizes[0] = max(sizes[0], 2)
    group = rng.permutation(np.repeat(np.arange(n_groups), sizes))
    names = [f"m{model}" for model in range(n_models)]
    effects = 0.3 * rng.standard_normal((n_models, n_groups))[:, group]
    losses = offset + rng.exponential(size=group.size) + 0.2 * rng.normal(size=effects.shape)
    losses += effects
    labels = np.array([f"site {place}" for place in range(n_groups)])[group]
    extra = (
        losses[:, None] + rng.normal(size=(n_models, 2, group.size))
        if simulated
        else [None] * n_models
    )
    return {
        name: rivals.Losses(row, more, groups=labels)
        for name, row, more in zip(names, losses, extra, strict=True)
    }


def table_of(losses):
    labels = next(iter(losses.values())).groups
    columns = {name: each.observed for name, each in losses.items()}
    return polars.DataFrame({"site": np.array(labels.names)[labels.codes], **columns})


def test_p_is_that_of_the_raw_losses_on_three_hundred_problems():
    rng = np.random.default_rng(1)
    worst = 0.0
    for problem in range(300):
        simulated = problem % 3 == 0
        losses = drawn(rng, balanced=problem % 2 == 0, simulated=simulated)
        raw = rivals.compare(losses)
        if simulated:  # only a site that holds the simulations knows the misfit
            found = rivals.GroupSummaries.from_json(quietly_to_json(raw.summary))
        else:
            found = summaries_of(table_of(losses).lazy(), groups="site")
        result = rivals.compare(found)
        gap = np.nanmax(np.abs(raw.probability.matrix - result.probability.matrix))
        assert list(raw.survivors) == list(result.survivors)
        worst = max(worst, float(gap))
    assert worst < 1e-9


def quietly_to_json(summary):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rivals.RivalsWarning)  # of groups of one point
        return summary.to_json()


@pytest.mark.parametrize("offset", [0.0, 1e6, -1e6])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_gives_the_same_numbers(engine, offset):
    losses = drawn(np.random.default_rng(2), n_models=4, offset=offset)
    raw = rivals.compare(losses)
    found = rivals.compare(summaries_of(on(engine, table_of(losses)), groups="site"))
    # An offset of 1e6 leaves ten digits of the losses themselves.
    np.testing.assert_allclose(found.probability, raw.probability, rtol=0, atol=1e-9)
    assert found.summary.noun == "site"
    assert sorted(found.summary.groups) == sorted(raw.summary.groups)


def test_near_identical_models_and_models_far_apart_keep_their_digits():
    rng = np.random.default_rng(4)
    group = np.repeat(np.arange(8), 40)
    shared = rng.exponential(size=320) + 1e4 * rng.standard_normal(8)[group]
    near = shared + 1e-6 * (rng.normal(size=320) + 0.3 + rng.normal(size=8)[group])
    far = shared + 1e6 + rng.normal(size=320)
    losses = {"a": shared, "near": near, "far": far}
    raw = rivals.compare(losses, groups=group)
    frame = polars.DataFrame({"g": group, **losses}).lazy()
    found = rivals.compare(summaries_of(frame, groups="g"))
    # 1e4 + 1e-6 has rounding of 1e-12, a millionth of the difference.
    np.testing.assert_allclose(found.probability, raw.probability, rtol=0, atol=1e-5)


@pytest.mark.parametrize("n_models", [3, 42])
@pytest.mark.parametrize("engine", ["polars lazy", "duckdb", "dask", "pandas"])
def test_rows_are_summed_in_batches(engine, n_models, monkeypatch):
    module = sys.modules["rivals.read._summaries"]  # the attribute of the package is the door
    monkeypatch.setattr(module, "MOST_NUMBERS", 50 * n_models)
    monkeypatch.setattr(module, "rows_at_once", lambda n_models: 20)
    monkeypatch.setattr(reducer, "rows_at_once", lambda n_models: 7)
    losses = drawn(np.random.default_rng(5), n_models=n_models)
    raw = rivals.compare(losses)
    found = rivals.compare(summaries_of(on(engine, table_of(losses)), groups="site"))
    for name in losses:
        assert found.risk[name] == pytest.approx(raw.risk[name], rel=1e-12)
    np.testing.assert_allclose(found.probability, raw.probability, rtol=0, atol=1e-9)
    # Groups stand in the order in which they first appear, whatever the engine.
    assert found.summary.groups == raw.summary.groups


def test_looks_follow_the_order_of_the_rows(tmp_path):
    """Days 1, 10, 11, 2 as text are days 1, 2, …, 11 as they came."""
    rng = np.random.default_rng(8)
    days = np.repeat([f"day {i}" for i in range(1, 31)], 5)
    losses = {"a": rng.normal(size=150), "b": rng.normal(0.6, 1.0, size=150)}
    raw = rivals.compare(losses, groups=days, looks="any").looks()
    polars.DataFrame({"day": days, **losses}).write_parquet(tmp_path / "x.parquet")
    polars.DataFrame({"day": days, **losses}).write_csv(tmp_path / "x.csv")
    for source in (tmp_path / "x.parquet", tmp_path / "x.csv"):
        summary = summaries_of(source, groups="day")
        assert summary.groups == tuple(dict.fromkeys(days.tolist()))
        found = rivals.compare(summary, looks="any").looks()
        np.testing.assert_allclose(found.low, raw.low, rtol=1e-9)


def test_blocks_may_share_groups_and_come_from_anywhere():
    rng = np.random.default_rng(6)
    values = rng.exponential(size=(520, 24))
    group = np.array(["a", "b", "c"])[rng.integers(0, 3, 24)]
    named = {f"m{model}": row for model, row in enumerate(values)}
    whole = rivals.GroupSummaries.of_losses({k: rivals.Losses(v) for k, v in named.items()}, group)
    kinds = [np.asarray, pandas.Series, polars.Series, pyarrow.array]
    blocks = [
        ({name: kind(row[rows]) for name, row in named.items()}, kind(group[rows].tolist()))
        for kind, rows in zip(kinds, np.split(np.arange(24), [5, 6, 20]), strict=True)
    ]
    found = rivals.GroupSummaries.of_chunks(blocks)
    assert found.groups == whole.groups
    np.testing.assert_array_equal(found.sizes, whole.sizes)
    np.testing.assert_allclose(found.means, whole.means, rtol=1e-12)
    np.testing.assert_allclose(found.pairs.whole(), whole.pairs.whole(), rtol=1e-9)
    with pytest.raises(ValueError, match="same models"):
        rivals.GroupSummaries.of_chunks([blocks[0], ({"x": [1.0], "y": [1.0]}, ["a"])])
    with pytest.raises(ValueError, match=r"model 'm1' has losses of shape \(2,\) for 5 labels"):
        rivals.GroupSummaries.of_chunks([({**blocks[0][0], "m1": [1.0, 2.0]}, blocks[0][1])])


def test_a_file_is_summed_where_it_lies(tmp_path):
    losses = drawn(np.random.default_rng(7))
    table_of(losses).write_parquet(tmp_path / "losses.parquet")
    table_of(losses).write_csv(tmp_path / "losses.csv")
    raw = rivals.compare(losses)
    for name in ("losses.parquet", "losses.csv"):
        found = rivals.compare(summaries_of(tmp_path / name, groups="site"))
        np.testing.assert_allclose(found.probability, raw.probability, rtol=0, atol=1e-9)


def test_what_is_said_of_losses_is_kept():
    frame = polars.DataFrame({"g": [1, 1, 2, 2, 3, 3], "a": range(6), "b": [2.0] * 6})
    found = summaries_of(frame, groups="g", loss_name="error", unit="kg", left_out=True)
    assert (found.source.loss, found.source.unit, found.source.left_out) == ("error", "kg", True)
    assert found.groups == ("1", "2", "3")


def bad(**columns):
    rng = np.random.default_rng(8)
    plain = {"site": ["a", "b", "c"] * 4, "x": rng.normal(size=12), "y1": rng.normal(size=12)}
    return polars.DataFrame({**plain, **columns}, strict=False)


BAD = {
    "null": (bad(x=[None, *[1.0] * 11]), "model 'x': .* 1 of .* are missing"),
    "nan": (bad(x=[np.nan, *[1.0] * 11]), "model 'x': .* 1 of .* are missing"),
    "infinite": (
        bad(y1=[1.0] * 10 + [-np.inf, np.inf]),
        "model 'y1': .* zero probability to 1",
    ),
    "overflow": (bad(x=[1e200] * 6 + [-1e200] * 6), "model 'x'.*1e\\+150"),
    "label": (bad(site=[None, *["a", "b"] * 5, "a"]), "'site': the label of .* is missing"),
    "empty label": (bad(site=["", *["a", "b"] * 5, "a"]), "'site': the label of .* is missing"),
}


@pytest.mark.parametrize("engine", ["polars lazy", "duckdb", "dask", "pandas"])
@pytest.mark.parametrize("case", BAD)
def test_rows_that_cannot_be_summed_are_refused_with_their_column(engine, case):
    frame, said = BAD[case]
    with pytest.raises(ValueError, match=said):
        summaries_of(on(engine, frame), groups="site")


@pytest.mark.parametrize("engine", ["polars lazy", "duckdb", "dask"])
def test_text_that_looks_like_numbers_is_not_cast(engine):
    frame = bad(x=[str(value) for value in range(12)])
    with pytest.raises(TypeError, match="'x' holds"):
        summaries_of(on(engine, frame), groups="site")


def test_missing_values_are_refused_in_batches_too():
    losses = drawn(np.random.default_rng(9), n_models=42)
    frame = table_of(losses).with_columns(m7=polars.lit(None, dtype=polars.Float64))
    with pytest.raises(ValueError, match=r"model 'm7': .* are missing"):
        summaries_of(frame.lazy(), groups="site")


def test_what_an_engine_says_against_it_is_passed_on():
    failing = bad().lazy().with_columns(x=polars.col("site").cast(polars.Float64, strict=True))
    with pytest.raises(ValueError, match=r"polars could not compute it: .*'site'|.*f64"):
        summaries_of(failing, groups="site")
    late = polars.DataFrame({"site": ["1"] * 2000 + ["x"], "b": [1.0] * 2001}).lazy()
    late = late.with_columns(x=polars.col("site").cast(polars.Float64))
    with pytest.raises(ValueError, match="polars could not compute it"):
        summaries_of(late, groups="site")


def test_an_engine_that_fails_in_the_middle_of_duckdb():
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().sql(
        "select 'a' as site, 1.0 as p, "
        "cast(case when i > 5000 then 'x' else '1' end as double) as q "
        "from range(6000) t(i)"
    )
    with pytest.raises(ValueError, match=r"duckdb could not compute it: .*'x'"):
        summaries_of(relation, groups="site")


def test_arguments_that_lead_nowhere_are_told():
    frame = bad()
    with pytest.raises(ValueError, match="groups: name the column"):
        summaries_of(frame)
    with pytest.raises(ValueError, match="no column 'sit'; did you mean 'site'"):
        summaries_of(frame, groups="sit")
    with pytest.raises(ValueError, match="two models or more"):
        summaries_of(frame, groups="site", models=["x"])
    with pytest.raises(ValueError, match="there is no row"):
        summaries_of(frame.head(0), groups="site")
    with pytest.raises(TypeError, match="got int"):
        summaries_of(3, groups="site")
    with pytest.raises(ValueError, match=r"list of .json files is empty"):
        summaries_of([])
    with pytest.raises(ValueError, match="'sem' is no model"):
        summaries_of(frame.rename({"x": "sem"}), groups="site")
    spelled = bad(site=["1", "01", "2"] * 4)
    with pytest.raises(ValueError, match="two spellings"):
        summaries_of(spelled, groups="site")


def test_one_or_two_groups_cannot_be_compared():
    frame = bad(site=["a", "b"] * 6)
    with pytest.raises(ValueError, match="three or more"):
        rivals.compare(summaries_of(frame, groups="site"))


def test_names_with_dots_and_spaces_are_no_obstacle():
    frame = bad().rename({"site": "the site", "x": "model a.1", "y1": "b `c`"})
    for engine in ("polars lazy", "duckdb", "dask"):
        found = summaries_of(on(engine, frame), groups="the site")
        assert found.models == ("model a.1", "b `c`")
        assert found.noun == "the site"


def test_booleans_and_whole_numbers_are_losses():
    frame = bad(x=[True, False] * 6, y1=np.arange(12, dtype=np.int8))
    for engine in ENGINES:
        found = summaries_of(on(engine, frame), groups="site")
        np.testing.assert_allclose(found.means, [[0.5] * 3, [4.5, 5.5, 6.5]], rtol=1e-12)


def test_arrow_and_pandas_frames_are_not_changed():
    frame = bad().to_pandas()
    before = frame.copy()
    summaries_of(frame, groups="site")
    pandas.testing.assert_frame_equal(frame, before)
    assert isinstance(pyarrow.Table.from_pandas(frame), pyarrow.Table)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_sums_cells_of_several_factors(engine):
    rng = np.random.default_rng(3)
    frame = polars.DataFrame(
        {
            "subject": [f"s{n}" for n in rng.integers(7, size=500)],
            "item": rng.integers(5, size=500),
            **{name: 1e3 + rng.standard_normal(500) for name in ("a", "b", "c")},
        }
    )
    found = summaries_of(on(engine, frame), groups=["subject", "item"], left_out=False)
    losses = {name: rivals.Losses(frame[name].to_numpy(), left_out=False) for name in "abc"}
    labels = {name: frame[name].to_numpy() for name in ("subject", "item")}
    expected = rivals.compare(losses, groups=labels)
    assert rivals.compare(found).to_dict()["new_groups"] == {"subject": 7, "item": 5}
    assert np.allclose(
        np.asarray(rivals.compare(found).probability), np.asarray(expected.probability), atol=1e-9
    )
    with pytest.raises(ValueError, match="no column 'itm'; did you mean 'item'"):
        summaries_of(on(engine, frame), groups=["subject", "itm"])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_compare_takes_a_file_itself(tmp_path, ending):
    losses = drawn(np.random.default_rng(7))
    frame = table_of(losses)
    path = tmp_path / f"losses.{ending}"
    getattr(frame, f"write_{ending}")(path)
    raw = rivals.compare(losses)
    sources = [path, str(path), frame.lazy()]
    for found in [rivals.compare(source, groups="site") for source in sources]:
        np.testing.assert_allclose(found.probability, raw.probability, rtol=0, atol=1e-9)
        assert found.ranking == raw.ranking
        assert found.summary.groups == raw.summary.groups
    frame.drop("site").write_parquet(path)
    rows = rivals.compare({name: each.observed for name, each in losses.items()})
    if ending == "parquet":
        found = rivals.compare(path)
        np.testing.assert_array_equal(found.probability, rows.probability)
    with pytest.raises(ValueError, match=r"clusters: .* pass a data frame in memory"):
        rivals.compare(frame.lazy(), clusters="site")
    with pytest.raises(FileNotFoundError, match="no such file"):
        rivals.compare("nowhere.parquet", groups="site")
