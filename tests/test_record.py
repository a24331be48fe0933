"""The public record: every judgement is as its schema says."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"
SCHEMA = json.loads((RESULTS / "judgements.schema.json").read_text("utf-8"))
TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}
KNOWN = {"type", "enum", "minimum", "maximum", "items", "required", "properties"}
KNOWN |= {"additionalProperties", "oneOf", "$ref", "$defs", "$schema", "title", "description"}


def wrong(value: Any, schema: dict[str, Any], where: str = "") -> str | None:
    """What is wrong with a value, by the part of JSON Schema that our schema uses."""
    assert set(schema) <= KNOWN, "a word of JSON Schema that this test does not know"
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
    if "oneOf" in schema:
        found = [wrong(value, each, where) for each in schema["oneOf"]]
        return None if found.count(None) == 1 else f"{where}: {found}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where}: {value!r} is none of {schema['enum']}"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(isinstance(value, TYPES[kind]) for kind in kinds):
        return f"{where}: {value!r} is no {kinds}"
    if isinstance(value, list):
        parts = [(f"{where}[{place}]", each, schema["items"]) for place, each in enumerate(value)]
    elif isinstance(value, dict):
        missing = set(schema.get("required", ())) - set(value)
        if missing:
            return f"{where}: {missing} missing"
        own, further = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name in value:
            if name not in own and further is False:
                return f"{where}: {name} is unknown"
        parts = [(f"{where}.{name}", each, own.get(name, further)) for name, each in value.items()]
    else:
        low, high = schema.get("minimum"), schema.get("maximum")
        outside = value is not None and (
            (low is not None and value < low) or (high is not None and value > high)
        )
        return f"{where}: {value!r} is outside" if outside else None
    return next((said for name, each, of in parts if (said := wrong(each, of, name))), None)


def lines(name: str) -> list[dict[str, Any]]:
    with gzip.open(RESULTS / f"{name}-judgements.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize("name", ["real", "rows"])
def test_every_judgement_is_as_the_schema_says(name):
    found = lines(name)
    keys = ("data", "design", "plan", "split", "groups", "set", "study")
    assert len({tuple(line.get(key) for key in keys) for line in found}) == len(found)
    for line in found:
        assert wrong(line, SCHEMA) is None
        pairs = {len(each) for each in line["truth"].values()}
        assert len(pairs) == 1
        (n_pairs,) = pairs
        for each in (*line["P"].values(), *line["noisy"].values()):
            assert len(each) == 2 * n_pairs
        if "models" in line:
            n_models = len(line["models"])
            assert n_pairs == n_models * (n_models - 1) // 2
            assert line["best"] < n_models


def test_what_is_not_as_the_schema_says_is_found():
    line = lines("rows")[0]
    assert wrong(line, SCHEMA) is None
    assert wrong(line | {"design": "else"}, SCHEMA)
    assert wrong(line | {"P": {"mine": [1.5]}}, SCHEMA)
    assert wrong(line | {"groups": "ten"}, SCHEMA)
    assert wrong(line | {"more": 1}, SCHEMA)
    assert wrong({name: line[name] for name in line if name != "truth"}, SCHEMA)
