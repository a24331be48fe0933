"""Engines that not every environment has: Ibis, PySpark (with Java), Dask on a cluster."""
# needs: rivals[all], ibis-framework[duckdb], pyspark, dask[dataframe], distributed, pyarrow

from __future__ import annotations

import shutil

import numpy as np
import polars
import pytest

import rivals
from pages import recipe

pytestmark = pytest.mark.filterwarnings("ignore")


def table(n_models=3, offset=0.0, n_rows=4000):
    rng = np.random.default_rng(1)
    site = rng.integers(0, 12, n_rows)
    shared = offset + rng.exponential(size=n_rows)
    losses = shared + 0.3 * rng.normal(size=(n_models, n_rows))
    losses += 0.1 * rng.standard_normal((n_models, 12))[:, site]
    columns = {f"m.{model}": row for model, row in enumerate(losses)}
    return polars.DataFrame({"site": [f"s{place}" for place in site], **columns})


def agrees(frame, plain):
    raw = rivals.compare(plain, groups="site")
    found = rivals.compare(rivals.read.summaries(frame, groups="site"))
    np.testing.assert_allclose(found.probability, raw.probability, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("n_models", "offset"), [(3, 0.0), (3, 1e6), (42, 0.0)])
def test_ibis(n_models, offset):
    ibis = pytest.importorskip("ibis")
    plain = table(n_models, offset)
    agrees(ibis.memtable(plain.to_pandas()), plain)


@pytest.fixture(scope="module")
def spark():
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("PySpark needs Java")
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.mark.parametrize(("n_models", "offset"), [(3, 0.0), (3, 1e6), (42, 0.0)])
def test_pyspark(spark, tmp_path, n_models, offset):
    plain = table(n_models, offset)
    plain.write_parquet(tmp_path / "losses.parquet")
    agrees(spark.read.parquet(str(tmp_path / "losses.parquet")), plain)


def test_pyspark_refuses_what_is_missing(spark, tmp_path):
    plain = table()
    values = plain["m.1"].to_list()
    for name, value in (("null", None), ("nan", float("nan")), ("infinite", float("inf"))):
        broken = plain.with_columns(polars.Series("m.1", [value, *values[1:]]))
        path = tmp_path / f"{name}.parquet"
        broken.write_parquet(path)
        with pytest.raises(ValueError, match=r"'m\.1': 1 losses are missing or infinite"):
            rivals.read.summaries(spark.read.parquet(str(path)), groups="site")


def test_dask_on_a_cluster(tmp_path):
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask.dataframe")
    plain = table()
    for part in range(4):
        plain[1000 * part : 1000 * part + 1000].write_parquet(tmp_path / f"{part}.parquet")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster):
        agrees(dask.read_parquet(tmp_path), plain)


@pytest.mark.parametrize("engine", ["duckdb", "dask.dataframe", "ibis", "spark"])
def test_the_line_of_the_page(engine, request, tmp_path):
    plain = table()
    plain.write_parquet(tmp_path / "losses.parquet")
    for part in range(2):
        plain[2000 * part : 2000 * part + 2000].write_parquet(tmp_path / f"losses-{part}.parquet")
    name = engine.partition(".")[0]
    if engine == "spark":
        space = {name: request.getfixturevalue("spark")}
    else:
        pytest.importorskip(engine)
        space = {name: __import__(engine)}
    lines = recipe("larger-than-memory.md", "duckdb.").splitlines()
    (line,) = [each for each in lines if f"= {engine}." in each]
    # Spark runs in a process whose working directory is another.
    exec(line.replace('("losses', f'("{tmp_path}/losses'), space)
    agrees(space["lazy"], plain)
