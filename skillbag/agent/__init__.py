"""What an agent calls: tools by one definition, and the doors to them: MCP server, plugin protocol, command line."""
