"""Every option in one place: its check, its way into files, and the signature of `compare`."""

import inspect
import json
import pickle
from dataclasses import fields
from math import inf, nan

import numpy as np
import pytest

import rivals
from rivals._core.setting import CalibratedC, Setting

# What is no option of a decision, but says where the losses come from.
ABOUT_LOSSES = [
    "models",
    "data",
    "X",
    "y",
    "groups",
    "method",
    "order",
    "clusters",
    "by",
    "vary",
    "signal",
    "weights",
    "loss",
    "n_simulations",
]


def test_the_signature_of_compare_is_that_of_the_fields():
    parameters = inspect.signature(rivals.compare).parameters
    defaults = {each.name: each.default for each in fields(Setting)}
    assert set(parameters) == {*ABOUT_LOSSES, *defaults}
    for name, default in defaults.items():
        # None draws entropy, which the setting then holds.
        assert parameters[name].default == (None if name == "rng" else default)
    kinds = {parameter.kind for parameter in list(parameters.values())[2:]}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}


def test_every_option_has_a_meaning_and_is_documented():
    for each in fields(Setting):
        assert each.metadata["meaning"]
        assert f"\n{each.name} : " in (inspect.getdoc(rivals.compare) or "")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("c", value) for value in (0.0, -1.0, inf, nan, 10**400, True, "x", [1.0, 2.0])),
        *(("threshold", value) for value in (0.5, 1.01, nan, None, True)),
        *(("margin", value) for value in (-0.1, inf, nan, 1e308, 10**400, "big")),
        *(("new_groups", value) for value in (0, -3, 2.5, nan, 10**400, "all", True)),
        *(("level", value) for value in (0.0, 1.0, 1.5, nan)),
        *(("looks", value) for value in ("all", True, 3)),
        *(("rng", value) for value in (-1, 1.5, "1", True)),
    ],
)
def test_a_bad_value_is_refused_and_the_option_named(option, value):
    with pytest.raises((TypeError, ValueError), match=option):
        Setting(**{option: value})


def test_limits_that_are_allowed():
    assert Setting(threshold=1.0, margin=0.0, new_groups=inf, c=1e-300).new_groups == inf
    assert Setting(new_groups=4).new_groups == 4.0


def test_it_goes_through_json_and_back():
    for setting in (Setting(), Setting(c=0.5, new_groups=inf, looks="any", rng=2**100)):
        plain = json.loads(json.dumps(setting.to_dict(), allow_nan=False))
        assert Setting.from_dict(plain) == setting


def test_a_misspelt_option_is_told_what_it_may_mean():
    with pytest.raises(TypeError, match="did you mean 'threshold'"):
        Setting.of({"treshold": 0.9})
    with pytest.raises(TypeError, match="did you mean 'margin'"):
        Setting().but(margn=0.1)
    with pytest.raises(ValueError, match="did you mean 'any'"):
        Setting(looks="ny")


def test_a_changed_setting_is_checked_again():
    assert Setting(c=1.0).but(margin=0.1) == Setting(c=1.0, margin=0.1)
    with pytest.raises(ValueError, match="margin"):
        Setting().but(margin=-1.0)


def test_a_calibrated_c_remembers_where_it_came_from():
    c = Setting(c=CalibratedC(0.3, {"rule": "bound"})).c
    assert isinstance(c, CalibratedC)
    copied = pickle.loads(pickle.dumps(c))
    assert (float(copied), copied.source) == (0.3, {"rule": "bound"})
    assert np.isclose(c, 0.3)
