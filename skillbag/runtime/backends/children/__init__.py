"""The programs of child processes. They import the standard library and each other alone, never the package."""
