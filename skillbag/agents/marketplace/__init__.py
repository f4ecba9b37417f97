"""The marketplace: sources, index, search, installation by reference."""
