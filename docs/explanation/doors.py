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


def table(case):
    """The ways of one case, as Markdown."""
    rows = [row for row in results("doors")["rows"] if row["case"].startswith(case)]
    lines = ["| way | seconds of processor | memory, GiB |", "| --- | ---: | ---: |"]
    for row in rows:
        numbers = f"{row['processor']:.1f} | {row['peak']:.1f}"
        lines.append(f"| {row['way']} | {numbers} |")
    return "\n".join(lines)
