"""The window's own files: read once, served as they are."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Final

from starlette.responses import Response

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from starlette.requests import Request

_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


class StaticFiles:
    """The files of the package's `static` folder, by name."""

    def __init__(self) -> None:
        root = resources.files(__name__.rpartition(".")[0]) / "static"
        self._files = dict(_files(root, ""))

    async def answer(self, request: Request) -> Response:
        """Answer with a file: an exact name, or nothing."""
        name = request.path_params.get("name") or "index.html"
        body = self._files.get(name)
        if body is None:
            return Response(status_code=404)
        return Response(body, media_type=_TYPES[name.rpartition(".")[2]])


def _files(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for item in folder.iterdir():
        if item.is_dir():
            found += _files(item, f"{prefix}{item.name}/")
        elif item.name.rpartition(".")[2] in _TYPES:
            found.append((prefix + item.name, item.read_bytes()))
    return found
