"""The method as the paper has it.

The hierarchical beta process, on one simulation of each candidate.
"""

from __future__ import annotations

from typing import Any, Final

# Arguments of `rivals.compare` and `rivals.calibrate`, whose defaults are others.
PAPER: Final[dict[str, Any]] = {"law": "beta", "n_simulations": 1}
