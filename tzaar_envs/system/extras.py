"""Optional dependencies: one clear sentence when one is missing."""

import importlib
import importlib.metadata
import re


def missing_extra(extra: str, purpose: str, module: str | None) -> ModuleNotFoundError:
    """Return the error to raise where an extra is not installed.

    Args:
        extra: Its name in `pyproject.toml`.
        purpose: The feature that needs it.
        module: The module that was not found.
    """
    return ModuleNotFoundError(
        f"{purpose} needs the extra {extra!r} ({module} is not installed): "
        f'pip install "tzaar-envs[{extra}]"'
    )


def require_extra(extra: str, purpose: str, *modules: str) -> None:
    """Import modules that an extra installs.

    Args:
        extra: Its name in `pyproject.toml`.
        purpose: The feature that needs it, for the message.
        *modules: What to import.

    Raises:
        ModuleNotFoundError: Says how to install the extra.
    """
    for module in modules:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            raise missing_extra(extra, purpose, error.name) from error


def sentence_of(error: BaseException) -> str:
    """Return an error of the library as one sentence for people."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        module = error.name.partition(".")[0]
        for requirement in importlib.metadata.requires("tzaar-envs") or ():
            found = re.match(r"([\w-]+).*extra == [\"'](?!all)([\w-]+)", requirement)
            if found and found[1].replace("-", "_") == module:
                return str(missing_extra(found[2], "this", error.name))
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())
