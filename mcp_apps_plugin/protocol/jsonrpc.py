"""The JSON-RPC 2.0 envelope between host and view: what a message is, and how to build one.

Each side has its own id space, and both start at 0: an id says nothing without the direction, and
0 is as good an id as any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from mcp_apps_plugin.protocol.shapes import JsonObject, as_object

RequestId: TypeAlias = int | str
"""The id of a request. A boolean is none, although Python counts it among the integers."""

DENIED: Final = -32000
"""The code of a refusal on this channel, as in the specification's samples."""
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603

_MAX_ID_LENGTH: Final = 256


@dataclass(frozen=True, slots=True)
class Request:
    """A message that wants an answer. `params` is `None` when it is no object."""

    id: RequestId
    method: str
    params: JsonObject | None


@dataclass(frozen=True, slots=True)
class Notification:
    """A message that wants no answer. `params` is `None` when it is no object."""

    method: str
    params: JsonObject | None


@dataclass(frozen=True, slots=True)
class Response:
    """An answer: either `result` or `error` is an object, the other is `None`."""

    id: RequestId
    result: JsonObject | None
    error: JsonObject | None


@dataclass(frozen=True, slots=True)
class Malformed:
    """A message that is none of the above.

    Attributes:
        id: The id to answer to, or `None` where an answer would reach nobody.
        problem: What is wrong, as the end of a sentence that starts with "The message".
    """

    id: RequestId | None
    problem: str


Message: TypeAlias = Request | Notification | Response | Malformed


def classify(message: object) -> Message:
    """Tell what a message is. Takes anything and never raises."""
    body = as_object(message)
    if body is None:
        return Malformed(None, "is no object.")
    if body.get("jsonrpc") != "2.0":
        return Malformed(None, "is no JSON-RPC 2.0.")
    identifier = body.get("id")
    known_id = identifier if is_id(identifier) else None
    if "method" not in body:
        return _classify_answer(known_id, body)
    method = body["method"]
    if not isinstance(method, str):
        return Malformed(known_id, "has a `method` that is no string.")
    # An explicit null is refused by the official host too; absent means no parameters.
    params: JsonObject | None = as_object(body["params"]) if "params" in body else {}
    if "id" not in body:
        return Notification(method, params)
    if known_id is None:
        return Malformed(None, "has an `id` that is neither a string nor an integer.")
    return Request(known_id, method, params)


def _classify_answer(identifier: RequestId | None, body: JsonObject) -> Message:
    result, error = as_object(body.get("result")), as_object(body.get("error"))
    if identifier is None or (result is None) == (error is None):
        return Malformed(None, "is neither a request nor an answer.")
    return Response(identifier, result, error)


def is_id(value: object) -> bool:
    """Tell whether `value` may identify a request."""
    if isinstance(value, str):
        return len(value) <= _MAX_ID_LENGTH
    return isinstance(value, int) and not isinstance(value, bool)


def request(identifier: RequestId, method: str, params: JsonObject) -> JsonObject:
    """Build a request."""
    return {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}


def notification(method: str, params: JsonObject | None = None) -> JsonObject:
    """Build a notification. `params` is always there: some peers insist on it."""
    return {"jsonrpc": "2.0", "method": method, "params": {} if params is None else params}


def result(identifier: RequestId, value: JsonObject) -> JsonObject:
    """Build the answer to a request that went well."""
    return {"jsonrpc": "2.0", "id": identifier, "result": value}


def error(identifier: RequestId, code: int, message: str, data: Any = None) -> JsonObject:
    """Build the answer to a request that failed; `data` is left out when it is `None`."""
    body: JsonObject = {"code": code, "message": message}
    if data is not None:
        body["data"] = data
    return {"jsonrpc": "2.0", "id": identifier, "error": body}
