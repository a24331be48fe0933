"""Run the recipes against the real libraries: `make test-recipes`, or `python tools/recipes.py NAME
…` for some of them.

Each file of tests/recipes begins with `# needs: requirement, requirement`. Files with the same
needs share one environment, under .venv-recipes, which is made once and kept until the needs
change. A second line, `# debian: package, package`, names what is not of Python: what is missing is
installed with apt, where this may be done. What cannot be installed counts as failed, with the last
words of uv or apt; one table at the end says what ran with which versions.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECIPES = ROOT / "tests" / "recipes"
ENVIRONMENTS = ROOT / ".venv-recipes"
TESTERS = ["pytest>=8.2", "hypothesis>=6.100"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help="recipes to run, as in test_NAME.py; all without")
    chosen = parser.parse_args().names
    files = sorted(RECIPES.glob("test_*.py"))
    known = {name_of(file): file for file in files}
    unknown = [name for name in chosen if name not in known]
    if unknown:
        parser.error(f"no recipe is called {', '.join(unknown)}; there are: {', '.join(known)}")
    outcomes = [run(known[name]) for name in chosen or known]
    width = max(len(outcome[0]) for outcome in outcomes)
    print(
        "\n"
        + "\n".join(
            f"{name:{width}}  {summary}  ({versions}; {seconds:.0f} s)"
            for name, summary, versions, seconds, _ in outcomes
        )
    )
    failed = [name for name, *_, passed in outcomes if not passed]
    print(
        f"\n{len(outcomes) - len(failed)} of {len(outcomes)} recipes pass"
        + (f"; not: {', '.join(failed)}." if failed else ".")
    )
    return 1 if failed else 0


def run(file: Path) -> tuple[str, str, str, float, bool]:
    """Name, last line of pytest, versions, seconds and whether all passed."""
    began = time.monotonic()
    needs = needs_of(file)
    packages = debian_of(file)
    print(f"── {name_of(file)} (needs {', '.join([*needs, *packages])})", flush=True)
    try:
        install(packages)
        python = environment(needs)
    except subprocess.CalledProcessError as error:
        words = (error.stderr or error.stdout or "").strip().splitlines()[-1:] or ["uv failed"]
        return name_of(file), f"not installed: {words[0]}", "none", time.monotonic() - began, False
    # The options of the default run leave out this folder and what is slow; here both are wanted.
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-m", "", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    lines = done.stdout.strip().splitlines() or ["pytest said nothing"]
    if done.returncode:
        print(done.stdout + done.stderr)
    # A file of which every test is skipped shows nothing, and does not pass.
    passed = done.returncode == 0 and "passed" in lines[-1]
    return (
        name_of(file),
        lines[-1].strip("= "),
        ", ".join([versions(python, needs), *versions_of_debian(packages)]),
        time.monotonic() - began,
        passed,
    )


def install(packages: list[str]) -> None:
    """Packages of Debian that are missing, where there is apt and we may use it."""
    installed = [each.split(" ")[0] for each in versions_of_debian(packages)]
    missing = [package for package in packages if package not in installed]
    if not missing:
        return
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        words = f"install {', '.join(missing)} first, as with sudo {' '.join(command)}"
        raise subprocess.CalledProcessError(1, command, stderr=words)
    quietly = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(command, check=True, capture_output=True, text=True, env=quietly)


def versions_of_debian(packages: list[str]) -> list[str]:
    """Name and version of those that are installed."""
    if not packages or shutil.which("dpkg-query") is None:
        return []
    status = "${db:Status-Status} ${Package} ${Version}\n"
    found = subprocess.run(
        ["dpkg-query", "--show", f"--showformat={status}", *packages],
        capture_output=True,
        text=True,
    )
    lines = found.stdout.splitlines()
    return [line.removeprefix("installed ") for line in lines if line.startswith("installed ")]


def environment(needs: list[str]) -> str:
    """The Python of an environment with rivals and these; made where it is missing, or where the
    project's own needs have changed.
    """
    everything = [*needs, (ROOT / "pyproject.toml").read_text()]
    folder = ENVIRONMENTS / hashlib.sha256("\n".join(everything).encode()).hexdigest()[:12]
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    done = folder / "needs.txt"
    if not done.exists():
        # uv shares what several environments have in common; it is told of wheels at hand as pip
        # is.
        at_hand = (
            {"UV_FIND_LINKS": os.environ["PIP_FIND_LINKS"]}
            if "PIP_FIND_LINKS" in os.environ
            else {}
        )
        for command in (
            ["venv", "--quiet", "--clear", "--python", sys.executable, folder],
            [
                "pip",
                "install",
                "--quiet",
                "--python",
                folder,
                *needs,
                *TESTERS,
                "--editable",
                f"{ROOT}[all]",
            ],
        ):
            subprocess.run(
                ["uv", *command],
                check=True,
                capture_output=True,
                text=True,
                env=os.environ | at_hand,
            )
        done.write_text("\n".join(needs))
    return str(python)


def versions(python: str, needs: list[str]) -> str:
    names = [re.split(r"[<>=!~\[; ]", need, maxsplit=1)[0] for need in needs]
    code = """
import sys
from importlib.metadata import version
print(", ".join(f"{name} {version(name)}" for name in sys.argv[1:]))
"""
    return subprocess.run(
        [python, "-c", code, *names], check=True, capture_output=True, text=True
    ).stdout.strip()


def needs_of(file: Path) -> list[str]:
    found = listed_in(file, "needs")
    if not found:
        raise SystemExit(
            f"{file.name} does not say what it needs: begin it with a line such as '# needs: "
            "statsmodels>=0.14'"
        )
    return found


def debian_of(file: Path) -> list[str]:
    return listed_in(file, "debian")


def listed_in(file: Path, heading: str) -> list[str]:
    """What a line of comment lists; nothing where there is no such line."""
    match = re.search(rf"^# {heading}: (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return [] if match is None else [each.strip() for each in match[1].split(",")]


def name_of(file: Path) -> str:
    return file.stem.removeprefix("test_")


if __name__ == "__main__":
    sys.exit(main())
