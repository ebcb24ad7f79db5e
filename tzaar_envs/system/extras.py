"""Optional dependencies: one clear sentence when one is missing."""

import importlib


def missing_extra(extra: str, purpose: str, module: str | None) -> ModuleNotFoundError:
    """Return the error to raise where an extra is not installed.

    Args:
        extra: its name in `pyproject.toml`.
        purpose: what needs it.
        module: the module that was not found.
    """
    return ModuleNotFoundError(
        f"{purpose} needs the extra {extra!r} ({module} is not installed): "
        f'pip install "tzaar-envs[{extra}]"'
    )


def require_extra(extra: str, purpose: str, *modules: str) -> None:
    """Import modules that an extra installs.

    Args:
        extra: its name in `pyproject.toml`.
        purpose: what needs it, for the message.
        *modules: what to import.

    Raises:
        ModuleNotFoundError: says how to install the extra.
    """
    for module in modules:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            raise missing_extra(extra, purpose, error.name) from error
