"""Files that a page hands to the user: names made safe, contents decoded."""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

import mcp_types

from mcp_apps_plugin.host.links import link_problem
from mcp_apps_plugin.host.refusals import Reason, RefusedError
from mcp_apps_plugin.protocol import jsonrpc

if TYPE_CHECKING:
    from mcp_apps_plugin.protocol.messages import DownloadParams

DEFAULT_NAME: Final = "download"
"""The name of a file whose own name says nothing."""

_MAX_NAME_BYTES: Final = 200
_DEVICES: Final = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """One file that a page wants the user to have. Not yet written, not yet agreed to.

    Attributes:
        name: A name for it: no folder, nothing hidden, no device, at most 200 bytes.
        mime_type: Its type as the page says, or `None`.
        data: The contents, or `None` for a link.
        url: Where to get it (`https` or `http`), or `None` when `data` is there.
    """

    name: str
    mime_type: str | None
    data: bytes | None = None
    url: str | None = None


def downloads_of(params: DownloadParams) -> tuple[Download, ...]:
    """Read `ui/download-file`.

    Raises:
        RefusedError: A `blob` is no base64, or a link leads where no download may come from.
    """
    return tuple(_download(item) for item in params.contents)


def _download(item: mcp_types.EmbeddedResource | mcp_types.ResourceLink) -> Download:
    if isinstance(item, mcp_types.ResourceLink):
        url = str(item.uri)
        problem = link_problem(url, ("https", "http"))
        if problem:
            raise RefusedError(Reason.LINK, f"The link to download {problem}")
        return Download(name=file_name(item.name or url), mime_type=item.mime_type, url=url)
    resource = item.resource
    if isinstance(resource, mcp_types.TextResourceContents):
        data = resource.text.encode()
    else:
        try:
            data = base64.b64decode(resource.blob, validate=True)
        except (binascii.Error, ValueError):
            message = "`blob` is no base64."
            raise RefusedError(Reason.INVALID_PARAMS, message, jsonrpc.INVALID_PARAMS) from None
    return Download(name=file_name(str(resource.uri)), mime_type=resource.mime_type, data=data)


def file_name(uri: str) -> str:
    """Derive a safe file name from the last segment of a URI, as the draft asks.

    Args:
        uri: What a page sent, for example `"file:///export.json"`.

    Returns:
        A name without separators, control and direction characters, leading dots or Windows'
        reserved names; `"download"` when nothing is left.
    """
    try:
        path = urlsplit(uri).path or uri
    except ValueError:
        path = uri
    # Once more after decoding: %2F and %5C are separators to whoever writes the file.
    name = re.split(r"[/\\]", unquote(path).rstrip("/\\"))[-1]
    name = unicodedata.normalize("NFC", name)
    name = "".join(c for c in name if unicodedata.category(c)[0] != "C")
    name = re.sub(r'[<>:"|?*\s]+', " ", name).strip(" .")
    if not name or _DEVICES.fullmatch(name):
        return DEFAULT_NAME
    return _shorten(name)


def _shorten(name: str) -> str:
    """Cut to what file systems take, keeping the extension."""
    if len(name.encode()) <= _MAX_NAME_BYTES:
        return name
    stem, dot, extension = name.rpartition(".")
    if not dot or len(extension.encode()) > _MAX_NAME_BYTES // 4:
        stem, dot, extension = name, "", ""
    room = _MAX_NAME_BYTES - len((dot + extension).encode())
    return stem.encode()[:room].decode(errors="ignore").rstrip() + dot + extension
