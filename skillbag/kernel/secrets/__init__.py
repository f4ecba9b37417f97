"""Detection of secrets in text, and of the placeholders that only look like one."""
