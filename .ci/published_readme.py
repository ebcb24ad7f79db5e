"""The README as package indexes show it."""

import re


def published(readme: str, repository: str | None) -> str:
    """Return a README whose links and pictures work outside the repository.

    Without an address of the repository, links to its files become plain text, and centred
    paragraphs, which hold the pictures, are left out.

    Args:
        readme: Markdown.
        repository: The address of the repository, `https://HOST/OWNER/NAME`, if it has one.
    """
    if not repository:
        readme = re.sub(r'<p align="center">.*?</p>\n+', "", readme, flags=re.DOTALL)
        return re.sub(r"\[([^\]]*)\]\((?!https:|#)[^)]+\)", r"\1", readme)
    readme = re.sub(r'(<img src=")(?!https:)', rf"\1{repository}/raw/main/", readme)
    return re.sub(r"(\[[^\]]*\]\()(?!https:|#)", rf"\1{repository}/blob/main/", readme)
