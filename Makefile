# Thin: every step is in infra/ops/bootstrap.py. PYTHON names the interpreter that makes .venv (3.11 or newer).
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)

.PHONY: run test test-fast test-slow test-install test-scale lint docs pictures bench bench-peers soak fuzz demo oracle mutants setup wheel release
run test test-fast test-slow test-install test-scale lint docs pictures bench bench-peers soak fuzz demo oracle mutants setup wheel release:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found: install python3.11 and python3.11-venv."; exit 1; }
	@exec "$(PYTHON)" infra/ops/bootstrap.py $@
