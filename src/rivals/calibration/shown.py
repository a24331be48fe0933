"""How a calibration is shown: sentences, tables, JSON. What it contains: `result.py`."""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import Any

import numpy as np

from rivals._checks import show
from rivals.calibration.use import ENOUGH_TO_CORRECT
from rivals.calibration.validity import ENOUGH_TO_JUDGE, ranges

PLAIN = ("n_data", "n_truth", "law", "n_simulations", "order", "n_replications", "question", "loss_unit")


class ShownCalibration:
    """What every calibration, which is a subclass, says of itself."""

    def to_dict(self: Any) -> dict[str, Any]:
        """Settings and the findings at each c, as plain numbers, lists and text, for JSON.

        If an epistemic distribution has no finished experiment, nothing is known at any c, and there are only the settings.
        """
        settings = {
            "omegas": list(self.omegas),
            "experiments": self.n_experiments,
            "experiments_wanted": self.n_wanted,
            "failed": len(self.failures),
            **{name: getattr(self, name) for name in PLAIN},
            **self.about,
            "options": dict(self._options),
            # As text: larger than what JSON readers elsewhere can hold.
            "rng": None if self.entropy is None else str(self.entropy),
            "c": list(self.c),
        }
        return settings if _unfinished(self) else {**settings, **_findings(self)}

    def __str__(self: Any) -> str:
        heading = [_heading(self), _subheading(self)]
        if why := _unfinished(self):
            return "\n".join([*heading, *why])
        lines = [f"  c = {c:<12g} {verdict}" for c, verdict in _verdicts(self)]
        return "\n".join([*heading, *lines, *_valid(self), *_choice(self)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self: Any) -> str:
        heading = f"<p>{escape(_heading(self))}<br>{escape(_subheading(self))}</p>"
        if why := _unfinished(self):
            body = f"<pre>{escape(chr(10).join(why))}</pre>"
        else:
            rows = "".join(f"<tr><td>{c:g}</td><td>{escape(verdict)}</td></tr>" for c, verdict in _verdicts(self))
            body = (
                f"<table><thead><tr><th>c</th><th>verdict</th></tr></thead><tbody>{rows}</tbody></table>"
                f"<p>{'<br>'.join(map(escape, _valid(self)))}</p><p>{'<br>'.join(map(escape, _choice(self)))}</p>"
            )
        # The class keeps notebooks from taking dollar signs in names for mathematics.
        return f'<div class="tex2jax_ignore mathjax_ignore">{heading}{body}</div>'


def equally_good_c(calibration: Any) -> tuple[float, float]:
    """Smallest and largest c in the range around the best one whose Brier scores are not clearly worse than the best.

    The scores are compared experiment by experiment: a c is clearly worse if the mean difference exceeds two of its
    standard errors in some epistemic distribution.
    """
    best = calibration.c.index(calibration.choose_c(valid_only=False))
    worse = np.zeros(len(calibration.c), dtype=bool)
    for name in calibration.omegas:
        found = calibration._of(name)
        squares = (found["probability"] - found["truth"][:, None]) ** 2
        excess = squares - squares[:, [best]]
        worse |= excess.mean(axis=0) > 2.0 * excess.std(axis=0) / np.sqrt(len(excess))
    for _, run in groupby(range(len(worse)), key=lambda place: worse[place]):
        places = list(run)
        if best in places:
            break
    return calibration.c[places[0]], calibration.c[places[-1]]


def grid_problem(calibration: Any) -> str | None:
    """A sentence if the best c is at an end of those that were tried; None if it is inside, or alone."""
    best, tried = calibration.choose_c(valid_only=False), calibration.c
    if len(tried) == 1 or tried[0] < best < tried[-1]:
        return None
    end, beyond = ("smallest", "smaller") if best == tried[0] else ("largest", "larger")
    return f"c = {best:g} is the {end} that was tried, and a {beyond} one may be better; try more values"


def _findings(calibration: Any) -> dict[str, Any]:
    validity, best = calibration.validity(), calibration.choose_c(valid_only=False)
    enough = all(_count(calibration, name) >= ENOUGH_TO_CORRECT for name in calibration.omegas)
    return {
        "validity": validity.to_dict(),
        "valid_by_omega": {name: list(values) for name, values in validity.by_omega.items()},
        "valid_range": validity.widest().to_dict(),
        "overconfidence": [calibration.overconfidence(c) for c in calibration.c],
        "brier_score": [calibration.brier_score(c) for c in calibration.c],
        "chosen": best,
        "temperature": _temperatures(calibration, best) if enough else None,
        "equally_good_c": list(equally_good_c(calibration)),
        "grid_problem": grid_problem(calibration),
    }


def _temperatures(calibration: Any, c: float) -> dict[str, float | None]:
    """Of each epistemic distribution; None where B is worth nothing at any temperature."""
    slopes = {name: calibration._correction(c, name).slope for name in calibration.omegas}
    return {name: 1.0 / slope if slope > 0.0 else None for name, slope in slopes.items()}


def _verdicts(calibration: Any) -> list[tuple[float, str]]:
    """Whether each c is valid, with the numbers."""
    found = calibration.validity().at_each_c()
    return [(c, f"valid: {words}" if valid else words) for c, (valid, words) in zip(calibration.c, found, strict=True)]


def _count(calibration: Any, omega: str) -> int:
    return int(calibration._of(omega).size)


def _unfinished(calibration: Any) -> list[str]:
    """Why nothing can be said yet, where an epistemic distribution has no finished experiment; else nothing."""
    lines = []
    for place, name in enumerate(calibration.omegas):
        failures = [failure for failure in calibration.failures if failure.omega == place]
        if _count(calibration, name):
            continue
        if failures:
            lines += [
                f"All {len(failures)} experiments of {show(name)!r} failed. The first failed with:",
                "",
                failures[0].traceback.strip(),
                "",
            ]
        else:
            lines.append(f"No experiment of {show(name)!r} has finished yet.")
    return lines


def _heading(calibration: Any) -> str:
    total = calibration.n_wanted * len(calibration.omegas)
    return (
        f"Calibration: {calibration.n_experiments}{f' of {total}' if calibration.n_experiments < total else ''} experiments"
        + (f", {len(calibration.failures)} failed (retry=True runs them again)" if calibration.failures else "")
        + f"; {calibration.n_data} data points each"
        + (f", losses in {show(calibration.loss_unit)}" if calibration.loss_unit else "")
    )


def _subheading(calibration: Any) -> str:
    return (
        f"Law {calibration.law!r}, {calibration.n_simulations} simulation(s) of each of {calibration.about['n_candidates']} candidates"
        + (f", order {calibration.order!r}" if calibration.order else "")
        + f"; question: {calibration.question}"
        + (f" ({calibration.n_replications} of each)" if calibration.n_replications > 1 else "")
    )


def _valid(calibration: Any) -> list[str]:
    """The range that is valid for all epistemic distributions; of several, also what is valid for each."""
    validity = calibration.validity()
    lines = [f"Valid: {validity.widest()}"]
    if len(calibration.omegas) > 1:
        rows = zip(validity.omegas, validity.valid.tolist(), strict=True)
        lines += [f"  for {show(name)!r}: {ranges(calibration.c, row)}" for name, row in rows]
    return lines


def _choice(calibration: Any) -> list[str]:
    """The best c with its range and law, the effect of its curve, and what to do next."""
    best = calibration.choose_c(valid_only=False)
    low, high = equally_good_c(calibration)
    fewest, where = min((_count(calibration, name), name) for name in calibration.omegas)
    of_which = f" of {show(where)!r}" if len(calibration.omegas) > 1 else ""
    lines = [
        f"Best: c = {best:g} under law {calibration.law!r} (Brier score {calibration.brier_score(best):.3f})"
        + (f"; c from {low:g} to {high:g} is about as good" if low < high else "")
    ]
    if fewest >= ENOUGH_TO_CORRECT:
        slope = min(calibration._correction(best, name).slope for name in calibration.omegas)
        lines.append(f"  corrected, B moves {'towards' if slope < 1.0 else 'away from'} ½: log odds times {slope:.2g}")
    if fewest < ENOUGH_TO_JUDGE:
        lines.append(
            f"Too few experiments to call a c valid: {fewest}{of_which}; {ENOUGH_TO_JUDGE} are needed"
            + (f", {ENOUGH_TO_CORRECT} for a curve that corrects B" if fewest < ENOUGH_TO_CORRECT else "")
        )
    beyond = grid_problem(calibration)
    return [*lines, f"  {beyond}"] if beyond else lines
