"""What the dev host and the server's process agree on: the order, and how the port is opened."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY_HEADER: Final = "x-mcp-apps-dev"
"""The header that opens the server's port: no other program and no page may use it."""

PATH: Final = "/mcp"

FRESH_PATH: Final = "/pages"
"""Where the process is told which files of pages have changed."""

Concern: TypeAlias = Literal["nothing", "pages", "server"]
"""What a change of such files is to the process: nothing, pages that it has built anew by now, or
something that only a new start takes in."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a server's process is to run.

    Attributes:
        spec: What the user named: a file, or the URL of a server to stand in for.
        secret: What opens the process's port.
        namespace: The name to mount the server under; empty for none.
        headers: What the server asks of every request.
    """

    spec: str
    secret: str = field(repr=False)
    namespace: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    @property
    def is_url(self) -> bool:
        """Whether the server runs elsewhere, and was named by its URL."""
        return "://" in self.spec

    def to_text(self) -> str:
        """Return it as it is told to the process: one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> Order:
        """Read what a process was told."""
        return cls(**json.loads(text))
