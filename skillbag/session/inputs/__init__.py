"""Parameters, their values from each level, and what must be asked."""
