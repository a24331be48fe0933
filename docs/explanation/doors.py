"""Numbers of committed results about sites, and tables of some size, for the pages of the doors."""

from __future__ import annotations

from charts import results


def sites(sizes, what, digits=2):
    """From the smallest to the largest of these studies, as "0.98 to 1.00"."""
    rows = [row for row in results("meta_analysis")["rows"] if row["n_sites"] in sizes]
    values = [row[what] for row in rows]
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def draws():
    """How many studies each coverage is of."""
    return f"{results('meta_analysis')['rows'][0]['n_draws']:,}".replace(",", " ")


def of_a_file():
    """Time and memory of one large file, as Markdown."""
    found = results("reducer")
    lines = ["| way | seconds of processor | memory, GiB |", "| --- | ---: | ---: |"]
    lines += [
        f"| {row['way']} | {row['processor']:.1f} | {row['peak']:.1f} |" for row in found["rows"]
    ]
    return "\n".join(lines)
