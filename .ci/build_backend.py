"""The build backend: setuptools, with a README for package indexes."""

import tomllib
from pathlib import Path

from published_readme import published
from setuptools.build_meta import _BuildMetaBackend
from setuptools.command.egg_info import manifest_maker

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "build" / "README.md"  # where pyproject.toml expects it


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
