"""The method of the paper in two forms, which agree where c is not small.

`ALGORITHM` is the paper's algorithm as it was run, with eight refinements: the neuron calibrations,
from records of a GPU or computed anew. `PROCESS` is the same process refined as far as the data
resolve, on one simulation of each candidate: everything else that is corrected. At 4 000 points they
differ by up to 0.61 in B at c = 2^-9, and by at most 0.02 at 2^-2 (docs/paper/corrections.md).
"""

from __future__ import annotations

from typing import Any, Final

# Arguments of `rivals.compare` and `rivals.calibrate`, whose defaults are others.
PROCESS: Final[dict[str, Any]] = {"method": "beta", "n_simulations": 1}
ALGORITHM: Final[dict[str, Any]] = {"method": "paper"}
