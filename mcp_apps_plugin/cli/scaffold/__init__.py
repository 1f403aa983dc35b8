"""What `mcp-apps new` makes: a name, and the files of a project."""
