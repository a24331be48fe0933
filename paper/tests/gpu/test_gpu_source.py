"""The C++ that is generated from the kernels gives what the kernels give.

Compiled here by the C++ compiler of the machine.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

pytest.importorskip("numba", reason="the kernels are compiled with numba")

from rivals_paper import pyloric
from rivals_paper.gpu import simulate as gpu
from rivals_paper.gpu.source import source
from rivals_paper.gpu.translation import TranslationError, translate
from rivals_paper.noise import ColouredNoise
from rivals_paper.pyloric import kernels
from rivals_paper.pyloric.integrate import _tableau, to_natural

CELLS = ("LP 1", "LP 2", "LP 3", "LP 4", "LP 5")
VARIANTS = ("published", "prinz2004")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler on this machine")
    folder = tmp_path_factory.mktemp("source")
    (folder / "kernels.cpp").write_text(source())
    # No product is fused with a sum but where the source says so, as in the kernels.
    options = ["-std=c++17", "-O2", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run(
        [compiler, *options, "-o", folder / "kernels.so", folder / "kernels.cpp"], check=True
    )
    return ctypes.CDLL(str(folder / "kernels.so"))


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


class Tables:
    """Constants of the five circuits, as the entry points want them."""

    def __init__(self, variant: str) -> None:
        self.constants = [pyloric.pair(cell, variant).constants() for cell in CELLS]
        first = self.constants[0]
        cells, coupling = (
            np.array([getattr(each, name) for each in self.constants])
            for name in ("cells", "coupling")
        )
        self.arrays = [
            np.ascontiguousarray(array) for array in (first.gates, cells, coupling, first.numbers)
        ]
        self.pointers = [pointer(array) for array in self.arrays]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_generated_right_hand_side_is_that_of_the_kernels(library, variant):
    tables, rng, n = Tables(variant), np.random.default_rng(0), 500
    base = pyloric.settled(pyloric.pair("LP 1", variant), 200.0, solver=pyloric.ACCURATE)
    states = base + rng.normal(0, 0.3, (n, 28)) * np.sqrt(np.abs(base))
    currents, kinds = rng.normal(0, 0.1, n), rng.integers(0, 5, n).astype(np.int32)
    ours, expected, scratch = (
        np.zeros((n, 28)),
        np.zeros((n, 28)),
        np.zeros((3, kernels.EXPONENTIALS * 2)),
    )
    library.slopes(n, *tables.pointers, *map(pointer, (kinds, states, currents, ours)))
    for e in range(n):
        kernels.derivative(
            states[e], currents[e], *tables.constants[kinds[e]], scratch, expected[e]
        )
    # Both exponentials are exact to 2 units in the last place; differences of near-equal fractions
    # magnify that.
    assert np.median(np.abs(ours - expected) / np.maximum(np.abs(expected), 1e-6)) < 1e-15
    np.testing.assert_allclose(ours, expected, rtol=2e-12, atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "solver", [pyloric.Solver("fixed-step"), pyloric.ACCURATE], ids=["fixed-step", "accurate"]
)
def test_the_generated_integrators_give_the_traces_of_the_kernels(library, variant, solver):
    tables, times = Tables(variant), np.arange(1.0, 101.0)
    noises = [ColouredNoise(30.0, 0.03, 100.0, rng=seed) for seed in range(5)]
    states = np.array(
        [pyloric.settled(pyloric.pair(cell, variant), 200.0, solver=solver) for cell in CELLS]
    )
    expected = [
        pyloric.simulate(
            pyloric.pair(cell, variant), times, current=noise, solver=solver, initial=state
        )
        for cell, noise, state in zip(CELLS, noises, states, strict=True)
    ]
    coefficients = np.concatenate([noise.polynomials for noise in noises])
    counts = np.array([len(noise.polynomials) for noise in noises], dtype=np.int32)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    grids = np.array([[noise.first, noise.tau] for noise in noises])
    voltages, reached, work, kinds = (
        np.zeros((5, 2, 100)),
        np.zeros(5),
        np.zeros(5),
        np.arange(5, dtype=np.int32),
    )
    given = [5, *tables.pointers, pointer(kinds)]
    driven = [
        pointer(times),
        100,
        pointer(coefficients),
        coefficients.shape[1],
        *map(pointer, (first, counts, grids)),
    ]
    if solver.method == "fixed-step":
        natural = np.array([to_natural(state, 2) for state in states])
        step = ctypes.c_double(solver.step)
        library.fixed_step(
            *given, pointer(natural), *driven, step, *map(pointer, (voltages, reached, work))
        )
    else:
        tolerances = np.tile([solver.rtol, solver.atol, solver.first_step], (5, 1))
        tableau = np.ascontiguousarray(_tableau())
        library.adaptive(
            *given,
            pointer(states),
            *driven,
            *map(pointer, (tolerances, tableau, voltages, reached, work)),
        )
    assert np.all(reached >= 100.0)
    # Rounding decides which steps are accepted, and those that differ show in spikes; the fixed
    # steps are the same.
    np.testing.assert_allclose(
        voltages, expected, rtol=0, atol=1e-6 if solver.method == "fixed-step" else 1e-3
    )


def test_what_has_no_translation_is_refused_by_name():
    def kernel(x: float) -> float:
        return sorted([x])[0]

    with pytest.raises(TranslationError, match=r"kernel, line 2: '.*sorted.*' has no translation"):
        translate([kernel])


def test_without_a_gpu_the_error_says_so():
    try:
        gpu.cupy()
    except (ImportError, RuntimeError) as error:
        assert "gpu" in str(error).lower()  # noqa: PT017
    else:
        pytest.skip("there is a GPU here")
