"""Everything that a browser can fetch, in memory: no path of a request reaches a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tzaar_envs.registry import find_spec, list_games
from tzaar_envs.render.svg import style_sheet
from tzaar_envs.web.catalogue import first_picture, rules

_FOLDER = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Asset:
    """What a path answers with.

    Attributes:
        content: bytes.
        media_type: of the content.
    """

    content: bytes
    media_type: str


def assets() -> Mapping[str, Asset]:
    """Return all assets by their paths, such as `/main.js` and `/rules/tzaar`."""
    found: dict[str, Asset] = {}
    for file in sorted(_FOLDER.iterdir()):
        if file.suffix in _TYPES:
            path = "/" if file.name == "index.html" else f"/{file.name}"
            found[path] = Asset(file.read_bytes(), _TYPES[file.suffix])
    found["/theme.css"] = Asset(style_sheet().encode(), _TYPES[".css"])
    for name in list_games():
        spec = find_spec(name)
        if page := rules(spec):
            found[f"/rules/{name}"] = Asset(page.encode(), _TYPES[".html"])
        if picture := first_picture(spec):
            found[f"/pictures/{name}"] = Asset(picture.encode(), _TYPES[".html"])
    return found
