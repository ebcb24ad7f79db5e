# One short command for each task of a developer; see .github/CONTRIBUTING.md.
.PHONY: test lint types docs ci

ROOM ?=

test:
	python -m pytest -n auto tests/$(ROOM)

lint:
	ruff check .
	ruff format --check .

types:
	.ci/types

docs:
	.ci/site

ci:
	.ci/run
