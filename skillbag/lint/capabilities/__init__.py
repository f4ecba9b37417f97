"""What a skill does, read from its files: each fact with its places, its risk, and whether it is declared."""
