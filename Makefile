# A developer's day: `make setup` once, `make test` often, `make check` before a commit.
PYTHON ?= python3
BIN = .venv/bin
LOCKED = PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt

.PHONY: setup test check nightly lock format generate coverage conformance bench instructions screenshots site site-serve

setup:
	$(PYTHON) -m venv .venv
	$(LOCKED) $(BIN)/pip install --quiet -e '.[dev]'
	$(BIN)/pre-commit install

test:
	$(BIN)/pytest -n 3

check:
	$(BIN)/python tools/generate.py --check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/skillbag check --quiet examples
	$(BIN)/pytest -n 3

# Everything that `make test` draws from, on the newest versions of the dependencies and on the lowest.
nightly:
	$(PYTHON) -m venv .venv-newest
	.venv-newest/bin/pip install --quiet --upgrade -e '.[dev]'
	SKILLBAG_NIGHTLY=1 .venv-newest/bin/pytest -n 2
	tools/lowest .venv-lowest
	SKILLBAG_NIGHTLY=1 .venv-lowest/bin/pytest -n 2 -m 'not slow'

# The versions that the tests install, renewed every week (.github/workflows/renew.yml).
lock:
	tools/lock

format:
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

generate:
	$(BIN)/python tools/generate.py

coverage:
	$(BIN)/pytest -n 2 --cov --cov-report=term

conformance:
	$(BIN)/skillbag team conformance

bench:
	$(BIN)/python benchmarks/run
	$(BIN)/python benchmarks/audit
	$(BIN)/python benchmarks/runtime

instructions:
	$(BIN)/python benchmarks/instructions

site:
	$(BIN)/python tools/docs_site.py

site-serve:
	$(BIN)/python tools/docs_site.py serve

screenshots:
	$(BIN)/python tools/screenshots.py
