# Every target sets up what it needs by itself: a virtual environment in .venv, from a bare Python >= 3.11.
#   make demo    render an example fabric, lint it (clean), then lint a broken configuration
#   make test    the tests                make cases   the real misconfigurations beside the checkout (../shared/cases)
#   make mutate  every line deleted, every number changed: what the linter misses
#   make lint    ruff, mypy, import-linter      make bench   speed, as multiples of a floor measured in the same run

SHELL := /bin/sh
.DEFAULT_GOAL := help

# The first interpreter that is new enough; `make PYTHON=/path/to/python test` overrides it.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3 python; do \
	if command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	echo $$p; break; fi; done)

VENV  := .venv
BIN   := $(VENV)/bin
STAMP := $(VENV)/.xoff-installed
OUT   := out/demo
# Workers for the tests; `make test WORKERS=0` runs them in one process.
WORKERS ?= auto

.PHONY: help demo test slow cases mutate bench lint format schemas docs clean

help:
	@sed -n '1,5s/^# \{0,1\}//p' Makefile

$(STAMP): pyproject.toml
	@if [ -z "$(PYTHON)" ]; then echo "xoff needs Python 3.11 or newer; none was found on PATH (make PYTHON=... names one)" >&2; exit 1; fi
	@if ! $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		echo "setting up $(VENV) with $(PYTHON)"; rm -rf $(VENV); \
		$(PYTHON) -m venv $(VENV) || { echo "python -m venv failed; on Debian and Ubuntu install python3-venv" >&2; rm -rf $(VENV); exit 1; }; \
	fi
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(STAMP)
	@rm -rf $(OUT)
	@echo '$$ xoff render examples/mixed-leaf-spine.yaml -o $(OUT)'
	@$(BIN)/xoff render examples/mixed-leaf-spine.yaml -o $(OUT)
	@echo; echo '$$ xoff lint $(OUT) --intent examples/mixed-leaf-spine.yaml'
	@$(BIN)/xoff lint $(OUT) --intent examples/mixed-leaf-spine.yaml
	@echo; echo '$$ xoff lint examples/broken     # two switches that somebody configured by hand'
	@$(BIN)/xoff lint examples/broken; code=$$?; \
		if [ $$code -ne 1 ]; then echo "expected findings (exit code 1), got exit code $$code" >&2; exit 1; fi

test: $(STAMP)
	@$(BIN)/python -m pytest -n $(WORKERS)

# Builds and installs the wheel in a clean environment, away from the checkout; needs the package index.
slow: $(STAMP)
	@$(BIN)/python -m pytest -n 0 -m slow --ignore tests/mutation

cases: $(STAMP)
	@$(BIN)/python -m tests.cases

# Every line of the rendered examples deleted, every number changed, each judged: kill rates, and the survivors with their reasons.
mutate: $(STAMP)
	@$(BIN)/python -m pytest -n 0 -m slow -s tests/mutation

# hier_config is the peer that reading is compared with; without it, or without a package index, that line is left out.
bench: $(STAMP)
	@$(BIN)/python -c 'import hier_config' 2>/dev/null || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check 'hier_config>=3' || echo "bench: no hier_config, no peer" >&2
	@$(BIN)/python -m benchmarks

lint: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(STAMP)
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

# Writes schemas/*.json from the types; a test fails when they are stale.
schemas: $(STAMP)
	@$(BIN)/python -m xoff.report.schema > schemas/findings.schema.json.new && mv schemas/findings.schema.json.new schemas/findings.schema.json
	@$(BIN)/python -m xoff.report.schema headroom > schemas/headroom.schema.json.new && mv schemas/headroom.schema.json.new schemas/headroom.schema.json

# Writes the generated pages of docs/ from the data; a test fails when they are stale.
docs: $(STAMP)
	@mkdir -p docs
	@$(BIN)/python -m xoff.report.platforms_page > docs/platforms.md.new && mv docs/platforms.md.new docs/platforms.md
	@$(BIN)/python -m xoff.report.nos docs/nos

clean:
	@rm -rf $(VENV) out dist build
