"""Changes of a workspace that hold together: staged, synced, journalled, swapped in by rename, recovered if need be.

`recovery.recover` is what every command calls before it reads a workspace; `writer.writing` and `journal.Transaction`
are for those that change one. How it works is told where it is done: the phases in `store`, the swap in `swap`.
"""
