"""Who may speak to the dev host: this machine, by its one name, with this start's token."""

from __future__ import annotations

from secrets import compare_digest
from typing import TYPE_CHECKING, Final

from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_WRONG_HOST: Final = "This server answers to its own address only."
_STALE: Final = (
    "This address is not, or no longer, that of the dev host. "
    "Open the one that `mcp-apps dev` printed last."
)
_FOREIGN: Final = "Another page may not ask this."
_READING: Final = ("GET", "HEAD")


class Guard:
    """Lets a request through, or answers it.

    The token is the first segment of every path: addresses relative to the page carry it along,
    it is in no cookie (cookies ignore ports, so the sandbox would be sent them) and in no
    `Referer`. The application behind sees the path without it.

    Args:
        app: The application to guard.
        host: The only `Host` it answers to, such as `127.0.0.1:8765`. A name that was bound to
            this address by someone else is another one.
        token: What every path has to start with, or `None`.
        headers: Added to every response.
        methods: The methods it answers to.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        host: str,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        methods: tuple[str, ...] = _READING,
    ) -> None:
        self._app = app
        self._host = host
        self._token = token
        self._headers = headers or {}
        self._methods = methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or socket (this is what makes it an application)."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        sending = self._with_headers(send)
        if refusal is None:
            await self._app(self._inner(scope), receive, sending)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # before it was accepted: 403
        else:
            await PlainTextResponse(refusal[1], refusal[0])(scope, receive, sending)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = _headers(scope)
        if headers.get("host") != [self._host]:
            return 421, _WRONG_HOST
        if scope["type"] == "http" and scope["method"] not in self._methods:
            return 405, "No."
        if self._token is None:
            return None
        given = scope["path"].removeprefix("/").partition("/")[0]
        if not compare_digest(given.encode(), self._token.encode()):
            return 403, _STALE
        origins = headers.get("origin", [])
        if any(origin != f"http://{self._host}" for origin in origins):
            return 403, _FOREIGN
        if scope["type"] == "websocket":
            return None if origins else (403, _FOREIGN)
        return None if _is_ours(headers) else (403, _FOREIGN)

    def _inner(self, scope: Scope) -> Scope:
        if self._token is None:
            return scope
        rest = scope["path"].removeprefix(f"/{self._token}")
        return {**scope, "path": rest, "raw_path": rest.encode()}

    def _with_headers(self, send: Send) -> Send:
        added = [(k.lower().encode(), v.encode()) for k, v in self._headers.items()]

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *added]}
            await send(message)

        return sending


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _is_ours(headers: Mapping[str, list[str]]) -> bool:
    """Whether the browser says that our own page asks, or a user who opens it."""
    site = headers.get("sec-fetch-site", ["none"])
    opened = headers.get("sec-fetch-dest") == ["document"]
    return site in (["none"], ["same-origin"]) or opened
