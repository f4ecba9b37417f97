"""A registry of skills for tests and teams: packing, an immutable store, and serving it (skill runtime, section 9)."""
