"""Both teams' servers behind one: one mounted, the other in a process of its own, proxied."""

import sys
from pathlib import Path

from energy import mcp as energy
from fastmcp import FastMCP
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

HERE = Path(__file__).parent

mcp = FastMCP("Company")
mcp.mount(energy, namespace="energy")
mcp.mount(
    create_proxy(StdioTransport(sys.executable, [str(HERE / "stocks.py")])), namespace="stocks"
)

if __name__ == "__main__":
    mcp.run()
