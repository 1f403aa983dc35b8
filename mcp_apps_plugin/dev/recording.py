"""A client's transport that also writes down what goes over it, in either era."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from fastmcp.client.transports import ClientTransport
from fastmcp.client.transports.base import TransportOptions

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from mcp import ClientSession
    from mcp.shared.message import SessionMessage

    from mcp_apps_plugin.dev.wire import Direction


class Record(Protocol):
    """Takes one message."""

    def __call__(
        self, direction: Direction, message: Any, headers: Mapping[str, str] | None = None
    ) -> None:
        """Write one message down."""
        ...


class RecordingTransport(ClientTransport):
    """Another transport, overheard.

    Args:
        inner: The transport that carries the messages.
        record: Told of each.
    """

    def __init__(self, inner: ClientTransport, record: Record) -> None:
        self._inner = inner
        self._record = record
        self.legacy_only = inner.legacy_only

    @asynccontextmanager
    async def connect_session(
        self, *, transport_options: TransportOptions | None = None, **session_kwargs: Any
    ) -> AsyncGenerator[ClientSession, None]:
        """Connect; see `ClientTransport`."""
        options = transport_options or TransportOptions()
        # The session reads and writes two streams: the one place where all messages pass as
        # messages, whatever the transport makes of them.
        heard = replace(options, session_class=_overheard(options.session_class, self._record))
        async with self._inner.connect_session(
            transport_options=heard, **session_kwargs
        ) as session:
            yield session

    async def close(self) -> None:
        """Close the transport."""
        await self._inner.close()  # type: ignore[no-untyped-call]


def _overheard(session: type[ClientSession], record: Record) -> type[ClientSession]:
    def make(read: Any, write: Any, **options: Any) -> ClientSession:
        heard: tuple[Any, Any] = _Read(read, record), _Write(write, record)
        return session(*heard, **options)

    return cast("type[ClientSession]", make)  # it is called, and nothing else


class _Stream:
    def __init__(self, inner: Any, record: Record) -> None:
        self._inner = inner
        self._record = record

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def __aenter__(self) -> Any:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *failure: object) -> Any:
        return await self._inner.__aexit__(*failure)

    def _note(self, direction: Direction, item: SessionMessage | Exception) -> None:
        if not isinstance(item, Exception):
            message = item.message.model_dump(mode="json", by_alias=True, exclude_unset=True)
            self._record(direction, message, getattr(item.metadata, "headers", None))


class _Read(_Stream):
    def __aiter__(self) -> _Read:
        return self

    async def __anext__(self) -> Any:
        item = await self._inner.__anext__()
        self._note("in", item)
        return item

    async def receive(self) -> Any:
        item = await self._inner.receive()
        self._note("in", item)
        return item


class _Write(_Stream):
    async def send(self, item: Any) -> None:
        self._note("out", item)
        await self._inner.send(item)
