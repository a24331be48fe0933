"""Faults in processes: workers and parents that die, hang or are stopped, and stores that go away
under them.

Every fault is injected into a calibration in a process of its own, which has a time limit.
Afterwards there are the right numbers or a sentence that says why not; what was acknowledged is in
the store; and every record is that of a calm run, bit for bit.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from omegas import SMALL, calibrate, sleeper, toy

from rivals import Experiment
from rivals.calibration import StoreError, open_store

N = 24
BAD = 5  # the experiment that misbehaves
LONGEST = 150.0  # seconds that any run may take on a busy machine; beyond, it hangs
SETTINGS: dict[str, Any] = {**SMALL, "n_experiments": N, "executor": 2, "block_size": 3}


def inject_faults(seconds: float, seed: int) -> dict[str, Any]:
    """Inject faults for so many seconds, at least one of each kind; counts of what came of them."""
    chance = random.Random(seed)
    count = Counts()
    deadline = time.monotonic() + seconds
    kinds = list(KINDS)
    for turn in itertools.count():
        kind = kinds[turn % len(kinds)]
        if time.monotonic() > deadline and turn >= len(
            kinds
        ):  # every kind is tried, however slow the machine
            break
        folder = Path(tempfile.mkdtemp(prefix="rivals-stress-"))
        os.chmod(folder, 0o755)
        try:
            count.faults += 1
            KINDS[kind](Case(folder, kind, chance, count))
        except Exception:
            count.problem("raw_errors", kind, traceback.format_exc(limit=-2))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return count.as_dict()


@dataclass
class Counts:
    """What was injected, and what must not have come of it."""

    faults: int = 0
    lost: int = 0
    hung: int = 0
    silently_wrong: int = 0
    raw_errors: int = 0
    problems: list[str] = field(default_factory=list)

    def problem(self, what: str, kind: str, text: str) -> None:
        setattr(self, what, getattr(self, what) + 1)
        self.problems.append(f"{kind}: {what}: {' '.join(text.split())[:400]}")

    def as_dict(self) -> dict[str, Any]:
        names = ("faults", "lost", "hung", "silently_wrong", "raw_errors", "problems")
        return {name: getattr(self, name) for name in names}


_calm: dict[int, bytes] = {}


def calm(index: int) -> bytes:
    """The records of an experiment in a calm run, in this process."""
    if not _calm:
        found = calibrate({"toy": toy}, **{**SETTINGS, "n_experiments": 4 * N, "executor": 0})
        _calm.update(by_experiment(found.records))
    return _calm[index]


def by_experiment(records: Any) -> dict[int, bytes]:
    return {
        int(i): records[records["experiment"] == i].tobytes()
        for i in np.unique(records["experiment"])
    }


@dataclass
class Case:
    """One fault: where its store is, and how to run a calibration and look at what came of it."""

    folder: Path
    kind: str
    chance: random.Random
    count: Counts

    def __post_init__(self) -> None:
        self.store = self.folder / "s.sqlite"

    def start(self, omega: str = "plain", **spec: Any) -> subprocess.Popen[str]:
        """A calibration in a process group of its own."""
        text = json.dumps(
            {"omega": omega, "store": str(self.store), "folder": str(self.folder), **spec}
        )
        with open(self.folder / "output", "a") as output:
            return subprocess.Popen(
                [sys.executable, __file__, text],
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                text=True,
            )

    def wait(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        """What a run says of itself; whatever it left running is ended."""
        try:
            process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            self.count.problem("hung", self.kind, f"no end after {LONGEST:g} s")
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        try:
            said: dict[str, Any] = json.loads((self.folder / f"result-{process.pid}").read_text())
            return said
        except (OSError, ValueError):
            return {}

    def run(self, omega: str = "plain", **spec: Any) -> dict[str, Any]:
        """A calibration to its end."""
        return self.wait(self.start(omega, **spec))

    def expect(
        self, said: dict[str, Any], *, failed: set[int] = frozenset(), refusal: str | None = None
    ) -> None:  # type: ignore[assignment]
        """The run ended as it should, and its store holds what it should."""
        if refusal is not None:
            if not (
                said.get("refused") and any(part in said["message"] for part in refusal.split("|"))
            ):
                self.count.problem(
                    "raw_errors", self.kind, f"expected {refusal!r}, found {said or self.output()}"
                )
        elif "failures" not in said:
            self.count.problem("raw_errors", self.kind, f"no result: {said or self.output()}")
        elif {int(i) for i in said["failures"]} != set(failed) or said["finished"] != N - len(
            failed
        ):
            self.count.problem(
                "silently_wrong", self.kind, f"expected {sorted(failed)} to fail: {said}"
            )
        self.check_store(complete=refusal is None, failed=set(failed))

    def check_store(self, *, complete: bool, failed: set[int]) -> None:
        """Every record is that of a calm run, and what was acknowledged is there."""
        try:
            found = by_experiment(open_store(self.store).records)
        except FileNotFoundError:
            found = {}
        except StoreError as error:
            found = {}
            if "still empty" not in str(error):
                self.count.problem("lost", self.kind, str(error))
        wrong = [index for index, record in found.items() if record != calm(index)]
        if wrong:
            self.count.problem(
                "silently_wrong", self.kind, f"experiments {wrong} differ from those of a calm run"
            )
        gone = self.acknowledged() - set(found)
        if complete:
            gone |= set(range(N)) - set(found) - failed
        if gone:
            self.count.problem(
                "lost", self.kind, f"experiments {sorted(gone)} are not in the store"
            )

    def acknowledged(self) -> set[int]:
        try:
            return {int(word) for word in (self.folder / "acknowledged").read_text().split()}
        except FileNotFoundError:
            return set()

    def wait_for(self, process: subprocess.Popen[str], n_acknowledged: int) -> None:
        """Until so many experiments are acknowledged, or the run is over."""
        deadline = time.monotonic() + LONGEST
        while (
            len(self.acknowledged()) < n_acknowledged
            and process.poll() is None
            and time.monotonic() < deadline
        ):
            time.sleep(0.02)

    def output(self) -> str:
        return (self.folder / "output").read_text(errors="replace")[-400:]


# ---------------------------------------------------------------- what is injected


def misbehaves(omega: str, case: Case, *, failed: bool, **spec: Any) -> None:
    """One experiment misbehaves; the others must not notice."""
    case.expect(case.run(omega, **spec), failed={BAD} if failed else set())
    left = case.folder / "left"
    if left.exists():
        time.sleep(1.0)
        with contextlib.suppress(FileNotFoundError):
            if (
                Path(f"/proc/{left.read_text()}/stat").read_text().rpartition(")")[2].split()[0]
                != "Z"
            ):
                case.count.problem(
                    "hung", case.kind, "a process that an experiment started is still there"
                )


def parent_is_killed(case: Case, *, by: signal.Signals = signal.SIGKILL, times: int = 1) -> None:
    """Killed at random moments, then run to its end."""
    for turn in range(times):
        case.count.faults += turn > 0
        process = case.start("sleeps")
        if case.chance.random() < 0.5:
            case.wait_for(process, len(case.acknowledged()) + 1)
        time.sleep(case.chance.uniform(0.0, 1.5))
        process.send_signal(by)
        case.wait(process)
        case.check_store(complete=False, failed=set())
    case.expect(case.run("sleeps"))


def worker_is_killed(case: Case) -> None:
    process = case.start("sleeps")
    case.wait_for(process, 2)
    for pid in workers_of(process)[:1]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    case.expect(case.wait(process))


def stopped_and_continued(case: Case) -> None:
    """The parent, and then a worker, are stopped for a second."""
    process = case.start("sleeps")
    case.wait_for(process, 2)
    for pid in [process.pid, *workers_of(process)[:1]]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            time.sleep(1.0)
            os.kill(pid, signal.SIGCONT)
    case.expect(case.wait(process))


def two_parents(case: Case) -> None:
    first = case.start("sleeps")
    case.wait_for(first, 1)
    (case.folder / "second").mkdir()
    second = Case(case.folder / "second", case.kind, case.chance, case.count)
    second.store = case.store
    said = second.wait(second.start("sleeps"))
    if first.poll() is None and "another process is writing" not in said.get("message", ""):
        case.count.problem("silently_wrong", case.kind, f"a second writer was let in: {said}")
    case.expect(case.wait(first))


def store_goes_away(case: Case, *, renamed: bool) -> None:
    process = case.start("sleeps")
    case.wait_for(process, 2)
    before = case.acknowledged()
    if process.poll() is None:
        os.rename(case.store, case.folder / "elsewhere") if renamed else os.remove(case.store)
    said = case.wait(process)
    if not said.get("refused") or "was deleted, renamed or replaced" not in said["message"]:
        case.count.problem(
            "lost", case.kind, f"nothing was said: {said} after {len(before)} were acknowledged"
        )
    (case.folder / "acknowledged").unlink(
        missing_ok=True
    )  # they went with the file, and that was said
    for name in ("-wal", "-shm"):
        Path(f"{case.store}{name}").unlink(missing_ok=True)
    case.expect(case.run())


def disk_is_full(case: Case) -> None:
    """A limit on the size of files stands for the full disk; then there is room again."""
    case.expect(
        case.run(file_limit=60_000, n_experiments=4 * N), refusal="disk cannot be|disk is full"
    )
    case.expect(case.run())


def small_disk(case: Case) -> None:
    """A file system of 160 kB, where we may mount one; with room for the beginning only."""
    disk = case.folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=160k,mode=755", "none", str(disk)], capture_output=True
    )
    if mounted.returncode:
        case.count.faults -= 1
        return
    case.store = disk / "s.sqlite"
    try:
        case.expect(
            case.run(n_experiments=4 * N, block_size=1), refusal="disk is full|disk cannot be"
        )
    finally:
        subprocess.run(["umount", "-l", str(disk)], capture_output=True, check=False)


def read_only(case: Case) -> None:
    case.expect(case.run())
    case.store.with_name(f"{case.store.name}-writer").unlink()
    os.chmod(case.store, 0o444)
    os.chmod(case.folder, 0o777)
    ours = case.folder / "locked"
    ours.mkdir()
    moved = Path(shutil.move(case.store, ours))
    os.chmod(ours, 0o555)
    said = case.run(user=65534, store=str(moved), n_experiments=N + 1)
    if "is its folder writable" not in said.get("message", "") and "read-only" not in said.get(
        "message", ""
    ):
        case.count.problem(
            "raw_errors", case.kind, f"expected a word on permissions: {said or case.output()}"
        )
    os.chmod(ours, 0o755)
    case.store = moved
    case.check_store(complete=True, failed=set())


def dask_cluster_dies(case: Case, *, victim: str) -> None:
    """A worker of two, all workers, or the scheduler are killed."""
    address = case.folder / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli"]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path])}
    quiet = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "env": paths,
        "start_new_session": True,
    }
    options = ["--scheduler-file", str(address), "--no-dashboard"]
    scheduler = subprocess.Popen(
        [*command[:2], "distributed.cli.dask_scheduler", *options, "--port", "0"], **quiet
    )  # type: ignore[call-overload]
    workers = [
        subprocess.Popen(
            [
                *command[:2],
                "distributed.cli.dask_worker",
                *options,
                "--nthreads",
                "1",
                "--no-nanny",
            ],
            **quiet,
        )  # type: ignore[call-overload]
        for _ in range(2)
    ]
    try:
        process = case.start("sleeps", dask=str(address))
        case.wait_for(process, 2)
        for one in {"worker": workers[:1], "workers": workers, "scheduler": [scheduler]}[victim]:
            one.kill()
        said = case.wait(process)
    finally:
        for one in (scheduler, *workers):
            one.kill()
            one.wait()
    if victim == "worker":
        case.expect(said)
    else:
        case.expect(said, refusal="the Dask cluster")
        case.expect(case.run("sleeps"))


KINDS: dict[str, Callable[[Case], None]] = {
    "a worker exits once": partial(misbehaves, "exits_once", failed=False),
    "a worker always exits": partial(misbehaves, "exits", failed=True),
    "a worker segfaults": partial(misbehaves, "segfaults", failed=True),
    "sys.exit in an experiment": partial(misbehaves, "leaves", failed=True),
    "out of memory": partial(misbehaves, "out_of_memory", failed=True),
    "compiled code never returns": partial(
        misbehaves, "never_returns", failed=True, time_limit=1.0
    ),
    "everything is caught": partial(misbehaves, "catches_all", failed=True, time_limit=1.0),
    "a thread is left behind": partial(misbehaves, "leaves_a_thread", failed=False),
    "an experiment forks": partial(misbehaves, "forks", failed=False),
    "a forked process stays": partial(misbehaves, "leaves_a_process", failed=False),
    "standard streams are closed": partial(misbehaves, "closes_streams", failed=False),
    "the same streams, in this process": partial(
        misbehaves, "closes_streams", failed=False, executor=0
    ),
    "stdout is flooded": partial(misbehaves, "floods", failed=False),
    "exceptions that cannot be pickled": partial(misbehaves, "unpicklable", failed=True),
    "wrong types": partial(misbehaves, "wrong_type", failed=True),
    "the same in this process": partial(misbehaves, "leaves", failed=True, executor=0),
    "an experiment raises KeyboardInterrupt": partial(misbehaves, "interrupts", failed=True),
    "the same interrupt, in this process": partial(
        misbehaves, "interrupts", failed=True, executor=0
    ),
    "a limit around a study with another": partial(
        misbehaves, "calibrates_and_sleeps", failed=True, time_limit=3.0, executor=0
    ),
    "the same limits, in a worker": partial(
        misbehaves, "calibrates_and_sleeps", failed=True, time_limit=3.0
    ),
    "a limit within a limit": partial(
        misbehaves, "calibrates_in_vain", failed=False, time_limit=60.0, executor=0
    ),
    "a limit longer than any clock": partial(misbehaves, "plain", failed=False, time_limit=1e10),
    "the same in this process, too": partial(
        misbehaves, "plain", failed=False, time_limit=1e10, executor=0
    ),
    "a worker is killed": worker_is_killed,
    "stopped and continued": stopped_and_continued,
    "two parents": two_parents,
    "the store is deleted": partial(store_goes_away, renamed=False),
    "the store is renamed": partial(store_goes_away, renamed=True),
    "the disk is full": disk_is_full,
    "a small disk": small_disk,
    "the store is read-only": read_only,
    "the clock goes backwards": partial(misbehaves, "plain", failed=False, backwards=True),
    "SIGTERM": partial(parent_is_killed, by=signal.SIGTERM),
    "the parent is killed 20 times": partial(parent_is_killed, times=20),
    "a Dask worker dies": partial(dask_cluster_dies, victim="worker"),
    "all Dask workers die": partial(dask_cluster_dies, victim="workers"),
    "the Dask scheduler dies": partial(dask_cluster_dies, victim="scheduler"),
}


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """The processes that compute for a run."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            line = (entry / "cmdline").read_text()
            if (
                int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == process.pid
                and "popen_loky" in line
            ):
                found.append(int(entry.name))
    return found


