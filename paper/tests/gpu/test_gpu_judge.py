"""The judge for a GPU gives the law of the risk that the library gives.

Its functions are compiled here by the C++ compiler of the machine.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import ks_2samp

from rivals import HierarchicalBetaProcess, Losses, QuantileFunction
from rivals.laws.beta.tree import midpoints
from rivals_paper import mirrored
from rivals_paper.gpu import judge

C = np.array([2.0**-6, 0.25, 1.0, 16.0])
DRAWS = 2048
INVERSE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
# The processor has no inverse of the normal distribution function; it calls back here.
HOST = """
static double (*inverse)(double);
double normcdfinv(double p) { return inverse(p); }
extern "C" void set_inverse(double (*given)(double)) { inverse = given; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler on this machine")
    folder = tmp_path_factory.mktemp("judge")
    (folder / "judge.cpp").write_text(judge.SOURCE + HOST)
    subprocess.run(
        [compiler, "-O2", "-shared", "-fPIC", "-o", folder / "judge.so", folder / "judge.cpp"],
        check=True,
    )
    return ctypes.CDLL(str(folder / "judge.so"))


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


def drawn(library, parameters, ends, simpson, draws):
    """Fill `draws`, (c, draws)."""
    given = (
        pointer(C),
        pointer(parameters),
        pointer(ends),
        int(simpson),
        ctypes.c_uint(0),
        ctypes.c_uint(7),
        pointer(draws),
    )
    library.draw(ctypes.c_longlong(draws.size), C.size, DRAWS, *given)


# Light and heavy tails: in the last case one split is nearly a coin.
@pytest.mark.parametrize("tail", [0.5, 1.5, 3.0])
def test_nodes_and_draws_are_those_of_the_process(library, tail):
    rng = np.random.default_rng(0)
    observed, synthetic = (
        np.exp(tail * rng.standard_normal(2000)),
        np.exp(rng.standard_normal(2000)),
    )
    centre, other = (judge.quantiles(np.sort(sample), np) for sample in (observed, synthetic))
    discrepancy = np.abs(other - centre)
    log_ratio = judge.log_ratios(centre, np)
    log_discrepancy = np.log(discrepancy)[midpoints(judge.DEPTH)]
    ends = np.concatenate([centre[[0, -1]], discrepancy[[0, -1]]])
    parameters, draws = np.empty((C.size, judge.NODES, 2)), np.empty((C.size, DRAWS))
    count = ctypes.c_longlong(parameters.size // 2)
    library.solve(count, C.size, *map(pointer, (C, log_ratio, log_discrepancy, parameters)))
    inverse = INVERSE(lambda p: float(ndtri(p)))
    library.set_inverse(inverse)
    drawn(library, parameters, ends, False, draws)
    for column, c in enumerate(C):
        process = HierarchicalBetaProcess(
            QuantileFunction(observed), QuantileFunction(synthetic), c=c, depth=8
        )
        np.testing.assert_allclose(parameters[column, :, 0], process.alpha, rtol=1e-10)
        np.testing.assert_allclose(parameters[column, :, 1], process.beta, rtol=1e-10)
        # The mean of the draws has this standard error exactly; four of them are exceeded once in
        # 16 000 tests.
        assert abs(draws[column].mean() - process.risk_mean) < 4 * process.risk_std / np.sqrt(DRAWS)
        assert ks_2samp(draws[column], process.sample_risk(DRAWS, rng=1)).pvalue > 1e-4


class Exact(mirrored.PublishedProcess):
    """Simpson's rule, without the limits of the original solver."""

    limits = False


def test_risks_by_the_rule_of_simpson_are_those_of_the_original_process(library):
    rng = np.random.default_rng(0)
    losses = Losses(np.exp(rng.standard_normal(2000)), np.exp(0.5 * rng.standard_normal(2000)))
    centre, other = (
        judge.quantiles(np.sort(sample), np) for sample in (losses.observed, losses.simulated[0])
    )
    discrepancy = np.abs(other - centre)
    ends = np.concatenate([centre[[0, -1]], discrepancy[[0, -1]]])
    processes = [Exact(losses, c) for c in C]
    parameters = np.array([np.stack([each.alpha, each.beta], axis=-1) for each in processes])
    straight = np.empty((C.size, DRAWS))
    ours = np.empty((C.size, DRAWS))
    inverse = INVERSE(lambda p: float(ndtri(p)))
    library.set_inverse(inverse)
    drawn(library, parameters, ends, False, straight)
    drawn(library, parameters, ends, True, ours)
    trapezoid = np.full(257, 1 / 256)
    trapezoid[[0, -1]] /= 2
    for row, other_row, process in zip(ours, straight, processes, strict=True):
        paths = process.sample_paths(DRAWS, np.random.default_rng(1))
        assert ks_2samp(row, paths @ mirrored.WEIGHTS).pvalue > 1e-4
        # What the rule changes is small beside R, so that it is compared path by path.
        assert ks_2samp(row - other_row, paths @ (mirrored.WEIGHTS - trapezoid)).pvalue > 1e-4
