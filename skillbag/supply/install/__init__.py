"""Installing: sources are fetched, resolved and verified before anything is written, then swapped in as one."""
