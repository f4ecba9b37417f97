"""Programs of a shell that install and mount files, and those that print logins and secrets of the user."""

from __future__ import annotations

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.paths import file_name, secret_kind
from skillbag.lint.facts.shell_effect import NOTHING, Effect, act, plain_files, source
from skillbag.lint.facts.values import ActKind, OriginKind
from skillbag.lint.signals.programs import ProgramRun


def installed(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """Installers of package files, and what opens a program: their files run."""
    verbs = INSTALLERS[name]
    if verbs and not any(text in verbs for text in run.texts):
        return Effect(reads=tuple(plain_files(run)))
    files = tuple(file for file in plain_files(run) if _PACKAGE_FILE().search(file))
    return Effect(acts=(act(ActKind.RUNS, run, name),), reads=files, has_input=False) if files else NOTHING


INSTALLERS = {
    "dpkg": ("-i", "--install"),
    "rpm": ("-i", "-U", "-ivh", "-Uvh", "--install"),
    "installer": ("-pkg",),
    "msiexec": (),
    "open": (),
    **dict.fromkeys(("apt", "apt-get", "dnf", "yum", "zypper"), ("install",)),
}
"""Programs that install or open a file, with the words by which they do."""
_PACKAGE_FILE = late(r"(?i)\.(?:deb|rpm|pkg|msi|app|dmg|exe)\Z")


def mounted(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """docker and podman: a folder of this machine that a container gets under another name."""
    for option, value in zip(run.texts, run.texts[1:], strict=False):
        own, _, inner = value.partition(":")
        if option in ("-v", "--volume") and (kind := secret_kind(file_name(own))):
            name_inside = file_name(inner.partition(":")[0])
            return Effect((source(kind, run, file_name(own)),), writes=(name_inside,), is_quiet=True, has_input=False)
    return Effect(reads=tuple(plain_files(run)))


def shown_login(run: ProgramRun, name: str, has_input: bool) -> Effect | None:
    """What prints a login or a secret of the user."""
    words = " ".join(text for text in run.texts if text == "--raw" or not text.startswith("-"))
    if any(words.startswith(verb) for verb in LOGIN_VERBS.get(login_program(name), ())):
        return Effect((source(OriginKind.TOKEN, run, f"{name} {' '.join(run.texts[:2])}"),))
    return None


_AWS_KEYS = ("configure get aws_secret", "configure get aws_session")


def login_program(name: str) -> str:
    """The name of a program in `LOGIN_VERBS`: each helper of Docker has its own."""
    return "docker-credential" if name.startswith("docker-credential-") else name


LOGIN_VERBS = {
    **dict.fromkeys(("gh", "glab"), ("auth token",)),
    "gcloud": ("auth print-", "auth application-default print-", "secrets versions access"),
    "az": ("account get-access-token", "keyvault secret show"),
    "aws": ("secretsmanager get-secret-value", "ssm get-parameter", "sts get-session", "configure export-", *_AWS_KEYS),
    "vault": ("kv get", "read", "print token", "token lookup"),
    "op": ("item get", "item list", "document get", "read"),
    **dict.fromkeys(("bw", "lpass", "pass", "gopass"), ("get", "show")),
    "heroku": ("auth:token",),
    "doppler": ("secrets",),
    "kubectl": ("config view --raw",),
    "npm": ("token",),
    "git": ("credential fill",),
    "docker-credential": ("get",),
    "secret-tool": ("lookup", "search"),
}
"""Words of programs after which they print a login or a secret."""


def kubernetes(run: ProgramRun, name: str, has_input: bool) -> Effect:
    takes = "get" in run.texts and any(text.partition("/")[0] in ("secret", "secrets") for text in run.texts)
    return Effect((source(OriginKind.KEYCHAIN, run, "the secrets of the cluster"),)) if takes else NOTHING


def keychain(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """One entry by its name is the program's own, as a variable of the environment is."""
    takes = any(text in ("dump-keychain", "find-generic-password", "find-internet-password") for text in run.texts)
    is_own = "-s" in run.texts and not any(map(_OF_OTHERS().search, run.texts))
    return Effect((source(OriginKind.KEYCHAIN, run, "the keychain"),)) if takes and not is_own else NOTHING


_OF_OTHERS = late(
    r"(?i)safe[ ]storage|chrom|brave|firefox|edge|opera|safari|icloud|apple|login|wallet|signal|slack"
    r"|github|git:|aws|ssh|\A-s.|\A-[a-z]*g\Z"
)
"""Names of entries that other programs have made."""
