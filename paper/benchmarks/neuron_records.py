"""Records of the neuron calibrations as published, made on a GPU.

    python paper/benchmarks/neuron_records.py published OUT [--limit N] [--main] [--copies N]

48 conditions × 512 experiments, the six of the main figure (`--main`: these alone) × 2048, with the
original random numbers, in copies (eight by default) that differ by rounding alone. Paths are
integrated by Simpson's rule, as in the original study; "straight" has the same with straight
pieces, "few" with Simpson's rule and 128 draws. The other variants: `python -m rivals_paper.gpu`.
OUT is a folder. It writes an .npz file of compact records and a .json file with the time of every
stage, after every part: an interrupted run keeps what it has.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from rivals_paper import noise, seeds
from rivals_paper.arrays import FloatArray
from rivals_paper.gpu import judge
from rivals_paper.gpu import simulate as gpu
from rivals_paper.gpu.records import Clock, coded, free, word
from rivals_paper.neuron_runs import C_MAIN, MAIN, N_DATA, N_TRUTH
from rivals_paper.pyloric import LOOSE, Condition, conditions, published_draws, sample_times
from rivals_paper.pyloric.circuit import pair
from rivals_paper.pyloric.epistemic import Draw

COUNT_MAIN = 2048
COUNT_OTHERS = 512
COPIES: Final = 8
FEW: Final = 128  # draws of each R in the original study, at most values of c
RESIDENT: Final = (
    33_792  # threads that an H200 holds: 132 processors, 256 each with their 255 registers
)
C_BETWEEN: Final = (2.0, 8.0)  # where the paper tried nothing
SIMULATIONS: Final = 16  # under method "transport"
SEED: Final = 20250611
ROWS: Final = 4096  # judged at a time
DEFAULT_WORKERS: Final = 15


class Asked(NamedTuple):
    """One experiment."""

    key: str  # of its condition
    index: int
    cells: tuple[str, str]  # of the candidates
    noise: str
    drawn: Draw


# ---------------------------------------------------------------- as published


def published(
    folder: Path, limit: int | None, among: Sequence[Condition], copies: int = COPIES
) -> None:
    """Original random numbers, in copies.

    Recordings of all copies of an experiment share their input.
    """
    cp = gpu.cupy()
    clock = Clock()
    wanted = all_published(limit, among)
    kept = Kept(folder / "as-published", wanted, clock)
    steps = LOOSE.first_step * (1 + 1e-12 * np.arange(copies))
    cells = sorted({cell for each in wanted for cell in each.cells})
    with clock("settling and candidates"):
        circuits = [pair(cell) for cell in cells for _ in steps]
        each_step = np.tile(steps, len(cells))
        settled = gpu.settle_many(circuits, solver=LOOSE, first_steps=each_step)
        quiet = gpu.simulate_many(
            circuits, sample_times(N_TRUTH), solver=LOOSE, first_steps=each_step, initial=settled
        )
        quiet = quiet[:, 1].reshape(len(cells), copies, -1)
        settled = settled.reshape(len(cells), copies, -1)
    parts = parts_of(kept.missing(), copies, lambda i: wanted[i].drawn.cell)
    tasks = [(places, n) for places in parts for n in (N_DATA, N_TRUTH)]
    with ThreadPoolExecutor(DEFAULT_WORKERS) as workers, ThreadPoolExecutor(1) as ahead:
        coming: Future[Drawn] = ahead.submit(
            draw_original, [wanted[i] for i in tasks[0][0]], tasks[0][1], workers
        )
        sigma: Any = None
        for number, (places, n) in enumerate(tasks):
            with clock("waiting for original random numbers"):
                drawn = coming.result()
            if number + 1 < len(tasks):
                after, n_after = tasks[number + 1]
                coming = ahead.submit(draw_original, [wanted[i] for i in after], n_after, workers)
            part = [wanted[i] for i in places]
            with clock("sending and currents"):
                currents = repeated(currents_of(drawn), copies)
                disturbance = cp.asarray(drawn.disturbance)
                del drawn
            of_cell = cp.asarray([cells.index(each.drawn.cell) for each in part])
            with clock(f"integrating {n} ms"):
                v = gpu.simulate_many(
                    [pair(each.drawn.cell) for each in part for _ in steps],
                    sample_times(n),
                    currents,
                    solver=LOOSE,
                    first_steps=np.tile(steps, len(part)),
                    initial=settled[of_cell].reshape(len(part) * copies, -1),
                )[:, 1].reshape(len(part), copies, n)
                clock.work(len(part) * copies * float(sample_times(n)[-1]) / 1000)
                del currents
            with clock("residuals"):
                recorded = cp.trunc(cp.clip(v + disturbance[:, None], -128.0, 127.0))
                of_pair = cp.asarray([[cells.index(cell) for cell in each.cells] for each in part])
                residual = cp.stack(
                    [recorded - quiet[of_pair[:, which], :, :n] for which in range(2)], axis=2
                )
                residual = residual.reshape(-1, 2, n)
                del v, recorded
            if n == N_DATA:
                with clock("judging"):
                    sigma, found = judged(residual, seed=word(SEED, places[0]), transport=copies)
                kept.put(places, found, copies)
            else:
                with clock("truth"):
                    kept.put(places, truth_of(residual, sigma), copies)
                kept.save()
            del residual
            free()
            print(f"part {number + 1} of {len(tasks)}: {clock}", flush=True)


def parts_of(places: list[int], threads: int, kind: Callable[[int], Any]) -> list[list[int]]:
    """Places of experiments, each of so many threads, in parts that fill the device.

    Alike ones are neighbours, and take their steps together.
    """
    parts = -(-len(places) * threads // RESIDENT)
    return [sorted(places[first::parts], key=kind) for first in range(parts)]


def all_published(limit: int | None, among: Sequence[Condition]) -> list[Asked]:
    """All experiments of the original study in these conditions, with their parameters."""
    wanted = []
    for condition in among:
        count = count_of(condition, limit)
        for index, drawn in enumerate(published_draws(condition, count)):
            wanted.append(Asked(condition.key, index, condition.cells, condition.noise, drawn))
    return wanted


def count_of(condition: Condition, limit: int | None) -> int:
    count = COUNT_MAIN if condition in MAIN else COUNT_OTHERS
    return min(count, limit or count)


class Drawn(NamedTuple):
    """Original random numbers of some recordings.

    Moments of the impulses of all bins, bins of each, correlation times, observation noise.
    """

    moments: FloatArray
    bins: Any
    tau: FloatArray
    disturbance: FloatArray


def draw_original(part: list[Asked], n: int, workers: ThreadPoolExecutor) -> Drawn:
    """Draw on all cores.

    The numbers of an experiment depend on its index alone, but where the weights begin depends on
    tau.
    """
    duration = float(sample_times(n)[-1])
    tau = np.array([each.drawn.tau for each in part])
    bins = np.ceil(duration / tau).astype(np.int64) + 2 * noise.REACH
    first = np.concatenate([[0], np.cumsum(bins)])
    moments = np.empty((first[-1], noise.NODES))
    disturbance = np.empty((len(part), n))

    def draw(place: int) -> None:
        each = part[place]
        rng = seeds.generator("Prinz", "prinz", "calibration", "fit candidates", each.index)
        times, weights = noise.impulses(each.drawn.tau, each.drawn.strength, 0.0, duration, rng)
        places = noise.within_bins(times, each.drawn.tau, 0.0)
        moments[first[place] : first[place + 1]] = noise._moments(places, weights)
        disturbance[place] = each.drawn.scale * rng.standard_normal(n)

    list(workers.map(draw, range(len(part)), chunksize=16))
    return Drawn(moments, bins, tau, disturbance)


def currents_of(drawn: Drawn) -> gpu.Currents:
    cp = gpu.cupy()
    return gpu._currents(
        cp.asarray(drawn.moments),
        np.concatenate([[0], np.cumsum(drawn.bins)]),
        drawn.bins,
        drawn.tau,
    )


def repeated(currents: gpu.Currents, times: int) -> gpu.Currents:
    """The same current for `times` neighbours."""
    cp = gpu.cupy()
    own = (currents.first_piece, currents.n_pieces, currents.grids)
    return gpu.Currents(
        currents.coefficients,
        *(cp.ascontiguousarray(cp.repeat(each, times, axis=0)) for each in own),
    )


# ---------------------------------------------------------------- judging


def judged(residual: Any, *, seed: int, transport: int) -> tuple[Any, dict[str, Any]]:
    """What the data tell: fitted noise (rows, 2), and B by both laws, B^Q and ln(σ_b / σ_a).

    Of every `transport`-th row under method "transport".
    """
    cp = gpu.cupy()
    sigma = cp.sqrt(cp.mean(residual**2, axis=2))
    ratio = cp.log(sigma[:, 1] / sigma[:, 0])
    c = (*C_MAIN, *C_BETWEEN)
    names = ("beta", "straight", "few", "transport", "loss_only")
    more: dict[str, list[FloatArray]] = {name: [] for name in names}
    for begin in range(0, len(residual), ROWS):
        here = slice(begin, begin + ROWS)
        losses = residual[here] ** 2 / (2 * sigma[here, :, None] ** 2)
        losses[:, 1] += ratio[here, None]  # relative to ln(σ_a √(2π))
        observed = judge.sorted_rows(losses)
        synthetic = simulated(len(losses), ratio[here], word(seed, begin, 0))
        for name, draws, simpson in (
            ("beta", 2048, True),
            ("straight", 2048, False),
            ("few", FEW, True),
        ):
            probability = judge.beta_probability(
                observed,
                synthetic,
                c,
                n_draws=draws,
                seed=word(seed, begin, 1),
                simpson=simpson,
            )
            more[name].append(probability.get())
        own = slice(None, None, transport)
        observed = observed[own]
        losses = losses[own]
        own_ratio = ratio[here][own]
        squares = cp.zeros(observed.shape[:2])
        for simulation in range(SIMULATIONS):
            other = simulated(len(observed), own_ratio, word(seed, begin, 2 + simulation))
            squares += cp.mean(cp.abs(other - observed), axis=2) ** 2 / SIMULATIONS
        difference = losses[:, 0] - losses[:, 1]
        variance = difference.var(axis=1, ddof=1) / difference.shape[1]
        more["transport"].append(
            judge.transport_probability(losses.mean(axis=2), squares, variance, c).get()
        )
        more["loss_only"].append(loss_only(difference).get())
    found: dict[str, Any] = {"ratio": ratio.get(), "width": sigma[:, 0].get()}
    return sigma, found | {key: np.concatenate(each) for key, each in more.items()}


def simulated(count: int, ratio: Any, seed: int) -> Any:
    """Sorted losses of both candidates on a simulation of their own, (count, 2, N_DATA)."""
    out = judge.sorted_gaussian_losses(2 * count, N_DATA, seed=seed).reshape(count, 2, N_DATA)
    out[:, 1] += ratio[:, None]
    return out


def loss_only(difference: Any) -> Any:
    """B^Q on the observed losses, (rows, tolerances)."""
    from cupyx.scipy.special import ndtr

    return gpu.cupy().stack(
        [ndtr(-difference / tolerance).mean(axis=1) for tolerance in C_MAIN], axis=1
    )


def truth_of(residual: Any, sigma: Any) -> dict[str, Any]:
    """The true difference of the risks, and its standard error."""
    cp = gpu.cupy()
    difference = []
    error = []
    for begin in range(0, len(residual), ROWS):
        here = slice(begin, begin + ROWS)
        squares = residual[here] ** 2 / (2 * sigma[here, :, None] ** 2)
        sequence = squares[:, 0] - squares[:, 1]
        offset = cp.log(sigma[here, 0] / sigma[here, 1])
        difference.append((sequence.mean(axis=1) + offset).get())
        error.append(judge.mean_errors(sequence).get())
        free()
    return {"difference": np.concatenate(difference), "error": np.concatenate(error)}


# ---------------------------------------------------------------- keeping


class Kept:
    """Records of all experiments, in their order, written as they come."""

    def __init__(self, path: Path, wanted: list[Asked], clock: Clock) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.wanted = wanted
        self.clock = clock
        self.arrays: dict[str, Any] = {}
        self.resumed: dict[tuple[str, Path], Any] = {}
        self._resume()

    def missing(self) -> list[int]:
        """Experiments that are not there yet."""
        if "difference" not in self.arrays:
            return list(range(len(self.wanted)))
        return np.flatnonzero(np.isnan(self.arrays["difference"]).any(axis=1)).tolist()

    def _resume(self) -> None:
        """Take over what an interrupted run has left in the folder."""
        files = [Path(f"{self.path}{end}.npz") for end in ("", "-copies")]
        for file in files:
            if not file.exists():
                continue
            with np.load(file, allow_pickle=False) as archive:
                stored = dict(archive)
            keys = np.array([each.key for each in self.wanted])
            for full, values in stored.items():
                key, _, name = full.rpartition("/")
                if not key or name.endswith("_between"):
                    continue
                if values.dtype == np.uint16:
                    values = values / 65535
                if f"{full}_between" in stored:
                    values = np.concatenate([values, stored[f"{full}_between"] / 65535], axis=-1)
                elif name == "beta":  # of a copy
                    values = np.concatenate(
                        [values, np.zeros((*values.shape[:-1], len(C_BETWEEN)))], axis=-1
                    )
                values = (
                    values[:, None]
                    if file is files[0]
                    else np.concatenate(
                        [self.arrays[name][keys == key], values.swapaxes(0, 1)], axis=1
                    )
                )
                own = self.resumed.setdefault(
                    (name, file), np.full((len(self.wanted), *values.shape[1:]), np.nan)
                )
                own[keys == key] = values
            for (name, source), values in self.resumed.items():
                if source is file:
                    self.arrays[name] = values

    def put(self, places: list[int], found: dict[str, Any], copies: int) -> None:
        """Rows of `found` are those of the places, each in all copies, or, if there are fewer, of
        the first copy alone.
        """
        for key, values in found.items():
            own = len(values) // len(places)
            values = values.reshape(len(places), own, *values.shape[1:])
            kept = self.arrays.setdefault(
                key, np.full((len(self.wanted), *values.shape[1:]), np.nan)
            )
            kept[places] = values[
                :, : kept.shape[1]
            ]  # of a resumed run, the errors of the first copy alone

    def save(self) -> None:
        """The first copy in one file, the others in another.

        Probabilities as whole numbers of 16 bits.
        """
        first: dict[str, Any] = {
            "c": np.array(C_MAIN),
            "c_between": np.array(C_BETWEEN),
            "depth": np.array(judge.DEPTH),
        }
        others: dict[str, Any] = dict(first)
        keys = np.array([each.key for each in self.wanted])
        for key in dict.fromkeys(keys.tolist()):
            rows = keys == key
            for name, values in self.arrays.items():
                for target, part in (
                    (first, values[rows][:, 0]),
                    (others, values[rows][:, 1:].swapaxes(0, 1)),
                ):
                    if not part.size or (target is others and name == "error"):
                        continue
                    if name in ("beta", "straight", "few", "transport"):
                        target[f"{key}/{name}"] = coded(part[..., : len(C_MAIN)])
                        if target is first:
                            target[f"{key}/{name}_between"] = coded(part[..., len(C_MAIN) :])
                    else:
                        target[f"{key}/{name}"] = (
                            coded(part) if name == "loss_only" else part.astype(np.float32)
                        )
        np.savez_compressed(f"{self.path}.npz", **first)
        if any(values.shape[1] > 1 for values in self.arrays.values()):
            np.savez_compressed(f"{self.path}-copies.npz", **others)
        Path(f"{self.path}-times.json").write_text(json.dumps(self.clock.report(), indent=1))


def main() -> None:
    """Run what is asked for."""
    _, folder, *options = sys.argv[1:]
    limit = int(options[options.index("--limit") + 1]) if "--limit" in options else None
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    copies = int(options[options.index("--copies") + 1]) if "--copies" in options else COPIES
    published(out, limit, MAIN if "--main" in options else conditions(), copies)


if __name__ == "__main__":
    main()
