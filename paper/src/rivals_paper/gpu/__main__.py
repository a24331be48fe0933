"""On a machine with a GPU: `python -m rivals_paper.gpu constants-as-published|corrected|check OUT [--limit N]` writes records, or a check, to a folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from rivals_paper.gpu.records import COMMANDS


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m rivals_paper.gpu", description=__doc__)
    parser.add_argument("what", choices=COMMANDS)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--limit", type=int, help="experiments of each condition; 512 or 2048 by default"
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    COMMANDS[options.what](options.out, options.limit)


if __name__ == "__main__":
    main()
