"""The file system: one tracked reader and one atomic writer, both confined to a root."""
