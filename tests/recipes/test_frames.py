# needs: dask[dataframe], duckdb, ibis-framework[duckdb], polars
"""Data frames of other libraries, lazy ones among them, give the losses that they hold."""

from __future__ import annotations

import numpy as np
import pytest

from rivals.read import long_table, wide_tables

pandas = pytest.importorskip("pandas")
rng = np.random.default_rng(0)
WIDE = pandas.DataFrame({"A": rng.exponential(size=50), "B": rng.exponential(size=50)})
LONG = pandas.DataFrame(
    {
        "model": ["A"] * 40 + ["B"] * 40,
        "kind": (["observed"] * 20 + ["synthetic"] * 20) * 2,
        "loss": rng.exponential(size=80),
    }
)


def dask(frame):
    return pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=1)


def duckdb(frame):
    return pytest.importorskip("duckdb").connect().from_df(frame)


def ibis(frame):
    return pytest.importorskip("ibis").memtable(frame)


def polars(frame):
    return pytest.importorskip("polars").from_pandas(frame).lazy()


@pytest.mark.filterwarnings("ignore")  # their own
@pytest.mark.parametrize("make", [dask, duckdb, ibis, polars])
def test_lazy_frames_give_the_losses_that_they_hold(make):
    found = wide_tables(make(WIDE), make(WIDE + 0.5))
    for name in WIDE:
        np.testing.assert_array_equal(found[name].observed, WIDE[name])
        np.testing.assert_array_equal(found[name].synthetic, WIDE[name] + 0.5)
    found = long_table(make(LONG))
    np.testing.assert_array_equal(found["B"].synthetic, LONG["loss"][60:])
