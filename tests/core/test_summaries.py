"""What a site sends is enough for the decision, and holds no loss of a point."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import rivals
from rivals import GroupSummaries, Losses
from rivals.read import summaries

NAMES = ("line", "step", "mean")
# What a hospital runs; its data do not leave the process.
SITE = """
import sys, numpy as np, rivals
losses = np.load(sys.argv[1])
wards = [f"{sys.argv[2]} ward {ward}" for ward in losses["ward"]]
models = {name: losses[name] for name in ("line", "step", "mean")}
summary = rivals.GroupSummaries.of_losses(
    {name: rivals.Losses(each, losses[f"{name} drawn"]) for name, each in models.items()}, wards
)
print(summary.to_json())
"""


def drawn(seed=0, n_points=60, n_groups=4, offset=0.0, n_simulations=2):
    """Arrays of losses of three models, and of simulated ones."""
    rng = np.random.default_rng(seed)
    ward = np.append(np.repeat(np.arange(n_groups), 2), rng.integers(0, n_groups, n_points))
    shared = offset + rng.exponential(size=ward.size)
    arrays = {"ward": ward}
    for place, name in enumerate(NAMES):
        own = shared + 0.1 * place + 0.2 * rng.normal(size=ward.size)
        arrays[name] = own + 0.1 * rng.standard_normal(n_groups)[ward]
        arrays[f"{name} drawn"] = own + 0.3 * rng.normal(size=(n_simulations, ward.size))
    return arrays


def losses_of(sites):
    """All raw losses together; `sites` is name → arrays."""
    labels = [f"{name} ward {ward}" for name, each in sites.items() for ward in each["ward"]]

    def together(what):
        return np.concatenate([each[what] for each in sites.values()], axis=-1)

    return {
        name: Losses(together(name), together(f"{name} drawn"), groups=labels) for name in NAMES
    }


def summary_of(seed=0, **options):
    return GroupSummaries.of_losses(losses_of({f"site {seed}": drawn(seed, **options)}))


def test_ten_sites_in_ten_processes_decide_as_all_their_losses_together(tmp_path):
    sites = {f"site {place}": drawn(place, offset=1e6) for place in range(10)}
    running = []
    for name, arrays in sites.items():
        path = tmp_path / f"{name}.npz"
        np.savez(path, **arrays)
        command = [sys.executable, "-c", SITE, str(path), name]
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, env=dict(os.environ)))
    files = []
    for name, process in zip(sites, running, strict=True):
        written, _ = process.communicate(timeout=100)
        assert process.returncode == 0
        files.append(tmp_path / f"{name}.json")
        files[-1].write_bytes(written)
    joined = rivals.compare(summaries(files))
    raw = rivals.compare(losses_of(sites))
    np.testing.assert_allclose(joined.probability, raw.probability, rtol=0, atol=1e-9)
    assert joined.survivors == raw.survivors
    assert joined.summary.groups == raw.summary.groups
    np.testing.assert_allclose(
        joined.at(new_groups=1).probability, raw.at(new_groups=1).probability, rtol=0, atol=1e-9
    )


def test_no_loss_of_a_point_is_in_what_a_site_sends():
    arrays = drawn()
    text = GroupSummaries.of_losses(losses_of({"site": arrays})).to_json()
    numbers = {float(each) for each in _numbers(json.loads(text))}
    points = np.concatenate([arrays[name] for name in NAMES])
    assert not numbers & set(points.tolist())
    assert len(text) < 4000


def _numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for each in value for number in _numbers(each)]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def test_json_keeps_every_digit():
    summary = summary_of(offset=1e6)
    again = GroupSummaries.from_json(summary.to_json())
    for name in ("sizes", "first", "gaps"):
        assert np.array_equal(getattr(again, name), getattr(summary, name))
    assert np.array_equal(again.pairs.whole(), summary.pairs.whole())
    assert (again.models, again.groups, again.noun) == (summary.models, summary.groups, "group")
    assert again.source == summary.source


def test_a_group_of_one_point_is_warned_of():
    one = {name: Losses([1.0, 2.0, 3.0], groups=["a", "a", "b"]) for name in NAMES}
    with pytest.warns(rivals.RivalsWarning, match="'b' has one point, whose losses are in"):
        GroupSummaries.of_losses(one).to_json()
    two = {name: Losses([1.0, 2.0], groups=["a", "a"]) for name in NAMES}
    with pytest.warns(rivals.RivalsWarning, match="two points, whose losses follow"):
        GroupSummaries.of_losses(two).to_json()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        summary_of().to_json()


def test_models_may_come_in_another_order():
    first, second = summary_of(1), summary_of(2)
    turned = second.ordered(("mean", "line", "step"))
    assert turned.models == ("mean", "line", "step")
    np.testing.assert_allclose(turned.means, second.means[[2, 0, 1]], rtol=1e-14)
    plain = rivals.compare(GroupSummaries.join([first, second]))
    mixed = rivals.compare(GroupSummaries.join([first, turned]))
    np.testing.assert_allclose(mixed.probability, plain.probability, rtol=0, atol=1e-12)


def test_the_order_of_models_changes_no_probability():
    summary = summary_of(3)
    order = ("step", "mean", "line")
    places = [summary.models.index(name) for name in order]
    turned = rivals.compare(summary.ordered(order)).probability
    plain = rivals.compare(summary).probability
    np.testing.assert_allclose(turned, plain[np.ix_(places, places)], rtol=0, atol=1e-10)


def changed(summary, **values):
    plain = json.loads(summary.to_json())
    return json.dumps({**plain, **values})


def test_sites_that_do_not_belong_together_are_refused():
    first, second = summary_of(1), summary_of(2)

    def joined(**values):
        GroupSummaries.join([first, GroupSummaries.from_json(changed(second, **values))])

    source = json.loads(second.to_json())["source"]
    with pytest.raises(ValueError, match="same models"):
        joined(models=["line", "step", "median"])
    with pytest.raises(ValueError, match="'site 1 ward 0' is there twice"):
        joined(groups=list(first.groups))
    with pytest.raises(ValueError, match="some losses are of left-out groups"):
        joined(source={**source, "left_out": True})
    kg = GroupSummaries.from_json(changed(first, source={**source, "unit": "kg", "loss": "a"}))
    with pytest.raises(ValueError, match="in kg and in g"):
        GroupSummaries.join(
            [kg, GroupSummaries.from_json(changed(second, source={**source, "unit": "g"}))]
        )
    with pytest.raises(ValueError, match="of one kind; got a and b"):
        GroupSummaries.join(
            [kg, GroupSummaries.from_json(changed(second, source={**source, "loss": "b"}))]
        )
    with pytest.raises(ValueError, match="no summaries"):
        GroupSummaries.join([])


NAN = float("nan")
FORGED = {
    "no JSON": ("{", "no summaries"),
    "empty": ("", "no summaries"),
    "a list": ("[]", "format"),
    "nothing": ("{}", "format"),
    "too deep": ("[" * 100_000, "no summaries"),
    "digits": ('{"format": ' + "9" * 5000 + "}", "no summaries"),
}
CHANGES = {
    "nan": ({"first": [NAN, 0.0, 0.0, 0.0]}, "first has numbers that are missing"),
    "shape": ({"first": [0.0]}, "first has shape"),
    "ragged": ({"gaps": [[0.0], [1.0, 2.0]]}, "."),
    "no point": ({"sizes": [0, 1, 2, 3]}, "no point"),
    "negative size": ({"sizes": [-1, 1, 2, 3]}, "no point"),
    "half a point": ({"sizes": [1.5, 1, 2, 3]}, "whole numbers"),
    "endless": ({"sizes": [10**17, 1, 2, 3]}, "more than"),
    "beyond integers": ({"sizes": [10**30, 1, 2, 3]}, "not as"),
    "huge": ({"first": [1e200, 0.0, 0.0, 0.0]}, "beyond 1e\\+150"),
    "negative square": ({"own": [-1.0, 1.0, 1.0]}, "cannot be negative"),
    "negative shared": ({"shared": [[-1.0] * 3] * 3}, "cannot be negative"),
    "one-way": ({"pairs": [[0, 1, 1], [2, 0, 1], [1, 1, 0]]}, "both directions"),
    "itself": ({"pairs": [[1, 1, 1], [1, 0, 1], [1, 1, 0]]}, "diagonal"),
    "no distances": ({"pairs": [[0, 1, 100], [1, 0, 1], [100, 1, 0]]}, "no losses"),
    "own forged": ({"own": [1e9, 1.0, 1.0]}, "no losses"),
    "squares that overflow": ({"own": [1e308, 1.0, 1.0]}, "rescale"),
    "shared that overflows": ({"shared": [[1e308] * 3] * 3}, "rescale"),
    "letters for a terminal": ({"noun": "\x1b[2J"}, "cannot be printed"),
    "no noun": ({"noun": " "}, "noun"),
    "a source that is none": ({"source": [[]]}, "."),
    "gap": ({"gaps": [[1.0] * 4] * 3}, "must be 0"),
    "one model": ({"models": ["a"]}, "."),
    "models twice": ({"models": ["line", "line", "mean"]}, "two models"),
    "models of numbers": ({"models": [1, 2, 3]}, "not as"),
    "groups of numbers": ({"groups": [1, 2, 3, 4]}, "must be text"),
    "groups of lists": ({"groups": [[1], 2, 3, 4]}, "must be text"),
    "no group": ({"groups": [], "sizes": []}, "."),
    "noun": ({"noun": 3}, "must be text"),
    "source": ({"source": {"colour": "red"}}, "not as"),
    "left out": ({"source": {"left_out": "yes"}}, "left_out must be"),
    "folds": ({"source": {"n_folds": -1}}, "n_folds must be"),
    "source is text": ({"source": "x"}, "not as"),
    "variances": ({"variances": [[[1.0] * 4] * 3] * 2}, "variances have shape"),
    "variances of text": ({"variances": "x"}, "."),
    "null": ({"own": None}, "."),
}


@pytest.mark.parametrize("case", FORGED)
def test_what_is_no_summary_is_refused_with_its_file(case, tmp_path):
    text, said = FORGED[case]
    path = tmp_path / "site.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=said) as caught:
        summaries(path)
    assert "site.json" in str(caught.value)


@pytest.mark.parametrize("case", CHANGES)
def test_forged_summaries_are_refused(case):
    values, said = CHANGES[case]
    with pytest.raises(ValueError, match=said):
        GroupSummaries.from_json(changed(summary_of(), **values))


@pytest.mark.parametrize("field", list(json.loads(summary_of().to_json())))
def test_a_field_that_lacks_is_refused(field):
    plain = json.loads(summary_of().to_json())
    del plain[field]
    with pytest.raises(ValueError, match="summaries"):
        GroupSummaries.from_json(json.dumps(plain))


def test_sites_are_files_or_summaries_and_nothing_else(tmp_path):
    (tmp_path / "a.json").write_text(summary_of(1).to_json())
    both = summaries([tmp_path / "a.json", summary_of(2)])
    assert len(both.groups) == 8
    with pytest.raises(TypeError, match="got int among them"):
        summaries([tmp_path / "a.json", 3])
    with pytest.raises(TypeError, match="csv' among them"):
        summaries([tmp_path / "a.json", tmp_path / "b.csv"])
    with pytest.raises(FileNotFoundError):
        summaries(tmp_path / "b.json")


def test_summaries_go_with_no_other_option():
    with pytest.raises(ValueError, match="leave groups out"):
        rivals.compare(summary_of(), groups=[1, 2])
    with pytest.raises(ValueError, match="judged by method 'groups'"):
        rivals.compare(summary_of(), method="transport")


def test_one_group_is_not_compared():
    with pytest.raises(ValueError, match="1 cannot show how much groups differ"):
        rivals.compare(summary_of(n_groups=1))
