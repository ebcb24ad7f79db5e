"""What pyproject.toml cannot say: the README and the addresses for package indexes."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent


def published(readme: str, repository: str) -> str:
    """Return a README whose links work outside the repository.

    Links to files of the repository become addresses, or plain text while there is no address.

    Args:
        readme: Markdown.
        repository: the address of the repository, or nothing.
    """

    def link(found: re.Match[str]) -> str:
        image, text, target = found.groups()
        if target.startswith(("https://", "#")):
            return found[0]
        if not repository:
            return "" if image else text
        return f"{image}[{text}]({repository}/{'raw' if image else 'blob'}/main/{target})"

    return re.sub(r"(!?)\[([^\]]*)\]\(([^)]+)\)", link, readme)


def addresses(repository: str) -> dict[str, str]:
    """Return the addresses that package indexes show."""
    if not repository:
        return {}
    return {
        "Repository": repository,
        "Documentation": f"{repository}/tree/main/docs",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    repository = project["tool"]["tzaar-envs"]["repository"]
    setup(
        long_description=published((ROOT / "README.md").read_text(encoding="utf-8"), repository),
        long_description_content_type="text/markdown",
        project_urls=addresses(repository),
    )
