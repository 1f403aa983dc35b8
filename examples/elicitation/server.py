"""A tool that asks the user, with a page where the host has one and with a plain form elsewhere."""

import portfolio
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

from mcp_apps_plugin import AcceptedElicitation, AppResource, Csp, elicit

mcp = FastMCP("Portfolio")

assign_manager = AppResource(
    "ui://portfolio/assign-manager", html="assign.html", csp=Csp(), prefers_border=True
)


@mcp.tool
async def assign_account_manager(account: str, ctx: Context) -> str:
    """Let the user choose who looks after an account, for example Contoso or Fabrikam."""
    if not portfolio.is_account(account):
        message = f"There is no account {account!r}."
        raise ToolError(message)
    choices = {
        each.id: {"title": f"{each.name} · {each.region} · accounts: {each.accounts}"}
        for each in portfolio.managers()
    }
    answer = await elicit(
        ctx,
        f"Choose an account manager for {account}",
        choices,
        app=assign_manager,
        # The numbers may change while the user decides; it stays the same question.
        key="manager",
        response_title="Account manager",
    )
    match answer:
        case AcceptedElicitation(data=manager):
            return f"{portfolio.assign(account, manager)} now looks after {account}."
        case _:
            return f"Nobody was chosen for {account}; nothing was changed."


if __name__ == "__main__":
    mcp.run()
