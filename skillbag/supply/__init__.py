"""What comes in: sources fetched and judged, skills installed, workspaces and skills begun."""
