"""What type checkers must refuse: mypy and pyright say so where an ignore is not needed."""

from __future__ import annotations

import numpy as np

import rivals

losses = {"a": np.zeros(9), "b": np.ones(9)}
result = rivals.compare(losses, threshold=0.9, looks="any", new_groups=3)

rivals.compare(42)  # type: ignore[arg-type]
rivals.compare(losses, 17, method="nope")  # type: ignore[arg-type]
rivals.compare(losses, treshold=0.9)  # type: ignore[call-arg]
rivals.compare(losses, looks="every")  # type: ignore[arg-type]
rivals.compare(losses, order="space")  # type: ignore[arg-type]
rivals.compare(losses, c="1")  # type: ignore[arg-type]
result.at(treshold=0.9)  # type: ignore[call-arg]
result.at(looks="every")  # type: ignore[arg-type]
result.at(margin="0.1")  # type: ignore[arg-type]
result.gate("a", require="not worse")  # type: ignore[arg-type]
result.summary.nothing  # type: ignore[attr-defined]  # noqa: B018
result.rank  # type: ignore[attr-defined]  # noqa: B018
