# The two commands of the README are `make demo` and `make test`; each sets up what it needs.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
WORK := demo

.PHONY: setup demo test real lint benchmarks

setup: $(STAMP)

$(STAMP): requirements.txt
	@test -d .venv || $(PYTHON) -m venv .venv
	@echo "Installing what requirements.txt names into .venv (a minute or two)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $(STAMP)

demo: setup
	$(BIN)/python train.py paths.work=$(WORK)
	$(BIN)/python probe.py paths.work=$(WORK) encoder=checkpoint \
		encoder.run="$$(ls -td $(WORK)/runs/train/srl-mini-* | head -n 1)" 'encoder.epochs=[0,1,2,5,10]'

test: setup
	$(BIN)/python -m pytest -q -n 2 -m "not real_data"

real: setup
	@test -n "$$POLYPROBE_DATA" || { echo "Set POLYPROBE_DATA to the folder of the corpora"; exit 2; }
	$(BIN)/python -m pytest -q -n 2 -m real_data

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
