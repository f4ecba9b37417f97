"""The user's settings of sources and personal skills."""
