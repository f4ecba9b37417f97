"""`skillbag mcp`: the tools, the skills and their files over the Model Context Protocol, by its official SDK.

Nothing here is imported before the command runs: the SDK takes about as long to import as everything else together.
"""
