# make run and make test do all the set-up they need, in a .venv of their own.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Tests and checks never see the sessions of whoever runs them.
EMPTY_HOME = HOME="$$(mktemp -d)"

.PHONY: run test lint format corpus hostile exports screens bench samples pictures clean

run: $(VENV)/run
	@$(BIN)/claude-view $(ARGS)

test: $(VENV)/dev
	@$(EMPTY_HOME) $(BIN)/python -m pytest -q -n 2 $(ARGS)

lint: $(VENV)/dev
	$(BIN)/ruff format --check viewer tests
	$(BIN)/ruff check viewer tests
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/dev
	$(BIN)/ruff format viewer tests
	$(BIN)/ruff check --fix viewer tests

# Slower checks, on material beside the checkout.

corpus: $(VENV)/dev
	@$(EMPTY_HOME) $(BIN)/python -m tests.acceptance.corpus

hostile: $(VENV)/dev
	@$(EMPTY_HOME) $(BIN)/python -m tests.acceptance.hostile $(ARGS)
	@$(EMPTY_HOME) $(BIN)/python -m tests.acceptance.tail_model
	@$(EMPTY_HOME) $(BIN)/python -m tests.acceptance.screens hostile

exports: $(VENV)/dev
	@$(EMPTY_HOME) $(BIN)/python -m tests.acceptance.exports $(ARGS)

screens: $(VENV)/dev
	@$(EMPTY_HOME) $(BIN)/python -m tests.acceptance.screens $(ARGS)

bench: $(VENV)/dev
	@$(EMPTY_HOME) $(BIN)/python -m tests.acceptance.bench $(ARGS)

pictures: $(VENV)/dev
	@UPDATE_PICTURES=1 $(EMPTY_HOME) $(BIN)/python -m pytest -q tests/ui/test_pictures.py

samples: $(VENV)/dev
	@$(BIN)/python -m tests.make_samples

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/run: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "claude-view needs Python 3.11 or newer; try make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/dev: pyproject.toml $(VENV)/run
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
