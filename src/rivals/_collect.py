"""What `compare` is given, as losses by name; whatever is wrong with it is said here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rivals._checks import check_name, show
from rivals.losses import Candidate, Losses


def collect_losses(
    models: Mapping[str, Any] | Iterable[tuple[str, Any]], data: Any, n_synthetic: int | None, entropy: int
) -> dict[str, Losses]:
    """Losses of every model, by name: given, or computed by a candidate with a stream of its own."""
    losses: dict[str, Losses] = {}
    pairs = _pairs(models)
    for place, (name, model) in enumerate(pairs):
        check_name(name)
        if name in losses:
            raise ValueError(f"model '{show(name)}' is given twice; names must differ")
        try:
            losses[name] = _losses_of(model, data, n_synthetic, np.random.SeedSequence(entropy, spawn_key=(1, place)))
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"model '{show(name)}': {error}") from error
        except Exception as error:  # from the user's own functions: as it is, and where it happened
            error.add_note(f"while computing the losses of model '{show(name)}'")
            raise
    _check_together(losses, models_need_data=any(not _has_losses(model) for _, model in pairs), data=data)
    return losses


def _check_together(losses: dict[str, Losses], models_need_data: bool, data: Any) -> None:
    if len(losses) < 2:
        raise ValueError(
            f"a comparison needs at least two models; got {len(losses)}: {[show(name) for name in losses]}"
        )
    first, *others = losses
    for name in others:
        if losses[name].n_observed != losses[first].n_observed:
            raise ValueError(
                f"model '{show(name)}' has {losses[name].n_observed} observed losses, but model '{show(first)}' has "
                f"{losses[first].n_observed}; all models must be judged on the same held-out points"
            )
    if data is not None and not models_need_data:
        raise ValueError("data was given, but all models came with their losses; leave it out, or pass Candidates")


def _has_losses(model: Any) -> bool:
    return isinstance(model, (Losses, tuple, list))


def _pairs(models: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    if isinstance(models, Mapping):
        return list(models.items())
    try:
        return [(name, model) for name, model in models]
    except (TypeError, ValueError):
        raise TypeError(
            "models must be a mapping from name to Losses, (observed, synthetic) or Candidate, or pairs of these; "
            f"got {type(models).__name__}"
        ) from None


def _losses_of(model: Any, data: Any, n_synthetic: int | None, rng: np.random.SeedSequence) -> Losses:
    if isinstance(model, Losses):
        return model
    if callable(getattr(model, "loss", None)) and callable(getattr(model, "simulate", None)):
        if data is None:
            raise ValueError("is a Candidate, which needs held-out data: pass compare(models, data)")
        return Candidate(model.loss, model.simulate).losses(data, n_synthetic=n_synthetic, rng=rng)
    if isinstance(model, (tuple, list)) and len(model) == 2:
        return Losses(*model)
    raise TypeError(
        f"expected Losses, a pair (observed, synthetic) or a Candidate; got {type(model).__name__}"
        + (f" of length {len(model)}" if isinstance(model, (tuple, list)) else "")
    )
