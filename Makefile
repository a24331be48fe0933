# Every target sets up its own environment in .venv: a machine needs Python >= 3.11, pip, venv and make.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-minimal lint bench docs format clean

.venv/.made: pyproject.toml
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

# One stamp for each set of packages, so that `make demo` does not wait for the test tools.
.venv/.demo: .venv/.made
	$(BIN)/python -m pip install --quiet --editable ".[plot,report]"
	touch $@

.venv/.test: .venv/.made
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group test --group recipes
	touch $@

.venv/.lint: .venv/.made
	$(BIN)/python -m pip install --quiet --group lint
	touch $@

.venv/.docs: .venv/.test
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

demo: .venv/.demo
	$(BIN)/rivals demo

test: .venv/.test
	$(BIN)/python -m pytest

# What a user has who installs no extras.
test-minimal:
	$(PYTHON) -m venv --clear .venv-minimal
	.venv-minimal/bin/python -m pip install --quiet --upgrade pip
	.venv-minimal/bin/python -m pip install --quiet --editable . pytest hypothesis mpmath
	.venv-minimal/bin/python -m pytest @tests/minimal.txt

lint: .venv/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: .venv/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/.test
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/parity.py

docs: .venv/.docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

clean:
	rm -rf .venv .venv-minimal .venv-peer docs/_build docs/generated docs/auto_examples rivals-demo
