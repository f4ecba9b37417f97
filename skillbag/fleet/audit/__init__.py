"""The audit of many repositories: each is fetched, checked and recorded as one line, and all are summed up."""
