"""The one base of mistakes that a user can mend: shown as one sentence, with exit code 2."""


class UserError(Exception):
    """What was asked for can't be done as asked; the message says why and what to do."""
