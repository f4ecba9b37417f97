"""What an agent calls and is given: tools, servers, hooks of hosts, and the user's skills and settings."""
