"""The one base of mistakes that a user can mend, shown as one sentence, with exit code 2; and what errors say."""


class UserError(Exception):
    """What was asked for can't be done as asked; the message says why and what to do."""


def format_error(error: Exception) -> str:
    """What an error says; one of the system's begins with its file."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error)
