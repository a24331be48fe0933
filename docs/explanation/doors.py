"""Numbers of committed results for the page of large tables."""

from __future__ import annotations

from charts import results


def of_a_file():
    """Time and memory of one large file, as Markdown."""
    found = results("reducer")
    lines = ["| way | seconds of processor | memory, GiB |", "| --- | ---: | ---: |"]
    lines += [
        f"| {row['way']} | {row['processor']:.1f} | {row['peak']:.1f} |" for row in found["rows"]
    ]
    return "\n".join(lines)
