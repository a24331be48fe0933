"""The attacks: each gives cases, functions that return None or what is wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

import plain
import rivals
from problems import problem

Case = Callable[[], str | None]
Part = Callable[[np.random.Generator], Iterator[Case]]
PARTS: dict[str, Part] = {}
FOLDER = Path(tempfile.mkdtemp(prefix="rivals-stress-"))
warnings.simplefilter("ignore")


def part(function: Part) -> Part:
    """Register an attack under its name."""
    PARTS[function.__name__] = function
    return function


def sound(result: rivals.Comparison) -> str | None:
    """What is wrong with a result by itself, if anything is."""
    p = np.asarray(result.probability)
    known = ~np.isnan(p)
    if not ((p[known] >= 0.0) & (p[known] <= 1.0)).all():
        return "silently wrong: P outside of [0, 1]"
    if not result.setting.margin and np.abs(p + p.T - 1.0)[known].max() > 1e-9:
        return "silently wrong: P not antisymmetric"
    json.dumps(result.to_dict(), allow_nan=False)
    text = f"{result}{result.details()}{result.methods()}".lower()
    return "silently wrong: nan in a text" if " nan" in text or "nan " in text else None


def mutated(whole: bytes, rng: np.random.Generator) -> bytes:
    """Cut, or with bytes changed, removed, repeated."""
    data = bytearray(whole)
    kind = rng.integers(4)
    place = int(rng.integers(len(data)))
    if kind == 0:
        return bytes(data[:place])
    if kind == 1:
        for each in rng.integers(len(data), size=rng.integers(1, 6)):
            data[each] ^= 1 << int(rng.integers(8))
    elif kind == 2:
        del data[place : place + int(rng.integers(1, 64))]
    else:
        data[place:place] = data[: int(rng.integers(1, 64))]
    return bytes(data)


@part
def damaged_results(rng: np.random.Generator) -> Iterator[Case]:
    """Saved comparisons with bytes cut, changed, removed or repeated."""
    given = problem(1, n_models=3, sizes=[8] * 5, n_simulations=2)
    path = FOLDER / "result.npz"
    wholes = []
    for result in (
        given.compare(rng=0),
        rivals.compare(given.without_groups, rng=0),
        rivals.compare(given.without_groups, method=rivals.laws.Beta(depth=4, n_draws=50), rng=0),
    ):
        result.save(path)
        wholes.append((str(result), path.read_bytes()))

    def load(data: bytes, text: str) -> str | None:
        path.write_bytes(data)
        again = rivals.load(path)
        return None if str(again) == text else "silently wrong: another decision"

    while True:
        text, whole = wholes[rng.integers(len(wholes))]
        data = mutated(whole, rng)
        yield lambda data=data, text=text: load(data, text)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values within a JSON value."""
    yield path
    if isinstance(value, (dict, list)):
        inside = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in inside:
            yield from leaves(each, (*path, key))


ODD = [
    None, True, -1, 0, 1e308, -1e308, inf, -inf, float("nan"), "", "x", "\x1b[31m", [], {}, [[]],
    2**80, 0.5, "1", [None], {"a": 1}, "</script>", 1e-308, [1.0] * 3,
]  # fmt: skip


@part
def forged_summaries(rng: np.random.Generator) -> Iterator[Case]:
    """Summaries of sites in JSON with any value replaced by another."""
    given = problem(2, n_models=3, sizes=[7, 9, 11, 8], n_simulations=2, left_out=False)
    whole = given.compare(rng=0).summary.to_json()
    fields = list(leaves(json.loads(whole)))

    def read(changed: Any) -> str | None:
        text = json.dumps(changed)
        summary = rivals.GroupSummaries.from_json(text)
        return sound(rivals.compare(summary))

    while True:
        changed = json.loads(whole)
        for _ in range(int(rng.integers(1, 3))):
            *outer, last = fields[rng.integers(1, len(fields))]
            inside = changed
            try:
                for key in outer:
                    inside = inside[key]
                inside[last] = ODD[rng.integers(len(ODD))]
            except (KeyError, IndexError, TypeError):
                continue  # what was there has been replaced before
        yield lambda changed=changed: read(changed)


