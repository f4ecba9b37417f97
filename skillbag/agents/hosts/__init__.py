"""Active skills in agents of others: what happens there is mapped to the phases of hooks, and back."""
