"""Write the address of the repository wherever a published package needs it: `python
tools/address.py https://host/owner/rivals`.

A page of a package index shows the README alone, so that its links and its picture must be
absolute. The release does it, in its own copy: README.md, pyproject.toml and CITATION.cff are
changed in place.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)(\[[^\]]*\])\((?:\S*?/(?:blob|raw)/main/)?([^)\s]+)\)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("address")
    address = parser.parse_args().address.rstrip("/")
    if not re.fullmatch(r"https://[^\s/]+/[^\s/]+/[^\s/]+", address):
        parser.error(f"expected https://host/owner/name; got {address!r}")
    for name, change in {
        "README.md": readme,
        "pyproject.toml": project,
        "CITATION.cff": citation,
    }.items():
        path = ROOT / name
        path.write_text(change(path.read_text(encoding="utf-8"), address), encoding="utf-8")
    return 0


def readme(text: str, address: str) -> str:
    """Links to files of the repository become absolute: pictures as files, pages as the host shows
    them.
    """

    def absolute(match: re.Match[str]) -> str:
        picture, words, target = match.groups()
        if re.match(r"https?:|#", target):
            return match[0]
        return f"{picture}{words}({address}/{'raw' if picture else 'blob'}/main/{target})"

    return LINK.sub(absolute, text)


def project(text: str, address: str) -> str:
    pages = {
        "Repository": "",
        "Issues": "/issues",
        "Documentation": "/tree/main/docs",
        "Changelog": "/blob/main/CHANGELOG.md",
    }
    table = "[project.urls]\n" + "".join(
        f'{name} = "{address}{place}"\n' for name, place in pages.items()
    )
    text = re.sub(r"\[project\.urls\]\n(?:\w+ = .*\n)+\n", "", text)
    return text.replace("[project.scripts]", f"{table}\n[project.scripts]")


def citation(text: str, address: str) -> str:
    text = re.sub(r"repository-code: .*\n", "", text)
    return text.replace("license: MIT\n", f'license: MIT\nrepository-code: "{address}"\n')


if __name__ == "__main__":
    sys.exit(main())
