"""Errors of a transaction; all are failures of the environment, so exit code 4."""

from __future__ import annotations


class ChangedError(OSError):
    """Something has changed since the transaction was planned; the workspace is as it was."""


class BusyError(OSError):
    """Another process writes to the workspace, and did not end in time."""


class BadJournalError(OSError):
    """The content of `.skillbag/transaction` is not from this version of this program; nothing was touched."""


class ForeignJournalError(BadJournalError):
    """This user has not begun the change that a journal describes; nothing was touched, and readers go on."""


class RecoveryError(OSError):
    """An interrupted change can be neither completed nor rolled back now; the next command tries again."""


class CleanUpError(OSError):
    """The change is complete, but displaced files could not be moved to the backup; the next command tries again."""
