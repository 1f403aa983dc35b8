"""Pages in a real Chromium, through Playwright. Needs the extra `mcp-apps-plugin[browser]`."""
