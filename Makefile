# Each target sets up what it needs: Python 3.11 or newer, make and git are all there has to be.
#   make demo    play a whole game with robots        make test   run the tests
#   make check   formatting, lint, types, imports     make bench  time the evaluator beside others
#   make fuzz    read 20,000 odd mails, then guided   make golden write golden conversations anew
#   make faults  let every step of a turn fail        make lock   choose the locked versions anew
#   make year    play a league for a simulated year   make clean  remove what these made
# PYTHON=/path/to/python chooses the interpreter; ARGS='…' goes to pytest, the demo, the bench, the
# fuzzing, the faults or the year; SECONDS is how long the guided part of the fuzzing lasts.

PYTHON =
VENV = .venv
BIN = $(VENV)/bin
ARGS =
SECONDS = 120
READY = $(VENV)/.ready
PIP = $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test check golden bench fuzz faults year lock clean

demo: $(READY)
	@$(BIN)/postal demo $(ARGS)

test: $(READY)
	@$(BIN)/python -m pytest -n 2 --dist loadfile $(ARGS)

check: $(READY)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@if grep -n '://' requirements*; then \
	  echo 'No requirements file may name a package index: take the addresses out.' >&2; exit 1; fi

golden: $(READY)
	@$(BIN)/python -m pytest tests/golden --write-golden $(ARGS)

bench: $(READY)
	@$(PIP) install --require-hashes -r requirements-bench.lock
	@for bench in tests/bench/bench_*.py; do $(BIN)/python "$$bench" $(ARGS) || exit 1; done

# atheris has no build for some Pythons and machines: there the guided part is left out, and said so.
fuzz: $(READY)
	@$(BIN)/python tests/fuzz/run.py $(ARGS)
	@$(PIP) install --only-binary :all: --require-hashes -r requirements-fuzz.lock 2>/dev/null || true
	@$(BIN)/python tests/fuzz/run.py --guided $(SECONDS)

faults: $(READY)
	@$(BIN)/python tests/faults/run.py $(ARGS)

year: $(READY)
	@$(BIN)/python tests/year/run.py $(ARGS)

# The newest versions that pyproject.toml allows, for every Python that works, each with its hashes.
LOCK = $(BIN)/uv pip compile --universal --python-version 3.11 --upgrade \
  --generate-hashes --no-header --no-annotate --no-config --quiet
lock: | $(BIN)/python
	@$(PIP) install uv
	@$(LOCK) pyproject.toml --all-extras --group dev -o requirements.lock
	@$(LOCK) --group bench -c requirements.lock -o requirements-bench.lock
	@$(LOCK) --group fuzz -o requirements-fuzz.lock

clean:
	@rm -rf $(VENV) dist build postal-demo .mypy_cache .ruff_cache .pytest_cache .hypothesis \
	  .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Shims may exist for Pythons that don't, so each candidate has to run; Debian's lacks ensurepip
# until python3-venv is installed.
$(BIN)/python:
	@found=; bare=; \
	for python in $(if $(PYTHON),'$(PYTHON)',python3.13 python3.12 python3.11 python3); do \
	  "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	  if "$$python" -c 'import venv, ensurepip' 2>/dev/null; then found=$$python; break; fi; \
	  bare=$${bare:-$$python}; \
	done; \
	if [ -z "$$found" ] && [ -n "$$bare" ]; then \
	  echo "$$bare has no venv: install it (Debian: apt install python3-venv) or run make PYTHON=/path/to/another." >&2; \
	  exit 1; \
	elif [ -z "$$found" ]; then \
	  echo "postal needs Python 3.11 or newer, and $(or $(PYTHON),python3) is missing or older: install one or run make PYTHON=/path/to/another." >&2; \
	  exit 1; \
	fi; \
	rm -rf $(VENV) && "$$found" -m venv $(VENV)

$(READY): requirements.lock pyproject.toml | $(BIN)/python
	@echo 'Setting up in $(VENV) (once; a minute or so) …'
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@
