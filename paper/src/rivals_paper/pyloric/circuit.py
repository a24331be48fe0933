"""Circuits: which cells there are, who excites whom, and the constants as arrays for the
kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.pyloric import channels
from rivals_paper.pyloric.variants import SYNAPSE_FLOOR, THRESHOLD, UNBINDING, Variant, find_variant

Connection = tuple[int | str, int | str, float]

PACEMAKER = "AB/PD 3"
SYNAPSE_STRENGTH = 3.0


class Constants(NamedTuple):
    """A circuit as the kernels see it.

    Four arrays, because unpacking many costs time in every evaluation.
    """

    gates: FloatArray  # (8, gates * cells), gate major: see GATE_ROWS
    # (11, cells): eight conductances in mS/cm², then UNBINDING, SYNAPSE_REVERSAL, RECEIVES
    cells: FloatArray
    coupling: FloatArray  # (2, cells, cells) in mS/cm², [post, pre]: chemical and electrical
    numbers: FloatArray  # (21,): what all cells share, see _numbers


# Rows of Constants.cells below the conductances.
UNBINDING_ROW, SYNAPSE_REVERSAL, RECEIVES = 8, 9, 10
# Rows of Constants.gates: x_inf = 1 / (1 + exp((V + shift) slope)), and the same for both
# exponentials of tau.
STEADY_SHIFT, STEADY_SLOPE, TAU_OFFSET, TAU_SCALE, SHIFT_1, SLOPE_1, SHIFT_2, SLOPE_2 = range(8)
# Where things stand in Constants.numbers.
NA_FACTOR, REVERSAL, CALCIUM, ACTIVATION = 0, 3, 11, 17


@dataclass(frozen=True)
class Circuit:
    """Cells of the pyloric network and their synapses.

    Parameters
    ----------
    cells
        Names of the models, "AB/PD 1" to "AB/PD 5", "LP 1" to "LP 5", "PY 1" to "PY 6". "AB 3" and
        "PD 3" mean the model "AB/PD 3" releasing glutamate and acetylcholine; "AB/PD 3" is taken as
        AB.
    chemical
        Triples (from, to, conductance); a cell is given by its name, or its position where the name
        occurs twice. The conductance is a density in mS/cm² in the variant "published", and in nS
        in "prinz2004".
    electrical
        Triples (one, other, conductance in mS/cm²); they conduct both ways.
    variant
        "published" or "prinz2004".
    receives
        The cells which an external current enters, all of them by default.

    Examples
    --------
    >>> circuit = Circuit(("AB/PD 3", "LP 1"), chemical=(("AB/PD 3", "LP 1", 3.0),))
    >>> circuit.populations
    ('AB', 'LP')
    """

    cells: tuple[str, ...]
    chemical: tuple[Connection, ...] = ()
    electrical: tuple[Connection, ...] = ()
    variant: str = "published"
    receives: tuple[int | str, ...] | None = None

    def __post_init__(self) -> None:
        if not self.cells or isinstance(self.cells, str):
            raise ValueError(
                "a circuit needs a tuple of at least one cell, e.g. ('AB/PD 3', 'LP 1'); got "
                f"{self.cells!r}"
            )
        find_variant(self.variant)
        for cell in self.cells:
            model_of(cell)
        for connection in (*self.chemical, *self.electrical):
            self._check_connection(connection)
        for receiver in self.receives or ():
            self.position(receiver)

    @property
    def populations(self) -> tuple[str, ...]:
        """Population (AB, PD, LP or PY) of each cell."""
        return tuple(cell.split()[0].split("/")[0] for cell in self.cells)

    def position(self, cell: int | str) -> int:
        """Position of a cell, given its name or its position."""
        if isinstance(cell, int):
            if not 0 <= cell < len(self.cells):
                raise ValueError(
                    f"there is no cell {cell} in a circuit of {len(self.cells)} cells; positions "
                    "count from 0"
                )
            return cell
        if self.cells.count(cell) != 1:
            wrong = "is not in" if cell not in self.cells else "occurs more than once in"
            raise ValueError(
                f"cell {cell!r} {wrong} the circuit {self.cells}; give its position instead"
            )
        return self.cells.index(cell)

    def constants(self) -> Constants:
        """Return the numbers of this circuit, laid out for the kernels."""
        return _constants(self, find_variant(self.variant))

    def alone(self) -> Circuit:
        """Return the same cells without synapses, as they are while they settle."""
        return Circuit(self.cells, variant=self.variant)

    def _check_connection(self, connection: Connection) -> None:
        if len(connection) != 3:
            raise ValueError(f"a synapse is a triple (from, to, conductance); got {connection!r}")
        source, target, conductance = connection
        if self.position(source) == self.position(target):
            raise ValueError(f"synapse {connection!r} connects a cell with itself; leave it out")
        if not (np.isfinite(conductance) and conductance >= 0):
            raise ValueError(
                f"synapse {connection!r}: the conductance must be finite and not negative"
            )


def pair(follower: str, variant: str = "published") -> Circuit:
    """Return the circuit of the paper: AB/PD 3 drives one follower cell through one synapse.

    Examples
    --------
    >>> pair("LP 2").chemical
    (('AB/PD 3', 'LP 2', 3.0),)
    """
    model_of(follower)
    if follower == PACEMAKER:
        raise ValueError(
            f"{PACEMAKER} is the driving cell itself; give a follower such as 'LP 1', or a Circuit"
        )
    return Circuit(
        (PACEMAKER, follower), chemical=((PACEMAKER, follower, SYNAPSE_STRENGTH),), variant=variant
    )


def model_of(cell: str) -> str:
    """Return the model a cell name stands for: "PD 3" and "AB 3" stand for "AB/PD 3"."""
    population, _, number = cell.partition(" ") if isinstance(cell, str) else (None, None, "")
    model = f"AB/PD {number}" if population in ("AB", "PD") else cell
    if model not in channels.CONDUCTANCES:
        known = "AB/PD 1-5 (also as AB 1-5 and PD 1-5), LP 1-5, PY 1-6"
        raise ValueError(f"unknown cell {cell!r}: there are {known}")
    return model


def _constants(circuit: Circuit, variant: Variant) -> Constants:
    n = len(circuit.cells)
    gates = [
        (
            *_argument(gate.steady),
            gate.offset,
            gate.scale,
            *_argument(gate.first),
            *_argument(gate.second),
        )
        for gate in channels.GATES
    ]
    receivers = (
        range(n)
        if circuit.receives is None
        else [circuit.position(cell) for cell in circuit.receives]
    )
    cells = np.zeros((11, n))
    cells[:8] = np.array([channels.CONDUCTANCES[model_of(cell)] for cell in circuit.cells]).T
    cells[UNBINDING_ROW] = [UNBINDING[population] for population in circuit.populations]
    cells[SYNAPSE_REVERSAL] = variant.reversals(circuit.populations)
    cells[RECEIVES, list(receivers)] = 1.0
    return Constants(
        gates=np.repeat(np.array(gates, dtype=float).T, n, axis=1).copy(),
        cells=cells,
        coupling=_coupling(circuit, variant),
        numbers=_numbers(variant),
    )


def _coupling(circuit: Circuit, variant: Variant) -> FloatArray:
    n = len(circuit.cells)
    coupling = np.zeros((2, n, n))
    for source, target, strength in circuit.chemical:
        coupling[0, circuit.position(target), circuit.position(source)] += (
            strength * variant.synapse_unit
        )
    for one, other, strength in circuit.electrical:
        coupling[1, circuit.position(one), circuit.position(other)] += strength
        coupling[1, circuit.position(other), circuit.position(one)] += strength
    return coupling


def _numbers(variant: Variant) -> FloatArray:
    reversals = [channels.REVERSAL.get(name, np.nan) for name in (*channels.CHANNELS, "leak")]
    na_factor = [channels.NA_FACTOR_OFFSET, *_argument(channels.NA_FACTOR)]
    calcium = [
        variant.calcium_influx,
        1 / channels.CALCIUM_TIME,
        channels.CALCIUM_REST,
        channels.CALCIUM_HALF,
        np.log(channels.CALCIUM_OUTSIDE),
        channels.NERNST,
    ]
    activation = [variant.activation_scale, 1 / variant.activation_width, THRESHOLD, SYNAPSE_FLOOR]
    return np.array([*na_factor, *reversals, *calcium, *activation])


def _argument(sigmoid: tuple[float, float]) -> tuple[float, float]:
    """Write (V + b) / c as (V + shift) * slope."""
    b, c = sigmoid
    return b, 1 / c
