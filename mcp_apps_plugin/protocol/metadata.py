"""The `_meta.ui` objects of tools and pages, as strict models.

The names on the wire are those of the specification (`McpUiToolMeta`, `McpUiResourceMeta`);
unknown keys are refused, nulls never leave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic.alias_generators import to_camel

from mcp_apps_plugin.protocol.authored import calling_place, placed
from mcp_apps_plugin.protocol.csp import origin_problem
from mcp_apps_plugin.protocol.findings import (
    AppsTypeError,
    AppsValueError,
    Code,
    Finding,
    did_you_mean,
    sentence,
)
from mcp_apps_plugin.protocol.shapes import as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class _WireModel(BaseModel):
    """A frozen model in snake case, with camel case on the wire and errors in our words."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        strict=True,
        defer_build=True,  # a third of what the decorators cost to import
    )

    _code: ClassVar[Code]
    _consequence: ClassVar[str]
    _remedy: ClassVar[str]

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            wrong = AppsValueError(*self._explain(error))
            raise placed(wrong, calling_place(direct=True)) from None

    @classmethod
    def _explain(cls, error: ValidationError) -> list[Finding]:
        return [
            Finding(
                code=cls._code,
                subject=f"{cls.__name__} {'.'.join(str(part) for part in item['loc'])}".rstrip(),
                problem=_sentence(item),
                consequence=cls._consequence,
                remedy=cls._remedy_for(item["type"], item["loc"]),
            )
            for item in error.errors(include_url=False)
        ]

    @classmethod
    def _remedy_for(cls, kind: str, location: tuple[int | str, ...]) -> str:
        if kind == "bool_type":
            return "Write `True` or `False`, or leave it out."
        if kind != "extra_forbidden":
            return cls._remedy
        hint = did_you_mean(location[-1], cls.model_fields).lstrip()
        return hint or f"The fields are {cls._fields()}."

    def to_wire(self) -> dict[str, Any]:
        """Return the object as it stands in JSON: camel case, without nulls."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    @classmethod
    def coerce(cls, value: Self | BaseModel | Mapping[str, Any] | None) -> Self:
        """Make one from a model of the same shape (FastMCP's own too), a mapping, or nothing.

        Raises:
            AppsTypeError: It is nothing of these.
            AppsValueError: A key or a value is not allowed.
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, BaseModel):
            value = value.model_dump(exclude_none=True)
        if value is not None and as_object(value) is None:
            raise AppsTypeError(
                Finding(
                    code=cls._code,
                    subject=cls.__name__,
                    problem=f"is given `{value}`, which is no object of named fields.",
                    consequence=cls._consequence,
                    remedy=f"Write `{cls.__name__}(…)` with {cls._fields()}.",
                )
            )
        return cls(**(value or {}))

    @classmethod
    def _fields(cls) -> str:
        return ", ".join(f"`{name}`" for name in cls.model_fields)


class Csp(_WireModel):
    """The origins a page may use (`_meta.ui.csp`). Every entry is an origin: no path, no keyword.

    Attributes:
        connect_domains: For `fetch`, XHR and WebSocket (`connect-src`).
        resource_domains: For scripts, styles, images, fonts and media. Grants script execution.
        frame_domains: For nested frames (`frame-src`).
        base_uri_domains: For `<base href>` (`base-uri`).

    Raises:
        AppsValueError: An entry is no origin, or a field is unknown (`csp-invalid`).
    """

    _code = Code.CSP_INVALID
    _consequence = "A host would drop or misread the policy and block what the page needs."
    _remedy = "Write each as scheme, host and port, for example `https://api.example.com`."

    connect_domains: tuple[str, ...] = ()
    resource_domains: tuple[str, ...] = ()
    frame_domains: tuple[str, ...] = ()
    base_uri_domains: tuple[str, ...] = ()

    if TYPE_CHECKING:  # lists become tuples; without this, checkers would refuse a list

        def __init__(
            self,
            *,
            connect_domains: Sequence[str] = (),
            resource_domains: Sequence[str] = (),
            frame_domains: Sequence[str] = (),
            base_uri_domains: Sequence[str] = (),
        ) -> None: ...

    @field_validator("*", mode="before")
    @classmethod
    def _origins(cls, entries: object) -> tuple[str, ...]:
        ordered = as_list(entries)
        if ordered is None:
            message = f"`{entries}` stands where a list of origins is expected."
            raise ValueError(message)
        problems = [f"`{entry}` {said}" for entry in ordered if (said := origin_problem(entry))]
        if problems:
            raise ValueError(" ".join(problems))
        return tuple(dict.fromkeys(ordered))


