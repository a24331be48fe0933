"""Instruments whose variation between recordings was measured: chains of blocks, and the source.

Only what was measured stands here. Measure your own instrument where you can.
"""

from __future__ import annotations

from rivals.scenarios._blocks import Block, gain, noise, offset

# Between eleven runs of one enzyme-linked assay of DNase in rat serum, in optical density: R's data
# set `DNase` (Davidian and Giltinan, 1995). Gain and offset of each run beside Hill's curve, fitted
# to all, less what the noise within a run adds; tests/scenarios/test_instruments.py measures them.
PLATE_READER: tuple[Block, ...] = (gain(0.048), offset(0.029), noise(0.025))
