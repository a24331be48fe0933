"""The picture and the numbers of the front page, from benchmarks/results."""

from charts import BLUE, ORANGE, PALE, axes, cell, diagonal, rate, results

# What the front page speaks of: each group or row left out of some fit, P by the fits' own matrix.
DESIGN, METHOD = "left out", "rivals"


def _fits(groups):
    """What became of pairs with so many left-out groups; 0 is all numbers of groups together."""
    for row in results("real")["fits"]:
        if (row["design"], row["method"], row["groups"]) == (DESIGN, METHOD, groups):
            return row
    raise LookupError(f"no {groups} groups")


def _rows(n_rows, method=METHOD):
    """Likewise of rows without groups."""
    for row in results("rows")["rows"]:
        if (row["design"], row["method"], row["rows"]) == (DESIGN, method, n_rows):
            return row
    raise LookupError(f"no {n_rows} rows")


def number_of_data_sets():
    """With groups."""
    return results("real")["data_sets"]


def failed():
    """The failure rate of winners named with P > .95, 4 to 20 groups together."""
    return rate(_fits(0)["failed"]["0.95"])


def named():
    """How often a winner is named."""
    value = _fits(0)["named"]["0.95"]
    return f"{value['value']:.0f} % of {value['pairs']} pairs ({value['data_sets']} data sets)"


def failed_at(groups):
    """The failure rate with so many groups."""
    return rate(_fits(groups)["failed"]["0.95"])


def failed_by(method, groups=10):
    """The failure rate of winners that another method named."""
    return rate(cell(method, groups)["failed"]["study"])


def rows_failed(n_rows, method=METHOD):
    """The failure rate of winners named from rows without groups."""
    return rate(_rows(n_rows, method)["failed"])


def _curve(ax, row, label, colour):
    """Mean P in each band and how often that model won."""
    won = [band["won"] for band in row["bands"]]
    ax.errorbar(
        [band["mean P"] for band in row["bands"]],
        [each["value"] for each in won],
        yerr=[each["error"] for each in won],
        marker="o",
        ms=5,
        capsize=2,
        lw=1.2,
        color=colour,
        label=label,
    )


def reliability():
    """P against how often it came true: groups left out, and rows."""
    left, right = axes(8.4, 4.1, ncols=2, sharey=True)
    for groups, colour in zip((4, 6, 10, 20), (PALE, "#9fb8d1", BLUE, ORANGE), strict=True):
        _curve(left, _fits(groups), f"{groups} groups", colour)
    for n_rows, colour in ((100, ORANGE), (400, BLUE)):
        _curve(right, _rows(n_rows), f"{n_rows} rows", colour)
    titles = (
        f"groups, {number_of_data_sets()} data sets",
        f"rows, {results('rows')['data_sets']} data sets",
    )
    for ax, title in zip((left, right), titles, strict=True):
        diagonal(ax)
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel("mean P of the favoured model, %")
        ax.legend(frameon=False, loc="lower right")
    left.set_ylabel("won again, %")
    return (
        "How often the favoured model won again against its mean P, with 4, 6, 10 and 20 left-out "
        "groups and with 100 and 400 rows. Points lie on the diagonal or above it; with 100 rows "
        "up to five points below."
    )
