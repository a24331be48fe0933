"""The experiments of the black body calibration.

Those of the original study, by both processes, and the corrected ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from rivals import Losses
from rivals.testbeds import blackbody
from rivals_paper import seeds
from rivals_paper.arrays import FloatArray
from rivals_paper.blackbody_records import Record, read, rounded, write
from rivals_paper.method import PROCESS
from rivals_paper.mirrored import PublishedProcess
from rivals_paper.penalised import fit_penalised
from rivals_paper.risks import probability, sample_risk
from rivals_paper.streams import stream
from rivals_paper.tracking import track

LOG2_C = (-15, -12, -9, -6, -3, 0, 3, 6)
# The published ones, and others where the upper end of the valid range lies.
LOG2_C_CORRECTED = (-15, -12, -9, -6, -3, 0, 1, 2, 3, 4, 5, 6)
# Sizes of the published experiments: of the spectrum, of that to which the noise is fitted, of that
# for the truth.
N_PUBLISHED = 1024
N_FIT = 4096
N_TRUTH = 12288
# The paper says 4096 points; the published run had 1024.
N_DATA = 4096
# Published experiments that one process runs at a time.
BLOCK = 64
# The paper's law, and that of the library, with its sixteen simulations: in what each differs from
# the paper's method.
LAWS: dict[str, dict[str, Any]] = {
    "beta": {},
    "transport": {"method": "transport", "n_simulations": 16},
}


def published_experiments(folder: Path, n: int, seed: int, progress: bool) -> tuple[Record, Record]:
    """Run the first n experiments of the published study, by its own process and by the exact one.

    Earlier ones are kept.
    """
    paths = [folder / f"blackbody-{name}-{seed}.npz" for name in ("as-published", "exact-process")]
    records = [read(path) for path in paths] if all(path.exists() for path in paths) else []
    have = len(records[0]) if records else 0
    if have < n:
        blocks = [range(start, min(start + BLOCK, n)) for start in range(have, n, BLOCK)]
        for fresh in _on_all_processors(blocks, seed, progress):
            records = (
                [old.then(new) for old, new in zip(records, fresh, strict=True)]
                if records
                else list(fresh)
            )
        for record, path in zip(records, paths, strict=True):
            write(record, path)
    mirrored, exact = (record.first(n) for record in records)
    return mirrored, exact


def corrected_experiments(law: str, folder: Path, n: int, seed: int, progress: bool) -> Record:
    """Run n experiments of our own with 4096 points, under method "beta" as the paper or "transport".

    A store keeps them.
    """
    from rivals import calibrate

    calibration = calibrate(
        {"bias sweep": blackbody.bias_sweep},
        **(PROCESS | LAWS[law]),
        n_data=N_DATA,
        n_experiments=n,
        c=[2.0**k for k in LOG2_C_CORRECTED],
        n_truth=2**15,
        most_truth=2**15,
        loss_unit="nats",
        rng=seed,
        n_jobs=-1,
        store=folder / f"blackbody-{law}.sqlite",
        progress=progress,
    )
    each = np.sort(calibration.outcomes, order="experiment")[:n]
    record = Record(
        np.array(LOG2_C_CORRECTED),
        each["probability"],
        each["risk_a"] - each["risk_b"],
        each["truth_error"],
    )
    return rounded(record)


def _on_all_processors(
    blocks: Sequence[range], seed: int, progress: bool
) -> Iterator[tuple[Record, Record]]:
    if len(blocks) == 1:
        yield _published(blocks[0], seed)
        return
    with ProcessPoolExecutor() as pool:
        waiting = [pool.submit(_published, block, seed) for block in blocks]
        for each in track(waiting, f"blocks of {BLOCK} published experiments", progress):
            yield each.result()


def _published(experiments: range, seed: int) -> tuple[Record, Record]:
    """Run experiments of the published study: its data bit for bit, both processes."""
    designs = seeds.generator("uv", "calibration", "bias-only")
    # The order of draws matters: first the bias, then the law.
    drawn = [
        (float(designs.uniform(-1e-4, 1e-4)), int(designs.integers(2)))
        for _ in range(experiments.stop)
    ]
    shape = (len(experiments), len(LOG2_C))
    mirrored = np.empty(shape)
    again = np.empty(shape)
    exact = np.empty(shape)
    difference = np.empty(shape[0])
    error = np.empty(shape[0])
    for row, i in enumerate(experiments):
        bias = drawn[i][0]
        law = ("rayleigh-jeans", "planck")[drawn[i][1]]
        keys = ("uv", "calibration", "fit candidates", i + 1)
        first, data, fresh = (
            blackbody.observe(size, bias=bias, law=law, rng=seeds.generator("UV", keys))
            for size in (N_FIT, N_PUBLISHED, N_TRUTH)
        )
        models = [fit_penalised(first, law=name, temperature=4000.0) for name in blackbody.LAWS]
        pointwise = models[0].loss(fresh) - models[1].loss(fresh)
        difference[row], error[row] = pointwise.mean(), pointwise.std() / np.sqrt(N_TRUTH)
        simulated = [
            _simulated(model, data, keys, title)
            for model, title in zip(models, ("Planck", "RJ"), strict=True)
        ]
        for j, k in enumerate(LOG2_C):
            rng, c, block = stream(seed, i, j), 2.0**k, _block(i, j)
            pair = [
                Losses(model.loss(data), losses[block])
                for model, losses in zip(models, simulated, strict=True)
            ]
            processes = [PublishedProcess(losses, c) for losses in pair]
            for values in (mirrored, again):
                values[row, j] = probability(
                    *(process.sample_until_precise(rng) for process in processes)
                )[0]
            exact[row, j] = probability(*(sample_risk(losses, c, 2048, rng) for losses in pair))[0]
    log2_c = np.array(LOG2_C)
    return (
        rounded(Record(log2_c, mirrored, difference, error, again)),
        rounded(Record(log2_c, exact, difference, error)),
    )


def _simulated(
    model: blackbody.RadianceModel, data: blackbody.Spectrum, keys: tuple[Any, ...], title: str
) -> FloatArray:
    """Return eight blocks of losses of simulated spectra, drawn one after the other."""
    generator = seeds.generator(*keys, f"candidate {title}")
    return np.array([model.loss(model.simulate(len(data), generator)) for _ in LOG2_C])


def _block(experiment: int, column: int) -> int:
    """Return which block the published run used.

    Its generators travelled with the work, 12 comparisons at a time.
    """
    number = len(LOG2_C) * experiment + column
    return number - max(12 * (number // 12), len(LOG2_C) * experiment)
