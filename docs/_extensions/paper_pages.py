"""The pages about the paper live with it, under paper/docs; here they become pages of the
documentation, docs/paper/*.md.

In the repository their links are relative to paper/docs, so that they can be read there too.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINKS = {
    "](../results/": "](../../paper/results/",
    'src="../results/': 'src="../../paper/results/',
    "](../../docs/": "](../",
}


def bring(source: Path, target: Path) -> None:
    """Copy all pages, with their links changed; pages that are the same are not touched."""
    target.mkdir(exist_ok=True)
    pages = {path.name: path.read_text(encoding="utf-8") for path in source.glob("*.md")}
    for old in set(target.glob("*.md")) - {target / name for name in pages}:
        old.unlink()
    for name, text in pages.items():
        for here, there in LINKS.items():
            text = text.replace(here, there)
        if not (target / name).exists() or (target / name).read_text(encoding="utf-8") != text:
            (target / name).write_text(text, encoding="utf-8")


def setup(app):
    """Before the sources are found."""
    bring(ROOT / "paper" / "docs", Path(app.srcdir) / "paper")
    return {"parallel_read_safe": True}
