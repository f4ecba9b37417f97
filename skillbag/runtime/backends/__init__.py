"""What runs the code of active skills: child processes behind one protocol."""
