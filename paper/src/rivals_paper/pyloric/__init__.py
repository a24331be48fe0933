"""Neurons of the pyloric circuit of the crab (Prinz, Bucher & Marder 2004).

A fast, checked simulator.

The cells are conductance-based: seven voltage-gated channels, a leak, calcium, chemical and
electrical synapses. In the paper's example AB/PD 3 drives one of five LP cells, which are the
candidates.
"""

from rivals_paper.pyloric.candidates import LABELS, NeuronModel, best_sigma, fit, losses
from rivals_paper.pyloric.channels import CONDUCTANCES
from rivals_paper.pyloric.circuit import Circuit, pair
from rivals_paper.pyloric.epistemic import (
    Condition,
    Corrected,
    Published,
    conditions,
    published_draws,
)
from rivals_paper.pyloric.integrate import ACCURATE, LOOSE, IntegrationError, Solver
from rivals_paper.pyloric.recording import Recording, digitise, observe, sample_times
from rivals_paper.pyloric.simulate import settled, simulate

__all__ = [
    "ACCURATE",
    "CONDUCTANCES",
    "LABELS",
    "LOOSE",
    "Circuit",
    "Condition",
    "Corrected",
    "IntegrationError",
    "NeuronModel",
    "Published",
    "Recording",
    "Solver",
    "best_sigma",
    "conditions",
    "digitise",
    "fit",
    "losses",
    "observe",
    "pair",
    "published_draws",
    "sample_times",
    "settled",
    "simulate",
]
