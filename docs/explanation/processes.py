"""The paper's process beside method "transport": charts and numbers of two benchmarks."""

from charts import BLUE, GREY, ORANGE, axes, results

LAWS = {"transport": (BLUE, "o"), "beta": (ORANGE, "s"), "paper": (GREY, "^")}
KINDS = {"real": "real data, one observed group", "families": "ten families of problems"}


def _found(kind):
    return results("beta_against_transport")[kind]


def _cases(kind):
    found = _found(kind)
    of = "data sets" if kind == "real" else "families"
    pairs = f"{found['pairs']:,}".replace(",", " ")
    return f"({found['data sets']} {of}, {pairs} pairs)"


def failed(kind, law, named=20):
    """Failure rate of a law where it names a winner for so many per cent of the pairs."""
    value, error = _found(kind)[f"{law}: failed, {named}% named"]
    return f"{100 * value:.1f} ± {100 * error:.1f} %"


def less(kind, named=20):
    """By how much beta fails more often than transport there."""
    value, error = _found(kind)[f"beta less transport: failed, {named}% named"]
    return f"{100 * value:+.1f} ± {100 * error:.1f} points {_cases(kind)}".replace("-", "−", 1)


def score(kind, name, law):
    """Brier or log score, at the c that is best for each law."""
    value, error = _found(kind)[f"{law}: {name} score"]
    return f"{value:.3f} ± {error:.3f}".replace("-", "−", 1)


def beside():
    """Failure rate against how often a winner is named, a point for each c."""
    panels = axes(8.4, 3.8, ncols=2)
    for ax, (kind, title) in zip(panels, KINDS.items(), strict=True):
        found, values = _found(kind), results("beta_against_transport")["c"]
        for law, (colour, marker) in LAWS.items():
            keys = [f"{law}, c = 2^{power}" for power in range(-8, -8 + len(values))]
            named = [100 * found[f"{key}: named"][0] for key in keys]
            rate, error = (
                [100 * found[f"{key}: failed"][place] for key in keys] for place in (0, 1)
            )
            ax.errorbar(named, rate, yerr=error, color=colour, marker=marker, ms=4, lw=1, label=law)
        ax.set(xlabel="winner named, % of pairs", xlim=(0, 60), title=title)
        ax.set_ylim(bottom=0)
    panels[0].set_ylabel("failed, % of named winners")
    panels[0].legend(frameon=False)
    parts = [
        f"{KINDS[kind]} {_cases(kind)}: transport {failed(kind, 'transport')}, beta "
        f"{failed(kind, 'beta')}, the paper's algorithm {failed(kind, 'paper')}"
        for kind in KINDS
    ]
    return (
        "Failure rate of named winners against how often one is named, for c from 1/256 to 4. "
        "Where a winner is named for 20 % of the pairs, " + "; ".join(parts) + "."
    )
