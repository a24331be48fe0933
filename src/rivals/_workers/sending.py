"""How a job gets to workers: packed once by the parent, unpacked once by each worker."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from functools import lru_cache
from uuid import uuid4

from rivals._workers.jobs import Job


class WorkerSetupError(RuntimeError):
    """Workers cannot load the job that they should run; no piece of it could succeed."""


@dataclass(frozen=True)
class Packed:
    """A job on its way to workers. Two are equal when they are of the same run."""

    run: str
    contents: str
    pickled: bytes = field(compare=False, repr=False)


def pack(job: Job) -> Packed:
    """A job as bytes, for the workers of one run.

    By cloudpickle, which also accepts lambdas and closures.
    """
    try:
        from cloudpickle import dumps
    except ImportError:
        from pickle import dumps
    try:
        return Packed(uuid4().hex, job.contents, bytes(dumps(job)))
    except Exception as error:
        raise TypeError(
            f"{job.contents} cannot be sent to workers: {type(error).__name__}: {error}; do not "
            "let them capture open files, locks or generators, and have cloudpickle: "
            'pip install "rivals[parallel]"'
        ) from error


# By the run, not by the bytes: functions of modules travel by name, and may change under it.
# Threads may serve two runs at a time.
@lru_cache(maxsize=2)
def unpack(packed: Packed) -> tuple[Job, set[str]]:
    """The job again, and room for the warnings that this worker gives in the run.

    Once per worker and run, since a job may hold data.
    """
    try:
        # Made by the parent of this very run, never read from a file.
        job: Job = pickle.loads(packed.pickled)
    except Exception as error:
        raise WorkerSetupError(
            f"the workers cannot load {packed.contents}: {type(error).__name__}: {error}; the "
            "modules that these are defined in must be installed, or on the path, where the "
            "workers run"
        ) from error
    return job, set()
