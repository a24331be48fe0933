"""Tables of files of some size, for the pages of the doors."""

from __future__ import annotations

from charts import results


def table(case):
    """The ways of one case, as Markdown."""
    rows = [row for row in results("doors")["rows"] if row["case"].startswith(case)]
    lines = ["| way | seconds of processor | memory, GiB |", "| --- | ---: | ---: |"]
    for row in rows:
        numbers = f"{row['processor']:.1f} | {row['peak']:.1f}"
        lines.append(f"| {row['way']} | {numbers} |")
    return "\n".join(lines)
