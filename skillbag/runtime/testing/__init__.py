"""Test cases of active skills, and replays of what they did (skill runtime, section 13)."""
