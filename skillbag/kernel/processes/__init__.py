"""Programs as child processes: bounded in time and output, and none left behind."""
