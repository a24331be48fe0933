"""The method of the paper in two forms, which agree where c is not small.

`PROCESS` is its hierarchical beta process, refined as deep as the data resolve, on one simulation of
each candidate: what `rivals reproduce` computes on a processor. `ALGORITHM` is its algorithm as it
was run, with eight refinements: what the records of the GPU have. At 4 000 points they differ by up
to 0.09 in B at c = 2^-9, by at most 0.025 at 2^-2 (docs/paper/corrections.md).
"""

from __future__ import annotations

from typing import Any, Final

# Arguments of `rivals.compare` and `rivals.calibrate`, whose defaults are others.
PROCESS: Final[dict[str, Any]] = {"law": "beta", "n_simulations": 1}
ALGORITHM: Final[dict[str, Any]] = {"law": "paper"}
