"""Running scripts of skills, bounded in time, output and environment."""
