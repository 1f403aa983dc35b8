"""`elicit`: the one call for both eras."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar, overload

from fastmcp.server.elicitation import parse_elicit_response_type

from mcp_apps_plugin.declarations.elicits import address_of_page, asks, page_or_uri
from mcp_apps_plugin.protocol.authored import authored
from mcp_apps_plugin.protocol.findings import AppsTypeError, AppsValueError, Code
from mcp_apps_plugin.server.elicitation.asking import NO_DEFAULT, answered, default_answer
from mcp_apps_plugin.server.elicitation.errors import usage
from mcp_apps_plugin.server.elicitation.keys import call_site, question_key
from mcp_apps_plugin.server.elicitation.leg import current_leg
from mcp_apps_plugin.server.elicitation.questions import Question
from mcp_apps_plugin.server.elicitation.steps import current_step

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from fastmcp import Context
    from fastmcp.server.elicitation import (
        AcceptedElicitation,
        CancelledElicitation,
        DeclinedElicitation,
    )

    from mcp_apps_plugin.declarations.elicits import PageLike
    from mcp_apps_plugin.server.elicitation.leg import Leg

_T = TypeVar("_T")

if TYPE_CHECKING:
    _Refused = DeclinedElicitation | CancelledElicitation
    _Asked = Coroutine[Any, Any, AcceptedElicitation[_T] | _Refused]
    _Titles = dict[str, dict[str, str]]


@overload
def elicit(
    ctx: Context,
    message: str,
    response_type: type[_T],
    *,
    app: PageLike | None = None,
    key: str | None = None,
    default: Any = NO_DEFAULT,
    retries: int = 3,
    response_title: str | None = None,
    response_description: str | None = None,
) -> _Asked[_T]: ...
@overload
def elicit(
    ctx: Context,
    message: str,
    response_type: list[str] | _Titles,
    *,
    app: PageLike | None = None,
    key: str | None = None,
    default: Any = NO_DEFAULT,
    retries: int = 3,
    response_title: str | None = None,
    response_description: str | None = None,
) -> _Asked[str]: ...
@overload
def elicit(
    ctx: Context,
    message: str,
    response_type: list[list[str]] | list[_Titles],
    *,
    app: PageLike | None = None,
    key: str | None = None,
    default: Any = NO_DEFAULT,
    retries: int = 3,
    response_title: str | None = None,
    response_description: str | None = None,
) -> _Asked[list[str]]: ...
@asks
@authored(Code.ELICIT_USAGE, "elicit()", "Nobody was asked.")
def elicit(
    ctx: Context,
    message: str,
    response_type: Any,
    *,
    app: PageLike | None = None,
    key: str | None = None,
    default: Any = NO_DEFAULT,
    retries: int = 3,
    response_title: str | None = None,
    response_description: str | None = None,
) -> Coroutine[Any, Any, Any]:
    """Ask the user, from a tool, a prompt or a resource, in either era of the protocol.

    In the older era the question goes out while the handler waits. In the modern one
    (2026-07-28) the handler is ended, its request is answered with the question, and when the
    answer is there **the handler runs again from the top**: questions that have an answer return
    it at once. Keep steps that must not happen twice in `once()`.

    Questions awaited together (`asyncio.gather`, a task group) go out together.

    Experimental, as app-rendered elicitation is a draft (SEP-3118).

    Args:
        ctx: The handler's context.
        message: The question.
        response_type: The type of the answer, as `ctx.elicit` takes it: a model, a dataclass,
            a scalar, `Literal`, an enumeration, or a shorthand such as `["low", "high"]`.
        app: The page that renders the question in clients that can: its address, a function with
            `@app_resource`, or an `AppResource`. Other clients show their own form.
        key: What the question is found by when the handler runs again. Default: where it is
            asked, its text and its form; questions alike are counted.
        default: What comes back from a client that cannot ask: one of the three results, or the
            data of an accepted one. Default: an error.
        retries: How often an answer that does not fit the form is asked again.
        response_title: The label of a scalar or shorthand answer.
        response_description: Its description.

    Returns:
        An awaitable of `AcceptedElicitation` with `data`, `DeclinedElicitation` or
        `CancelledElicitation`, as `ctx.elicit` has them.

    Raises:
        AppsTypeError: Called from a sync function, out of a request's reach, inside `once`, or
            with something that is no page (`elicit-usage`).
        AppsValueError: The page's address is not allowed (`uri-invalid`), or `key` was used for
            another question of this request (`elicit-usage`).
        ElicitationError: This client cannot ask and there is no `default`
            (`elicit-unsupported`); no answer fitted the form (`elicit-answer`); the request state
            is too large, or the question is another one each time (`elicit-state`).
        TypeError: FastMCP does not take the answer's type.

    Example:
        ```python
        @mcp.tool
        async def assign(account: str, ctx: Context) -> str:
            match await elicit(ctx, f"Who looks after {account}?", Assignment, app=choose):
                case AcceptedElicitation(data=choice):
                    return f"{account} is looked after by {choice.manager}."
                case _:
                    return "Nothing was changed."
        ```
    """
    _refuse_sync()
    page = None if app is None else address_of_page(page_or_uri(app, "elicit(app=…)"))
    if app is not None and page is None:
        problem = "is given `app=` a page without an address."
        raise AppsTypeError(usage(problem, "Give the page a `ui://` address."))
    form = parse_elicit_response_type(
        response_type,
        response_title=response_title,
        response_description=response_description,
    )
    if "properties" not in form.schema:  # FastMCP lets `dict` pass, and no client takes it
        problem = f"is given `{response_type!r}`, which names no fields."
        raise AppsTypeError(
            usage(problem, "Use a dataclass or a model, or a scalar such as `str`.")
        )
    if not isinstance(retries, int):
        problem = f"is given `retries=` {retries!r}, which is no number."
        raise AppsTypeError(usage(problem, "Write how often an answer may be asked again: 3."))
    question = Question(message, form, page, max(0, retries))
    leg = _leg_of(ctx)
    if leg is None:
        return _nobody(question, default)
    if key is None:
        key = leg.next_key(question_key(call_site(2), message, form.schema))
    elif not leg.claim(key):
        problem = f"uses the key {key!r} for a second question of the same request."
        remedy = "Give each question its own key: `key=f'confirm-{item.id}'`."
        raise AppsValueError(usage(problem, remedy))
    return answered(ctx, leg, key, question, default)


def _refuse_sync() -> None:
    remedy = "Write the handler, and what calls `elicit()` in it, as `async def`."
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        problem = "is called from a sync function, which cannot wait for an answer."
        raise AppsTypeError(usage(problem, remedy)) from None
    leg = current_leg.get()
    if leg is not None and leg.loop not in (None, loop):
        problem = "is called in another event loop than its request's."
        raise AppsTypeError(usage(problem, remedy))
    step = current_step()
    if step is not None:
        problem = f"is called inside the `once` step {step!r}."
        raise AppsTypeError(usage(problem, "Ask before the step or after it."))


def _leg_of(ctx: Context) -> Leg | None:
    if ctx.is_background_task:
        problem = "is called in a background task, which has nobody to ask."
        remedy = "Return FastMCP's `InputRequiredResult` from it, or leave `task=True` out."
        raise AppsTypeError(usage(problem, remedy))
    if ctx.request_context is None:
        return None
    leg = current_leg.get()
    if leg is None:
        problem = "is called while mcp-apps-plugin is switched off for this server."
        remedy = "Call `mcp_apps_plugin.activate()`, or unset `MCP_APPS_DISABLE`."
        raise AppsTypeError(usage(problem, remedy))
    if not leg.is_open:
        problem = "is called after its request was answered."
        raise AppsTypeError(usage(problem, "Await `elicit()` in the handler."))
    return leg


async def _nobody(question: Question, default: Any) -> Any:
    return default_answer(question, default)
