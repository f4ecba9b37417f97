"""The graph of skills: who needs, runs with or links to whom, and what each one costs an agent to load."""
