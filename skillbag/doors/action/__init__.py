"""What the GitHub Action does besides the check: which commit to compare with, and comments on a pull request.

`python -m skillbag.doors.action` runs it. What it reads of the checked repository and of the pull request is untrusted.
"""
