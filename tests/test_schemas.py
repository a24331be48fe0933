"""Every JSON output obeys its schema, and would not with a key more or less."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rivals
from rivals import Calibration
from rivals._schemas import VERSIONS
from rivals.laws import Beta, Groups
from rivals.testbeds import toys

jsonschema = pytest.importorskip("jsonschema")
STATIC = Path(__file__).parents[1] / "docs" / "_static"
# Objects whose keys are names: of models, or of epistemic distributions.
BY_NAME = ("rejections", "difference", "between", "survivors", "descriptions", "temperature")
FINDINGS = (
    "validity",
    "valid_range",
    "overconfidence",
    "brier_score",
    "chosen",
    "temperature",
    "grid_problem",
    "conclusion",
)


def schema(kind: str) -> dict[str, Any]:
    return json.loads((STATIC / f"{kind}.schema.json").read_text(encoding="utf-8"))


@cache
def validator(kind: str) -> Any:
    return jsonschema.Draft202012Validator(schema(kind))


def obeys(kind: str, output: Any) -> bool:
    return validator(kind).is_valid(output)


def as_json(result: Any) -> Any:
    """What a program reads; JSON has no nan and no infinity."""
    return json.loads(json.dumps(result.to_dict(), allow_nan=False))


# -------------------------------- outputs of all kinds


def losses(n_simulations: int = 16) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = rng.standard_normal(400)

    def of(shift: float) -> tuple[Any, Any]:
        simulated = rng.standard_normal((n_simulations, 400)) ** 2 / 2
        return y**2 / 2 + shift + 0.3 * rng.standard_normal(400), simulated

    return {"A": of(0.0), "B": of(0.01), "C": of(0.5)}


def observed() -> dict[str, Any]:
    return {name: pair[0] for name, pair in losses().items()}


EIGHT = np.repeat(np.arange(8), 50)


def grouped(**options: Any) -> rivals.Comparison:
    return rivals.compare(observed(), groups=EIGHT, rng=0, **options)


@cache
def calibration(n_candidates: int = 2, **options: Any) -> Calibration:
    def omega(rng: np.random.Generator) -> rivals.Experiment:
        """The mean is not known."""
        made = toys.omega(rng)
        if n_candidates == 2:
            return made
        three = {name: toys.gaussian(at) for name, at in (("A", -0.1), ("B", 0.0), ("C", 0.1))}
        return rivals.Experiment(observe=made.observe, candidates=three)

    settings = {"n_data": 400, "n_experiments": 64, "n_truth": 500, "c": (0.01, 0.25), **options}
    return rivals.calibrate(
        {"an Ω": omega, "another": omega}, rng=0, executor=0, progress=False, **settings
    )


def failing(*, all_of_them: bool) -> Calibration:
    def fails(rng: np.random.Generator) -> rivals.Experiment:
        if all_of_them or rng.random() < 0.5:
            raise OSError("no licence")
        return toys.omega(rng)

    return rivals.calibrate(
        {"fails": fails},
        n_data=50,
        n_experiments=20,
        n_truth=100,
        c=[1.0],
        rng=0,
        executor=0,
        progress=False,
    )


def made_elsewhere() -> Calibration:
    truth = np.arange(400) % 10 > 0
    return Calibration.from_experiments({0.25: np.full(400, 0.99)}, truth, n_data=1000)


def pair() -> dict[str, Any]:
    return {name: each for name, each in losses().items() if name != "C"}


def twins() -> dict[str, Any]:
    """A constant difference, which is not judged, beside one that is."""
    found = observed()
    return {"A": found["A"], "B": found["A"] + 0.5, "C": found["C"]}


def many(n: int = 101) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    base = rng.exponential(size=64)
    return {f"m{i}": base + 0.01 * i + 0.1 * rng.standard_normal(64) for i in range(n)}


def close(given: dict[str, Any], **options: Any) -> rivals.Comparison:
    """The threshold just below the probability."""
    two = {"A": given["A"], "C": given["C"]}
    first = rivals.compare(two, rng=0, **options)
    threshold = float(first.pairs["A", "C"]) - 1e-4
    return rivals.compare(two, rng=0, threshold=threshold, **options)


few_draws = Beta(depth=6, n_draws=200, max_draws=400)
OUTPUTS = {
    "transport": lambda: rivals.compare(losses(), rng=0),
    "one simulation": lambda: rivals.compare(losses(1), rng=0),
    "few points": lambda: rivals.compare(toys.losses(100), rng=0, loss_unit="nats"),
    "beta": lambda: rivals.compare(losses(), law=few_draws, c=0.5, rng=0),
    "undecided by draws": lambda: close(losses(1), law=few_draws, c=0.05),
    "undecided by simulations": lambda: close(losses()),
    "time": lambda: rivals.compare(losses(), order="time", rng=0),
    "clusters": lambda: rivals.compare(losses(), clusters=EIGHT, rng=0),
    "margin": lambda: rivals.compare(losses(), margin=0.05, rng=0),
    "groups": grouped,
    "groups, simulations": lambda: rivals.compare(losses(), groups=EIGHT, rng=0),
    "groups, next": lambda: grouped(new_groups=1),
    "groups, all": lambda: grouped(new_groups=math.inf),
    "groups, twenty": lambda: grouped(new_groups=20),
    "groups, margin": lambda: grouped(margin=0.05),
    "groups, time": lambda: grouped(order="time"),
    "groups, normal": lambda: grouped(law=Groups(residuals=False)),
    "groups of one point": lambda: rivals.compare(
        {name: values[:40] for name, values in observed().items()}, groups=np.arange(40), rng=0
    ),
    "twins": lambda: rivals.compare(twins(), groups=EIGHT, rng=0),
    "many": lambda: rivals.compare(many(), groups=np.arange(64) % 8, rng=0),
    "calibrated pair": lambda: rivals.compare(pair(), c=calibration(), rng=0),
    "calibrated, several": lambda: rivals.compare(losses(), c=calibration(3), rng=0),
    "sweep": lambda: rivals.compare(losses(), rng=0).sweep([0.25, 1.0]),
    "sweep of beta": lambda: rivals.compare(losses(), law=few_draws, c=0.5, rng=0).sweep([1.0]),
    "sweep of calibrated": lambda: rivals.compare(pair(), c=calibration(), rng=0).sweep(),
    "plan": lambda: grouped().plan([2, 20]),
    "plan, next": lambda: grouped(new_groups=1, margin=0.01).plan(4),
    "plan, all": lambda: grouped(new_groups=math.inf).plan(),
    "against": lambda: rivals.compare(losses(), rng=0).against("C"),
    "against, groups": lambda: grouped().against("B"),
    "calibration": calibration,
    "calibration of beta": lambda: calibration(
        law=Beta(n_draws=100, depth=5), n_simulations=1, n_experiments=8, n_data=30
    ),
    "calibration, some failed": lambda: failing(all_of_them=False),
    "calibration, all failed": lambda: failing(all_of_them=True),
    "calibration, too few": lambda: calibration(n_experiments=4, order="time", loss_unit="nats"),
    "calibration, made elsewhere": made_elsewhere,
}


@cache
def output(name: str) -> Any:
    return as_json(OUTPUTS[name]())


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_output_obeys_its_schema(name):
    found = output(name)
    validator(found["schema"]).validate(found)
    assert found["schema_version"] == VERSIONS[found["schema"]]
    assert found["rivals_version"] == rivals.__version__


def test_the_outputs_show_what_the_schemas_describe():
    """Each of these has its own keys or values, which the test above would not see without it."""
    for why in ("draws", "simulations"):
        assert {duel["reason"] for duel in output(f"undecided by {why}")["undecided"]} == {why}
    assert output("few points")["models"][0]["diagnostics"]
    assert None in output("twins")["groups_table"]["between"].values()
    assert output("many")["groups_table"] is None
    assert output("many")["models"][1]["better_by"] is None
    assert output("groups of one point")["groups_table"]["between"]["C"]["i_squared"] is None
    assert output("groups, all")["new_groups"] == "inf"
    assert output("groups, margin")["models"][1]["best_is"] is not None
    assert output("calibrated pair")["calibration"]["survivors"]
    assert set(FINDINGS).isdisjoint(output("calibration, all failed"))
    assert output("calibration, some failed")["failed"] > 0
    assert output("calibration, too few")["temperature"] is None


# -------------------------------- what would not


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all objects whose keys are ours."""
    if isinstance(value, dict):
        if not (path and path[-1] in BY_NAME):
            yield path
        for key, each in value.items():
            yield from places(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value[:2]):
            yield from places(each, (*path, index))


