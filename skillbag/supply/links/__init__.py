"""Links to the skills in the folders where other agents look."""
