"""What skills can do, as text, Markdown, JSON and a bill of materials."""
