"""What an agent reads first, and the run of a skill."""
