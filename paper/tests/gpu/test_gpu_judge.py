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

from rivals import HierarchicalBetaProcess
from rivals.core.quantiles import QuantileFunction
from rivals.core.tree import midpoints
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
    given = (
        pointer(C),
        pointer(parameters),
        pointer(ends),
        ctypes.c_uint(0),
        ctypes.c_uint(7),
        pointer(draws),
    )
    library.draw(ctypes.c_longlong(draws.size), C.size, DRAWS, *given)
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
