"""The settings of a workspace, its tags, and the values that everything here is about."""
