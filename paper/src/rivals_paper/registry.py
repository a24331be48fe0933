"""Which modules reproduce the paper, and what each of them offers."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any, Protocol, cast

from rivals_paper.output import Reproduction, Task, write

# By the name given to `rivals reproduce`, in the order of the paper. Importing one must stay cheap:
# matplotlib and the like are imported inside functions.
MODULES = {
    "overview": "overview",
    "traces": "traces",
    "rdists": "rdists",
    "neuron-table": "neuron_table",
    "domain-loss": "domain_loss",
    "quantiles": "figure_quantiles",
    "process": "figure_process",
    "neuron-calibration": "neuron_calibration",
    "blackbody-rdists": "blackbody_rdists",
    "criteria": "figure_criteria",
    "blackbody-calibration": "blackbody_calibration",
    "neuron-calibration-all": "neuron_calibration_all",
    "rdists-by-c": "rdists_by_c",
    "criteria-table": "criteria_table",
    "finite-size": "finite_size",
    "loss-criterion": "loss_criterion",
    "large-samples": "large_samples",
}


class PaperModule(Protocol):
    """What a module of the registry offers.

    Attributes
    ----------
    NAME : str
        As given to `rivals reproduce`.
    DESCRIPTION : str
        One line.
    READING : str
        How to read the picture.
    DIFFERENCES : list of str
        What differs between the published variant and the corrected one.
    """

    NAME: str
    DESCRIPTION: str
    READING: str
    DIFFERENCES: list[str]

    def make(self, task: Task) -> Reproduction:
        """Make the picture and the numbers."""


def names() -> tuple[str, ...]:
    """Return the names of all figures and tables, in the order of the paper."""
    return tuple(MODULES)


def find(name: str) -> PaperModule:
    """Return the module of that name, or say which names there are."""
    if name not in MODULES:
        raise ValueError(
            f"nothing in the paper is called {name!r}; choose from {', '.join(names())}, or all"
        )
    return cast(PaperModule, import_module(f"rivals_paper.{MODULES[name]}"))


def select(wanted: Iterable[str]) -> tuple[PaperModule, ...]:
    """Return the modules of these names, each once, in the order given.

    ``all`` stands for every one.
    """
    chosen: dict[str, PaperModule] = {}
    for name in wanted:
        for each in names() if name == "all" else (name,):
            chosen.setdefault(each, find(each))
    return tuple(chosen.values())


def reproduce(module: PaperModule, task: Task) -> dict[str, Any]:
    """Make the figure or table, write it, and return the numbers that were written."""
    return write(
        task,
        module.make(task),
        name=module.NAME,
        reading=module.READING,
        differences=list(module.DIFFERENCES),
    )
