"""The `ui/*` dialect between host and view: method names, and what a host accepts as parameters.

The models are strict about types and lenient about unknown keys, like the official host. A model
stands only for what a *view* sends; what a host sends is built where it is sent.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import mcp_types
from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic.alias_generators import to_camel

from mcp_apps_plugin.protocol.jsonrpc import RequestId  # noqa: TC001 - pydantic reads it
from mcp_apps_plugin.protocol.shapes import as_list, as_object

DisplayMode: TypeAlias = Literal["inline", "fullscreen", "pip"]
DISPLAY_MODES: Final[tuple[DisplayMode, ...]] = get_args(DisplayMode)
"""How a view can be shown (specification: *Display Modes*)."""

SANDBOX_PREFIX: Final = "ui/notifications/sandbox-"
"""What starts so is between host and sandbox proxy alone: the proxy relays none of it."""


class Method(StrEnum):
    """Every method of the dialect. *View* and *host* name who sends it."""

    # Handshake and lifecycle.
    SANDBOX_PROXY_READY = "ui/notifications/sandbox-proxy-ready"
    SANDBOX_RESOURCE_READY = "ui/notifications/sandbox-resource-ready"
    INITIALIZE = "ui/initialize"
    INITIALIZED = "ui/notifications/initialized"
    TEARDOWN = "ui/resource-teardown"
    REQUEST_TEARDOWN = "ui/notifications/request-teardown"
    PING = "ping"
    CANCELLED = "notifications/cancelled"
    PROGRESS = "notifications/progress"
    # Host to view.
    TOOL_INPUT_PARTIAL = "ui/notifications/tool-input-partial"
    TOOL_INPUT = "ui/notifications/tool-input"
    TOOL_RESULT = "ui/notifications/tool-result"
    TOOL_CANCELLED = "ui/notifications/tool-cancelled"
    HOST_CONTEXT_CHANGED = "ui/notifications/host-context-changed"
    # View to host.
    SIZE_CHANGED = "ui/notifications/size-changed"
    OPEN_LINK = "ui/open-link"
    MESSAGE = "ui/message"
    UPDATE_MODEL_CONTEXT = "ui/update-model-context"
    REQUEST_DISPLAY_MODE = "ui/request-display-mode"
    DOWNLOAD_FILE = "ui/download-file"
    LOG = "notifications/message"
    SAMPLING = "sampling/createMessage"
    # View to host to server; the first two also host to view, for the tools of a page.
    TOOLS_CALL = "tools/call"
    TOOLS_LIST = "tools/list"
    RESOURCES_READ = "resources/read"
    RESOURCES_LIST = "resources/list"
    RESOURCE_TEMPLATES_LIST = "resources/templates/list"
    PROMPTS_LIST = "prompts/list"
    TOOLS_CHANGED = "notifications/tools/list_changed"
    RESOURCES_CHANGED = "notifications/resources/list_changed"
    PROMPTS_CHANGED = "notifications/prompts/list_changed"


class _Params(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True, strict=True
    )


class NoParams(_Params):
    """The parameters of a method that has none."""


class AppInfo(_Params):
    """Who the view says it is (`appInfo`)."""

    name: str
    version: str
    title: str | None = None


class ToolsCapability(_Params):
    """That the view offers tools itself (`appCapabilities.tools`)."""

    list_changed: bool = False


class AppCapabilities(_Params):
    """What the view can do (`appCapabilities`).

    Attributes:
        tools: Present when the view offers tools.
        available_display_modes: The modes the view supports, or `None` when it does not say.
            Names this version does not know are left out.
        elicitation: Present when the view answers `elicitation/create` (draft convention).
        experimental: Whatever else; kept as it came.
    """

    tools: ToolsCapability | None = None
    available_display_modes: tuple[DisplayMode, ...] | None = None
    elicitation: dict[str, Any] | None = None
    experimental: dict[str, Any] | None = None

    @field_validator("available_display_modes", mode="before")
    @classmethod
    def _known_modes(cls, value: object) -> object:
        given = as_list(value)
        return value if given is None else tuple(m for m in DISPLAY_MODES if m in given)


class InitializeParams(_Params):
    """`ui/initialize` (specification: *Lifecycle*). MCP's own `clientInfo` is no substitute."""

    app_info: AppInfo
    app_capabilities: AppCapabilities
    protocol_version: str


class CancelledParams(_Params):
    """`notifications/cancelled`: the sender no longer wants an answer."""

    request_id: RequestId


class SizeChangedParams(_Params):
    """`ui/notifications/size-changed`, in CSS pixels. `width` is the view's own window's."""

    width: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    height: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class OpenLinkParams(_Params):
    """`ui/open-link`."""

    url: str


class MessageParams(_Params):
    """`ui/message`. The specification draws one block, real views send a list: both are taken."""

    role: Literal["user"]
    content: list[mcp_types.ContentBlock] = Field(min_length=1)

    @field_validator("content", mode="before")
    @classmethod
    def _one_block(cls, value: object) -> object:
        block = as_object(value)
        return value if block is None else [block]


class ModelContextParams(_Params):
    """`ui/update-model-context`. Both parts absent clears what the view had set."""

    content: list[mcp_types.ContentBlock] = Field(default_factory=list[mcp_types.ContentBlock])
    structured_content: dict[str, Any] | None = None


class DisplayModeParams(_Params):
    """`ui/request-display-mode`."""

    mode: DisplayMode


class DownloadParams(_Params):
    """`ui/download-file` (draft)."""

    contents: list[
        Annotated[mcp_types.EmbeddedResource | mcp_types.ResourceLink, Field(discriminator="type")]
    ] = Field(min_length=1)


class LogParams(_Params):
    """`notifications/message`, here from view to host."""

    level: mcp_types.LoggingLevel
    data: Any = None
    logger: str | None = None


class _ServerParams(_Params):
    meta: dict[str, Any] = Field(default_factory=dict[str, Any], alias="_meta")


class CallToolParams(_ServerParams):
    """`tools/call`."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])


class ReadResourceParams(_ServerParams):
    """`resources/read`."""

    uri: str


class ListParams(_ServerParams):
    """The lists: tools, resources, resource templates, prompts."""

    cursor: str | None = None
