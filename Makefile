# Two commands: `make demo` opens the demo study, `make test` runs every check. Both set up what they need.
PYTHON ?= python3
BIN := .venv/bin
ROOMS := audit_app judge metrics data sampling agreement
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test check format lint types contracts wheel pytest browser soak bench coverage catalogues clean

demo: .venv/ready
	$(BIN)/evidence-audit demo

test: check

check: format lint types contracts wheel pytest

format: .venv/ready-dev
	$(BIN)/ruff format --check

lint: .venv/ready-dev
	$(BIN)/ruff check

types: .venv/ready-dev
	$(BIN)/mypy

contracts: .venv/ready-dev
	$(BIN)/lint-imports

# The wheel is built, looked into, installed in a clean environment and started.
wheel: .venv/ready-dev
	$(BIN)/python tests/wheel.py

# A process for each core; the browser's tests alone, because they wait for what is painted.
pytest: .venv/ready-dev browser
	$(BIN)/pytest -p no:benchmark --numprocesses auto --ignore tests/browser
	$(BIN)/pytest -p no:benchmark tests/browser

# What takes minutes: 20 processes for 10 seconds, a connection cut for longer than a session lives. About 5 minutes.
soak: .venv/ready-dev browser
	$(BIN)/pytest -p no:benchmark -m soak
	HYPOTHESIS_PROFILE=new $(BIN)/pytest -p no:benchmark --numprocesses auto --ignore tests/browser

# Playwright drives Debian's own Chromium; its driver needs libatomic, which a small Debian lacks.
browser: .venv/ready-dev
	@{ command -v $${CHROMIUM:-chromium} && $(BIN)/playwright --version; } >/dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && echo "Installing Debian's chromium for the browser tests" \
	  && apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium libatomic1 >/dev/null; } \
	  || { echo "The browser tests need Chromium: run 'sudo apt-get install chromium libatomic1', or set CHROMIUM."; exit 1; }

# Speed against its targets, both sides in one process; one thread, so that processor time means something.
bench: .venv/ready-dev browser
	OMP_NUM_THREADS=1 $(BIN)/pytest -s -q benchmarks/test_agreement_speed.py --benchmark-columns=min,median,rounds
	@echo
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.table_speed
	@echo
	$(BIN)/python -m benchmarks.import_speed
	@echo
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.command_speed
	@echo
	$(BIN)/python -m benchmarks.label_speed
	@echo
	$(BIN)/python -m benchmarks.judge_speed

# How often the intervals hold the truth: the whole table, an hour and more on two cores; REPLICATES=200 for a first look.
REPLICATES ?= 1000
coverage: .venv/ready-dev
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.coverage --replicates $(REPLICATES)

.venv/created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one with 'make PYTHON=python3.12 ...'."; exit 1; }
	@$(PYTHON) -m venv .venv \
	  || { echo "Could not make a virtual environment; on Debian run 'sudo apt-get install python3-venv'."; exit 1; }
	@touch $@

.venv/ready: .venv/created pyproject.toml constraints.txt
	@echo "Setting up (once, about a minute) ..."
	@$(PIP) -e .
	@touch $@

.venv/ready-dev: .venv/created pyproject.toml constraints.txt
	@echo "Setting up for tests (once, about two minutes) ..."
	@$(PIP) -e '.[dev]'
	@touch $@ .venv/ready

# Brings the catalogue of every language up to the sentences marked in the source; new ones are left to translate.
CATALOGUES := audit_app/locale
catalogues: .venv/ready-dev
	$(BIN)/pybabel -q extract -F $(CATALOGUES)/babel.cfg -k mark -k ngettext:1,2 --no-wrap \
	  --omit-header --add-location=file -o $(CATALOGUES)/new.pot audit_app
	for language in $(CATALOGUES)/*.po; do $(BIN)/pybabel -q update -i $(CATALOGUES)/new.pot -o $$language \
	  -l $$(basename $$language .po) --no-wrap --no-fuzzy-matching --ignore-obsolete; done
	rm $(CATALOGUES)/new.pot

clean:
	rm -rf .venv dist build
