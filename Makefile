# Every target sets up its own environment: a machine needs Python >= 3.11, pip, venv and make.
PYTHON ?= python3
# Lower bounds hold for the oldest Python that we support; the other end is the newest one on this machine.
OLDEST ?= python3.11
NEWEST ?= $(shell .ci/newest-python $(PYTHON))
BIN := .venv/bin
# `make LOCKED=1 …` takes the releases that requirements-ci.txt names, by their hashes, as CI does on the Python they were chosen for.
LOCKED ?=
# uv trusts the certificates of the system, as pip does here and elsewhere; the name of the switch depends on its version.
export UV_NATIVE_TLS := true
export UV_SYSTEM_CERTS := true

.PHONY: demo test test-all test-paper test-minimal test-lowest test-newest test-recipes lint format bench evidence evidence-real stress mutants lock docs paper dist clean

.venv/.made: pyproject.toml
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(if $(LOCKED),$(BIN)/python -m pip install --quiet --no-deps --require-hashes --requirement requirements-ci.txt)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

# One stamp for each set of packages, so that `make demo` does not wait for the test tools.
.venv/.demo: .venv/.made
	$(BIN)/python -m pip install --quiet --editable ".[cli,plot,report]"
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

.venv/.release: .venv/.made
	$(BIN)/python -m pip install --quiet --group release
	touch $@

.venv/.paper: .venv/.made paper/pyproject.toml
	$(BIN)/python -m pip install --quiet --editable . --editable ./paper
	touch $@

demo: .venv/.demo
	$(BIN)/rivals demo

# Without the tests marked slow, for each of which something faster tests the same; one process for each core.
JOBS ?= auto
test: .venv/.test
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadgroup

test-all: .venv/.test .venv/.paper
	$(BIN)/python -m pytest -m "" paper/tests
	$(BIN)/python -m pytest -m ""

test-paper: .venv/.test .venv/.paper
	$(BIN)/python -m pytest -m "not slow" paper/tests

# What a user has who installs no extras.
test-minimal:
	$(PYTHON) -m venv --clear .venv-minimal
	.venv-minimal/bin/python -m pip install --quiet --upgrade pip
	.venv-minimal/bin/python -m pip install --quiet --editable . pytest hypothesis mpmath
	.venv-minimal/bin/python -m pytest @tests/minimal.txt

# The lower bounds of pyproject.toml are true. Old releases warn of the future of what they stand on, which is newer.
test-lowest: .venv/.release
	$(BIN)/uv venv --quiet --clear --python $(OLDEST) .venv-lowest
	$(BIN)/uv pip install --quiet --python .venv-lowest --resolution lowest-direct --editable ".[all]" --group test
	.venv-lowest/bin/python -m pytest -W default::DeprecationWarning -W default::FutureWarning -m "" @tests/lowest.txt

# The newest releases on the newest Python here. `make test` has the newest releases already, on $(PYTHON).
test-newest: .venv/.release
	@if [ -z "$(LOCKED)" ] && [ "$$($(NEWEST) -c 'import sys; print(sys.version_info[:2])')" = "$$($(BIN)/python -c 'import sys; print(sys.version_info[:2])')" ]; then \
		echo "The newest Python here is that of .venv, where \`make test\` runs with the newest releases: nothing more to run."; \
	else \
		set -ex; \
		$(BIN)/uv venv --quiet --clear --python "$(NEWEST)" .venv-newest; \
		$(BIN)/uv pip install --quiet --python .venv-newest --editable ".[all]" --group test --group recipes; \
		.venv-newest/bin/python -m pytest --numprocesses $(JOBS) --dist loadgroup; \
	fi

# The readers against the real libraries, each in an environment of its own; minutes, and gigabytes of packages.
test-recipes: .venv/.release
	PATH="$(BIN):$$PATH" $(PYTHON) tools/recipes.py $(RECIPES)

lint: .venv/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/typed_pages.py

format: .venv/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/.test
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/parity.py

# Are verdicts right? On simulated families; a quarter of an hour. docs/does-it-work.md shows what comes out.
evidence: .venv/.test
	$(BIN)/python benchmarks/replication.py --workers 2
	$(BIN)/python benchmarks/groups.py --workers 2
	$(BIN)/python benchmarks/plan.py
	$(BIN)/python benchmarks/best_of_k.py
	$(BIN)/python benchmarks/flips.py
	$(BIN)/python benchmarks/ties.py
	$(BIN)/python benchmarks/series_in_groups.py
	$(BIN)/python tools/evidence.py

# The same on real data, 20 minutes of processor time the first time: losses are kept, and only what is new is judged. Data sets of Debian's packages for R take part where these are installed.
evidence-real: .venv/.test
	$(BIN)/python -m pip install --quiet --group evidence
	$(BIN)/python benchmarks/real/run.py
	$(BIN)/python benchmarks/real/score.py
	$(BIN)/python benchmarks/el_nino.py
	$(BIN)/python tools/evidence.py

# Hostile input and faults, a quarter of an hour; docs/promises.md shows what comes out.
stress: .venv/.test
	$(BIN)/python tests/stress

# The mutants of the core that no test notices; half an hour.
mutants: .venv/.test
	$(BIN)/python tools/mutants.py

# What CI installs: the newest releases that fit together on the oldest Python, with their hashes.
lock: .venv/.release
	$(BIN)/uv pip compile pyproject.toml --extra all --group test --group recipes --group lint --group docs --group release --group paper \
		--python-version 3.11 --upgrade --generate-hashes --no-annotate --quiet --custom-compile-command "make lock" --output-file requirements-ci.txt

# And the paper about this software, where pandoc and Chromium are.
docs: .venv/.docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	$(BIN)/python joss/build.py docs/_build/paper.pdf

# `rivals reproduce`: a first figure in seconds, and what else it can make.
paper: .venv/.paper
	$(BIN)/rivals reproduce process --out rivals-paper
	$(BIN)/rivals reproduce --list

# What would be uploaded: the wheel works alone, outside of the repository, and a few of the tests in the sdist pass on it.
dist: .venv/.release
	rm -rf dist .venv-dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*.whl dist/*.tar.gz
	$(PYTHON) -m venv .venv-dist
	.venv-dist/bin/python -m pip install --quiet --upgrade pip
	.venv-dist/bin/python -m pip install --quiet "$$(echo dist/*.whl)[cli,plot,report]"
	mkdir dist/demo dist/unpacked
	cd dist/demo && ../../.venv-dist/bin/rivals demo
	tar -xzf dist/*.tar.gz --strip-components 1 -C dist/unpacked
	cd dist/unpacked && ../../.venv-dist/bin/python -m pip install --quiet --group test
	cd dist/unpacked && ../../.venv-dist/bin/python -m pytest @tests/smoke.txt

clean:
	rm -rf .venv .venv-* dist docs/_build docs/generated docs/auto_examples rivals-demo
