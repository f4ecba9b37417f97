"""Values, and the one way to read and write files: what every other subsystem stands on."""
