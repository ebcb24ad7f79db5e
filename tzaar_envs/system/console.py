"""A console that shows texts from outside as they are."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from tzaar_envs.system.terminal import printable


class SafeConsole(Console):
    """A console on which the control characters of a text do nothing, but are shown.

    Names of agents, messages of programs and texts in files may hold them.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render what is printed; the segments of rich itself stay."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))
