# Everything runs in .venv, made by the first target that needs it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: demo test test-long check bench clean

$(BIN)/traceview: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Python 3.11 or newer is needed: make PYTHON=python3.12 ...' 1>&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . 1>&2
	@touch $@

$(STAMP): $(BIN)/traceview
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1' 1>&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev 1>&2
	@touch $@

demo: $(BIN)/traceview  ## set up and open the sample
	@$(BIN)/traceview sample_data/booking_agent_cases.csv sample_data/booking_agent_traces.jsonl

test: $(STAMP)  ## set up and pass the tests
	@$(BIN)/python -m pytest -n 4 -m "not long"  # half of the time a screen waits, so more than two cores' worth

test-long: $(STAMP)  ## everything, with new examples, random keys and interrupts at full length
	@TRACEVIEW_NEW_EXAMPLES=1 $(BIN)/python -m pytest -n 4

check: $(STAMP)  ## ruff, mypy, import-linter
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(STAMP)  ## print the ratios of docs/how-it-works.md again
	@$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV)
