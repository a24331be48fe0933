"""What is known of Dask: how a cluster is, when it gives up on a block, how its workers start."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from enum import Enum
from functools import partial
from importlib import import_module
from typing import Any

# How much longer a new worker waits than a cluster does for one that it has lost.
SETTLE_SECONDS = 2.0


class Trouble(Enum):
    """What is wrong with a Dask cluster."""

    CLOSED = "is gone: the connection to its scheduler is closed"
    NO_WORKERS = "has had no workers for {:g} s"
    OUT_OF_REACH = "has been out of reach for {:g} s"


def is_dask(client: Any) -> bool:
    """Whether this is a client of a Dask cluster."""
    return hasattr(client, "scheduler_info")


def submit_to_dask(executor: Any, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
    """Start a function on the cluster of Dask's executor, as a task that was never there before.

    The executor itself forgets a block whose result is lost with its worker before it was fetched,
    and which is then given up: its own future stays pending for ever, though the task has failed.
    """
    options = {**executor._kwargs, "pure": False}
    task = executor._client.submit(function, *arguments, **options)
    future: Future[Any] = Future()
    task.add_done_callback(partial(_pass_on, future))
    return future


def _pass_on(future: Future[Any], task: Any) -> None:
    """What came of a task, fetched from its worker; whatever goes wrong is what came of it."""
    try:
        result = task.result()
    except BaseException as error:  # also that it was cancelled
        future.set_exception(error)
    else:
        future.set_result(result)


def trouble_of(client: Any) -> Trouble | None:
    """What is wrong with a Dask cluster, as far as its client knows.

    None where nothing is, and for executors of other kinds.
    """
    if not is_dask(client):
        return None
    status = client.status
    if status in ("closed", "closing", "failed"):
        return Trouble.CLOSED
    if status == "running":
        with suppress(Exception):  # the connection may break this very moment
            workers = client.scheduler_info().get("workers", {})
            return None if workers else Trouble.NO_WORKERS
    return Trouble.OUT_OF_REACH


def bring_back_workers(client: Any) -> None:
    """Ask a Dask cluster for the workers that it has given up.

    A cluster in this process gives up a worker that died and is not there again after some time,
    15 s by default; on a busy machine the start of a worker may take longer. It still knows how
    many it was asked for.
    """
    cluster = getattr(client, "cluster", None)
    wanted = getattr(cluster, "worker_spec", {})
    held = getattr(cluster, "workers", wanted)
    if cluster is not None and len(held) < len(wanted):
        cluster.scale(len(wanted))


def gave_up(error: BaseException) -> bool:
    """Whether Dask moved a block from worker to worker until it would not lose one more to it."""
    distributed = sys.modules.get("distributed")
    return distributed is not None and isinstance(error, distributed.KilledWorker)


_turn = threading.Lock()
_settled: set[str] = set()  # addresses of workers in this process that have waited


def settle(begun: float) -> None:
    """In a Dask worker that was started since the run has begun: wait before its first block.

    Dask hands a block that killed a worker to the next one as soon as that has registered. A
    cluster looks for a worker that died some time later, 15 s by default: if it is not there at
    that moment, because the same block has killed it again, the cluster gives it up for good. So a
    new worker lives longer than that before it begins.

    Parameters
    ----------
    begun : float
        When the run began, in seconds since the epoch.
    """
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return
    with suppress(ValueError), _turn:  # this is no task of Dask
        worker = distributed.get_worker()
        if worker.nanny is None or worker.address in _settled:
            return
        _settled.add(worker.address)
        psutil = import_module("psutil")  # which distributed needs itself
        if psutil.Process().create_time() > begun:
            dask = import_module("dask")
            patience = dask.config.get("distributed.deploy.lost-worker-timeout", "15s")
            time.sleep(dask.utils.parse_timedelta(patience) + SETTLE_SECONDS)
