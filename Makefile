# `make demo` and `make test` set everything up by themselves: git, make, Python 3.11 or newer and a Rust toolchain
# are all they need. Everything is stamped: the second time costs nothing and needs no network.

SHELL := /bin/sh
.DELETE_ON_ERROR:

# The first Python that is new enough, or the one you say: make PYTHON=/path/to/python
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

RUST_SOURCES := Cargo.toml Cargo.lock $(shell find crates -type f \( -name '*.rs' -o -name '*.toml' -o -name '*.h' \) -not -path '*/tests/*' -not -path '*/benches/*' -not -path 'crates/wasm/*')

.PHONY: help build demo test rust-tests quick papers pins bench check clippy lint types audit format lock web web-test docs docs-test site wheel wheel-test sbom clean

help:
	@echo 'make demo     build, reproduce the first paper, say where the report is'
	@echo 'make test     build, run the tests of Rust and Python'
	@echo 'make quick    build, run the tests that take under a minute'
	@echo 'make papers   build, reproduce all papers in full, compare every verdict with the pinned one'
	@echo 'make pins     build, reproduce all papers in full, pin their verdicts'
	@echo 'make build    build: $(BIN)/eddyline'
	@echo 'make web      build the browser laboratory: web/dist/index.html (needs Node)'
	@echo 'make web-test build, test it in Node and in Chromium'
	@echo 'make docs     build the documentation site: target/site/index.html (needs Node)'
	@echo 'make docs-test build, test it in Chromium'
	@echo 'make wheel-test build a wheel, install it elsewhere, use it there'
	@echo 'make sbom     write the software bill of materials: target/sbom/eddyline.cdx.json'
	@echo 'make bench    measure the simulator'
	@echo 'make check    format, lint and type checks'
	@echo 'make audit    look for known weaknesses in what we depend on (needs cargo-deny, pip-audit and the network)'
	@echo 'make format   format all code'
	@echo 'make lock     renew the lock files of Python (needs uv)'
	@echo 'make clean    remove what was built'

build: $(STAMPS)/build

demo: $(STAMPS)/build
	$(BIN)/eddyline reproduce two-way-fast --out reports/two-way-fast

# With FEATURES=eddyline-live/bpf the tests include those of FAST and VFAST in world kernel. Examples are left to clippy, which checks them.
CARGO_TEST = cargo test --workspace --locked $(addprefix --features ,$(FEATURES))

# Rust and Python at once; pytest goes first, before the tests of Rust are built, which get what it leaves. Its output comes after cargo's,
# so that its summary is the last word. A file of tests stays in one process: its fixtures are shared. Bytecode is kept, since hundreds
# of processes load the same modules.
PYTEST = env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile
PYTEST_LOG = target/pytest.log
test: $(STAMPS)/build $(STAMPS)/dev
	@mkdir -p target; $(PYTEST) >$(PYTEST_LOG) 2>&1 & pytest=$$!; \
	trap 'kill $$pytest; exit 130' INT TERM; \
	nice sh -c '$(CARGO_TEST) --tests && $(CARGO_TEST) --doc'; rust=$$?; \
	wait $$pytest; python=$$?; \
	cat $(PYTEST_LOG); \
	test $$rust -eq 0 || echo "error: cargo test failed (exit $$rust), see above" >&2; \
	test $$rust -eq 0 -a $$python -eq 0

# Builds them only.
rust-tests: $(STAMPS)/venv
	$(CARGO_TEST) --tests --no-run

# What needs no whole paper, no sweep that is killed and no long simulation.
QUICK = $(addprefix python/tests/,controllers/test_environment.py controllers/test_events.py controllers/test_parameters.py \
	reports sweeps/test_grid.py test_command_line.py test_documents.py test_layers.py test_probe.py test_python.py \
	test_reference.py) --deselect python/tests/test_command_line.py::test_what_help_says_can_be_typed
quick: $(STAMPS)/build $(STAMPS)/dev
	cargo test -p eddyline-units -p eddyline-tcp -p eddyline-cc --locked
	$(BIN)/python -m pytest $(QUICK)

# Tests of reproductions, with whole exhibits: some 12 minutes of processor time. Papers are reproduced side by side.
papers: $(STAMPS)/build $(STAMPS)/dev
	EDDYLINE_SLOW=1 $(BIN)/python -m pytest python/tests/papers

# For a change of results that is meant: the changelog says which, and why.
pins: $(STAMPS)/build $(STAMPS)/dev
	cd python/tests && $(CURDIR)/$(BIN)/python -m papers.pins

bench: $(STAMPS)/build
	$(BIN)/python benches/run.py

check: clippy lint types

clippy: $(STAMPS)/venv
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

