"""What every method says of every problem, and what became of it: a line of JSON for each problem.

A line has the models, the answers to the three questions (truth.py), the noise of fresh groups, and
P of each method: of pairs in the order of `numpy.triu_indices`, first P[a, b], then P[b, a].
`noisy` is the same with the noise counted, `oracle` that of who knows the fresh groups.
"""

from __future__ import annotations

import contextlib
import io
import time
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

import methods
from problems import Problem
from truth import QUESTIONS

FloatArray = npt.NDArray[np.float64]
DIGITS = 5  # significant ones
# Frozen candidates are judged from many sets of groups; methods of others from so many.
SETS_FOR_PEERS = 2


def line(problem: Problem) -> dict[str, Any]:
    """All about one problem."""
    key = problem.key
    rng = np.random.default_rng([key["split"], key["set"], key["groups"]])
    truth = problem.fresh.truth(key["groups"], rng)
    found: dict[str, Any] = {
        "models": problem.names,
        "folds": problem.n_folds,
        "fresh": len(problem.fresh.means),
        "best": problem.fresh.best,
        "truth": {
            question: pairs(one)[: len(pairs(one)) // 2]
            for question, one in zip(QUESTIONS, truth, strict=True)
        },
        "oracle": pairs(oracle(problem)),
        "P": {},
        "noisy": {},
        "seconds": {},
        "errors": {},
    }
    views = key | {"views": list(problem.views)}
    for method in methods.every():
        if not is_asked(method, views):
            continue
        begin = time.process_time()
        try:
            # Some print what they return, and warn of what was looked for.
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                found["P"][method.name] = pairs(method.judge(problem))
                if method.noisy is not None:
                    found["noisy"][method.name] = pairs(method.noisy(problem, problem.fresh.noise))
        except Exception as error:
            found["errors"][method.name] = f"{type(error).__name__}: {str(error)[:200]}"
        found["seconds"][method.name] = round(time.process_time() - begin, 4)
    return key | found


def is_asked(method: methods.Method, key: dict[str, Any]) -> bool:
    """Others than this library are asked of fewer sets, and not of other numbers of folds."""
    if method.package != "rivals" and (key["set"] >= SETS_FOR_PEERS or "in" in key["plan"]):
        return False
    return method.asked(key)


def oracle(problem: Problem) -> FloatArray:
    """P of the study by who knows mean and spread of the differences in the fresh groups."""
    means = problem.fresh.means
    difference = means[:, :, None] - means[:, None, :]
    spread = np.std(difference, axis=0, ddof=1) / np.sqrt(problem.key["groups"])
    return np.asarray(ndtr(-difference.mean(axis=0) / np.where(spread > 0.0, spread, 1.0)))


def pairs(p: FloatArray, digits: int = DIGITS) -> list[float | None]:
    """P[a, b] of all pairs, then P[b, a]; no answer is none."""
    a, b = np.triu_indices(len(p), 1)
    values = np.concatenate([p[a, b], p[b, a]]).tolist()
    return [None if np.isnan(x) else float(f"{x:.{digits}g}") for x in values]
