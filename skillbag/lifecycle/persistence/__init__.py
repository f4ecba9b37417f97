"""Which values may be remembered: secrets, one-off values and policy."""
