"""Run the recipes against the real libraries: `make test-recipes`, or some of them by their names.

Each test file of tests/recipes has a line `# needs: requirement, requirement`; uv makes an
environment with these and rivals. What cannot be installed, or is skipped whole, counts as failed.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECIPES = {
    file.stem.removeprefix("test_"): file for file in (ROOT / "tests/recipes").glob("test_*.py")
}


def main(names: list[str]) -> int:
    unknown = set(names) - set(RECIPES)
    if unknown:
        print(f"no recipe is called {', '.join(unknown)}; there are: {', '.join(sorted(RECIPES))}")
        return 2
    failed = [name for name in names or sorted(RECIPES) if not passes(RECIPES[name])]
    print(f"not passed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


def passes(file: Path) -> bool:
    needs = re.search(r"^# needs: (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    if needs is None:
        raise SystemExit(f"{file.name}: it lacks the line '# needs: requirement, …'")
    wanted = [word.strip() for word in needs[1].split(",")] + ["pytest", "hypothesis"]
    options = [part for word in wanted for part in ("--with", word)]
    command = ["uv", "run", "--quiet", "--isolated", "--no-project", "--with-editable"]
    command += [f"{ROOT}[all]", *options, "python", "-m", "pytest", "-q", "-m", "", str(file)]
    print(f"── {file.name} ({needs[1]})", flush=True)
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    print(done.stdout[-2000:] if done.returncode else done.stdout.strip().splitlines()[-1])
    return done.returncode == 0 and " passed" in done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
