"""What code takes, does and passes on, as values: units of a text, the steps of each, and the flows through them."""
