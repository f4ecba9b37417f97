"""Whether a literal at an offset may be a source: what stands beside it."""

from __future__ import annotations


def takes_all(text: str, at: int) -> bool:
    """Whether the word for the environment at an offset may stand for all of it, and not for one variable."""
    if text.startswith("set", at):
        return not (text[at - 1 : at].isalnum() or text[at - 1 : at] in ("_", "-", "."))
    if text.startswith("ENV.", at):
        return not text.startswith(("fetch", "key", "include", "has", "delete", "store"), at + 4)
    if text.startswith("{env", at):
        return "process" in text[at : at + 40]
    for name in ("process.env", "process?.env", "Bun.env", "environ"):
        if text.startswith(name, at):
            after = text[at + len(name) : at + len(name) + 12]
            one = (
                (".get(", ".pop(", ".setdefault", '["', "['", "?.", ".getenv")
                if name == "environ"
                else (".", '["', "['", "?.")
            )
            if name == "environ" and after.startswith((".get(", "[")):
                return _is_computed(text, at + len(name) + len(".get(" if after[0] == "." else "["))
            return not (after[:1].isalpha() or after[:1] == "_" or after.startswith(one))
    if text.startswith("getenv(", at):
        return text.startswith(")", at + 7) or _is_computed(text, at + 7)
    if text.startswith(("{env", "{ env"), at):
        return "process" in text[at : at + 80]
    if text.startswith(_NAMED, at):
        return _is_started(text, at)
    if text.startswith("(env)", at):
        return not text[max(0, at - 1) : at].isalnum()
    if text.startswith("nv:", at):
        return (
            text[max(0, at - 16) : at]
            .lower()
            .rstrip("e")
            .rstrip()
            .endswith(("childitem", "gci", "dir", "ls", "-path", "item"))
        )
    return True


_NAMED = ("'env'", '"env"', "env')", 'env")')
_KEYS = ("get(", "pop(", "setdefault(", "getenv(", "/", "==", "!=")
_STARTING = ("subprocess", "child_process", "popen", "Popen", "system(", "exec", "spawn", "Command(", "sh(")


def _is_started(text: str, at: int) -> bool:
    """Whether the name of the program may be a command, and no key or folder: `["env"]`, `execSync("sudo env")`."""
    if text[at] == "e":
        return text[at - 1 : at] == " " or text.endswith("bin/", 0, at)
    before, after = text[max(0, at - 200) : at].rstrip(), text[at + 5 : at + 10].lstrip()
    if "process" in before.replace("subprocess", ""):
        return True
    is_key = before[-1:] == "[" and (before[-2:-1].isalnum() or before[-2:-1] in (")", "]", "_"))
    if is_key or before.endswith(_KEYS) or after.startswith((":", "in ", "==")):
        return False
    return any(word in text for word in _STARTING)


def _is_computed(text: str, at: int) -> bool:
    """Whether the name of a variable is no constant: it may be one of many."""
    return text[at : at + 1].isalpha() and text[at : at + 2] not in ("f'", 'f"', "b'", 'b"')


def always(text: str, at: int) -> bool:
    """For literals that say enough by themselves."""
    return True


def is_secret_name(text: str, at: int) -> bool:
    """Whether a literal at an offset may be a part of the path of a secret file."""
    before = text[max(0, at - 60) : at]
    if text.startswith(".env", at):
        after = text[at + 4 : at + 5]
        return (not before or before[-1] in "/\\\"'@ =<`") and not (after.isalnum() or after in ("_", "."))
    if text.startswith(("Cookies", "Local State", "Web Data"), at):
        return before[-1:] in ("/", "\\", '"', "'")
    if text.startswith("eychain", at):
        return any(word in before[-24:].lower() for word in ("library", "login.", "dump-", "security"))
    if text.startswith("_history", at):
        return before.endswith((".bash", ".zsh", ".python", ".psql", ".mysql"))
    if text.startswith("keystore", at):
        return "." in before[-12:]
    if text.startswith("gcloud", at):
        return before[-1:] in ("/", "\\", '"', "'") or text[at + 6 : at + 7] in ("/", "\\", '"', "'")
    for name in (".aws", ".ssh", ".gnupg", ".docker", ".kube", ".azure", "solana", "Exodus"):
        if text.startswith(name, at):
            after = text[at + len(name) : at + len(name) + 1]
            return not (after.isalnum() or after in ("_", "-", ".")) and not (before[-1:].isalnum())
    return True
