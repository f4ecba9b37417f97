"""Documentation that skills generate (skill runtime, section 8)."""
