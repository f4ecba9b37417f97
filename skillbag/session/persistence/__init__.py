"""What is known of a value before it may be remembered: whether it is a secret, and whether it lasts."""
