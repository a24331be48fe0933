"""How a calibration is shown: sentences, tables, JSON. What it contains: `result.py`."""

from __future__ import annotations

from html import escape
from typing import Any

from rivals._say.words import show
from rivals.calibration.correction import ENOUGH_TO_CORRECT
from rivals.calibration.validity import ENOUGH_TO_JUDGE, ranges

PLAIN = (
    "n_data",
    "n_truth",
    "law",
    "n_simulations",
    "order",
    "n_replications",
    "question",
    "loss_unit",
)


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
        return settings if unfinished(self) else {**settings, **_findings(self)}

    def __str__(self: Any) -> str:
        return "\n".join(
            [*_heading(self), *(unfinished(self) or [*_verdicts(self), *_choice(self)])]
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        # The class keeps notebooks from taking dollar signs in names for mathematics.
        return f'<pre class="tex2jax_ignore mathjax_ignore">{escape(str(self))}</pre>'


def grid_problem(calibration: Any) -> str | None:
    """A sentence if the best c is at an end of those that were tried; None if it is inside, or alone."""
    best, tried = calibration.choose_c(valid_only=False), calibration.c
    if len(tried) == 1 or tried[0] < best < tried[-1]:
        return None
    end, beyond = ("smallest", "smaller") if best == tried[0] else ("largest", "larger")
    return f"c = {best:g} is the {end} that was tried, and a {beyond} one may be better; try more values"


def _findings(calibration: Any) -> dict[str, Any]:
    validity, best = calibration.validity(), calibration.choose_c(valid_only=False)
    enough = all(calibration._of(name).size >= ENOUGH_TO_CORRECT for name in calibration.omegas)
    slopes = {
        name: calibration._correction(best, name).slope for name in calibration.omegas if enough
    }
    return {
        "validity": validity.to_dict(),
        "valid_range": validity.widest().to_dict(),
        "overconfidence": [calibration.overconfidence(c) for c in calibration.c],
        "brier_score": [calibration.brier_score(c) for c in calibration.c],
        "chosen": best,
        # None where there are too few experiments, or where B is worth nothing at any temperature.
        "temperature": {
            name: 1.0 / slope if slope > 0.0 else None for name, slope in slopes.items()
        }
        or None,
        "grid_problem": grid_problem(calibration),
    }


def unfinished(calibration: Any) -> list[str]:
    """Why nothing can be said yet, where an epistemic distribution has no finished experiment; else nothing."""
    lines = []
    for place, name in enumerate(calibration.omegas):
        failures = [failure for failure in calibration.failures if failure.omega == place]
        if calibration._of(name).size:
            continue
        if failures:
            lines.append(
                f"All {len(failures)} experiments of {show(name)!r} failed. The first failed with:"
            )
            lines += ["", failures[0].traceback.strip(), ""]
        else:
            lines.append(f"No experiment of {show(name)!r} has finished yet.")
    return lines


def _heading(calibration: Any) -> list[str]:
    """Two lines: how many experiments of what size, and what they answer."""
    done, failed = calibration.n_experiments, len(calibration.failures)
    total = calibration.n_wanted * len(calibration.omegas)
    return [
        f"Calibration: {done}{f' of {total}' if done < total else ''} experiments"
        + (f", {failed} failed (retry=True runs them again)" if failed else "")
        + f"; {calibration.n_data} data points each"
        + (f", losses in {show(calibration.loss_unit)}" if calibration.loss_unit else ""),
        f"Law {calibration.law!r}, {calibration.n_simulations} simulation(s) of each of {calibration.about['n_candidates']} candidates"
        + (f", order {calibration.order!r}" if calibration.order else "")
        + f"; question: {calibration.question}"
        + (f" ({calibration.n_replications} of each)" if calibration.n_replications > 1 else ""),
    ]


def _verdicts(calibration: Any) -> list[str]:
    """Whether each c is valid, with the numbers; the range that is valid for all epistemic distributions; of several, also what is valid for each."""
    validity = calibration.validity()
    found = zip(calibration.c, validity.at_each_c(), strict=True)
    lines = [f"  c = {c:<12g} {'valid: ' if valid else ''}{words}" for c, (valid, words) in found]
    lines.append(f"Valid: {validity.widest()}")
    if len(calibration.omegas) > 1:
        rows = zip(validity.omegas, validity.valid.tolist(), strict=True)
        lines += [f"  for {show(name)!r}: {ranges(calibration.c, row)}" for name, row in rows]
    return lines


def _choice(calibration: Any) -> list[str]:
    """The best c with its law, the effect of its curve, and what to do next."""
    best = calibration.choose_c(valid_only=False)
    fewest, where = min((calibration._of(name).size, name) for name in calibration.omegas)
    of_which = f" of {show(where)!r}" if len(calibration.omegas) > 1 else ""
    lines = [
        f"Best: c = {best:g} under law {calibration.law!r} (Brier score {calibration.brier_score(best):.3f})"
    ]
    if fewest >= ENOUGH_TO_CORRECT:
        slope = min(calibration._correction(best, name).slope for name in calibration.omegas)
        lines.append(
            f"  corrected, B moves {'towards' if slope < 1.0 else 'away from'} ½: log odds times {slope:.2g}"
        )
    if fewest < ENOUGH_TO_JUDGE:
        lines.append(
            f"Too few experiments to call a c valid: {fewest}{of_which}; {ENOUGH_TO_JUDGE} are needed"
            + (
                f", {ENOUGH_TO_CORRECT} for a curve that corrects B"
                if fewest < ENOUGH_TO_CORRECT
                else ""
            )
        )
    beyond = grid_problem(calibration)
    return [*lines, f"  {beyond}"] if beyond else lines