class Permissions(_WireModel):
    """What a page asks the host to allow in its frame (`_meta.ui.permissions`).

    Each is `True`, `False`, or FastMCP's `{}` for `True`. Hosts may refuse any of them: detect
    features in the page.

    Raises:
        AppsValueError: A field is unknown or no boolean (`permissions-invalid`).
    """

    _code = Code.PERMISSIONS_INVALID
    _consequence = "A host would ignore the whole object."
    _remedy = "Write `True` for each permission that the page needs."

    camera: bool = False
    microphone: bool = False
    geolocation: bool = False
    clipboard_write: bool = False

    @field_validator("*", mode="before")
    @classmethod
    def _flag(cls, value: object) -> object:
        return True if value == {} and isinstance(value, dict) else value

    def to_wire(self) -> dict[str, Any]:
        """Return the object as it stands in JSON: `{}` for each permission asked for."""
        return {
            to_camel(name): {} for name in type(self).model_fields if getattr(self, name) is True
        }


class ResourceUi(_WireModel):
    """The options of a page (`_meta.ui` of a resource). On the wire `csp` is always explicit.

    Attributes:
        csp: The origins the page may use.
        permissions: What the page asks the host to allow.
        domain: A host-specific origin for the sandbox; omit unless a host's documentation asks.
        prefers_border: `True` or `False`, or `None` to let the host decide.

    Raises:
        AppsValueError: A field is unknown or has the wrong type.
    """

    _code = Code.PAGE_OPTION_INVALID
    _consequence = "A host would refuse or ignore the page's options."
    _remedy = "Leave the option out unless a host's documentation asks for it."

    csp: Csp = Field(default_factory=Csp)
    permissions: Permissions = Field(default_factory=Permissions)
    domain: str | None = None
    prefers_border: bool | None = None

    def __init__(self, /, **data: Any) -> None:
        # Outside the model's own validation, so that an error keeps its words.
        for name, kind in (("csp", Csp), ("permissions", Permissions)):
            if name in data:
                data[name] = kind.coerce(data[name])
        super().__init__(**data)

    @field_validator("domain")
    @classmethod
    def _domain(cls, value: str | None) -> str | None:
        if value is not None and (not value or any(c.isspace() or c in "'\";," for c in value)):
            message = f"`{value}` is empty or has characters that no domain has."
            raise ValueError(message)
        return value

    def filled(self, default: ResourceUi) -> ResourceUi:
        """Return these options, with `default` where they are open: per list of origins."""
        origins = {
            name: getattr(self.csp, name) or getattr(default.csp, name) for name in Csp.model_fields
        }
        asked = self.permissions if self.permissions.to_wire() else default.permissions
        border = default.prefers_border if self.prefers_border is None else self.prefers_border
        domain = self.domain or default.domain
        return ResourceUi(csp=origins, permissions=asked, domain=domain, prefers_border=border)

    def to_wire(self) -> dict[str, Any]:
        """Return the object as it stands in JSON; `permissions` only where one is asked for."""
        wire: dict[str, Any] = {"csp": self.csp.to_wire()}
        permissions = self.permissions.to_wire()
        if permissions:
            wire["permissions"] = permissions
        if self.domain is not None:
            wire["domain"] = self.domain
        if self.prefers_border is not None:
            wire["prefersBorder"] = self.prefers_border
        return wire


def _sentence(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return "is no such field."
    text: str = error["msg"].removeprefix("Value error, ")
    if error["type"] != "value_error":  # ours name what they were given
        text = f"is given `{error['input']!r}`: {text[:1].lower()}{text[1:]}"
    return text if text.endswith(".") else sentence(f"{text[:1].lower()}{text[1:]}")
