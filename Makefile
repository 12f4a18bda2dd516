# Everything runs in .venv, which these targets create by themselves from Python 3.11+.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
PEERS := .venv/.peers

# bytecode is kept whatever the shell says: without it every process that tests start compiles all modules anew
export PYTHONDONTWRITEBYTECODE :=

PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: demo test test-full draws fuzz answers reproduce check kernels lint types bench docs dist pythons test-lowest format clean

demo: $(READY)
	$(BIN)/python -m partita demo

# kernels compile on one core while mypy runs on the other; both workers then find them in the cache
test: $(READY)
	$(MAKE) --jobs 2 --output-sync=target check kernels
	$(PYTEST)

# the tests of paper size too
test-full: $(READY)
	$(MAKE) --jobs 2 --output-sync=target check kernels
	$(PYTEST) -m ""

# the same tests on new draws
draws: kernels
	PARTITA_DRAWS=fuzz $(PYTEST)

# documents drawn at random for so long; what breaks the law is kept in tests/fuzz/cases: make fuzz SECONDS=60
SECONDS ?= 600
fuzz: kernels
	PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(SECONDS)

# what is said of every situation of the corpus, against what may be said: make answers ASK="--seeds 0 1 --only blobs"
answers: $(READY)
	$(BIN)/python tests/answers.py $(ASK)

check: lint types

types: $(READY)
	$(BIN)/mypy

lint: $(READY)
	$(BIN)/ruff check src tests bench docs packaging
	$(BIN)/ruff format --check src tests bench docs packaging
	$(BIN)/lint-imports

kernels: $(READY)
	$(BIN)/python -m partita.kernels

# ratios against peers and targets, into bench/RESULTS.md; some of it, and nothing written: make bench ONLY="tables peers"
bench: kernels $(PEERS)
	PYTHONPATH=$(CURDIR)/.venv/peers $(BIN)/python bench/run.py $(ONLY)

# a line a peer, each in a folder of its own beside the environment, because their own pins contradict ours; one that
# cannot be had is named in the results
$(PEERS): bench/peers.txt $(READY)
	while read -r peer; do $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--upgrade --target .venv/peers $$peer || echo "not installed: $$peer"; done < bench/peers.txt
	touch $(PEERS)

# the five papers at full size: docs/papers; then what the small versions come to beside that
reproduce: export PARTITA_DATA ?= $(abspath ../shared/data)
reproduce: $(READY)
	$(BIN)/partita reproduce all --jobs -1 --out docs/papers
	$(BIN)/python tests/verdicts.py -1

# the site, with the pages of the catalogue made from the registry and every example run; a warning is an error
docs: $(READY)
	$(BIN)/python -m sphinx -b html -j 2 -W --keep-going -n -d docs/_build/doctrees docs docs/_build/html

# wheel and sdist, checked, and each used from an empty environment
dist: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --group release
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	for built in dist/*; do packaging/try-installed "$$built" $(PYTHON) || exit 1; done

# the wheel on every Python that is promised and can be had here
pythons: dist
	packaging/try-pythons

# the tests with the oldest dependencies that pyproject.toml allows, in an environment of their own
test-lowest:
	test -x .venv-lowest/bin/python || $(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python packaging/lowest.py > .venv-lowest/lowest.txt
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check -c .venv-lowest/lowest.txt \
		--group lowest -e ".[parquet,excel,dask]"
	.venv-lowest/bin/python -m pytest -n 2 --dist worksteal

format: $(READY)
	$(BIN)/ruff check --fix src tests bench docs packaging
	$(BIN)/ruff format src tests bench docs packaging

clean:
	rm -rf .venv docs/_build docs/api/generated docs/catalogue/indices

# --group needs pip 25.1
$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --group dev -e ".[docs]"
	touch $(READY)
