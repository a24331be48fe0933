# Every target sets up its own environment: a machine needs Python >= 3.11, pip, venv and make.
PYTHON ?= python3
# Lower bounds hold for the oldest Python that we support; the other end is the newest one here.
OLDEST ?= python3.11
NEWEST ?= $(shell .ci/newest-python $(PYTHON))
BIN := .venv/bin
# `make LOCKED=1 …` takes the releases that constraints.txt names, as CI does.
LOCKED ?=
CONSTRAINTS := $(if $(LOCKED),--constraint constraints.txt)
# uv trusts the certificates of the system, as pip does; the name of the switch depends on its version.
export UV_NATIVE_TLS := true
export UV_SYSTEM_CERTS := true

.PHONY: demo test test-all test-paper test-minimal test-lowest test-newest test-pages test-recipes lint format \
	evidence-real speed stress lock pages docs paper dist clean

# uv takes seconds; where it finds no registry, as behind a mirror that only pip knows, pip does it.
define install
$(BIN)/uv pip install --quiet --python .venv $(CONSTRAINTS) $(1) || \
	{ $(BIN)/python -m pip install --quiet --upgrade pip && \
	$(BIN)/python -m pip install --quiet $(CONSTRAINTS) $(1); }
endef

.venv/.made: pyproject.toml
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet uv
	touch $@

# One stamp for each set of packages, so that `make demo` does not wait for the tools of tests.
# In a variable: a comma would end an argument of `call`.
DEMO := --editable ".[cli,plot,report]"
.venv/.demo: .venv/.made
	$(call install,$(DEMO))
	touch $@

.venv/.test: .venv/.made
	$(call install,--editable ".[all]" --group test --group recipes)
	touch $@

.venv/.lint: .venv/.test
	$(call install,--group lint)
	touch $@

.venv/.docs: .venv/.test
	$(call install,--group docs)
	touch $@

.venv/.release: .venv/.made
	$(call install,--group release)
	touch $@

.venv/.paper: .venv/.test paper/pyproject.toml
	$(call install,--editable . --editable ./paper)
	touch $@

demo: .venv/.demo
	$(BIN)/rivals demo

# Without the tests marked slow, for each of which something faster tests the same; one process for
# each core.
JOBS ?= auto
test: .venv/.test
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadgroup

test-all: .venv/.test .venv/.paper
	$(BIN)/python -m pytest -m "" --numprocesses $(JOBS) --dist loadgroup
	$(BIN)/python -m pytest -m "" --numprocesses $(JOBS) --dist loadgroup paper/tests

test-paper: .venv/.test .venv/.paper
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadgroup paper/tests

# What a user has who installs no extras.
test-minimal: .venv/.made
	$(BIN)/uv venv --quiet --clear --python $(PYTHON) .venv-minimal
	$(BIN)/uv pip install --quiet --python .venv-minimal --editable . pytest hypothesis mpmath
	.venv-minimal/bin/python -m pytest @tests/minimal.txt

# The lower bounds of pyproject.toml are true. Old releases warn of the future of what they stand
# on, which is newer.
test-lowest: .venv/.made
	$(BIN)/uv venv --quiet --clear --python $(OLDEST) .venv-lowest
	$(BIN)/uv pip install --quiet --python .venv-lowest --resolution lowest-direct \
		--editable ".[all]" --group test
	.venv-lowest/bin/python -m pytest --numprocesses $(JOBS) --dist loadgroup \
		-W default::DeprecationWarning -W default::FutureWarning

# The Python of each page in the environment of its own install line.
test-pages: .venv/.made
	$(BIN)/python tools/run_pages.py

# The newest releases on the newest Python here; `make test` has them on $(PYTHON).
test-newest: .venv/.made
	$(BIN)/uv venv --quiet --clear --python "$(NEWEST)" .venv-newest
	$(BIN)/uv pip install --quiet --python .venv-newest --editable ".[all]" --group test --group recipes
	.venv-newest/bin/python -m pytest --numprocesses $(JOBS) --dist loadgroup

# The doors against the real libraries, each in an environment of its own; minutes, and gigabytes.
test-recipes: .venv/.made
	PATH="$(BIN):$$PATH" $(PYTHON) tools/recipes.py $(RECIPES)

lint: .venv/.lint .venv/.paper
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: .venv/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Speed beside plain code and the peers; benchmarks/README.md lists all benchmarks.
speed: .venv/.test
	$(BIN)/python benchmarks/speed.py

# Are the probabilities true? On real data, 20 minutes of processor time the first time.
evidence-real: .venv/.test
	$(call install,--group evidence)
	$(BIN)/python benchmarks/real/run.py
	$(BIN)/python benchmarks/real/score.py

# Hostile input and faults; docs/reference/promises.md says what must hold.
stress: .venv/.test
	$(BIN)/python tests/stress

# What CI installs: the newest releases that fit together on the oldest Python.
lock: .venv/.made
	$(BIN)/uv pip compile pyproject.toml --extra all --group test --group recipes --group lint \
		--group docs --group release --python-version 3.11 --upgrade --no-annotate --no-emit-find-links \
		--quiet --custom-compile-command "make lock" --output-file constraints.txt

# What pages show of outputs and results, written into them.
pages: .venv/.docs
	$(BIN)/python tools/write_pages.py

# Pages are fresh; with warnings as errors; then links, widths and accessibility of what was built,
# in Chromium.
docs: .venv/.docs
	$(BIN)/python tools/write_pages.py --check
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	$(BIN)/python tools/check_pages.py docs/_build/html

# `rivals reproduce`: a first figure in seconds, and what else it can make.
paper: .venv/.paper
	$(BIN)/rivals reproduce process --out rivals-paper
	$(BIN)/rivals reproduce --list

# What would be uploaded: the wheel works alone, outside of the repository.
dist: .venv/.release
	rm -rf dist .venv-dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*.whl dist/*.tar.gz
	$(BIN)/uv venv --quiet --clear --python $(PYTHON) .venv-dist
	$(BIN)/uv pip install --quiet --python .venv-dist "$$(echo dist/*.whl)[cli,plot,report]"
	mkdir dist/demo
	cd dist/demo && ../../.venv-dist/bin/rivals demo

clean:
	rm -rf .venv .venv-* dist docs/_build docs/auto_examples docs/generated rivals-demo rivals-paper