# ---------------------------------------------------------------- the run, in a process of its own


def omega_of(name: str, folder: str) -> Callable[..., Experiment]:
    """An epistemic distribution like `toy`, but for one experiment that misbehaves."""

    def misbehaving(rng: np.random.Generator, index: int) -> Any:
        if index == BAD and name not in ("plain", "sleeps"):
            answer = misbehaviour(name, folder)
            if answer is not None:
                return answer
        return (sleeper if name == "sleeps" else toy)(rng)

    return misbehaving


def misbehaviour(name: str, folder: str) -> Any:
    if name == "exits" or (name == "exits_once" and not os.path.exists(f"{folder}/exited")):
        open(f"{folder}/exited", "w").close()
        os._exit(3)
    if name == "segfaults":
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "leaves":
        sys.exit(0)
    if name == "out_of_memory":
        import resource

        limits = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, limits[1]))
        try:
            np.ones(4 << 30)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, limits)
    if name == "never_returns":
        collections.deque(itertools.repeat(None), maxlen=0)
    while name == "catches_all":
        with contextlib.suppress(BaseException):
            time.sleep(0.1)
    if name == "leaves_a_thread":
        threading.Thread(target=time.sleep, args=(1000,)).start()
    if name == "forks":
        os.fork()
    if name == "leaves_a_process":
        pid = os.fork()
        if not pid:
            time.sleep(1000)
        Path(folder, "left").write_text(str(pid))
    if name == "closes_streams":
        sys.stdout.close()
        sys.stderr.close()
    if name == "floods":
        for _ in range(200):
            print("flood " * 10_000)
    if name == "interrupts":
        raise KeyboardInterrupt("not yours")
    if name == "calibrates_and_sleeps":
        within(toy, 30.0)
        time.sleep(1000)
    if name == "calibrates_in_vain":
        (failure,) = within(lambda rng: time.sleep(1000), 0.2).failures
        assert "longer than the limit of 0.2 s" in failure.error, failure.error
    if name == "unpicklable":

        class Local(Exception):
            lock = threading.Lock()

        raise Local(lambda: None, threading.Lock())
    return "no experiment" if name == "wrong_type" else None


