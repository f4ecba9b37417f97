"""The record of a session, and what has changed since."""
