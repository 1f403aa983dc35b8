"""Turns a file into a `data:` URI, the only form in which a page can carry images and media."""

from __future__ import annotations

from base64 import b64encode
from typing import Final

# Written out, since the tables of the operating system differ from one machine to the next.
_TYPES: Final = {
    "apng": "image/apng",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "cur": "image/x-icon",
    "eot": "application/vnd.ms-fontobject",
    "flac": "audio/flac",
    "gif": "image/gif",
    "ico": "image/x-icon",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "json": "application/json",
    "m4a": "audio/mp4",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "ogv": "video/ogg",
    "otf": "font/otf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "ttf": "font/ttf",
    "txt": "text/plain",
    "vtt": "text/vtt",
    "wav": "audio/wav",
    "webm": "video/webm",
    "webp": "image/webp",
    "woff": "font/woff",
    "woff2": "font/woff2",
}


def media_type(name: str) -> str:
    """The media type that a file's name stands for."""
    return _TYPES.get(name.rpartition(".")[2].lower(), "application/octet-stream")


def is_font(name: str) -> bool:
    """Whether a file is a font, which the default policy of hosts does not take as `data:`."""
    kind = media_type(name)
    return kind.startswith("font/") or kind.endswith("fontobject")


def data_uri(name: str, content: bytes, fragment: str = "") -> str:
    """The file as a `data:` URI; it has no character that HTML, CSS or JavaScript cares about."""
    # The fragment is kept: `icons.svg#view` shows one view of the image.
    safe = "".join(c if c.isalnum() or c in "#-._~!$*+,;=:@/?%" else "" for c in fragment)
    return f"data:{media_type(name)};base64,{b64encode(content).decode('ascii')}{safe}"
