"""The conformance kit: cases that any implementation is driven through, and what came of them, clause by clause."""
