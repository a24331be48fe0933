"""An executor that the user made and owns: a Dask cluster, an MPI pool, processes or threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from rivals._workers.dask import (
    Trouble,
    bring_back_workers,
    is_dask,
    submit_to_dask,
    trouble_of,
)
from rivals._workers.pool import Pool, count_cores

# A cluster may lose its scheduler or its last worker for this long, for example while it restarts
# them.
PATIENCE = 60.0


class Foreign(Pool):
    """Workers that are not ours to start and to end."""

    def __init__(self, executor: Executor) -> None:
        super().__init__()
        self._executor = executor
        self._client = getattr(executor, "_client", None)  # of Dask
        self.n_workers = _count_workers(executor)
        self._lost_since: float | None = None

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        if is_dask(self._client):
            return submit_to_dask(self._executor, function, *arguments)
        return super().submit(function, *arguments)

    def is_ready(self) -> bool:
        self.interrupts.look()
        trouble = trouble_of(self._client)
        if trouble is None:
            self._lost_since = None
            return True
        now = time.monotonic()
        if self._lost_since is None:
            self._lost_since = now
        if trouble is Trouble.NO_WORKERS:
            bring_back_workers(self._client)
        if trouble is Trouble.CLOSED or now - self._lost_since > PATIENCE:
            raise RuntimeError(
                f"the Dask cluster {trouble.value.format(PATIENCE)}; finished experiments are kept "
                "if there is a store; restart the scheduler and the workers, and run it again with "
                "a new client to continue"
            )
        return False

    def check_patience(self, silent: float, longest: float) -> None:
        if silent > longest + PATIENCE:
            raise RuntimeError(
                f"no block came back from the executor for {silent:.0f} s, though the time limits "
                f"of its experiments allow {longest:.0f} s: its workers hang in code that cannot "
                "be interrupted, or are gone; finished experiments are kept if there is a store; "
                "restart the workers, and run it again to continue"
            )


def _count_workers(executor: Any) -> int:
    """How many workers an executor has, as far as it says."""
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "ncores"):  # Dask
        return max(int(sum(client.ncores().values())), 1)
    count = getattr(executor, "_max_workers", None) or getattr(executor, "num_workers", None)
    if isinstance(count, int) and count > 0:
        return count
    return count_cores()