def within(omega: Any, limit: float) -> Any:
    """A study within an experiment, with a limit of its own."""
    return calibrate(
        {"inner": omega}, **{**SETTINGS, "n_experiments": 1, "executor": 0}, time_limit=limit
    )


def child(spec: dict[str, Any]) -> None:
    """Run a calibration as told; acknowledge what is written, and write down how it ended."""
    import rivals._workers.cluster as pools
    from rivals.calibration.store import StudyStore

    folder = spec["folder"]
    pools.PATIENCE = 5.0
    written = StudyStore.write

    def write(self: StudyStore, ended: Any) -> None:
        written(self, ended)
        with open(f"{folder}/acknowledged", "a") as file:
            file.write("".join(f"{each.index} " for each in ended if not each.error))

    StudyStore.write = write  # type: ignore[method-assign]
    if spec.get("file_limit"):
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (spec["file_limit"], resource.RLIM_INFINITY))
    if spec.get("backwards"):
        clock = itertools.count(time.time(), -3600.0)
        time.time = lambda: next(clock)
    if spec.get("user") and os.getuid() == 0:
        os.setuid(spec["user"])
    settings = {
        **SETTINGS,
        **{
            key: spec[key]
            for key in ("time_limit", "executor", "n_experiments", "block_size")
            if key in spec
        },
    }
    omega = omega_of(spec["omega"], folder)
    try:
        with executor_of(spec) as executor:
            settings["executor"] = settings["executor"] if executor is None else executor
            found = calibrate({"toy": omega}, store=spec["store"], **settings)
        said: dict[str, Any] = {
            "finished": found.n_experiments,
            "failures": {failure.experiment: failure.error for failure in found.failures},
        }
    except (RuntimeError, OSError) as error:
        said = {"refused": type(error).__name__, "message": str(error)}
    if spec.get("file_limit"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    with open(f"{folder}/result-{os.getpid()}", "w") as file:
        json.dump(said, file)
    if spec.get("dask"):
        sys.stdout.flush()
        os._exit(0)  # a client that lost its cluster does not leave by itself


@contextlib.contextmanager
def executor_of(spec: dict[str, Any]) -> Iterator[Any]:
    if not spec.get("dask"):
        yield None
        return
    import distributed

    client = distributed.Client(scheduler_file=spec["dask"], timeout=60)
    client.wait_for_workers(2, timeout=60)
    yield client.get_executor()


if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1] / "calibration")]
    warnings.simplefilter("ignore")
    child(json.loads(sys.argv[1]))
