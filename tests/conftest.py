"""What all tests share."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator

import pytest

from samples import KINDS

os.environ.setdefault("MPLBACKEND", "Agg")  # before matplotlib, which a minimal install has not

# A shell starts jobs in the background with Ctrl-C ignored, and their children inherit it: tests
# that press it would wait in vain.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# No deadline: on a busy machine any example may take long.
with contextlib.suppress(ImportError):
    import hypothesis

    hypothesis.settings.register_profile("rivals", deadline=None)
    hypothesis.settings.load_profile("rivals")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    """No test sees the figures of another."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """A kind of losses."""
    return str(request.param)
