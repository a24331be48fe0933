"""One field is one option: those of `Setting`, and those of files."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest

pytest.importorskip("typer")

from rivals._compare import compare
from rivals._core.setting import Setting
from rivals.cli.compare import compare as command
from rivals.cli.options import Files, names, number


def test_every_field_is_an_option_with_its_meaning():
    parameters = inspect.signature(command).parameters
    for each in (*fields(Setting), *fields(Files)):
        (option,) = parameters[each.name].annotation.__metadata__
        assert option.help.lower().startswith(each.metadata["meaning"].lower().rstrip("."))


def test_options_have_the_names_of_the_library():
    arguments = set(inspect.signature(compare).parameters)
    for name in (
        "method",
        "groups",
        "order",
        "clusters",
        *(f.name for f in fields(Setting)),
    ):
        assert name in arguments
        assert name in inspect.signature(command).parameters


@pytest.mark.parametrize(
    ("text", "value"), [("0.25", 0.25), ("2^-2", 0.25), ("2**3", 8.0), ("1/4", 0.25)]
)
def test_numbers_as_people_write_them(text, value):
    assert number(text) == value


@pytest.mark.parametrize("text", ["", "a", "1/0", "2^", "0,95", "9^9^9"])
def test_what_is_no_number_is_refused(text):
    import typer

    with pytest.raises(typer.BadParameter, match="is no number"):
        number(text)


def test_a_decimal_comma_is_named():
    import typer

    with pytest.raises(typer.BadParameter, match=r"0\.95"):
        number("0,95")


def test_names_may_hold_commas():
    assert names('A,"B, the other", C', "--models") == ["A", "B, the other", "C"]
    assert names(None, "--models") is None
    for empty in ("", " ", ","):
        with pytest.raises(ValueError, match="--models"):
            names(empty, "--models")
