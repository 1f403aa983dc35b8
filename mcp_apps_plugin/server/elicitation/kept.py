"""Results that have to survive from one leg to the next, as JSON and back."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

from fastmcp.prompts import Message, PromptResult
from fastmcp.prompts.base import InputRequiredPromptResult
from fastmcp.resources import ResourceResult
from fastmcp.resources.base import InputRequiredResourceResult, ResourceContent
from fastmcp.tools.base import InputRequiredToolResult, ToolResult
from mcp_types import ContentBlock, PromptMessage
from pydantic import TypeAdapter

if TYPE_CHECKING:
    from mcp_apps_plugin.protocol.shapes import JsonObject

_ASKING: Final = InputRequiredToolResult | InputRequiredPromptResult | InputRequiredResourceResult
_ANSWERS: Final = frozenset((ToolResult, PromptResult, ResourceResult))
_BLOCKS: Final[TypeAdapter[list[ContentBlock]]] = TypeAdapter(list[ContentBlock])


def asks(result: object) -> bool:
    """Tell whether a result asks the client; cheaper than `isinstance` where it does not."""
    return type(result) not in _ANSWERS and isinstance(result, _ASKING)


def kept(result: Any) -> JsonObject:
    """Write a result of FastMCP's as JSON.

    Args:
        result: The result of a tool, a prompt or a resource.
    """
    if isinstance(result, ToolResult):
        return {
            "content": _BLOCKS.dump_python(
                result.content, mode="json", by_alias=True, exclude_none=True
            ),
            "structured": result.structured_content,
            "error": result.is_error,
            "meta": result.meta,
        }
    if isinstance(result, PromptResult):
        return {
            "messages": [
                each.to_mcp_prompt_message().model_dump(
                    mode="json", by_alias=True, exclude_none=True
                )
                for each in result.messages
            ],
            "description": result.description,
            "meta": result.meta,
        }
    return {"contents": [_item(each) for each in result.contents], "meta": result.meta}


def restored(method: str | None, json: JsonObject) -> Any:
    """Read a result back.

    Args:
        method: The request it answered.
        json: What `kept` wrote.
    """
    meta = json["meta"]
    match method:
        case "tools/call":
            # Made without a check: a proxied result's structure need not be an object.
            return ToolResult.model_construct(
                content=_BLOCKS.validate_python(json["content"]),
                structured_content=json["structured"],
                is_error=json["error"],
                meta=meta,
            )
        case "prompts/get":
            read = [PromptMessage.model_validate(each) for each in json["messages"]]
            messages = [Message(each.content, role=each.role) for each in read]
            return PromptResult(messages, description=json["description"], meta=meta)
        case _:
            contents = [
                ResourceContent(
                    base64.b64decode(each["blob"]) if "blob" in each else each["text"],
                    mime_type=each["type"],
                    meta=each["meta"],
                )
                for each in json["contents"]
            ]
            return ResourceResult(contents, meta=meta)


def _item(item: ResourceContent) -> JsonObject:
    told: JsonObject = {"type": item.mime_type, "meta": item.meta}
    if isinstance(item.content, bytes):
        return {**told, "blob": base64.b64encode(item.content).decode("ascii")}
    return {**told, "text": item.content}
