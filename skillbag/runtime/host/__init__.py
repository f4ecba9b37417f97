"""What skills may ask of their host, each function behind the broker (skill runtime, sections 5 and 7.2)."""
