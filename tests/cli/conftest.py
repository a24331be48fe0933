"""Losses in files of every form, and the command line in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from rivals import cli
from rivals.cli.app import app

WIDTHS = {"narrow": 0.8, "right": 1.0, "too [bold]wide": 3.0}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two wide tables, the long one and an archive, of the same losses; the working directory."""
    rng = np.random.default_rng(0)
    y = rng.standard_normal(400)
    losses = {
        name: [
            np.log(width) + (data / width) ** 2 / 2
            for data in (y, width * rng.standard_normal(400))
        ]
        for name, width in WIDTHS.items()
    }
    long = ["model\tkind\tloss"]
    for sample, kind in enumerate(("observed", "synthetic")):
        table = np.column_stack([pair[sample] for pair in losses.values()])
        text = "\n".join([",".join(losses), *(",".join(map(repr, row)) for row in table.tolist())])
        (tmp_path / f"{kind}.csv").write_text(text, encoding="utf-8")
        long += [
            f"{name}\t{kind}\t{loss!r}"
            for name, pair in losses.items()
            for loss in pair[sample].tolist()
        ]
    (tmp_path / "long.tsv").write_text("\n".join(long), encoding="utf-8")
    np.savez(
        tmp_path / "losses.npz",
        **{
            f"{n}/{k}": a
            for n, p in losses.items()
            for k, a in zip(("observed", "synthetic"), p, strict=True)
        },
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run() -> Callable[..., Result]:
    """Run the command line with these arguments."""
    return lambda *arguments, **options: CliRunner().invoke(app, list(arguments), **options)


@pytest.fixture
def main(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """The exit code of the installed command with these arguments."""

    def exit_code(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["rivals", *arguments])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        return int(stop.value.code or 0)

    return exit_code
