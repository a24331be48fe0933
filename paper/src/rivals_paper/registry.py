"""Which modules reproduce the paper, and what each of them offers.

A module of `rivals_paper` that stands in `_MODULES` has

- ``NAME``: as given to ``rivals reproduce``, the module's own name with hyphens;
- ``DESCRIPTION``: one line;
- ``run(out, *, experiments, rng, progress)``: writes ``NAME.png`` and ``NAME.json`` into the folder `out` and
  returns what it wrote into the latter (see `rivals_paper.output`).
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from rivals._types import RNG

# In the order of the paper; importing one must stay cheap (matplotlib and the like inside functions).
_MODULES: tuple[str, ...] = (
    "overview",
    "traces",
    "rdists",
    "neuron_table",
    "quantiles",
    "process",
    "neuron_calibration",
    "blackbody_rdists",
    "criteria",
    "blackbody_calibration",
    "neuron_calibration_all",
    "rdists_by_c",
    "criteria_table",
    "finite_size",
    "loss_criterion",
)


class PaperModule(Protocol):
    """What a module of the registry offers."""

    NAME: str
    DESCRIPTION: str

    def run(self, out: Path, *, experiments: int | None, rng: RNG, progress: bool) -> dict[str, Any]:
        """Write the picture and the numbers, and return the latter."""


def names() -> tuple[str, ...]:
    """Return the names of all figures and tables, in the order of the paper."""
    return tuple(module.replace("_", "-") for module in _MODULES)


def find(name: str) -> PaperModule:
    """Return the module of that name, or say which names there are."""
    if name not in names():
        raise ValueError(f"Nothing in the paper is called {name!r}: choose from {', '.join(names())}, or all.")
    return cast(PaperModule, import_module(f"rivals_paper.{name.replace('-', '_')}"))


def select(wanted: Iterable[str]) -> tuple[PaperModule, ...]:
    """Return the modules of these names, each once, in the order given; ``all`` stands for every one."""
    chosen: dict[str, PaperModule] = {}
    for name in wanted:
        for each in names() if name == "all" else (name,):
            chosen.setdefault(each, find(each))
    return tuple(chosen.values())
