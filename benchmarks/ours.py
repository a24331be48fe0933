"""Measure `rivals`. Each call is one fresh process that prints one line of JSON.

python ours.py draws LOSSES.npy C N           wall and processor time per draw of R, the tree
included python ours.py compare MODELS L               seconds for `compare` by the law of the peer
python ours.py survivors MODELS L KIND        seconds for the survivors, and the peak memory of the
process
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

REPEATS = 15


def draws(losses: str, c: str, n_draws: str) -> dict[str, object]:
    import numpy as np

    import rivals

    observed, synthetic = np.load(losses, allow_pickle=False)
    last: list[np.ndarray] = []

    def once(repeat: int) -> None:
        process = rivals.HierarchicalBetaProcess.from_losses(
            rivals.Losses(observed, synthetic), c=float(c)
        )
        last[:] = [process.sample_risk(int(n_draws), rng=repeat)]

    wall, processor = _median_times(once, REPEATS)
    return {
        "wall": wall / int(n_draws),
        "processor": processor / int(n_draws),
        "draws": int(n_draws),
        "mean": float(last[0].mean()),
        "std": float(last[0].std()),
    }


def compare(n_models: str, size: str) -> dict[str, object]:
    import rivals
    from cases import PEERS_METHOD, candidates

    losses = candidates(int(n_models), int(size), "alike")
    found: list[rivals.Comparison] = []

    def once(repeat: int) -> None:
        found[:] = [rivals.compare(losses, **PEERS_METHOD, rng=repeat)]
        _ = found[0].survivors, found[0].probability

    wall, processor = _median_times(once, REPEATS)
    return {"wall": wall, "processor": processor, "survivors": len(found[0].survivors)}


def survivors(n_models: str, size: str, kind: str) -> dict[str, object]:
    import rivals
    from cases import PEERS_METHOD, candidates

    losses = candidates(int(n_models), int(size), kind)
    before = _peak_memory()
    wall_start = time.perf_counter()
    processor_start = time.process_time()
    result = rivals.compare(losses, **PEERS_METHOD, rng=0)
    found = result.survivors
    return {
        "wall": time.perf_counter() - wall_start,
        "processor": time.process_time() - processor_start,
        "survivors": len(found),
        "undecided": len(result.undecided),
        "most_draws": max(result.applied.draws.sizes()),
        "all_draws": sum(result.applied.draws.sizes()),
        "peak_memory": _peak_memory(),
        "peak_memory_before": before,
    }


def _median_times(once: Callable[[int], None], repeats: int) -> tuple[float, float]:
    """Median wall and processor time of a call; the first call is for warming up."""
    wall = []
    processor = []
    for repeat in range(repeats + 1):
        wall_start = time.perf_counter()
        processor_start = time.process_time()
        once(repeat)
        wall.append(time.perf_counter() - wall_start)
        processor.append(time.process_time() - processor_start)
    return sorted(wall[1:])[repeats // 2], sorted(processor[1:])[repeats // 2]


def _peak_memory() -> int:
    """Bytes. The kernel's VmHWM, because ru_maxrss of a child begins at what its parent had."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith("VmHWM")))


if __name__ == "__main__":
    command = {"draws": draws, "compare": compare, "survivors": survivors}[sys.argv[1]]
    print(json.dumps(command(*sys.argv[2:])))
