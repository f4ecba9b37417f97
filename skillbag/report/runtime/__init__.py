"""What the commands of active skills print: texts, and the records of their JSON."""
