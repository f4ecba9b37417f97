"""Many repositories checked alike: each fetched, checked and recorded as one line, and what is common to all told."""
