"""Workspaces and other targets: their discovery, the lazy model, the lock, tree hashes, git."""
