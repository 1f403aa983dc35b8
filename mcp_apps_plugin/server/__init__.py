"""The FastMCP side: pages and links on servers, in every list, read and call."""
