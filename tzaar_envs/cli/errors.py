"""Errors of the library as one line for people."""

from __future__ import annotations

import importlib.metadata

from rich.console import Console
from rich.text import Text

DISTRIBUTION = "tzaar-envs"
EXIT_ERROR = 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def sentence_of(error: BaseException) -> str:
    """Return an error of the library as one sentence for people."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        extra = _extra_of(error.name.partition(".")[0])
        if extra:
            return (
                f"this needs {error.name!r}, which is in the extra {extra!r}: "
                f'pip install "{DISTRIBUTION}[{extra}]"'
            )
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())


def _extra_of(module: str) -> str | None:
    """Return the extra that installs a module, read from the package's own metadata."""
    try:
        requirements = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for requirement in requirements:
        package, _, marker = requirement.partition(";")
        name = package.replace("-", "_").strip()
        if (
            "extra ==" in marker
            and name.startswith(module)
            and not name[len(module) :][:1].isalnum()
        ):
            return marker.partition("extra ==")[2].strip().strip("\"'")
    return None


def print_error(text: str) -> None:
    """Print a sentence to the standard error."""
    line = Text.assemble(("error:", "bold red"), f" {text}")
    Console(stderr=True, soft_wrap=True).print(line, highlight=False)
