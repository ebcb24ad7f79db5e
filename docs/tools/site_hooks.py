"""Hooks of the site: pages that are made from files outside `docs`.

The README is the home page; CHANGELOG.md and CONTRIBUTING.md are pages too, so that none is written
twice.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
PAGES = {
    "index.md": "README.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": ".github/CONTRIBUTING.md",
}
# Links to these folders as a whole lead to one page of them.
FOLDERS = {
    "games": "black_elephant",
    "ladders": "black_elephant",
    "rules": "black_elephant",
    "tutorials": "first_episode",
}


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that lie outside `docs`."""
    for page, source in PAGES.items():
        content = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=from_root(content)))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Let links of a page to files outside `docs` lead to their pages."""
    markdown = re.sub(r"\]\(((?:\.\./)*)\.\./README\.md", r"](\1index.md", markdown)
    return markdown.replace("](../.github/CONTRIBUTING.md", "](contributing.md")


def from_root(text: str) -> str:
    """Return a text from the root of the repository, its links as seen from `docs`."""
    text = re.sub(r'(\]\(|src=")(?:\.\./)?docs/', r"\1", text)
    text = re.sub(r'height="(\d+)"', r'style="height: \1px"', text)  # the theme ignores `height`
    for folder, page in FOLDERS.items():
        text = text.replace(f"]({folder})", f"]({folder}/{page}.md)")
    text = re.sub(r"\]\((?:\.\./)?CHANGELOG.md\)", "](changelog.md)", text)
    text = text.replace("](.github/CONTRIBUTING.md)", "](contributing.md)")
    return re.sub(r"\[([^]]*)\]\((?:LICENSE|\.\./tests/README\.md)\)", r"\1", text)
