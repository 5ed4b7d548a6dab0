# `make run` and `make test` are all a newcomer needs; both install what they need into .venv first, and no more.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PLAYGROUND := $(VENV)/.playground
TOOLS := $(VENV)/.tools
# One more than there are processors, because some tests mostly wait for other processes.
WORKERS = $$(($$(getconf _NPROCESSORS_ONLN) + 1))
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes

.PHONY: run install package test test-slow browser test-postgres crash crash-postgres rolling fuzz soak mutation mutation-all bench \
	bench-crowd bench-comparison lint playthroughs api-description fallback-fonts format \
	lock clean

# Without a token the bot opens the playground, which needs more packages. A wrong setting needs none.
run: $(STAMP)
	@$(BIN)/python -c 'from bot.settings import load; raise SystemExit(0 if load().token else 3)' 2>/dev/null; \
		test $$? -ne 3 || $(MAKE) --no-print-directory $(PLAYGROUND)
	$(BIN)/python -m bot

test: $(TOOLS)
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal

# The long runs: thousands of simulated games, crash and soak tests.
test-slow: $(TOOLS)
	$(BIN)/python -m pytest -m slow

# A whole game of two people in the playground's page, in Chromium or Chrome; half a minute.
browser: $(TOOLS)
	$(BIN)/python -m pytest -m "slow or not slow" tests/test_playground.py

# The tests of the store and of several processes on a PostgreSQL server of their own; see tools/postgres_server.py.
test-postgres: $(TOOLS)
	$(BIN)/python -m tools.postgres_server $(BIN)/python -m pytest --numprocesses auto --dist worksteal \
		tests/store tests/sessions \
		tests/process/test_postgres.py

# The bot killed hundreds of times in the middle of games, with failing writes and a full disk; some minutes.
crash: $(TOOLS)
	$(BIN)/python -m pytest -m "slow or not slow" -s tests/process/test_crash.py

# The same on PostgreSQL, whose servers crash as well; some minutes.
crash-postgres: $(TOOLS)
	$(BIN)/python -m tools.postgres_server $(BIN)/python -m pytest -m "slow or not slow" -s \
		tests/process/test_postgres.py -k killed

# Two processes on PostgreSQL that are replaced twenty times while people click; some minutes.
rolling: $(TOOLS)
	$(BIN)/python -m tools.postgres_server $(BIN)/python -m pytest -m slow -s \
		tests/process/test_postgres.py -k rolling

# All that comes from outside, twenty times as many examples as in the tests; some minutes.
fuzz: $(TOOLS)
	FUZZ=20 $(BIN)/python -m pytest --numprocesses auto --dist worksteal --timeout 3000 tests/fuzz tests/records/test_record.py \
		tests/test_settings.py tests/screens/test_screens.py tests/games/test_conformance.py

# Hundreds of games with everything going wrong now and then; a few minutes.
soak: $(TOOLS)
	$(BIN)/python -m pytest -m "slow or not slow" -s tests/soak

# Small changes to the program, one at a time, each of which a near test must notice: a dozen of each module, and all.
mutation: $(TOOLS)
	$(BIN)/python -m tools.mutation --sample 12

mutation-all: $(TOOLS)
	$(BIN)/python -m tools.mutation

# What a click costs and how many a second go on and on, against a floor; some minutes on a machine that does nothing else.
bench: $(TOOLS)
	$(BIN)/python -m benchmarks.click --games 200 --rounds 9
	$(BIN)/python -m benchmarks.click --games 1000 --rounds 6
	$(BIN)/python -m benchmarks.steady
	$(BIN)/python -m benchmarks.steps
	$(BIN)/python -m benchmarks.instructions

# With 100,000 live games and ten million moves beside an empty database: a quarter of an hour, 4 GB on disk.
bench-crowd: $(TOOLS)
	mkdir -p .bench
	$(BIN)/python -m benchmarks.crowd --folder .bench --build
	$(BIN)/python -m benchmarks.crowd --folder .bench
	$(BIN)/python -m benchmarks.steady --full .bench/crowd-100000-10000000.db

# Beside a published library, which is put into a folder of its own.
bench-comparison: $(TOOLS)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --require-hashes \
		--target $(VENV)/comparison -r benchmarks/comparison.txt
	PYTHONPATH=$(VENV)/comparison $(BIN)/python -m benchmarks.comparison

lint: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Wheel and source distribution, installed into an empty environment and tried; they are in dist afterwards.
package: $(TOOLS)
	$(BIN)/python -m pytest -m slow tests/process/test_package.py
	$(BIN)/python -m hatchling build --clean

# Write the whole games and the numbers of paths in tests/games anew, after a change of the rules that is meant.
playthroughs: $(TOOLS)
	$(BIN)/python -m tests.support.playthroughs

# Cut the description that requests are checked against from Discord's own; see tools/api_description.py.
OPENAPI ?= openapi.json
api-description: $(TOOLS)
	$(BIN)/python -m tools.api_description $(OPENAPI)

# Cut the fonts for names in other scripts anew; see tools/fallback_fonts.py.
DROID ?= DroidSansFallback.ttf
fallback-fonts: $(TOOLS)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --require-hashes \
		--only-binary :all: --target $(VENV)/fonts -r tools/fallback_fonts.txt
	PYTHONPATH=$(VENV)/fonts $(BIN)/python -m tools.fallback_fonts $(DROID)

format: $(TOOLS)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Resolve the ranges of pyproject.toml anew into exact, hashed versions.
lock: $(TOOLS)
	$(BIN)/uv pip compile --universal --generate-hashes --no-emit-index-url --extra playground --extra postgres --extra dev --upgrade \
		--python-version 3.11 --no-header pyproject.toml -o requirements.lock

# What the bot needs to run, on SQLite or PostgreSQL.
install: $(STAMP)

$(STAMP): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@echo "Installing what the bot needs to run into $(VENV): 25 packages, 130 MB; about half a minute."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python tools/runtime_lock.py postgres > $(VENV)/runtime.lock
	@$(PIP) -r $(VENV)/runtime.lock
	@touch $(STAMP)

$(PLAYGROUND): $(STAMP)
	@echo "Installing what the playground needs besides: 8 packages, 150 MB; about a quarter of a minute."
	@$(BIN)/python tools/runtime_lock.py playground postgres > $(VENV)/runtime.lock
	@$(PIP) -r $(VENV)/runtime.lock
	@touch $(PLAYGROUND)

$(TOOLS): $(STAMP)
	@echo "Installing the tools for tests and linters as well: 25 packages, 160 MB; about half a minute."
	@$(PIP) -r requirements.lock
	@touch $(PLAYGROUND) $(TOOLS)

clean:
	rm -rf $(VENV) dist .bench .pytest_cache .mypy_cache .ruff_cache .hypothesis
