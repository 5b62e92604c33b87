PYTHON ?= python3
VENV   := .venv
LOWEST := .venv-lowest
INTEROP := .venv-interop
ONLY   ?=
PIP     = -m pip --disable-pip-version-check install -qq
# Neighbours run in one process, so that what a module sets up is made once.
PYTEST  = -m pytest -n 2 --dist worksteal
# Tests start hundreds of processes: each would compile the package again.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test nightly quick lint types stress bench calibration oracle reproduce docs site note lowest interop clean

help:  ## list these targets
	@sed -n 's/^\([a-z]*\):.*## */\1|/p' Makefile | while IFS='|' read -r name does; do \
		printf '  make %-11s %s\n' "$$name" "$$does"; done

demo: $(VENV)/.demo  ## compare two learners, print the verdict and write report.html
	@$(VENV)/bin/outperform demo

test: lint types  ## run lint, type checks and the tests; lists skipped tests with reasons
	@$(VENV)/bin/python $(PYTEST) -m "not nightly"

nightly: $(VENV)/.test  ## run the tests that take long and that a change rarely breaks
	@$(VENV)/bin/python $(PYTEST) -m nightly

quick: lint  ## run lint and the fast tests, stopping at the first failure
	@$(VENV)/bin/python $(PYTEST) -m "not slow and not nightly" -x -q

lint: $(VENV)/.test  ## check style, forbidden calls and layers
	@$(VENV)/bin/python -m ruff check
	@$(VENV)/bin/python -m ruff format --check
	@$(VENV)/bin/lint-imports --no-cache

types: $(VENV)/.test  ## check types (strict)
	@$(VENV)/bin/python -m mypy

stress: $(VENV)/.test  ## stress test: kill, overload, fill up and damage runs 100 times; a million fits
	@OUTPERFORM_STRESS=1 $(VENV)/bin/python $(PYTEST) tests/faults tests/storage/test_store_check.py

bench: $(VENV)/.test  ## compare speed with other packages, write docs/benchmarks.md; ONLY="engine files" takes two
	@$(VENV)/bin/python benchmarks/run.py --write $(ONLY)

calibration: $(VENV)/.test  ## measure all tests on all cases further, write docs/calibration.md; QUICK=1 is a small trial
	@$(VENV)/bin/python -m calibration --all $(if $(QUICK),--quick,--counts calibration/counts.json)
	@$(if $(QUICK),,$(VENV)/bin/python calibration/tools/calibration_page.py)

oracle: $(VENV)/.test  ## compare the learners and the folds with Weka, if it is installed
	@OUTPERFORM_ORACLE=1 $(VENV)/bin/python $(PYTEST) reproduction/tests

reproduce: $(VENV)/.test  ## rerun every table and figure of the papers; QUICK=1 takes minutes
	@$(VENV)/bin/python -m reproduction --all --jobs -1 $(if $(QUICK),--quick --write reproduced/quick.md,--write docs/reproduction.md)
	@$(if $(QUICK),,$(VENV)/bin/python reproduction/tools/reproduction_summary.py)

docs: $(VENV)/.test  ## write the README's figure and what sessions and notebooks print
	@$(VENV)/bin/python tools/readme_figure.py
	@$(VENV)/bin/python tools/sessions.py
	@$(VENV)/bin/python tools/notebooks.py

site: $(VENV)/.docs  ## build the documentation site into build/site
	@$(VENV)/bin/python tools/site_sources.py build/site-sources
	@$(VENV)/bin/python -m sphinx -W --keep-going -q -j 2 -c docs build/site-sources build/site
	@echo "open build/site/index.html"

note: $(VENV)/.docs  ## write the note to cite as HTML and PDF into build/note
	@$(VENV)/bin/python tools/note.py build/note

lowest: $(LOWEST)/.test  ## run the fast tests with the oldest supported dependencies
	@$(LOWEST)/bin/python $(PYTEST) -m "not slow and not nightly" -q -W default

interop: $(INTEROP)/.test  ## test XGBoost, CatBoost and logs of lm-eval and Inspect, in a separate venv
	@$(INTEROP)/bin/python $(PYTEST) tests/engine/test_boosting.py tests/readers/test_tools_write_logs.py -q

clean:  ## remove environments, caches and builds
	rm -rf $(VENV) $(LOWEST) $(INTEROP) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests tools reproduction calibration -name __pycache__ -prune -exec rm -rf {} +

# Each stamp is renewed when pyproject.toml changes.
$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	@echo "installing outperform into $(VENV)"
	@$(VENV)/bin/python $(PIP) -e .
	@touch $@

# Scores are the same bits with these versions alone: the corpus of calls is replayed with them.
$(VENV)/.test: pyproject.toml reproduction/pyproject.toml calibration/pyproject.toml tests/constraints.txt | $(VENV)/bin/python
	@echo "installing outperform and its test dependencies into $(VENV)"
	@$(VENV)/bin/python $(PIP) -c tests/constraints.txt -e '.[test]' -e reproduction -e calibration
	@touch $@

$(VENV)/.docs: pyproject.toml reproduction/pyproject.toml calibration/pyproject.toml | $(VENV)/bin/python
	@echo "installing outperform and what builds its site into $(VENV)"
	@$(VENV)/bin/python $(PIP) -e '.[docs]' -e reproduction -e calibration
	@touch $@

$(LOWEST)/.test: pyproject.toml tools/lowest.py | $(LOWEST)/bin/python
	@echo "installing the oldest supported versions into $(LOWEST)"
	@$(LOWEST)/bin/python tools/lowest.py > $(LOWEST)/versions.txt
	@$(LOWEST)/bin/python $(PIP) -c $(LOWEST)/versions.txt -e '.[cluster,test]' -e reproduction -e calibration
	@touch $@

$(INTEROP)/.test: pyproject.toml | $(INTEROP)/bin/python
	@echo "installing outperform, XGBoost, CatBoost, lm-eval and Inspect into $(INTEROP)"
	@$(INTEROP)/bin/python $(PIP) -e '.[test]' xgboost catboost lm_eval inspect_ai
	@touch $@

$(VENV)/bin/python $(LOWEST)/bin/python $(INTEROP)/bin/python:
	@command -v $(PYTHON) > /dev/null || \
		{ echo "outperform needs Python 3.11 or newer; '$(PYTHON)' was not found: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit("outperform needs Python 3.11 or newer; $(PYTHON) is %d.%d: make PYTHON=/path/to/python3.11" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(@:/bin/python=)
