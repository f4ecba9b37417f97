"""The ways in: the command line, the server for editors, the GitHub Action.

Others import:

    .  cli
"""
