"""Check the Python of README and tutorial as a user's type checker sees it: Pyright (strict for the
README) and mypy. Part of `make lint`.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# scikit-learn and others have no types: nothing is guessed from their source, and what comes from
# them may be unknown.
UNKNOWN = ("Variable", "Argument", "Member")
OTHERS = (
    "useLibraryCodeForTypes",
    "reportMissingTypeStubs",
    *(f"reportUnknown{kind}Type" for kind in UNKNOWN),
)
PAGES = {"README.md": "strict", "docs/tutorial.md": "standard"}


def main() -> int:
    return max([_check(ROOT / page, mode) for page, mode in PAGES.items()])


def _check(page: Path, mode: str) -> int:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder, f"{page.stem.lower()}.py")
        settings = Path(folder, "pyrightconfig.json")
        code.write_text("\n".join(blocks), encoding="utf-8")
        options = {"typeCheckingMode": mode, "extraPaths": [str(ROOT / "src")]} | dict.fromkeys(
            OTHERS, False
        )
        settings.write_text(json.dumps(options), encoding="utf-8")
        scripts = Path(sys.executable).parent
        checkers = (
            [scripts / "basedpyright", "--pythonpath", sys.executable, "--project", settings],
            [
                scripts / "mypy",
                "--config-file=",
                "--ignore-missing-imports",
                "--check-untyped-defs",
                code,
            ],
        )
        codes = []
        for checker in checkers:
            print(f"{page.name}, {mode}: {Path(checker[0]).name}", flush=True)
            environment = os.environ | {"MYPYPATH": str(ROOT / "src")}
            codes.append(subprocess.run(checker, env=environment, check=False).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