HOSTILE = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</style><b>", "{{ 7*7 }}",
    "=cmd|' /C calc'!A0", "a|b\\|c", "[x](http://example.org)", "\\input{/etc/passwd}", "$x_1^2$",
    "../../etc/passwd", "%s %n {0} {name}", "'; DROP TABLE x; --", "é" * 200, "\u202eabc",
    "\x1b[31mred", "new\nline", "tab\tx", "\x00", " ", "名前", "a\u200cb", "A" * 2000,
]  # fmt: skip


class Tags(HTMLParser):
    """All tags and attributes of a text of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {tag, *(name for name, _ in attrs)}


@part
def hostile_names(rng: np.random.Generator) -> Iterator[Case]:
    """Names with markup, formulas, escapes, in text, HTML, Markdown, LaTeX, JSON and files."""
    groups = np.repeat(np.arange(6), 10)
    base = rng.exponential(size=60)
    calm = Tags(rivals.compare({"A": base, "B": base + 1.0}, groups=groups)._repr_html_()).found

    def show(first: str, second: str, label: str) -> str | None:
        names = np.array([label, *"bcdef"], dtype=object)[groups]
        losses = {first: base, second: base + 0.1 * np.sin(np.arange(60))}
        result = rivals.compare(losses, groups=names)
        tables = [result.table, result.probability.table, result.beside(second).table]
        html = result._repr_html_() + "".join(table.html() for table in tables)
        if not Tags(html).found <= {*calm, "p", "colspan"}:
            return "injected into HTML"
        texts = "".join(f"{table}{table.markdown()}" for table in tables) + str(result)
        if "\x1b" in texts or "\u202e" in texts or "\x00" in texts:
            return "injected into a terminal"
        if any("\\input{" in table.latex() for table in tables):
            return "injected into LaTeX"
        if any("](http" in table.markdown().replace("\\]", "") for table in tables):
            return "injected into Markdown"
        path = FOLDER / "named.npz"
        result.save(path)
        if list(rivals.load(path).risk) != list(result.risk):
            return "silently wrong: other names"
        return sound(result)

    while True:
        chosen = [HOSTILE[place] for place in rng.integers(len(HOSTILE), size=3)]
        yield lambda chosen=chosen: show(*chosen)


@part
def odd_losses(rng: np.random.Generator) -> Iterator[Case]:
    """Losses, groups and options of every odd kind."""
    extreme = [0.0, 1.0, -1.0, 1e-300, 1e-160, 1e-12, 1e12, 1e149, 1e160, inf, -inf, np.nan]

    def losses(n: int) -> Any:
        kind = rng.integers(16)  # most are ordinary
        x = rng.exponential(size=n)
        if kind == 0:
            x[rng.integers(n)] = extreme[rng.integers(len(extreme))]
        elif kind == 1:
            x *= extreme[rng.integers(len(extreme))]
        elif kind == 2:
            x = np.full(n, extreme[rng.integers(len(extreme))])
        elif kind == 3:
            x = rng.integers(0, 2, n).astype(float)
        elif kind == 4:
            return [*x[:-1].tolist(), ODD[rng.integers(len(ODD))]]
        elif kind == 5:
            x += 10.0 ** rng.integers(0, 14)
        return x

    def option(values: list[Any]) -> Any:
        chosen = ODD if rng.random() < 0.2 else values
        return chosen[rng.integers(len(chosen))]

    while True:
        n = int(rng.integers(2, 60))
        k = int(rng.integers(2, 5))
        models: dict[str, Any] = {f"m{place}": losses(n) for place in range(k)}
        if rng.random() < 0.5:
            models = {name: (x, [losses(n), losses(n)]) for name, x in models.items()}
        given: dict[str, Any] = {"rng": 0}
        if rng.random() < 0.6:
            given["groups"] = rng.integers(0, rng.integers(1, 9), n)
        choices = {
            "c": [0.1, 1.0, 100.0], "threshold": [0.8, 0.99], "margin": [0.01, 1.0],
            "new_groups": [1, 5, inf], "level": [0.5, 0.99], "looks": ["any"], "order": ["time"],
            "method": ["groups", "transport"], "clusters": [np.arange(n) // 3],
        }  # fmt: skip
        for name in rng.permutation(list(choices))[: rng.integers(0, 3)].tolist():
            given[name] = option(choices[name])
        yield lambda models=models, given=given: sound(rivals.compare(models, **given))


@part
def other_questions(rng: np.random.Generator) -> Iterator[Case]:
    """Looks, ranks, equivalence, plans and other options of degenerate studies."""

    def ask(result: rivals.Comparison, question: int, value: Any) -> str | None:
        asked = (
            lambda: str(result.looks()),
            lambda: str(result.ranks()),
            lambda: str(result.equivalence(value)),
            lambda: (
                f"{result.plan(value)}{json.dumps(result.plan(value).to_dict(), allow_nan=False)}"
            ),
            lambda: str(result.at(new_groups=value)),
            lambda: str(result.at(new_groups=value).probability),
            lambda: str(result.at(margin=value)),
            lambda: str(result.sweep([value])),
            lambda: str(result.beside(value)),
        )[question]
        text = asked().lower()
        return "silently wrong: nan in a text" if " nan" in text else None

    values = [*ODD, 1, 2, 0.1, 1.0, 50, inf, [5, 10], "m0"]
    while True:
        seed = int(rng.integers(2**31))
        sizes = rng.integers(1, 9, rng.integers(3, 16))
        given = problem(seed, sizes=sizes, noise=float(rng.choice([0.0, 1e-12, 1.0, 100.0])))
        if rng.random() < 0.3:
            given.observed[1] = given.observed[0]
        if rng.random() < 0.3:
            given.observed += 1e9 * rng.standard_normal(given.groups.size)
        if given.groups.size < 2:
            continue
        result = given.compare(rng=0)
        for _ in range(6):
            question, value = int(rng.integers(9)), values[rng.integers(len(values))]
            yield lambda r=result, q=question, v=value: ask(r, q, v)


@part
def against_the_oracle(rng: np.random.Generator) -> Iterator[Case]:
    """Random studies against the plain lines of the tests, to 1e-5."""

    def judge(seed: int, m: float | None, margin: float, left_out: bool) -> str | None:
        given = problem(seed, left_out=left_out)
        found = given.compare(new_groups=m, margin=margin)
        expected = plain.groups_law(
            given.observed, given.groups, given.simulated, m=m, margin=margin, left_out=left_out
        )
        if np.abs(np.asarray(found.probability) - expected).max() > 1e-5:
            return "silently wrong: not that of the plain lines"
        return sound(found)

    while True:
        seed = int(rng.integers(2**31))
        m = [None, 1, 3, inf][rng.integers(4)]
        margin, left_out = float(rng.choice([0.0, 0.1])), bool(rng.integers(2))
        yield lambda s=seed, m=m, d=margin, left=left_out: judge(s, m, d, left)


WRITER = """
import sys, rivals
from problems import problem
given = problem(3, n_models=3, sizes=[200] * 6, n_simulations=2)
results = [given.compare(rng=0), given.compare(rng=0, threshold=0.8)]
print("ready", flush=True)
for turn in range(10**6):
    results[turn % 2].save(sys.argv[1])
"""


@part
def killed_writers(rng: np.random.Generator) -> Iterator[Case]:
    """Writers killed by SIGKILL at a random moment: the old file is there, or the new one."""
    path = FOLDER / "killed.npz"

    def kill(after: float) -> str | None:
        command = [sys.executable, "-W", "ignore", "-c", WRITER, str(path)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(after)
            writer.send_signal(signal.SIGKILL)
        return sound(rivals.load(path)) if path.exists() else None

    while True:
        after = float(rng.uniform(0.05, 0.3))
        yield lambda after=after: kill(after)
