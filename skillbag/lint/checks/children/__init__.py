"""Programs that `check` runs in processes of their own. They import nothing of this package."""
