"""What is on the wire of MCP Apps: constants, strict models, pure functions.

Imports nothing else of this package and nothing of FastMCP's server.
"""
