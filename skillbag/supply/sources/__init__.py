"""Where skills come from: addresses, git, HTTP, archives and folders, fetched and checked."""
