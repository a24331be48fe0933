"""For those who write laws: what every law must keep, and everything that a result must then do."""

from __future__ import annotations

import tempfile
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from rivals._compare import compare
from rivals._core.law import Law
from rivals._core.losses import Losses
from rivals._core.texts import Refusal
from rivals._desiderata import Desiderata, check_process
from rivals._result.comparison import Comparison, load
from rivals.laws.factors import Factors

__all__ = ["Desiderata", "check_law", "check_process"]

# P of a pair must not depend on the order of models and points by more than this.
ROUNDING = 1e-6


def check_law(law: Law[Any], *, n_simulations: int = 2, report: bool = True) -> int:
    """Check a law: raises `AssertionError` with what is wrong; else the number of comparisons made.

    On a lattice of ties, no variance, and large shared parts: probabilities are probabilities, add
    up to one, do not depend on the order of models; nothing that a result shows fails; a saved
    comparison is the same when it is read.

    Parameters
    ----------
    law : Law
    n_simulations : int
        Simulations of each model; 0 if the law needs none.
    report : bool
        Whether the interactive page is checked too, which needs jinja2.

    Examples
    --------
    >>> from rivals.laws import Groups
    >>> check_law(Groups(), n_simulations=0, report=False)
    12
    """
    n_checked = 0
    for spread in (0.5, 0.0):
        for ties in (False, True):
            for shared in (0.0, 1e6, 1e9):
                losses, groups = _losses(spread, ties, shared, n_simulations)
                where = f"variance within groups {spread}, ties {ties}, shared part {shared:g}"
                labels = {"group": groups, "item": np.tile(np.arange(6), 8)}
                given = labels if isinstance(law, Factors) else groups if law.needs_groups else None
                _check(law, losses, given, where, report=report)
                n_checked += 1
                report = False  # one page is enough
    return n_checked


def _losses(
    spread: float, ties: bool, shared: float, n_simulations: int
) -> tuple[dict[str, Losses], Any]:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(8), 6)
    effects = rng.standard_normal((3, 8))[:, groups]
    noise = spread * rng.standard_normal((3, groups.size))
    common = shared * (1.0 + rng.standard_normal(groups.size))
    if ties:
        effects, noise, common = effects.round(1), noise.round(1), common.round(-3)
    observed = common + effects + noise
    shape = (n_simulations, groups.size)
    names = ("a", "k=5", "Ridge(alpha=1.0)")
    drawn = [
        losses + 0.3 * rng.exponential(size=shape) if n_simulations else None for losses in observed
    ]
    pairs = zip(names, observed, drawn, strict=True)
    return {name: Losses(seen, sim, left_out=False) for name, seen, sim in pairs}, groups


def _check(
    law: Law[Any], losses: dict[str, Losses], groups: Any, where: str, *, report: bool
) -> None:
    result = compare(losses, groups=groups, method=law, rng=0)
    probability = np.asarray(result.probability)
    assert np.isfinite(probability).all(), f"P is not finite ({where})"
    assert ((probability >= 0.0) & (probability <= 1.0)).all(), f"P is no probability ({where})"
    both = probability + probability.T
    assert np.allclose(both, 1.0, atol=1e-9), f"P(a, b) + P(b, a) is not 1 ({where})"
    turned = compare(dict(reversed(losses.items())), groups=groups, method=law, rng=0)
    if not law.draws:
        same = np.allclose(turned.probability[::-1, ::-1], probability, atol=ROUNDING)
        assert same, f"P depends on the order of models ({where})"
    low, high = result.beside(result.ranking[0]).interval()
    assert (low <= high).all(), f"an interval ends before it begins ({where})"
    wider = np.asarray(result.at(margin=0.1).probability)
    assert (wider <= probability + 1e-9).all(), f"P rises with the margin ({where})"
    _shown(result, where)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.npz"
        result.save(file)
        assert str(load(file)) == str(result), f"a saved comparison differs ({where})"
        if report:
            result.report(Path(folder) / "page.html")


def _shown(result: Comparison, where: str) -> None:
    """Everything that a result does."""
    asked: dict[str, Any] = {
        "print": lambda: str(result),
        "details": result.details,
        "methods": result.methods,
        "to_dict": result.to_dict,
        "to_records": lambda: len(result.to_records()),
        "to_markdown": result.to_markdown,
        "to_latex": result.to_latex,
        "HTML": result._repr_html_,
        "claims": lambda: [each.to_dict() for each in result.claims],
        "probability": lambda: str(result.probability),
        "beside": lambda: str(result.beside(result.ranking[-1])),
        "ranks": lambda: str(result.ranks()),
        "gate": lambda: str(result.gate(result.ranking[1], model=result.ranking[0])),
    }
    if result.summary.n_groups:
        asked["one new group"] = lambda: result.at(new_groups=1).details()
        asked["all groups"] = lambda: result.at(new_groups=inf).details()
        if _may_look(result):
            asked["looks"] = lambda: str(result.looks())
    for name, ask in asked.items():
        try:
            said = str(ask())
        except Exception as error:
            raise AssertionError(f"{name}: {type(error).__name__}: {error} ({where})") from error
        assert " nan" not in said.lower(), f"{name} says nan ({where})"


def _may_look(result: Comparison) -> bool:
    """Whether groups come one after the other, in the eyes of the law."""
    try:
        result.method.check_setting(result.setting.but(looks="any"))
    except Refusal:
        return False
    return True
