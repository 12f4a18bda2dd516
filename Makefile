# Everything runs in .venv, which these targets create by themselves from Python 3.11+.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test fuzz check bench docs format clean

demo: $(READY)
	$(BIN)/python -m partita demo

test: check
	$(BIN)/python -m pytest -n 2

# the same tests on new draws
fuzz: $(READY)
	PARTITA_DRAWS=fuzz $(BIN)/python -m pytest -n 2

check: $(READY)
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python bench/run.py

# what is made from the registry
docs: $(READY)
	$(BIN)/partita indices --format markdown > docs/indices.md

format: $(READY)
	$(BIN)/ruff check --fix src tests bench
	$(BIN)/ruff format src tests bench

clean:
	rm -rf .venv

# --group needs pip 25.1
$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --group dev -e .
	touch $(READY)
