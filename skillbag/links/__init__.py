"""Links that show `.skills/` where other agents look."""
