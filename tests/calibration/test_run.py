"""Runs: the same numbers however they are run; three outcomes; what more data decide."""

from __future__ import annotations

import _thread
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import numpy as np
import pytest

import rivals
from calibration.scenarios import (
    SMALL,
    now_and_then,
    oscillator,
    replicated,
    shifted,
    slowly,
    sorted_oscillator,
)
from rivals.calibration import CalibrationInterrupted
from rivals.testbeds.toys import gaussian

joblib = pytest.importorskip("joblib")


def same(one, other):
    return all(
        np.array_equal(one.outcomes[name], other.outcomes[name])
        for name in one.outcomes.dtype.names
    )


def run(scenarios=shifted, n_experiments=40, **options):
    return rivals.calibrate(scenarios, n_experiments=n_experiments, **{**SMALL, **options})


def test_numbers_do_not_depend_on_processes_or_on_where_a_run_was_resumed(tmp_path):
    both = {"a": shifted, "b": replicated}
    whole = run(both)
    assert same(whole, run(both, n_jobs=2))
    store = tmp_path / "part.sqlite"
    run(both, n_experiments=13, store=store, most_truth=1000)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        again = run(both, store=tmp_path / "whole.sqlite")
    assert same(whole, again)
    assert same(again, rivals.Calibration.open(tmp_path / "whole.sqlite"))


def test_the_first_experiments_do_not_depend_on_how_many_follow(tmp_path):
    store = tmp_path / "study.sqlite"
    few = run(n_experiments=10, store=store, most_truth=1000)
    many = run(n_experiments=30, store=store, most_truth=1000)
    assert np.array_equal(few.outcomes, many.outcomes[:10])


def test_the_entropy_is_that_of_the_store(tmp_path):
    store = tmp_path / "study.sqlite"
    first = run(rng=None, store=store, n_experiments=5)
    again = run(rng=None, store=store, n_experiments=8)
    assert again.conditions.entropy == first.conditions.entropy
    assert np.array_equal(first.outcomes, again.outcomes[:5])


# ---------------------------------------------------------------- three outcomes


def test_a_simulator_that_sorts_by_time_is_judged_by_what_is_known():
    """158 named winners were once called "11 % wrong", of which 0 were: undecided is not wrong."""
    options = {"n_data": 200, "n_truth": 2000, "n_experiments": 300, "c": [0.1, 1.0], "rng": 0}
    found = {
        name: rivals.calibrate(scenario, progress=False, **options)
        for name, scenario in (("sorted", sorted_oscillator), ("shuffled", oscillator))
    }
    counts = {name: each.states().states[0][0] for name, each in found.items()}
    for each in counts.values():
        assert each.right > 50
        assert each.wrong <= 2
        assert each.unknown <= 0.05 * each.n
    # The same points in another order: the same risks, and so the same truths.
    apart = found["sorted"].truth != found["shuffled"].truth
    assert np.mean(apart & ~np.isnan(found["sorted"].truth + found["shuffled"].truth)) < 0.01
    series = rivals.calibrate(sorted_oscillator, progress=False, order="time", **options)
    assert np.isnan(series.truth).sum() >= np.isnan(found["sorted"].truth).sum()


def test_the_three_counts_stand_in_every_output():
    calibration = run(n_experiments=300, n_truth=2000, most_truth=2000)
    found = calibration.states().states[0][0]
    assert found.right > 0
    assert found.unknown > 0.05 * found.n
    outcome = calibration.records["outcome"][calibration.records["c"] == calibration.c[0]]
    for name in ("right", "wrong", "undecided"):
        number = getattr(found, name)
        assert np.sum(outcome == name) == number
        assert calibration.to_dict()["of_each_scenario"][0][0][name] == number
        assert str(number) in calibration.table.rows[0]
    assert f"in {found.unknown} of 300 experiments, which are left out" in str(calibration)
    assert f"{found.undecided} named winner" in str(calibration)
    assert f"{found.unknown} of 300 experiments in which it stayed undecided" in (
        calibration.methods()
    )


# ---------------------------------------------------------------- more data for the truth


def test_more_data_decide_until_few_are_undecided_or_up_to_a_limit():
    most = {}
    for limit in (500, 2000, 8000, 128_000):
        found = run(n_experiments=200, n_truth=500, most_truth=limit)
        most[limit] = np.mean(np.isnan(found.truth))
        assert found.outcomes["n_truth"].max() <= limit
        # Only what was undecided got more.
        assert np.mean(found.outcomes["n_truth"] == 500) > 0.6
    assert most[500] > most[2000] > most[8000]
    assert most[128_000] <= 0.05


