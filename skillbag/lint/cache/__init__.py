"""What earlier checks found, kept on the disk."""
