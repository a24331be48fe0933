"""Tiny recordings through all stages of the GPU's records, to see that a machine can run them.

`python paper/benchmarks/smoke_gpu.py`
"""

import tempfile
from pathlib import Path

from rivals_paper.gpu import recordings, records, replications

records.N_DATA = 16
records.LONG = 32
replications.N_DATA = 16
replications.LONG = 1024
recordings.traces.__defaults__ = (16, True)
folder = Path(tempfile.mkdtemp())
records.record(folder, "corrected", 1)
replications.record(folder, "corrected", 1)
replications.drift(folder, 1)
