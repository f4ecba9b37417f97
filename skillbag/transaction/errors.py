"""What can go wrong with a change; all of it is of the environment, and so exit code 4."""

from __future__ import annotations


class ChangedError(OSError):
    """Something is not what it was when the change was planned; the workspace was left, or made, as it was."""


class BusyError(OSError):
    """Another process writes to the workspace, and did not end in time."""


class BadJournalError(OSError):
    """The content of `.skillbag/transaction` is not from this version of this program; nothing was touched."""


class RecoveryError(OSError):
    """An interrupted change can be neither completed nor rolled back now; the next command tries again."""


class CleanUpError(OSError):
    """The change is complete, but displaced files could not be moved to the backup; the next command tries again."""
