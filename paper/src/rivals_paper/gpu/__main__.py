"""On a machine with a GPU: `python -m rivals_paper.gpu WHAT OUT [--limit N]`.

WHAT is constants-as-published, corrected, replications or check; records are written to OUT.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rivals_paper.gpu import records, replications


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m rivals_paper.gpu", description=__doc__)
    parser.add_argument("what", choices=(*records.VARIANTS, "replications", "check"))
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--limit", type=int, help="experiments of each condition; 512 or 2048 by default"
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.what == "check":
        records.check(options.out)
    elif options.what == "replications":
        for name in records.VARIANTS:
            replications.record(options.out, name, options.limit)
        replications.drift(options.out, options.limit)
    else:
        records.record(options.out, options.what, options.limit)


if __name__ == "__main__":
    main()
