"""On a real Dask cluster of two processes, one of which is killed."""

import os
import signal
import threading
import time
from contextlib import suppress

import numpy as np
import pytest
from omegas import calibrate, sleeper, toy
from typer.testing import CliRunner

import rivals
from rivals._workers.cluster import Foreign

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
# What Dask itself warns of (ports, event loops) is not ours to mend.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.slow]


@pytest.fixture
def client(request, monkeypatch):
    """The client of a cluster, with these settings of Dask."""
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(__file__))  # where the workers find `omegas`
    settings = {"distributed.scheduler.allowed-failures": 1}  # less to wait for
    with dask.config.set(settings | getattr(request, "param", {})):
        cluster = distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=50,
        )
        with distributed.Client(cluster) as client:
            yield client
        # Dask gives up closing a worker that is just being started again; its process ends with
        # this one.
        with suppress(TimeoutError):
            cluster.close()


def test_same_bits_on_dask_with_a_worker_killed(client, small):
    expected = rivals.calibrate({"s": toy}, n_experiments=80, executor=0, **small)
    victim = next(iter(client.run(os.getpid).values()))

    def kill():
        time.sleep(1.0)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    found = calibrate(
        {"s": sleeper}, n_experiments=80, executor=client.get_executor(), block_size=4, **small
    )
    killer.join()
    assert not found.failures
    np.testing.assert_array_equal(found.records, expected.records)


def check_failure(client, small):
    def ends(rng, index):
        if index == 3:
            os._exit(1)
        return toy(rng)

    found = calibrate(
        {"e": ends}, n_experiments=8, executor=client.get_executor(), block_size=2, **small
    )
    (failure,) = found.failures
    assert failure.experiment == 3
    assert "the worker died" in failure.error
    expected = rivals.calibrate({"e": toy}, n_experiments=8, executor=0, **small).records
    np.testing.assert_array_equal(found.records, expected[expected["experiment"] != 3])


def test_an_experiment_that_ends_its_process_is_recorded_and_workers_come_back(client, small):
    """Dask gives the block that killed a worker to the next one, and gives up workers that it
    finds dead when it looks for them 15 s later.
    """
    check_failure(client, small)
    client.wait_for_workers(2, timeout=60)


@pytest.mark.parametrize(
    "client", [{"distributed.deploy.lost-worker-timeout": "500ms"}], indirect=True
)
def test_a_cluster_is_asked_for_workers_that_it_has_given_up(client, small):
    """It looks for them before they can have started again, as on a busy machine."""
    check_failure(client, small)


def test_command_line_on_dask(client, monkeypatch, tmp_path):
    from rivals.cli.app import app

    monkeypatch.chdir(os.path.dirname(__file__))
    line = [
        "calibrate",
        "omegas:toy",
        "--c",
        "1",
        "--n-experiments",
        "6",
        "--n-data",
        "64",
        "--n-truth",
        "300",
        "--no-progress",
    ]
    found = CliRunner().invoke(
        app, [*line, "--dask", client.scheduler.address, "--store", str(tmp_path / "s.sqlite")]
    )
    assert found.exit_code == 0, found.output
    assert "6 experiments" in found.output


def test_a_block_that_is_tried_again_is_another_task(client):
    """Dask takes calls with the same arguments for one task, and gives back what came of it."""
    pool = Foreign(client.get_executor())
    futures = [pool.submit(time.time_ns) for _ in range(3)]
    assert len({future.result(timeout=60.0) for future in futures}) == 3
