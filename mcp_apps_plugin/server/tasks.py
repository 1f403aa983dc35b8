"""Background tasks: their results and questions, as the client that asks for them sees them.

A task runs without the middleware of its server, and maybe in another process. What it returned
becomes a result when a client asks for it with `tasks/get`; so its words, its addresses and the
gates of its questions are those of that very request.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from fastmcp.server.context import Context
from fastmcp.server.dependencies import bind_request_context
from fastmcp.tools.base import ToolResult
from fastmcp.utilities.versions import VersionSpec
from mcp_types import CallToolResult
from pydantic import BaseModel

from mcp_apps_plugin.protocol.elicitation import hint, hinted_page
from mcp_apps_plugin.protocol.shapes import JsonObject, as_object
from mcp_apps_plugin.server.elicitation.declared import may_hint
from mcp_apps_plugin.server.elicitation.hints import with_hints
from mcp_apps_plugin.server.results import has_addresses, readdress
from mcp_apps_plugin.server.shaping import noticed, shape_result
from mcp_apps_plugin.server.tree import mount_of, name_below

if TYPE_CHECKING:
    from fastmcp.tools import Tool
    from mcp.server.context import CallNext, ServerRequestContext

    from mcp_apps_plugin.server.attachment import Attachment

GET: Final = "tasks/get"
"""The request that brings a task's state, its questions and its result."""


async def get_task(
    attachment: Attachment, ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> Any:
    """Answer `tasks/get`, with a result and questions that are complete.

    Args:
        attachment: Our parts on the server that was asked.
        ctx: The request.
        call_next: Asks the extension that has the tasks.
    """
    with noticed() as shaped:
        result = await call_next(ctx)
    if isinstance(result, BaseModel):
        result = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    answer = as_object(result)
    returned = as_object((answer or {}).get("result"))
    hinted = _hinted(answer or {})
    if answer is None or not (returned or hinted):
        return result
    with bind_request_context(ctx):
        async with Context(fastmcp=attachment.server) as context:
            tool = shaped[0] if shaped else await _tool_of(attachment, ctx)
            if tool is None:
                return with_hints(answer, {})
            if returned:
                made = await _completed(attachment, tool, returned, shaped=bool(shaped))
                answer = {**answer, "result": made}
            hints: dict[str, JsonObject] = {}
            if hinted and may_hint(context, attachment.server):
                hints = await _hints(attachment, tool, hinted)
            return with_hints(answer, hints)


async def _completed(
    attachment: Attachment, tool: Tool, returned: JsonObject, *, shaped: bool
) -> JsonObject:
    """Give a result its words, unless it has them, and the addresses of this server."""
    call = CallToolResult.model_validate(returned)
    result = ToolResult(
        content=call.content,
        structured_content=call.structured_content,
        meta=call.meta,
        is_error=bool(call.is_error),
    )
    made = result if shaped else shape_result(tool, result, result)
    if has_addresses(made):
        made = await readdress(made, lambda uri: _seen(attachment, tool, uri))
    if made is result:
        return returned
    call = call.model_copy(update={"content": made.content, "meta": made.meta})
    return call.model_dump(by_alias=True, mode="json", exclude_none=True)


def _hinted(answer: JsonObject) -> dict[str, str]:
    """Return the page that each question names, as its author wrote it."""
    found: dict[str, str] = {}
    for key, request in (as_object(answer.get("inputRequests")) or {}).items():
        params = as_object((as_object(request) or {}).get("params")) or {}
        uri = hinted_page(as_object(params.get("_meta")))
        if uri is not None:
            found[key] = uri
    return found


async def _hints(
    attachment: Attachment, tool: Tool, hinted: dict[str, str]
) -> dict[str, JsonObject]:
    """Name the pages of questions as this caller can read them here."""
    hints: dict[str, JsonObject] = {}
    for key, uri in hinted.items():
        seen = await _seen(attachment, tool, uri)
        if await attachment.addresses.page(seen) is not None:
            hints[key] = hint(seen)
    return hints


async def _seen(attachment: Attachment, tool: Tool, uri: str) -> str:
    """Name a page as this server does: each level below it renames it in turn, as for a call."""
    from mcp_apps_plugin.server.attachment import attachment_of  # noqa: PLC0415  it owns this

    below = mount_of(tool)
    inner = None if below is None else attachment_of(below)
    if below is not None and inner is not None:
        async with Context(fastmcp=below):
            written = await below.get_tool(name_below(tool))
        if written is not None:
            uri = await _seen(inner, written, uri)
    return await attachment.addresses.resolve(uri, tool)


async def _tool_of(attachment: Attachment, ctx: ServerRequestContext[Any, Any]) -> Tool | None:
    """Find the tool of a task, as `fastmcp-tasks` does: its back end keeps the name."""
    server = attachment.server
    task_id = (ctx.params or {}).get("taskId")
    docket: Any = getattr(server, "_docket", None)
    try:
        keys: Any = import_module("fastmcp_tasks.keys")
        scope = import_module("fastmcp_tasks.context").get_task_scope()
        async with docket.redis() as redis:
            kept = await redis.get(docket.key(f"{keys.task_redis_prefix(scope)}:{task_id}"))
        kind, _, rest = keys.parse_task_key(kept.decode())["component_identifier"].partition(":")
    except (ImportError, AttributeError, ValueError):  # another extension's tasks
        return None
    if kind != "tool":
        return None
    name, _, version = rest.rpartition("@") if "@" in rest else (rest, "", "")
    return await server.get_tool(name, VersionSpec(eq=version) if version else None)