def changed(found: Any, path: tuple[Any, ...]) -> tuple[Any, Any]:
    """A copy, and the object at that place in it."""
    whole = copy.deepcopy(found)
    part = whole
    for step in path:
        part = part[step]
    return whole, part


ONE_OF_EACH = (
    "groups, margin",
    "calibrated pair",
    "undecided by draws",
    "sweep",
    "plan",
    "against",
    "calibration",
)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_key_more_or_less_is_noticed(name):
    found = output(name)
    kind = found["schema"]
    for path in places(found):
        whole, part = changed(found, path)
        keys = list(part)
        part["another"] = 1
        assert not obeys(kind, whole), path
        for key in keys:
            whole, part = changed(found, path)
            del part[key]
            assert not obeys(kind, whole), (*path, key)
            whole, part = changed(found, path)
            part[f"{key}_renamed"] = part.pop(key)
            assert not obeys(kind, whole), (*path, key)


def test_findings_come_together():
    found = output("calibration, all failed")
    assert obeys("calibration", found)
    for key in FINDINGS:
        assert not obeys("calibration", {**found, key: output("calibration")[key]}), key


@pytest.mark.parametrize(
    ("name", "key", "wrong"),
    [
        ("groups", "probability", [[0.5, 1.2], [0.1, 0.5]]),
        ("groups", "law", "another"),
        ("groups", "threshold", "0.95"),
        ("groups", "new_groups", "all"),
        ("groups", "schema_version", 2),
        ("groups", "options", {"residuals": True, "depth": 8}),
        ("groups", "survivors", []),
        ("sweep", "c", [0.25, -1.0]),
        ("plan", "chance", [[None]]),
        ("calibration", "rng", 0),
        ("calibration", "chosen", None),
    ],
)
def test_a_value_of_another_kind_is_noticed(name, key, wrong):
    found = output(name)
    assert key in found
    assert not obeys(found["schema"], {**found, key: wrong})


