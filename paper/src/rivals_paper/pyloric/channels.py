"""The channel table of Prinz, Bucher and Marder (2004), as data.

Every gating variable obeys ``dx/dt = (x_inf(V) - x) / tau(V)``. With the sigmoid
``S(b, c) = 1 / (1 + exp((V + b) / c))`` all eleven gates share one form::

    x_inf = S(b, c)                          (the KCa gate is also multiplied by [Ca] / ([Ca] + 3))
    tau   = offset + scale / (exp((V + b1) / c1) + exp((V + b2) / c2))

where a plain sigmoid has 1 in place of the second exponential (``c2 = inf``). One gate, the
inactivation of Na, carries a further factor ``1.5 + S(34.9, 3.6)`` on tau. Units: mV, ms, mS/cm²,
uM.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Gate:
    """One gating variable: steady state ``S(*steady)`` and the five numbers of its time
    constant.
    """

    channel: str
    steady: tuple[float, float]
    offset: float
    scale: float
    first: tuple[float, float]
    second: tuple[float, float] = (0.0, math.inf)


# The order of channels and gates is the order of the state: seven activations, then four
# inactivations.
CHANNELS: Final = ("Na", "CaT", "CaS", "A", "KCa", "Kd", "H")
EXPONENTS: Final = (3, 3, 3, 3, 4, 4, 1)
INACTIVATING: Final = ("Na", "CaT", "CaS", "A")

ACTIVATIONS: Final = (
    Gate("Na", (25.5, -5.29), 2.64, -2.52, (120.0, -25.0)),
    Gate("CaT", (27.1, -7.2), 43.4, -42.6, (68.1, -20.5)),
    Gate("CaS", (33.0, -8.1), 2.8, 14.0, (27.0, 10.0), (70.0, -13.0)),
    Gate("A", (27.2, -8.7), 23.2, -20.8, (32.9, -15.2)),
    Gate("KCa", (28.3, -12.6), 180.6, -150.2, (46.0, -22.7)),
    Gate("Kd", (12.3, -11.8), 14.4, -12.8, (28.3, -19.2)),
    Gate("H", (75.0, 5.5), 0.0, 2.0, (169.7, -11.6), (-26.7, 14.3)),
)
INACTIVATIONS: Final = (
    Gate("Na", (48.9, 5.18), 0.0, 1.34, (62.9, -10.0)),
    Gate("CaT", (32.1, 5.5), 210.0, -179.6, (55.0, -16.9)),
    Gate("CaS", (60.0, 6.2), 120.0, 300.0, (55.0, 9.0), (65.0, -16.0)),
    Gate("A", (56.9, 4.9), 77.2, -58.4, (38.9, -26.5)),
)
GATES: Final = ACTIVATIONS + INACTIVATIONS

# tau of the Na inactivation is multiplied by offset + S(b, c).
NA_FACTOR_OFFSET: Final = 1.5
NA_FACTOR: Final = (34.9, 3.6)

# Reversal potentials in mV; that of the calcium channels follows from [Ca] (Nernst, 12.2 mV =
# RT/zF).
REVERSAL: Final = {"Na": 50.0, "A": -80.0, "KCa": -80.0, "Kd": -80.0, "H": -20.0, "leak": -50.0}
NERNST: Final = 12.2
CALCIUM_OUTSIDE: Final = 3000.0
CALCIUM_REST: Final = 0.05
CALCIUM_TIME: Final = 200.0
CALCIUM_HALF: Final = 3.0
MEMBRANE_AREA: Final = 0.628e-3  # cm²; with C = 0.628 nF the capacitance is 1 uF/cm²

# Maximal conductances in mS/cm², in the order of CHANNELS, leak last (Prinz et al. 2004, table 2).
CONDUCTANCES: Final[dict[str, tuple[float, ...]]] = {
    "AB/PD 1": (400, 2.5, 6, 50, 10, 100, 0.01, 0),
    "AB/PD 2": (100, 2.5, 6, 50, 5, 100, 0.01, 0),
    "AB/PD 3": (200, 2.5, 4, 50, 5, 50, 0.01, 0),
    "AB/PD 4": (200, 5, 4, 40, 5, 125, 0.01, 0),
    "AB/PD 5": (300, 5, 2, 10, 5, 125, 0.01, 0),
    "LP 1": (100, 0, 8, 40, 5, 75, 0.05, 0.02),
    "LP 2": (100, 0, 6, 30, 5, 50, 0.05, 0.02),
    "LP 3": (100, 0, 10, 50, 5, 100, 0, 0.03),
    "LP 4": (100, 0, 4, 20, 0, 25, 0.05, 0.03),
    "LP 5": (100, 0, 6, 30, 0, 50, 0.03, 0.02),
    "PY 1": (100, 2.5, 2, 50, 0, 125, 0.05, 0.01),
    "PY 2": (200, 7.5, 0, 50, 0, 75, 0.05, 0),
    "PY 3": (200, 10, 0, 50, 0, 100, 0.03, 0),
    "PY 4": (400, 2.5, 2, 50, 0, 75, 0.05, 0),
    "PY 5": (500, 2.5, 2, 40, 0, 125, 0.01, 0.03),
    "PY 6": (500, 2.5, 2, 40, 0, 125, 0, 0.02),
}
