"""The `mcp-apps` command."""