# -------------------------------- the schemas themselves


@pytest.mark.parametrize("kind", VERSIONS)
def test_a_schema_is_one_and_leaves_no_object_open(kind):
    found = schema(kind)
    jsonschema.Draft202012Validator.check_schema(found)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert found["properties"]["schema"]["const"] == kind
    assert found["properties"]["schema_version"]["const"] == VERSIONS[kind]

    def strict(part: Any) -> None:
        if isinstance(part, list):
            for each in part:
                strict(each)
        if not isinstance(part, dict):
            return
        if "properties" in part and "type" in part:
            assert part["additionalProperties"] is False
            optional = FINDINGS if "omegas" in part["properties"] and kind == "calibration" else ()
            missing = set(part["properties"]) - set(part["required"])
            assert missing <= set(optional)
        for each in part.values():
            strict(each)

    strict(found)


def test_every_schema_belongs_to_an_output():
    files = {path.name.removesuffix(".schema.json") for path in STATIC.glob("*.schema.json")}
    assert files == set(VERSIONS)


# -------------------------------- the command line


def test_what_commands_print_obeys(tmp_path, monkeypatch):
    pytest.importorskip("typer")
    from typer.testing import CliRunner

    from rivals.cli.app import app

    monkeypatch.chdir(tmp_path)
    table = np.column_stack([*observed().values(), EIGHT])
    np.savetxt("losses.csv", table, delimiter=",", header="A,B,C,session", comments="")
    settings = {"n_data": 50, "n_experiments": 8, "n_truth": 100, "c": [1.0], "rng": 0}
    rivals.calibrate(toys.omega, store="s.sqlite", executor=0, progress=False, **settings)
    groups = ["losses.csv", "--groups", "session", "--json"]
    commands = {
        "comparison": ["compare", *groups],
        "baseline": ["compare", *groups, "--against", "B"],
        "plan": ["plan", *groups],
        "calibration": ["calibrate", "s.sqlite", "--json"],
        "status": ["calibrate", "s.sqlite", "--status", "--json"],
    }
    for kind, arguments in commands.items():
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.output
        found = json.loads(done.stdout)
        assert found["schema"] == kind
        validator(kind).validate(found)
        assert not obeys(kind, {**found, "another": 1})
