"""What every other package may use: errors, records, processes, folders of the user, files of the package."""
