"""What can go wrong with a change; all of it is of the environment, and so exit code 4."""

from __future__ import annotations


class ChangedError(OSError):
    """Something is not what it was when the change was planned; the workspace was left, or made, as it was."""


class BusyError(OSError):
    """Another process writes to the workspace, and did not end in time."""


class BadJournalError(OSError):
    """What stands in `.skillbag/transaction` was not left by us, or not by this version; nothing was touched."""


class RecoveryError(OSError):
    """A change that was begun can now be neither completed nor taken back; the next command tries again."""


class CleanUpError(OSError):
    """The change is made as a whole, but what it displaced could not be put away; the next command tries again."""
