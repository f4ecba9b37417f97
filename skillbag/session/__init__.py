"""The life of a session: entry, inputs, tags, order, conflicts, refresh, and what is remembered."""
