"""Tiny recordings through all stages of `rivals_paper.gpu.records`, to see that a machine can run them: `python paper/benchmarks/smoke_gpu.py`."""

import tempfile
from pathlib import Path

from rivals_paper.gpu import recordings, records

records.N_DATA, records.LONG = 16, 32
recordings.traces.__defaults__ = (16, True)
records.record(Path(tempfile.mkdtemp()), "corrected", 1)
