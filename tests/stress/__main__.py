"""`make stress`: hostile input and faults, with a fixed seed, for a few minutes.

    python tests/stress [--minutes 4] [--only damaged_results ...]

Every input either works or is refused by a sentence (a ValueError, TypeError or OSError that names
it); it is never lost, executed, injected into what is shown, silently wrong, or endless. What came
of it goes to benchmarks/results/stress.json and stress.md, and the exit status says whether all of
it held. `docs/reference/promises.md` is what is tested here.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import numpy as np

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "src"), str(Path(__file__).parent)]

from parts import PARTS, Case  # noqa: E402  (the paths come first)

RESULT = TESTS.parent / "benchmarks" / "results" / "stress"
SEED = 15
# A case that takes longer hangs.
LONGEST = 60
REFUSED = (ValueError, TypeError, OSError, ImportError)


class Hung(BaseException):
    """A case took too long."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise `Hung` after so many seconds."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Hung

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def outcome(case: Case) -> str:
    """What became of one input: "worked", "refused", or what is wrong with it."""
    try:
        with limited(LONGEST):
            return case() or "worked"
    except REFUSED as error:
        # A sentence of ours, not one of NumPy's about shapes: it is raised by our own line.
        raised_in = traceback.extract_tb(error.__traceback__)[-1].filename
        ours = "rivals" in raised_in and str(error).strip()
        return "refused" if ours else f"raw {type(error).__name__}: {error}"
    except Hung:
        return "hung"
    except Exception as error:
        return f"raw {type(error).__name__}: {error}"


def attack(name: str, seconds: float) -> Counter[str]:
    """All that one part thinks of in its time."""
    found: Counter[str] = Counter()
    end = time.monotonic() + seconds
    for case in PARTS[name](np.random.default_rng([SEED, *name.encode()])):
        what = outcome(case)
        found[what] += 1
        if what not in ("worked", "refused") and found[what] <= 3:
            print(f"  {name}: {what}", flush=True)
        if time.monotonic() > end:
            break
    return found


def page(found: dict[str, dict[str, int]]) -> str:
    """The table."""
    lines = [f"# Under stress\n\nWritten by `make stress`, seed {SEED}.\n"]
    lines.append("| part | inputs | worked | refused by a sentence | anything else |")
    lines.append("| --- | ---: | ---: | ---: | ---: |")
    rows = {PARTS[name].__doc__ or name: Counter(each) for name, each in found.items()}
    for what, each in {**rows, "**together**": sum(rows.values(), Counter())}.items():
        other = each.total() - each["worked"] - each["refused"]
        numbers = (each.total(), each["worked"], each["refused"], other)
        lines.append("| " + " | ".join([what.rstrip("."), *map(str, numbers)]) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=4.0)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    path = RESULT.with_suffix(".json")
    earlier = json.loads(path.read_text()) if path.exists() else {}
    found = {name: earlier[name] for name in PARTS if name in earlier}
    for name in options.only:
        found[name] = dict(attack(name, 60.0 * options.minutes / len(options.only)))
        print(name, found[name], flush=True)
    path.write_text(json.dumps(found, indent=1) + "\n")
    RESULT.with_suffix(".md").write_text(page({n: found[n] for n in PARTS if n in found}))
    bad = [what for each in found.values() for what in each if what not in ("worked", "refused")]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
