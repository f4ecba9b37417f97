"""Which skills are there, by name, and with which tags."""