def test_a_run_that_ended_while_truths_grew_ends_as_a_whole_one(tmp_path):
    store = tmp_path / "study.sqlite"
    options = {"n_experiments": 100, "n_truth": 500, "store": store}
    whole = run(**options)
    assert len(set(whole.outcomes["n_truth"])) > 2
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(
            "DELETE FROM experiments WHERE n_truth > 500 AND experiment % 2 OR experiment > 90"
        )
    assert same(whole, run(**options))


def test_candidates_that_are_alike_stay_undecided_and_nothing_is_valid():
    def alike(rng):
        width = rng.uniform(0.9, 1.1)
        model = rivals.Candidate(lambda y: y**2 / 2, lambda n, rng: width * rng.standard_normal(n))
        return rivals.Experiment(lambda n, rng: rng.standard_normal(n), (model, model))

    calibration = run(alike, n_experiments=300)
    assert np.isnan(calibration.truth).all()
    with pytest.raises(ValueError, match="undecided"):
        calibration.choose_c()
    assert "n_truth" in calibration.conclusion


def test_a_replication_that_has_one_size_alone_stays_as_it_is():
    def fixed(rng):
        mean = rng.normal(0, 0.1)

        def record(n, rng):
            return mean + rng.standard_normal(100)

        return rivals.Experiment(record, (gaussian(-0.1), gaussian(0.1)), replicate=record)

    found = run(fixed, n_truth=100)
    assert set(found.outcomes["n_truth"]) == {100}
    assert found.n_experiments == 40
    assert not found.failures


# ---------------------------------------------------------------- what goes wrong


def test_experiments_that_fail_are_counted_and_can_be_run_again(tmp_path):
    store = tmp_path / "study.sqlite"
    calibration = run(now_and_then, store=store)
    failed = len(calibration.failures)
    assert 2 <= failed <= 20
    assert calibration.n_experiments == 40 - failed
    assert "a blow-up of the integration (scenarios.py, line" in str(calibration)
    assert same(calibration, run(now_and_then, store=store))
    assert len(run(now_and_then, store=store, retry=True).failures) == failed


def test_a_scenario_that_was_not_run_yet_does_not_count_as_passed(tmp_path):
    store = tmp_path / "study.sqlite"
    run({"first": shifted, "second": shifted}, n_experiments=400, store=store, most_truth=1000)
    assert rivals.Calibration.open(store).states().kept
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DELETE FROM experiments WHERE scenario = 1")
    part = rivals.Calibration.open(store)
    assert part.states().kept == ()
    assert "400 of 800 experiments" in str(part)
    assert "silent in 'second': 0 named winners" in part.conclusion
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DELETE FROM experiments")
    assert "No c is kept" in str(rivals.Calibration.open(store))


def test_an_interrupt_keeps_what_is_there(tmp_path):
    store = tmp_path / "study.sqlite"
    timer = threading.Timer(0.6, _thread.interrupt_main)
    timer.start()
    with pytest.raises(CalibrationInterrupted, match="run it again to go on"):
        run(slowly, n_experiments=2000, store=store)
    timer.join()
    kept = rivals.Calibration.open(store)
    assert 0 < kept.n_experiments < 2000
    assert kept.n_wanted == 2000
    assert f"{kept.n_experiments} of 2000" in str(kept)


IN_A_DAEMON = """
import multiprocessing, sys, warnings
import rivals
from rivals.testbeds import toys

OPTIONS = dict(n_data=50, n_truth=100, n_experiments=6, rng=0, c=[0.1, 1.0])

def run(n_jobs):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = rivals.calibrate(toys.omega, n_jobs=n_jobs, **OPTIONS)
    return found.outcomes["probability"].tolist(), [str(each.message) for each in said]

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        within, said = pool.apply(run, (2,))
    assert within == run(1)[0]
    print(said)
"""


def test_within_a_process_of_a_pool_one_process_is_used_with_a_sentence(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(IN_A_DAEMON)
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=100
    )
    assert "n_jobs=1" in done.stdout


@pytest.mark.filterwarnings("ignore")
def test_on_a_dask_cluster_and_within_one_of_its_tasks_numbers_are_the_same():
    distributed = pytest.importorskip("distributed")
    alone = run(n_experiments=12)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        with joblib.parallel_config(backend="dask"):
            on_cluster = run(n_experiments=12, n_jobs=-1)
        within = client.submit(run, n_experiments=12, pure=False).result(timeout=60)
    assert same(alone, on_cluster)
    assert same(alone, within)


def test_one_process_needs_no_joblib():
    code = (
        "import sys, rivals; from rivals.testbeds import toys\n"
        "sys.modules['joblib'] = None\n"
        "options = dict(n_data=50, n_truth=100, n_experiments=3, rng=0)\n"
        "print(rivals.calibrate(toys.omega, **options).n_experiments)\n"
        "rivals.calibrate(toys.omega, n_jobs=2, **options)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "3"
    assert "rivals[parallel]" in done.stderr
