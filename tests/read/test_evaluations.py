"""Evaluations: tasks are groups, items points; logs from anywhere, and nothing silently dropped."""

from __future__ import annotations

import json
import shutil
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import polars
import pytest

import rivals
from rivals.read import evaluations

FIXTURES = Path(__file__).parent / "fixtures"
if sys.version_info < (3, 14):
    pytest.importorskip("zipfile_zstd")


# ---------------------------------------------------------------- real logs


def test_logs_of_inspect_are_read_with_their_runs():
    """Two runs of each item: what the logs themselves say, item by item."""
    losses = evaluations(FIXTURES / "inspect")
    assert set(losses) == {"mockllm/good", "mockllm/poor"}
    expected: dict[str, list[float]] = {}
    for path in sorted((FIXTURES / "inspect").iterdir()):
        with zipfile.ZipFile(path) as archive:
            model = json.loads(archive.read("header.json"))["eval"]["model"]
            for sample in json.loads(archive.read("summaries.json")):
                (score,) = sample["scores"].values()
                value = {"C": 1.0, "I": 0.0}.get(score["value"], score["value"])
                expected.setdefault(model, []).append(float(value))
    for name, each in losses.items():
        assert each.n_points == 10
        assert each.groups.noun == "task"
        assert sorted(each.groups.names) == ["add", "count", "near"]
        assert each.source.point == "item"
        # All items have two runs, so that the mean over runs and items is one mean.
        assert each.mean == pytest.approx(1.0 - np.mean(expected[name]))


def test_logs_of_the_harness_are_read_by_metric():
    with pytest.raises(ValueError, match=r"several scores.*'acc,none'.*metric="):
        evaluations(FIXTURES / "harness")
    losses = evaluations(FIXTURES / "harness", metric="acc,none")
    for name, each in losses.items():
        expected = []
        for results in sorted((FIXTURES / "harness").glob("results_*.json")):
            found = json.loads(results.read_text())
            if found["model_name"] == name:
                for path in results.parent.glob(f"samples_*{results.stem[8:]}.jsonl"):
                    rows = map(json.loads, path.read_text().splitlines())
                    expected += [row["acc"] for row in rows if row.get("filter") == "none"]
        assert each.mean == pytest.approx(1.0 - np.mean(expected))
    with pytest.raises(ValueError, match="has no 'f1'"):
        evaluations(FIXTURES / "harness", metric="f1")


def test_a_mapping_names_models_anew():
    by_model: dict[str, list[Path]] = {"first": [], "second": []}
    for path in sorted((FIXTURES / "inspect").iterdir()):
        with zipfile.ZipFile(path) as archive:
            model = json.loads(archive.read("header.json"))["eval"]["model"]
        by_model["first" if model.endswith("good") else "second"].append(path)
    named = evaluations(by_model)
    plain = evaluations(FIXTURES / "inspect")
    assert named["first"].mean == plain["mockllm/good"].mean
    one = by_model["first"][0]
    with pytest.raises(ValueError, match="given to 'first' and 'second'"):
        evaluations({"first": one, "second": one})


def test_logs_of_two_libraries_are_not_mixed():
    with pytest.raises(ValueError, match="read them one by one"):
        evaluations([FIXTURES / "inspect", FIXTURES / "harness"])


# ---------------------------------------------------------------- tables


def board(n_models=4, n_tasks=6, n_items=5, seed=0, **columns):
    rng = np.random.default_rng(seed)
    shape = (n_models, n_tasks, n_items)
    place = np.indices(shape).reshape(3, -1)
    chance = np.linspace(0.8, 0.3, n_models)[place[0]]
    return polars.DataFrame(
        {
            "model": [f"m{k}" for k in place[0]],
            "task": [f"t{k}" for k in place[1]],
            "item": [f"i{k}" for k in place[2]],
            "score": (rng.random(chance.size) < chance).astype(float),
            **columns,
        }
    )


def test_scores_become_losses_whatever_the_order_of_rows():
    frame = board()
    losses = evaluations(frame)
    shuffled = evaluations(frame.sample(fraction=1.0, shuffle=True, seed=3))
    for name, each in losses.items():
        rows = frame.filter(polars.col("model") == name)
        assert each.mean == pytest.approx(1.0 - rows["score"].mean())
        assert sorted(shuffled[name].observed) == sorted(each.observed)
    first, second = rivals.compare(losses), rivals.compare(shuffled)
    for a in first.risk:
        beside = first.probability[a]
        other = second.probability[a]
        assert beside == pytest.approx(other, rel=1e-9)


