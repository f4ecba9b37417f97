"""The user's personal skills."""
