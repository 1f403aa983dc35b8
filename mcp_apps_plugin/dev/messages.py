"""What the window may say to the dev host over its socket: nothing else is listened to."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.alias_generators import to_camel

from mcp_apps_plugin.protocol.messages import DISPLAY_MODES, DisplayMode


class _Said(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class Surroundings(_Said):
    """What a page is told about where it stands.

    Attributes:
        theme: The theme.
        locale: A BCP 47 language tag.
        time_zone: An IANA time zone.
        display_mode: How the page is shown.
        dimensions: `containerDimensions` as on the wire.
        touch: Whether there is a touch screen.
        hover: Whether there is a pointer that hovers.
    """

    theme: Literal["light", "dark"] = "light"
    locale: str = "en-US"
    time_zone: str = "UTC"
    display_mode: DisplayMode = DISPLAY_MODES[0]
    dimensions: dict[str, float] = Field(default_factory=dict[str, float])
    touch: bool = False
    hover: bool = True


class Connect(_Said):
    """Connect as such a client; what was open is closed.

    Attributes:
        era: `legacy` begins with `initialize`; `modern` asks the server what it speaks.
        apps: Whether the client declares MCP Apps, and shows pages.
        elicitation: Whether pages may render questions.
    """

    type: Literal["connect"]
    era: Literal["modern", "legacy"] = "modern"
    apps: bool = True
    elicitation: bool = True


class Mount(_Said):
    """Start the server anew, mounted under a name, or under none."""

    type: Literal["mount"]
    namespace: str = Field(default="", pattern=r"^[A-Za-z0-9_-]{0,40}$")


class Restart(_Said):
    """Start the server anew."""

    type: Literal["restart"]


class Run(_Said):
    """Call a tool and show its page; with `result`, show that one and call nothing."""

    type: Literal["run"]
    tool: str
    arguments: dict[str, Any]
    surroundings: Surroundings
    result: dict[str, Any] | None = None


class Cancel(_Said):
    """Cancel the call."""

    type: Literal["cancel"]


class Close(_Said):
    """Tear the page down."""

    type: Literal["close"]


class Allow(_Said):
    """Let pages read resources of another scheme, until the window is closed."""

    type: Literal["allow"]
    scheme: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9+.-]{0,60}$")


class FromView(_Said):
    """A page's frame said something; `None` when it was nothing that JSON has words for."""

    type: Literal["view"]
    view: int
    message: Any = None


class Surround(_Said):
    """The surroundings of the pages changed."""

    type: Literal["surround"]
    surroundings: Surroundings


class Answer(_Said):
    """The user's answer to a question; `None` when the question was dismissed."""

    type: Literal["answer"]
    question: int
    value: dict[str, Any] | None = None


class Body(_Said):
    """Send the whole text of a recorded message."""

    type: Literal["body"]
    number: int


class Forget(_Said):
    """Drop the recorded messages."""

    type: Literal["forget"]


class CallAppTool(_Said):
    """Call a tool that the page itself offers."""

    type: Literal["app_tool"]
    name: str
    arguments: dict[str, Any]


Said: TypeAlias = Annotated[
    Connect
    | Mount
    | Restart
    | Run
    | Cancel
    | Close
    | Allow
    | FromView
    | Surround
    | Answer
    | Body
    | Forget
    | CallAppTool,
    Field(discriminator="type"),
]

_SAID: Final[TypeAdapter[Said]] = TypeAdapter(Said)


def read_said(text: str) -> Said:
    """Read one message of the window.

    Raises:
        pydantic.ValidationError: It is none.
    """
    return _SAID.validate_json(text)
