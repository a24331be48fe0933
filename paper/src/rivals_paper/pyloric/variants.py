"""The two sets of constants: as the paper's results were made, and as Prinz et al.

(2004) document them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from rivals_paper.pyloric.channels import MEMBRANE_AREA

VariantName = Literal["published", "prinz2004"]

THRESHOLD: Final = -35.0  # mV, half activation of every chemical synapse
WIDTH: Final = 5.0  # mV, its slope (Delta)
CALCIUM_INFLUX: Final = 14.96  # uM/nA, f of Prinz et al.
# Time of unbinding (1/k_-) in ms and reversal potential in mV; PD releases acetylcholine, all
# others glutamate.
UNBINDING: Final = {"AB": 40.0, "PD": 100.0, "LP": 40.0, "PY": 40.0}
REVERSAL: Final = {"AB": -70.0, "PD": -80.0, "LP": -70.0, "PY": -70.0}
# Added to tau_s s (1 - s) in the equation for logit s. Where s_inf is 1 to rounding tau_s is 0, and
# an explicit method could not step over a spike without it; it is not visible in the voltages.
SYNAPSE_FLOOR: Final = 1e-8


@dataclass(frozen=True)
class Variant:
    """What distinguishes the two sets of constants.

    Attributes
    ----------
    calcium_influx
        Rise of [Ca] in uM per uA/cm² of calcium current. In the published results the factor 14.96
        uM/nA was applied to a current density, without the membrane area 0.628 (in 1e-3 cm²).
    activation_scale, activation_width
        ``s_inf = 1 / (1 + scale exp((V_th - V) / width))``. In the published results Delta = 5 mV
        divides the exponential, not its argument: scale 1/5 and width 1 mV, where scale 1 and width
        5 mV are meant.
    synapse_unit
        mS/cm² in one unit of synaptic conductance: 1 where the number was taken as a density, and 1
        nS spread over the membrane where it is what Prinz et al. say.
    """

    name: str
    calcium_influx: float
    activation_scale: float
    activation_width: float
    synapse_unit: float

    def reversals(self, populations: tuple[str, ...]) -> tuple[float, ...]:
        """Reversal potential in mV of the synapses made by each cell, given the population of each
        cell.
        """
        if self.name == "prinz2004":
            return tuple(REVERSAL[population] for population in populations)
        # The sign was lost, and the table (acetylcholine, glutamate, glutamate, ...) was indexed by
        # the position of the population in the circuit instead of by its transmitter: AB, the
        # first, got acetylcholine's.
        first = populations[0]
        return tuple(80.0 if population == first else 70.0 for population in populations)


VARIANTS: Final[dict[str, Variant]] = {
    "published": Variant("published", CALCIUM_INFLUX, 1 / WIDTH, 1.0, 1.0),
    "prinz2004": Variant(
        "prinz2004", CALCIUM_INFLUX * MEMBRANE_AREA * 1e3, 1.0, WIDTH, 1e-6 / MEMBRANE_AREA
    ),
}


def find_variant(name: str) -> Variant:
    """Return the variant of that name, or say which there are."""
    try:
        return VARIANTS[name]
    except (KeyError, TypeError):
        raise ValueError(
            "variant must be 'published' (as the paper's results were made) or 'prinz2004' (as "
            f"documented there); got {name!r}"
        ) from None
