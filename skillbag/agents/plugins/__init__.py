"""The executable plugin protocol, from both sides."""