lint: $(STAMPS)/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(STAMPS)/build $(STAMPS)/dev
	$(BIN)/mypy
	MYPYPATH=python $(BIN)/python -m mypy.stubtest eddyline._core --mypy-config-file pyproject.toml

# Not part of CI: a new advisory must not break a build, and both need the network.
audit:
	cargo deny check
	pip-audit --disable-pip --require-hashes -r requirements.txt -r requirements-dev.txt -r requirements-docs.txt

format: $(STAMPS)/dev
	cargo fmt --all
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# The browser laboratory: the WebAssembly module, its npm package in web/pkg, and the page.
WASM_LIBRARY = $(shell rustc --print target-libdir --target wasm32-unknown-unknown 2>/dev/null)
web/node_modules/.stamp: web/package.json web/package-lock.json
	@command -v node >/dev/null && command -v npm >/dev/null || { echo 'error: no Node found' >&2; \
		echo 'hint: the browser laboratory needs Node 20 or newer with npm; nothing else does' >&2; exit 1; }
	@test -d '$(WASM_LIBRARY)' || { echo 'error: Rust cannot compile to WebAssembly here' >&2; \
		echo 'hint: rustup target add wasm32-unknown-unknown' >&2; exit 1; }
	cd web && npm ci --silent
	@touch $@

web: web/node_modules/.stamp
	cd web && npm run --silent engine && npm run --silent check && npm run --silent build

web-test: web $(STAMPS)/build
	cd web && npm run --silent test:engine && npm run --silent test:page

# The documentation site, with the laboratory in it: target/site/index.html. Any warning is an error, and so is a link that leads nowhere.
docs: web $(STAMPS)/build $(STAMPS)/docs
	$(MAKE) --no-print-directory site

# Rust's pages of the public crates: target/doc. Comments that link to nothing are errors.
PRIVATE_CRATES = eddyline-python eddyline-wasm eddyline-live eddyline-example-controller
$(STAMPS)/rustdoc: $(RUST_SOURCES)
	@mkdir -p $(@D)
	rm -rf target/doc # pages of what is no longer there would stay
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked --quiet $(PRIVATE_CRATES:%=--exclude %)
	@touch $@

# As `docs`, with what is built already.
site: $(STAMPS)/docs $(STAMPS)/rustdoc
	rm -rf target/site target/site-cache # warnings of pages that did not change would not come again
	$(BIN)/python website/stage.py
	$(BIN)/python -m sphinx -q -W --keep-going -j auto -d target/site-cache -c website target/site-pages target/site
	$(BIN)/python website/check.py target/site

docs-test: docs
	cd web && npm run --silent test:site

# A wheel, installed in an empty environment outside the checkout and used there. WHEEL_TEST='--dependencies FOLDER' takes what it needs
# from another environment.
wheel: $(STAMPS)/build
	rm -rf target/wheels
	PATH='$(CURDIR)/$(BIN)':"$$PATH" $(BIN)/maturin build --release --locked --out target/wheels --quiet

wheel-test: wheel
	$(BIN)/python release/wheel_test.py $(WHEEL_TEST) target/wheels/*.whl

# The software bill of materials: what is compiled in, what the wheel needs, what is in the page. From the lock files alone.
sbom:
	$(PYTHON) release/bill.py target/sbom/eddyline.cdx.json

# Exact versions with hashes for every platform and Python; the ranges are in pyproject.toml.
LOCK = uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --quiet
lock:
	$(LOCK) --group build -o requirements.txt
	$(LOCK) --group dev -c requirements.txt -o requirements-dev.txt
	$(LOCK) --group docs -c requirements.txt -c requirements-dev.txt -o requirements-docs.txt

clean:
	rm -rf $(VENV) target reports web/dist web/pkg web/node_modules web/bindgen/target python/eddyline/_core.*.so

$(STAMPS)/venv:
	@test -n '$(PYTHON)' || { echo 'error: no Python 3.11 or newer found' >&2; \
		echo 'hint: install one, or say where it is: make PYTHON=/path/to/python' >&2; exit 1; }
	@command -v cargo >/dev/null || { echo 'error: no cargo found' >&2; \
		echo 'hint: install Rust 1.88 or newer, for example with rustup' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/runtime: requirements.txt | $(STAMPS)/venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

$(STAMPS)/dev: requirements-dev.txt $(STAMPS)/runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@

$(STAMPS)/docs: requirements-docs.txt $(STAMPS)/runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.txt
	@touch $@

# An editable install: the extension module is built into python/eddyline, the rest is read where it lies.
$(STAMPS)/build: $(RUST_SOURCES) pyproject.toml $(STAMPS)/runtime
	PATH='$(CURDIR)/$(BIN)':"$$PATH" $(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--no-index --no-deps --no-build-isolation --editable .
	@touch $@
