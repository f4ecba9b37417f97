"""Rules as values, from the index or from files."""
