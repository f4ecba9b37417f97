"""What the standard's data are: names, context blocks, declarations, parameters."""
