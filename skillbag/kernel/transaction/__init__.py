"""Transactions on a workspace: staged, synced, journalled, swapped in by renames, recovered after a crash.

Every command calls `recovery.recover` before it reads a workspace; those that change one use `writer.writing` and
`journal.Transaction`. `store` documents the phases, `swap` the swap.
"""