def test_runs_are_averaged_before_items_are():
    """An item that was run more often weighs no more."""
    rows = [
        (model, task, item, run, float(run == 0 or model == "a"))
        for model in "ab"
        for task in ("s", "t", "u")
        for item in (1, 2)
        for run in range(3 if item == 1 else 1)
    ]
    frame = polars.DataFrame(rows, schema=["model", "task", "item", "run", "score"], orient="row")
    losses = evaluations(frame)
    assert losses["a"].observed.tolist() == [0.0] * 6
    assert losses["b"].observed.tolist() == pytest.approx([2 / 3, 0.0] * 3)
    with pytest.raises(ValueError, match=r"3 scores of item '1' of task 's'.*run="):
        evaluations(frame.drop("run"))
    with pytest.raises(ValueError, match="in the same run"):
        evaluations(polars.concat([frame, frame[:1]]))


def test_a_table_of_one_score_per_task_needs_no_items():
    frame = board(n_items=1).drop("item").rename({"task": "dataset", "score": "f1"})
    losses = evaluations(frame, task="dataset", score="f1")
    assert losses["m0"].n_points == 6
    assert losses["m0"].source.loss == "1 − f1"
    with pytest.raises(ValueError, match=r"did you mean 'f1'|it has"):
        evaluations(frame, task="dataset", score="f11")


def test_direction_and_scale():
    frame = board()
    down = evaluations(frame, higher_is_better=False)
    up = evaluations(frame)
    np.testing.assert_allclose(down["m0"].observed, 1.0 - up["m0"].observed)
    large = evaluations(frame.with_columns(score=100.0 * polars.col("score")))
    assert large["m0"].source.loss == "negative score"
    np.testing.assert_allclose(large["m0"].observed, -100.0 * (1.0 - up["m0"].observed))


def test_items_that_some_models_lack_are_named_and_dropped_when_asked():
    frame = board()[1:].filter((polars.col("model") != "m2") | (polars.col("task") != "t5"))
    with pytest.raises(ValueError, match=r"6 of 30 items.*'m2' lacks 5.*missing='drop'"):
        evaluations(frame)
    with pytest.warns(rivals.RivalsWarning, match="left out, with tasks 't5'"):
        losses = evaluations(frame, missing="drop")
    assert losses["m0"].n_points == 24
    apart = frame.filter(
        (polars.col("model") == "m1") == polars.col("task").is_in(["t0", "t1", "t2"])
    )
    with pytest.raises(ValueError, match="no item is left"):
        evaluations(apart, missing="drop")
    with pytest.raises(ValueError, match="'refuse', 'drop'; got 'ignore'"):
        evaluations(frame, missing="ignore")


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("score", None, "missing"),
        ("score", np.inf, "infinite"),
        ("task", None, "label is missing"),
        ("model", "", "label is missing"),
    ],
)
def test_cells_that_are_wrong_are_named(column, value, message):
    rows = board().to_dict(as_series=False)
    rows[column][7] = value
    with pytest.raises(ValueError, match=message):
        evaluations(polars.DataFrame(rows, strict=False))


def test_a_board_of_the_size_of_mteb_is_a_screen():
    """181 models × 41 tasks: read, compared and printed; and the tier of the best is a part."""
    rng = np.random.default_rng(0)
    skill = rng.normal(0.6, 0.05, 181)
    scores = skill[:, None] + rng.normal(0.0, 0.1, 41) + rng.normal(0.0, 0.04, (181, 41))
    frame = polars.DataFrame(
        {
            "model": np.repeat([f"model {k}" for k in range(181)], 41),
            "task": np.tile([f"task {k}" for k in range(41)], 181),
            "score": np.clip(scores, 0.0, 1.0).ravel(),
        }
    )
    begin = time.process_time()
    result = rivals.compare(evaluations(frame))
    printed = str(result)
    assert time.process_time() - begin < 2.0
    assert printed.count("\n") < 40
    assert 0 < len(result.ranks().first_tier) < 60


# ---------------------------------------------------------------- hostile logs

