"""`skillbag agent mcp`: the tools, the skills and their files over the Model Context Protocol, by its official SDK.

Only the command imports this package: the SDK takes about as long to import as everything else together. `greeting`
answers a client meanwhile.
"""
