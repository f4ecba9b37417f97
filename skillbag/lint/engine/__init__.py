"""From a request to its result: plan, lint, fix, watch."""
