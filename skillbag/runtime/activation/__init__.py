"""Active skills: activated with what they need, called, and undone."""