LOG = {
    "status": "success",
    "eval": {"model": "m", "task": "t"},
    "samples": [
        {"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}},
        {"id": 2, "epoch": 1, "scores": {"match": {"value": "I"}}},
    ],
}


def changed(**parts):
    return json.dumps({**LOG, **parts})


def sample(value):
    return [{"id": 1, "epoch": 1, "scores": {"match": {"value": value}}}]


HOSTILE = {
    "empty": ("", "no JSON"),
    "no json": ("{", "no JSON"),
    "deep": ("[" * 200_000, "nested too deeply|no JSON"),
    "a list": ("[]", "no log"),
    "a number": ("7", "no log"),
    "null": ("null", "no log"),
    "no status": ('{"eval": {}}', "no log"),
    "no model": (changed(eval={"task": "t"}), "no log"),
    "interrupted": (changed(status="started"), "'started', not 'success'"),
    "samples that are none": (changed(samples=3), "no log"),
    "samples that are text": (changed(samples=["a"]), "no log"),
    "no samples": (changed(samples=None), "no scores"),
    "scores in a list": (changed(samples=[{"id": 1, "epoch": 1, "scores": [1]}]), "no log"),
    "a word": (changed(samples=sample("excellent")), "expected a number"),
    "a number beyond": (changed(samples=sample(10**400)), "expected a number"),
    "a list as score": (changed(samples=sample([1, 2])), "expected a number"),
    "infinity": (changed(samples=sample("inf")), "infinite"),
    "nothing scored": (changed(samples=sample(None)), "no item was scored|have no score"),
    "letters for a terminal": (
        changed(eval={"model": "m", "task": "\x1b[2J"}),
        "tasks: .* cannot be printed",
    ),
    "twice": (changed(samples=LOG["samples"] * 2), "in the same run"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_is_no_log_is_said_with_its_file(case, tmp_path):
    text, message = HOSTILE[case]
    path = tmp_path / "log.json"
    path.write_text(text)
    other = tmp_path / "other.json"
    other.write_text(changed(eval={"model": "n", "task": "t"}))
    with pytest.raises(ValueError, match=message):
        evaluations([path, other])


def test_a_log_of_json_is_read(tmp_path):
    for model in "mn":
        (tmp_path / f"{model}.json").write_text(changed(eval={"model": model, "task": "t"}))
    losses = evaluations(tmp_path)
    assert losses["m"].observed.tolist() == [0.0, 1.0]


def test_archives_that_are_none(tmp_path):
    path = tmp_path / "log.eval"
    path.write_bytes(b"PK\x03\x04 but no more")
    with pytest.raises(ValueError, match="cannot be read"):
        evaluations(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other.json", "{}")
    with pytest.raises(ValueError, match="no log"):
        evaluations(path)
    whole = sorted((FIXTURES / "inspect").iterdir())[0]
    path.write_bytes(whole.read_bytes()[:-200])
    with pytest.raises(ValueError, match="cannot be read"):
        evaluations(path)


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    from rivals.read import _evaluation_logs as evaluation_logs

    monkeypatch.setattr(evaluation_logs, "LARGEST", 1000)
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(LOG))
        archive.writestr("summaries.json", " " * 100_000)
    with pytest.raises(ValueError, match="not read as one log"):
        evaluations(path)


def test_an_evaluation_that_was_interrupted_is_named(tmp_path):
    good = sorted((FIXTURES / "inspect").iterdir())[0]
    path = tmp_path / good.name
    with zipfile.ZipFile(good) as old, zipfile.ZipFile(path, "w") as new:
        header = json.loads(old.read("header.json"))
        new.writestr("header.json", json.dumps({**header, "status": "error"}))
        new.writestr("summaries.json", old.read("summaries.json"))
    with pytest.raises(ValueError, match="'error', not 'success'"):
        evaluations(path)


def test_samples_of_the_harness_need_their_results(tmp_path):
    for path in (FIXTURES / "harness").glob("samples_*"):
        shutil.copy(path, tmp_path)
    with pytest.raises(ValueError, match="not beside it"):
        evaluations(tmp_path)
    (tmp_path / "notes.jsonl").write_text("{}\n")
    with pytest.raises(ValueError, match="expected samples_TASK_DATE"):
        evaluations(tmp_path / "notes.jsonl")


def test_paths_that_lead_nowhere(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        evaluations(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="in this folder"):
        evaluations(tmp_path)


WAYS = {
    "args of the task": lambda v: {"eval": {"task_args": {"temperature": v}}},
    "args of the model": lambda v: {"eval": {"model_args": {"temperature": v}}},
    "generation": lambda v: {"eval": {"model_generate_config": {"temperature": v}}},
    "generation of the plan": lambda v: {"plan": {"config": {"temperature": v}}},
    "a step of the plan": lambda v: {
        "plan": {"steps": [{"solver": "system_message", "params": {"temperature": v}}]}
    },
}


def log_of(folder, name, *, task="t", model="m", values=("C", "I"), epochs=1, **parts):
    """A log of inspect_ai in JSON: one value for each item, or several for its epochs."""
    samples = [
        {"id": item, "epoch": epoch + 1, "scores": {"match": {"value": value}}}
        for item, each in enumerate(values)
        for epoch, value in enumerate(each if epochs > 1 else [each])
    ]
    head = {"model": model, "task": task, **parts.pop("eval", {})}
    path = folder / f"{name}.json"
    path.write_text(json.dumps({**LOG, "eval": head, "samples": samples, **parts}))
    return path


@pytest.mark.parametrize("way", WAYS)
def test_settings_anywhere_make_two_models_of_one(way, tmp_path):
    """Two prompts of one task in one folder: .5 and 1, not .75 twice."""
    log_of(tmp_path, "cold", values="CI", **WAYS[way](0))
    log_of(tmp_path, "hot", values="CC", **WAYS[way](1))
    losses = evaluations(tmp_path)
    assert {name: each.mean for name, each in losses.items()} == {
        "m, temperature=0": 0.5,
        "m, temperature=1": 0.0,
    }


def test_what_says_nothing_of_a_model_tells_none_apart(tmp_path):
    """Repeated runs differ by their seed, and by where functions were in memory."""
    for place in (1, 2):
        config = {"seed": place, "max_connections": place}
        steps = [{"solver": "mine", "params": {"by": f"<function f at 0x{place}abc>"}}]
        parts = {"eval": {"model_generate_config": config}, "plan": {"steps": steps}}
        log_of(tmp_path, str(place), values="CI" if place == 1 else "CC", **parts)
    log_of(tmp_path, "other", model="n")
    assert evaluations(tmp_path)["m"].observed.tolist() == [0.0, 0.5]


def test_a_prompt_that_some_tasks_have_names_a_model_there(tmp_path):
    for name, prompt in (("a", "short"), ("b", "long")):
        log_of(tmp_path, name, eval={"task_args": {"prompt": prompt}})
    log_of(tmp_path, "c", task="u")
    with pytest.raises(ValueError, match="have no score of some models"):
        evaluations(tmp_path)


def test_long_settings_that_look_alike_are_refused(tmp_path):
    for place in "ab":
        prompt = "x" * 50 + place + "y" * 50
        log_of(tmp_path, place, eval={"task_args": {"prompt": prompt}})
    with pytest.raises(ValueError, match="by a mapping name → paths"):
        evaluations(tmp_path)


def test_shots_of_the_harness_make_two_models_of_one(tmp_path):
    for old in (FIXTURES / "harness").iterdir():
        shutil.copy(old, tmp_path)
        second = tmp_path / old.name.replace("02-43-47", "02-43-48")
        if old.name.startswith("results_"):
            found = json.loads(old.read_text())
            found["n-shot"] = dict.fromkeys(found["n-shot"], 5)
            second.write_text(json.dumps(found))
        else:
            shutil.copy(old, second)
    losses = evaluations(tmp_path, metric="acc,none")
    assert sorted(losses) == [f"mock/{m}, n-shot={n}" for m in ("good", "poor") for n in (0, 5)]


# ---------------------------------------------------------------- epochs

EPOCHS = [["C", "I", "I", "I"], ["C", "C", "I", "I"], ["I", "I", "I", "I"]]


@pytest.mark.parametrize(
    ("reducer", "expected"),
    [
        ("mean", [0.25, 0.5, 0.0]),
        ("max", [1.0, 1.0, 0.0]),
        ("median", [0.0, 0.5, 0.0]),
        ("mode", [0.0, 0.0, 0.0]),
        ("at_least_2", [0.0, 1.0, 0.0]),
        # 1 − C(n − c, k)/C(n, k) with n = 4.
        ("pass_at_1", [0.25, 0.5, 0.0]),
        ("pass_at_2", [1 - 3 / 6, 1 - 1 / 6, 0.0]),
        ("pass_at_3", [1 - 1 / 4, 1.0, 0.0]),
        ("pass_at_4", [1.0, 1.0, 0.0]),
    ],
)
def test_epochs_are_reduced_as_asked_or_as_the_log_says(reducer, expected, tmp_path):
    for model in "mn":
        config = {"config": {"epochs_reducer": [reducer]}}
        log_of(tmp_path, model, model=model, values=EPOCHS, epochs=4, eval=config)
    losses = evaluations(tmp_path)["m"]
    np.testing.assert_allclose(1.0 - losses.observed, expected, atol=1e-15)
    assert losses.source.loss == "1 − match" + ("" if reducer == "mean" else f" ({reducer})")
    np.testing.assert_allclose(1.0 - evaluations(tmp_path, reducer="max")["m"].observed, [1, 1, 0])


def test_reducers_that_cannot_be_are_refused(tmp_path):
    for model in "mn":
        config = {"config": {"epochs_reducer": ["mean", "pass_at_2"]}}
        log_of(tmp_path, model, model=model, values=EPOCHS, epochs=4, eval=config)
    with pytest.raises(ValueError, match=r"'mean', 'pass_at_2'; choose one by reducer="):
        evaluations(tmp_path)
    with pytest.raises(ValueError, match=r"pass_at_8 needs 8 runs .* model 'm' has 4 of one"):
        evaluations(tmp_path, reducer="pass_at_8")
    with pytest.raises(ValueError, match="at_least_K or pass_at_K; got 'best'"):
        evaluations(tmp_path, reducer="best")


# ---------------------------------------------------------------- what is drawn anew


def test_one_benchmark_answers_for_new_items():
    losses = evaluations(board(n_tasks=1, n_items=200))
    assert losses["m0"].groups is None
    result = rivals.compare(losses)
    assert result.summary.n_groups == 200
    assert "200 new items" in str(result)


def test_several_benchmarks_answer_both_questions():
    frame = board(n_tasks=8, n_items=40)
    # The tasks are of unequal size.
    frame = frame.filter((polars.col("task") != "t0") | (polars.col("item") < "i2"))
    tasks, items = evaluations(frame), evaluations(frame, new="items")
    by_task = rivals.compare(tasks)
    by_item = rivals.compare(items)
    for name in by_task.risk:
        assert by_item.risk[name] == pytest.approx(by_task.risk[name], abs=1e-12)
    assert by_item.summary.n_groups == tasks["m0"].n_points
    # The error is that of a stratified sample: (1/T²) Σ_t s_t²/n_t.
    gap = items["m1"].observed - items["m0"].observed
    codes = tasks["m0"].groups.codes
    plain = tasks["m1"].observed - tasks["m0"].observed
    strata = [plain[codes == t] for t in range(8)]
    expected = sum(np.var(each) / each.size for each in strata) / 64
    assert np.var(gap) / gap.size == pytest.approx(expected, rel=1e-12)


def test_items_of_one_passage_are_drawn_together():
    rng = np.random.default_rng(0)
    passage = np.repeat(np.arange(20), rng.integers(2, 9, 20))
    own = rng.normal(0.2, 0.2, 20)[passage]
    rows = [
        ("reading", f"i{k}", f"p{passage[k]}", model, float(rng.random() < 0.5 + gain * own[k]))
        for k in range(passage.size)
        for model, gain in (("a", 0.0), ("b", 1.0))
    ]
    schema = ["task", "item", "passage", "model", "score"]
    frame = polars.DataFrame(rows, schema=schema, orient="row")
    alone, together = evaluations(frame), evaluations(frame, cluster="passage")
    assert together["a"].groups.noun == "passage"
    first, second = rivals.compare(alone), rivals.compare(together)
    assert second.summary.n_groups == 20
    for name in "ab":
        assert second.risk[name] == pytest.approx(first.risk[name], abs=1e-12)
    with pytest.raises(ValueError, match=r"'reading' has one passage alone"):
        evaluations(frame.with_columns(passage=polars.lit("p")), cluster="passage")


@pytest.mark.parametrize(
    ("name", "higher"),
    [
        ("error_rate", False),
        ("loss", False),
        ("perplexity", False),
        ("accuracy", True),
        ("brier_score", False),
        ("exact_match,none", True),
        ("length", None),
    ],
)
def test_a_loss_is_never_turned_round_in_silence(name, higher):
    frame = board().rename({"score": name})
    if higher is None:
        with pytest.raises(ValueError, match=r"whether a higher 'length' is better"):
            evaluations(frame, score=name)
        higher = False
    losses = evaluations(frame, score=name, higher_is_better=None if name != "length" else False)
    values = frame.filter(polars.col("model") == "m0")[name].to_numpy()
    np.testing.assert_allclose(losses["m0"].mean, 1 - values.mean() if higher else values.mean())
    assert losses["m0"].source.loss == (f"1 − {name}" if higher else name)


def test_an_item_that_one_run_did_not_score_is_said(tmp_path):
    for old in (FIXTURES / "inspect").iterdir():
        shutil.copy(old, tmp_path)
    path = sorted(tmp_path.iterdir())[0]
    with zipfile.ZipFile(path) as archive:
        header = archive.read("header.json")
        summaries = json.loads(archive.read("summaries.json"))
    summaries[0]["scores"] = {}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", header)
        archive.writestr("summaries.json", json.dumps(summaries))
    with pytest.warns(rivals.RivalsWarning, match="1 items were not scored in all of their runs"):
        evaluations(tmp_path)
