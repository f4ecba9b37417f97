"""The runtime that a door holds, and going on with it: in another process, after edits, after withdrawals."""
