"""How well skills fit what the user does, and how much of them a prompt takes."""
