# One short command for each task of a developer; see .github/CONTRIBUTING.md.
.PHONY: test lint types docs ci

ROOM ?=
GAME ?=

test:
	python -m pytest -n auto tests/$(ROOM) -k "$(GAME)"

lint:
	ruff check .
	ruff format --check .

types:
	.ci/types

docs:
	.ci/site

ci:
	.ci/run
