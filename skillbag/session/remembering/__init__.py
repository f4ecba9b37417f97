"""What goes into a context file, and what is better not kept."""
