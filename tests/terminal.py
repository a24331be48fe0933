"""The command line, run in this process."""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np


@dataclass(frozen=True)
class Run:
    """What a command left behind."""

    status: int
    out: str
    err: str


def rivals(*arguments: object, stdin: bytes = b"") -> Run:
    """Run `rivals` with these arguments, as a shell would."""
    from rivals.cli.app import main

    out, err = io.StringIO(), io.StringIO()
    argv = ["rivals", *map(str, arguments)]
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "argv", argv),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin))),
    ):
        try:
            main()
        except SystemExit as end:
            status = end.code
    return Run(int(status or 0), out.getvalue(), err.getvalue())


def table(gap: float, noise: float = 0.1, n_groups: int = 12, size: int = 8) -> str:
    """A CSV of losses of two models, `line` better than `step` by `gap` in each of some schools."""
    rng = np.random.default_rng(0)
    rows = ["school,line,step"]
    for school in range(n_groups):
        for _ in range(size):
            base, more = rng.exponential(), gap + noise * rng.standard_normal()
            rows.append(f"school {school},{base:.6f},{base + more:.6f}")
    return "\n".join(rows) + "\n"


def written(folder: Path, text: str, name: str = "losses.csv") -> Path:
    """A file with this text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
