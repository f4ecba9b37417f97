"""Where skills, parameters and tags are defined and used in a target, and how they are renamed."""
