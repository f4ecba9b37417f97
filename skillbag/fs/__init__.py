"""The file system: one tracked reader, one atomic writer, both held to a root."""
