"""Finding a question again when its handler runs once more from the top.

A question is where it is asked, what it asks, and how many times that was asked before. What it
asks belongs to it because a loop may run in another order the next time: then each answer still
reaches the question it was given to, and a question that changed is asked again.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def call_site(depth: int) -> str:
    """Name the line that called, the same in every process that runs the same code.

    Args:
        depth: How many frames above the caller of this function it is.
    """
    frame = sys._getframe(depth + 1)  # noqa: SLF001  the documented way to a caller's line
    code = frame.f_code
    # Counted from the function's first line, so that edits elsewhere in the file do not matter.
    line = frame.f_lineno - code.co_firstlineno
    return f"{frame.f_globals.get('__name__')}:{code.co_qualname}:{line}"


def question_key(site: str, message: str, schema: Mapping[str, Any]) -> str:
    """Return the key of a question without its ordinal.

    It goes to the client, so it tells nothing of the code but the handler's name.
    """
    name = re.sub(r"\W", "", site.split(":")[1].rpartition(".")[2]) or "question"
    return f"{name}-{_digest(site, message, schema)}"


def call_identity(server: str, method: str | None, message: Any) -> str:
    """Return what tells a call that a handler makes from its other calls; cheap, as all have one.

    Args:
        server: The name of the server that is called.
        method: The request, as `tools/call`.
        message: Its parameters.
    """
    # A server without a name of its own gets another ending in each process.
    name = re.sub(r"-[0-9a-f]{4}$", "", server)
    if method == "resources/read":
        return f"{name} {method} {message.uri}"
    return f"{name} {method} {message.name} {message.arguments!r}"


def call_key(identity: str) -> str:
    """Return the key of a call; it goes to the client, so it tells nothing of the call.

    Args:
        identity: What tells the call from others, with its ordinal.
    """
    return f"call-{_digest(identity)}"


def _digest(*parts: Any) -> str:
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.blake2s(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
