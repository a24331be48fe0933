"""The name of the model in every error about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rivals._say.words import show


@contextmanager
def naming(model: str) -> Iterator[None]:
    """Put the name of the model before what is wrong with it.

    Errors of its own functions get a note.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"model '{show(model)}': {error}") from error
    except Exception as error:
        error.add_note(f"while computing the losses of model '{show(model)}'")
        raise
