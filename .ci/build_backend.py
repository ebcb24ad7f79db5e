"""The build backend: setuptools, with a README for package indexes."""

import re
import tomllib
from pathlib import Path

from setuptools.build_meta import _BuildMetaBackend
from setuptools.command.egg_info import manifest_maker

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "build" / "README.md"  # where pyproject.toml expects it


def published(readme: str, repository: str | None) -> str:
    """Return a README whose links and pictures work outside the repository.

    Without an address of the repository, links to its files become plain text, and centred
    paragraphs, which hold the pictures, are left out.

    Args:
        readme: Markdown.
        repository: the address of the repository, `https://HOST/OWNER/NAME`, if it has one.
    """
    if not repository:
        readme = re.sub(r'<p align="center">.*?</p>\n+', "", readme, flags=re.DOTALL)
        return re.sub(r"\[([^\]]*)\]\((?!https:|#)[^)]+\)", r"\1", readme)
    readme = re.sub(r'(<img src=")(?!https:)', rf"\1{repository}/raw/main/", readme)
    return re.sub(r"(\[[^\]]*\]\()(?!https:|#)", rf"\1{repository}/blob/main/", readme)


class Backend(_BuildMetaBackend):
    """Setuptools, which writes the README first."""

    def run_setup(self, setup_script: str = "setup.py") -> None:
        """Do what every hook of setuptools does."""
        pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        repository = pyproject["project"].get("urls", {}).get("Repository")
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        PUBLISHED.parent.mkdir(exist_ok=True)
        PUBLISHED.write_text(published(readme, repository), encoding="utf-8")
        super().run_setup(setup_script)


manifest_maker.template = ".ci/MANIFEST.in"
backend = Backend()
