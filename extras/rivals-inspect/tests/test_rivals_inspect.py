"""The package beside inspect_ai: its command, its hook, its function. Offline."""

from __future__ import annotations

import asyncio
import random
from types import SimpleNamespace

import pytest

import rivals

pytest.importorskip("inspect_ai")

import rivals_inspect
from inspect_ai import Epochs, Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate, system_message
from rivals_inspect import _registry
from rivals_inspect.command import inspect


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """One task, two prompts of one model, three epochs."""
    folder = tmp_path_factory.mktemp("logs")
    for skill, prompt in ((0.9, "Think step by step."), (0.3, "Answer at once.")):
        draws = random.Random(prompt)

        def reply(messages, tools, choice, config, skill=skill, draws=draws):
            right = int(messages[-1].text.split("+")[0].split()[-1]) + 1
            said = right if draws.random() < skill else right + 7
            output = ModelOutput.from_content("mockllm/m", str(said))
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            return output

        samples = [
            Sample(
                id=f"i{i}", input=f"what is {i}+1?", target=str(i + 1), metadata={"page": i // 4}
            )
            for i in range(40)
        ]
        task = Task(
            name="add",
            dataset=MemoryDataset(samples, name="add"),
            solver=[system_message(prompt), generate()],
            scorer=match(),
            epochs=Epochs(3, "pass_at_2"),
        )
        model = get_model("mockllm/m", custom_outputs=reply, memoize=False)
        evaluate(task, model=model, log_dir=str(folder), display="none", log_level="error")
    return folder


def test_two_prompts_are_two_models_and_the_reducer_holds(logs):
    result = rivals_inspect.compare(logs)
    assert "Think step by step" in result.best
    assert len(result.risk) == 2
    from inspect_ai.log import list_eval_logs, read_eval_log

    scores = {}
    for info in list_eval_logs(str(logs)):
        log = read_eval_log(info, header_only=True)
        prompt = log.plan.steps[0].params["template"]
        scores[prompt] = log.results.scores[0].metrics["accuracy"].value
    for name, risk in result.risk.items():
        prompt = next(each for each in scores if each in name)
        assert 1.0 - risk == pytest.approx(scores[prompt], abs=1e-12)


def test_samples_of_a_data_frame_are_the_same(logs):
    pytest.importorskip("pandas")
    from inspect_ai.analysis import samples_df

    losses = rivals.read.evaluations(samples_df(str(logs)))
    assert rivals.compare(losses).risk == pytest.approx(rivals_inspect.compare(logs).risk)
    pages = rivals.read.evaluations(samples_df(str(logs)), cluster="page")
    assert {len(each.groups.names) for each in pages.values()} == {10}


def test_the_command_ends_as_the_comparison_does(logs, capsys):
    assert inspect([str(logs)]) == 0
    assert "win again" in capsys.readouterr().out


def test_the_hook_prints_and_never_fails(logs, capsys, monkeypatch):
    hook = _registry.Rivals()
    monkeypatch.delenv("RIVALS_INSPECT", raising=False)
    assert not hook.enabled()
    monkeypatch.setenv("RIVALS_INSPECT", "1")
    assert hook.enabled()
    paths = [f"file://{path}" for path in sorted(logs.iterdir())]
    ended = SimpleNamespace(logs=[SimpleNamespace(location=path) for path in paths])
    asyncio.run(hook.on_run_end(ended))
    assert "win again" in capsys.readouterr().out
    one = SimpleNamespace(logs=ended.logs[:1])
    asyncio.run(hook.on_run_end(one))
    assert capsys.readouterr().out.startswith("rivals: ")
