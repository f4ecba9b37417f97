"""The runtime of active skills: found, triggered, permitted, run in child processes, undone."""
