"""Whether a literal at an offset may be a source: what stands beside it."""

from __future__ import annotations

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.literals import JOINS, PACKAGES


def takes_all(text: str, at: int) -> bool:
    """Whether the word for the environment at an offset may stand for all of it, and not for one variable."""
    if text.startswith("set", at):
        return not (text[at - 1 : at].isalnum() or text[at - 1 : at] in ("_", "-", "."))
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


_PIPED = late(
    r"\|[ \t]*(?:\\?\r?\n[ \t>]*)?(?:[A-Z_]\w*=\S*[ \t]+)*"
    r"(?:sudo|env|xargs|[\w/]*(?<!pu)(?<!hu)(?:ba|z|da|k|fi|a)?sh\b|python|node\b"
    r"|perl|ruby|php|deno|bun\b|busybox|(?i:iex|invoke-ex)|pwsh|powershell|tee\b|tar\b|source|while\b)"
)
_SUBSTITUTED = late(r"\$\(|<\(|`|\beval\b|(?i:\biex\b|-expression|scriptblock\]|\bfor[ \t]+/f\b)")
_STORED = late(
    r"[ \t](?:-\w*[oO](?![ \t]*/dev/null)\b|--output|--remote-name|(?i:-outfile))"
    r"|(?<!2)>[ \t]*(?!/dev/null|&)[\w./~$\"'(]"
)
_DECODED = late(
    r"base64_decode|base(?:64|32)[ \t]+(?:-\w+[ \t]+){0,2}(?:-\w*[dD]|--d)"
    r"|(?:xxd|gzip)[ \t]+[^\n|]{0,40}-\w*[rd]|openssl[ \t][^\n|]{0,80}-d\b|gunzip|zcat|uudecode"
)
_COMMANDS = (
    *("curl", "wget", "iwr", "irm", "nvoke-", "git clone", "aria2c", "base64", "base32", "xxd", "openssl"),
    *("gunzip", "zcat", "gzip", "uudecode"),
)


_PACKAGE = late(r"[^\n]*?(?:\w+://|git\+|[\w-]\.[a-z]{2,}/[\w./-]+@)")
_ENCODED = late(r"[ \t]-(?i:e|ec|enc\w{0,12})[ \t]")
_HOSTS_OF_CODE = (
    "//github.com/",
    "//gitlab.com/",
    "//bitbucket.org/",
    "//codeberg.org/",
    "@github.com:",
    "@gitlab.com:",
)
"""Hosts whose repositories are cloned every day: what is run of them is no finding."""
_DECODERS = ("base64", "base32", "xxd", "openssl", "gunzip", "zcat", "gzip", "uudecode")
_LOADERS = ("mshta", "msiexec", "regsvr32", "rundll32", "wscript", "cscript")
"""Programs of Windows that run a file, of another machine too."""
_JOINED = tuple(map(bytes.decode, JOINS))
_CALLS = ("child_process", "system(", "subprocess", "Popen(", "popen(", "exec(", "eval(", "execSync", "spawn")


_SHELL = late(r"\| ?(?:ba|z)?sh(?![\w-])")
_REQUESTS = frozenset(["get", "pos", "put", "pat", "req", "ses", "Ses", "hea", "opt", "del"])


def is_run_near(text: str, at: int) -> bool:
    """Whether what a command at an offset gives may run: in a pipe, a substitution or a file. Calls always may."""
    if text.startswith(_JOINED, at):
        return any(call in text[max(0, at - 200) : at + 200] for call in _CALLS)
    if text.startswith("|", at):
        return _SHELL().match(text, at) is not None
    if text.startswith("requests.", at):
        return text[at + 9 : at + 12] in _REQUESTS
    if text.startswith("fetch(", at):
        return not text[max(0, at - 9) : at].endswith(("def ", "function "))
    if text.startswith(("rev", "tr "), at):
        return "|" in text[max(0, at - 4) : at] and _PIPED().search(text, at, at + 300) is not None
    if text.startswith("base64_decode", at):
        return True
    if text.startswith(PACKAGES, at):
        return _PACKAGE().match(text, at, at + 300) is not None
    if text.startswith(_LOADERS, at):
        return any(sign in text[at : at + 300].partition("\n")[0] for sign in ("//", "\\\\", "script:"))
    if text.startswith("aws s3", at):
        return " cp " in (line := text[at : at + 300].partition("\n")[0]) and (" - " in line or "|" in line)
    if text.startswith("git clone", at) and any(host in text[at : at + 100] for host in _HOSTS_OF_CODE):
        return False
    if text.startswith(("owershell", "pwsh"), at):
        return _ENCODED().search(text, at, at + 160) is not None
    if text.startswith("nvoke-", at):
        return text[at + 6 : at + 9].lower() in ("web", "res", "exp")
    if not text.startswith(_COMMANDS, at) or (at and (text[at - 1].isalnum() or text[at - 1] in "_-")):
        return not text.startswith(_COMMANDS, at)
    if text[at - 1 : at] == "(" and text.startswith(("irm", "iwr"), at):
        return True
    if text[at - 1 : at] in ("'", '"') and any(call in text[max(0, at - 60) : at] for call in _CALLS):
        return True
    if text.startswith(_DECODERS, at) and not _DECODED().match(text, at):
        return False
    end = text.find("\n", at, at + 600)
    end = at + 600 if end < 0 else end
    if _PIPED().search(text, at, at + 500) or _SUBSTITUTED().search(
        text, max(text.rfind("\n", 0, at) + 1, at - 5_000), at
    ):
        return True
    return text.startswith(("wget", "git"), at) or _STORED().search(text, at, end) is not None
