"""The tools that an agent calls, each defined once for the MCP server, the plugin protocol and the command line."""
