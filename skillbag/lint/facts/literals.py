"""Words without which a text has no such source or act: a text without them is not parsed."""

from __future__ import annotations

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.signals import secret_paths

Word = str | tuple[str, ...]
"""A word that a text may have, or several that it has to have together."""
ENVIRONMENT = (
    *(b"environ", b"process.env", b"printenv", b"env |", b"env\t|", b"env|", b"env >", b"env>", b"$(env"),
    *(b"`env`", b"(env)", b"nv:", b"export -p", b"declare -x", b"declare -p", b"getenv()", b"ENV.each"),
    *(b"ENV.to_h", b"ENV.select", b"$_ENV", b"System.getenv()", b"%ENV", b"EnvironmentVariables("),
)
"""All variables of the environment."""
SECRETS = (*secret_paths.LITERALS, b".env", b"get secret", b"secrets -", b"get-secret-value")
"""Files with secrets, keychains and the secrets of clusters."""
INPUTS = (
    *(b"paste()", b"clipboard", b"Clipboard", b"pbpaste", b"wl-paste", b"xclip", b"xsel", b"ImageGrab", b"screenshot"),
    *(b"mss.", b"CopyFromScreen", b"hidden answer", b"get_password"),
)
"""What the user copies, sees and types."""
JOINS = (b'" + "', b"' + '", b'"+"', b"'+'", b'"".join(', b"''.join(", b'" "', b"[::-1]", b"chr(")
"""Where code puts texts together."""
DOWNLOADS = (
    *(b"curl", b"wget", b"iwr", b"irm", b"nvoke-", b"urlopen", b"urlretrieve", b"requests.", b"httpx."),
    *(b"fetch(", b"axios", b"DownloadString", b"DownloadFile", b"DownloadData", b"BitsTransfer", b"git clone"),
    *(b"aria2c", b"http.get", b"https.get", b"got(", b"session.get", b"client.get", b"file_get_contents"),
    *(b"URI.open", b"Net::HTTP", b"bitsadmin", b"certutil", b"|sh", b"| sh", b"|bash", b"| bash", b"|zsh"),
    *(b"| zsh", *JOINS),
)
"""What fetches something from an address."""
DECODES = (
    *(b"base64", b"64decode", b"32decode", b"85decode", b"unhexlify", b"fromhex", b"decompress("),
    *(b"marshal.loads", b"atob(", b"decode64", b"Buffer.from(", b"FromBase64", b"xxd", b"openssl", b"owershell"),
    *(b"pwsh", b"rev", b"base32", b"decode_base64", b"certutil", b"gunzip", b"zcat", b"gzip", b"tr "),
    *(b"codecs.decode", b"inflateSync", b"uudecode"),
)
"""What decodes a text."""
CODE_RUNS: tuple[Word, ...] = (
    *("exec(", "exec (", "eval(", "(eval)", "Function(", "runIn", "runcode", "os.system(", "popen(", '"-c"'),
    *("'-c'", "sh -c", "execsync(", "chmod", "0o7", "getattr(", ("subprocess", "shell=true")),
    *(("subprocess", '"wb"'), ("subprocess", "'wb'"), ("subprocess", "urlretrieve")),
    *(("subprocess", "write_bytes"), ("subprocess", "write_text"), ("spawn", "writefile"), ("exec", "writefile")),
    *("import(", "importlib", "pickle"),
    *(f"|{blank}{name}" for blank in ("", " ") for name in ("sh", "bash", "zsh", "sudo", "python", "node")),
)
"""Functions that run a text as code, in small letters."""
_INTERPRETERS = (
    *("sh", "bash", "zsh", "sudo", "python", "node", "perl", "ruby", "env ", "xargs", "iex", "php", "source"),
    *("/bin", "/usr", "\\\n", "\n"),
)
SHELL_RUNS: tuple[Word, ...] = (
    *(*(f"|{blank}{name}" for blank in ("", " ") for name in _INTERPRETERS), "iex", "invoke-expression", "eval "),
    *("source ", "<(", "sh -c", "chmod ", "start-process", "\n./", " ./", "; /", "& /", "\n/", "\n~/", "sh /"),
    *("sh ~", "& sh ", "; sh ", "\nsh ", "bash ", "powershell", "pwsh", "certutil", "scriptblock", '"$('),
    *("python3 ", "python ", "node ", "& ~/"),
)
"""Commands that run what they get, in small letters."""
SENDS: tuple[Word, ...] = (
    *(".post", ".put", ".patch", "axios", "sendbeacon", ".send", ".stor", "fetch(", "websocket", ".upload"),
    *("net::http", "http.post", ".request(", "urlopen", "request(", "xmlhttprequest", "requests.", "httpx."),
    *("session.", "client.", "create_connection", "socket", "curl", "wget", "invoke-restmethod"),
    *(
        "invoke-webrequest",
        "iwr ",
        "irm ",
        "scp",
        "rsync",
        "sftp",
        " nc ",
        "\nnc ",
        "|nc ",
        " ncat",
        "netcat",
        "aws s3",
        "gsutil",
    ),
    *(
        "rclone",
        "gcloud",
        " az ",
        "sendmail",
        "smtplib",
        "mailx",
        "mail -",
        " mutt",
        " gh ",
        "\ngh ",
        "glab",
        "git push",
        " dig ",
        "\ndig ",
        "(dig ",
        "nslookup",
        "getaddrinfo",
    ),
    *("gethostby", "dns", " ping ", "/dev/tcp", ".publish", "got(", "ky.", " http ", "https.", "socat", "telnet"),
    *("s3cmd", "upload", "$(host ", "send-mail", "nodemailer", "imaplib", "`nc ", "`gh "),
)
"""What calls and commands that send data have, in small letters."""


