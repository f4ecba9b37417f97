"""Setting up: what `skillbag init` and `skillbag new` write, planned first and applied in one go."""
