"""Logs of inspect_ai and of lm-evaluation-harness, made by these libraries themselves, offline.

    python tests/recipes/evaluation_logs.py inspect | harness FOLDER

Two mock models answer three tasks; nothing is downloaded. `tests/read/fixtures` holds what this
made with inspect_ai 0.3.285 and lm_eval 0.4.13.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

SIZES = {"add": 4, "count": 3, "near": 3}
SKILLS = {"good": 0.85, "poor": 0.5}


def of_inspect(folder: Path) -> None:
    """Three tasks, two runs of each item; the last task has a number between 0 and 1 as score."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import Score, includes, match, mean, scorer, stderr
    from inspect_ai.solver import generate

    @scorer(metrics=[mean(), stderr()])
    def closeness():
        async def score(state, target):
            return Score(value=1 / (1 + abs(int(state.output.completion) - int(target.text))))

        return score

    def task(name: str, scored_by: object) -> Task:
        samples = [
            Sample(id=f"{name}-{i}", input=f"what is {i}+1?", target=str(i + 1))
            for i in range(SIZES[name])
        ]
        data = MemoryDataset(samples, name=name)
        return Task(name=name, dataset=data, solver=generate(), scorer=scored_by)

    tasks = [task("add", match()), task("count", includes()), task("near", closeness())]
    for name, skill in SKILLS.items():
        draws = random.Random(name)

        def reply(messages, tools, choice, config, name=name, skill=skill, draws=draws):
            right = int(messages[-1].text.split("+")[0].split()[-1]) + 1
            said = right if draws.random() < skill else right + draws.randint(1, 5)
            output = ModelOutput.from_content(f"mockllm/{name}", str(said))
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            return output

        model = get_model(f"mockllm/{name}", custom_outputs=reply, memoize=False)
        eval(tasks, model=model, epochs=2, log_dir=str(folder), display="none", log_level="error")


def of_harness(folder: Path) -> None:
    """Three tasks of multiple choice, a folder for each model."""
    with TemporaryDirectory() as scratch:
        _run_harness(folder, Path(scratch))
        for path in folder.rglob("*.json*"):  # logs say where tasks lie: not on whose machine
            said = path.read_text(encoding="utf-8")
            path.write_text(said.replace(f"{scratch}{os.sep}", ""), encoding="utf-8")


def _run_harness(folder: Path, scratch: Path) -> None:
    """Tasks and caches lie elsewhere: the folder holds logs alone."""
    os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HOME=str(scratch / "cache"))
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    class Mock(LM):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.draws = random.Random(name)
            self.noise = 3.0 * (1.0 - SKILLS[name])

        def loglikelihood(self, requests, **options):
            found = []
            for request in requests:
                question, answer = request.args
                is_right = int(question.split()[1].split("+")[0]) + 1 == int(answer)
                mean = -1.0 if is_right else -2.0
                found.append((mean + self.noise * self.draws.gauss(0, 1), False))
            return found

        def loglikelihood_rolling(self, requests, **options):
            raise NotImplementedError

        def generate_until(self, requests, **options):
            raise NotImplementedError

    tasks = scratch / "tasks"
    tasks.mkdir()
    for name, size in SIZES.items():
        rows = [
            {"q": f"{name} {i}+1", "choices": [str(i + k) for k in (1, 2, 3)], "answer": 0}
            for i in range(size)
        ]
        data = tasks / f"{name}.jsonl"
        data.write_text("\n".join(map(json.dumps, rows)))
        # JSON is YAML, too.
        (tasks / f"{name}.yaml").write_text(json.dumps(_task(name, data)))
    manager = TaskManager(include_path=str(tasks), include_defaults=False)
    for name in SKILLS:
        tracker = EvaluationTracker(output_path=str(folder / name))
        found = simple_evaluate(
            model=Mock(name),
            tasks=list(SIZES),
            task_manager=manager,
            log_samples=True,
            evaluation_tracker=tracker,
            bootstrap_iters=0,
        )
        tracker.general_config_tracker.model_name = f"mock/{name}"
        samples = found.pop("samples")
        tracker.save_results_aggregated(results=found, samples=samples)
        for task in samples:
            tracker.save_results_samples(task, samples[task])


def _task(name: str, data: Path) -> dict:
    metrics = ({"metric": each, "aggregation": "mean"} for each in ("acc", "acc_norm"))
    return {
        "task": name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(data)}},
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "{{q}} =",
        "doc_to_choice": "{{choices}}",
        "doc_to_target": "{{answer}}",
        "metric_list": [{**each, "higher_is_better": True} for each in metrics],
        "metadata": {"version": 1.0},
    }


if __name__ == "__main__":
    {"inspect": of_inspect, "harness": of_harness}[sys.argv[1]](Path(sys.argv[2]).resolve())
