"""Changes of a workspace that hold together: staged, synced, journalled, swapped in by rename, recovered if need be.

`recovery.recover` is what every command calls before it reads a workspace; `writer.writing` and `journal.Transaction`
are for those that change one. `store` documents the phases, `swap` the swap.
"""