def takes_all(text: str, at: int) -> bool:
    """Whether the word for the environment at an offset may stand for all of it, and not for one variable."""
    for name in ("process.env", "environ"):
        if text.startswith(name, at):
            after = text[at + len(name) : at + len(name) + 12]
            one = (
                (".get(", ".pop(", ".setdefault", '["', "['", "?.", ".getenv")
                if name == "environ"
                else (".", '["', "['", "?.")
            )
            return not (after[:1].isalpha() or after[:1] == "_" or after.startswith(one))
    if text.startswith("nv:", at):
        return (
            text[max(0, at - 16) : at]
            .lower()
            .rstrip("e")
            .rstrip()
            .endswith(("childitem", "gci", "dir", "ls", "-path", "item"))
        )
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
    for name in (".aws", ".ssh", ".gnupg", ".docker", ".kube", ".azure", "gcloud", "solana", "Exodus"):
        if text.startswith(name, at):
            after = text[at + len(name) : at + len(name) + 1]
            return not (after.isalnum() or after in ("_", "-", ".")) and not (before[-1:].isalnum())
    return True


_PIPED = late(
    r"\|[ \t]*(?:\\?\r?\n[ \t>]*)?(?:[A-Z_]\w*=\S*[ \t]+)*"
    r"(?:sudo|env|xargs|[\w/]*(?<!pu)(?<!hu)(?:ba|z|da|k|fi|a)?sh\b|python|node\b"
    r"|perl|ruby|php|(?i:iex|invoke-ex)|pwsh|powershell|tee\b|source|while\b)"
)
_SUBSTITUTED = late(r"\$\(|<\(|`|\beval\b|(?i:\biex\b|-expression)")
_STORED = late(r"[ \t](?:-\w*[oO]\b|--output|--remote-name|(?i:-outfile))|>|&&|;")
_DECODED = late(
    r"base64_decode|base(?:64|32)[ \t]+(?:-\w+[ \t]+){0,2}(?:-\w*[dD]|--d)"
    r"|(?:xxd|gzip)[ \t]+[^\n|]{0,40}-\w*[rd]|openssl[ \t][^\n|]{0,80}-d\b|gunzip|zcat|uudecode"
)
_COMMANDS = (
    *("curl", "wget", "iwr", "irm", "nvoke-", "git clone", "aria2c", "base64", "base32", "xxd", "openssl"),
    *("gunzip", "zcat", "gzip", "uudecode"),
)


_ENCODED = late(r"[ \t]-(?i:e|ec|enc\w{0,12})[ \t]")
_DECODERS = ("base64", "base32", "xxd", "openssl", "gunzip", "zcat", "gzip", "uudecode")
_JOINED = tuple(map(bytes.decode, JOINS))
_CALLS = ("system(", "subprocess", "popen(", "exec(", "eval(", "execSync", "spawn")


def is_run_near(text: str, at: int) -> bool:
    """Whether what a command at an offset gives may run: in a pipe, a substitution or a file. Calls always may."""
    if text.startswith(_JOINED, at):
        return any(call in text[max(0, at - 200) : at + 200] for call in _CALLS)
    if text.startswith("|", at):
        return True
    if text.startswith(("rev", "tr "), at):
        return "|" in text[max(0, at - 4) : at] and _PIPED().search(text, at, at + 300) is not None
    if text.startswith("base64_decode", at):
        return True
    if text.startswith(("owershell", "pwsh"), at):
        return _ENCODED().search(text, at, at + 160) is not None
    if text.startswith("nvoke-", at):
        return text[at + 6 : at + 9].lower() in ("web", "res", "exp")
    if not text.startswith(_COMMANDS, at) or (at and (text[at - 1].isalnum() or text[at - 1] in "_-")):
        return not text.startswith(_COMMANDS, at)
    if text.startswith(_DECODERS, at) and not _DECODED().match(text, at):
        return False
    end = text.find("\n", at, at + 600)
    end = at + 600 if end < 0 else end
    if _PIPED().search(text, at, at + 500) or _SUBSTITUTED().search(
        text, max(text.rfind("\n", 0, at) + 1, at - 5_000), at
    ):
        return True
    return text.startswith(("wget", "git"), at) or _STORED().search(text, at, end) is not None
