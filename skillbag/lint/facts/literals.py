"""Words without which a text has no such source or act: a text without them is not parsed."""

from __future__ import annotations

from skillbag.lint.signals import secret_paths

Word = str | tuple[str, ...]
"""A word that a text may have, or several that it has to have together."""
ENVIRONMENT = (
    *(b"environ" + bytes([sign]) for sign in b".),[]}\n\r :=|b'\"/;"),
    *(b"process.env", b"printenv", b"env |", b"env\t|", b"env|", b"env >", b"env>", b"$(env"),
    *(b"`env`", b"(env)", b"nv:", b"export -p", b"declare -x", b"declare -p", b"getenv(", b"ENV."),
    *(b"'env'", b'"env"', b"env')", b'env")', b"compgen", b"{ env", b"$_ENV"),
    *(b"System.getenv()", b"%ENV", b"EnvironmentVariables(", b"{env", b"env.toObject", b"Bun.env", b"process?.env"),
    *(b"export |", b"set |", b"export|", b"set|", b"set >", b"set>"),
    *(b"os.Environ()", b"env::vars", b"processInfo.environment", b"(ENV)"),
)
"""All variables of the environment."""
VARIABLES = (b"$", b"environ", b"getenv", b".env")
"""One variable of the environment."""
_LOGINS = (
    *(b"auth token", b"'auth', 'token'", b'"auth", "token"', b"'auth','token'", b'"auth","token"'),
    *(b"print-access-token", b"print-identity-token"),
    *(b"get-access-token", b"vault kv get", b"vault read", b"op item get", b"op item list"),
    *(b"/security-credentials/", b"metadata/identity/", b"toJSON(secrets", b"op read", b"get-parameter"),
    *(b"bw get",),
    *(b"lpass show", b"pass show", b"config view --raw", b"keyring.get_password", b"versions access"),
    *(b"find-generic-password", b"find-internet-password", b"export-credentials", b"get-session-token"),
    *(b"credential fill", b"credential', 'fill", b'credential", "fill', b"docker-credential-", b"secret-tool"),
    *(b"browser_cookie", b"browsercookie", b"rookiepy", b"pycookiecheat", b".get_credentials()", b"auth.default("),
    *(b"keytar", b"AzureCredential", b"configure get aws"),
)
"""What prints or gives a login of the user."""
SECRETS_SAID = (
    *(b"SSH key", b"ssh key", b"dot-env", b"dotenv file", b".env file", b"AWS credential", b"aws credential"),
    *(b"sudo password", b"ogin password", b"heir password", b"ocuments folder", b"npm token", b"GitHub token"),
    *(b"loud credential", b"aved password", b"rowser password", b"rowser cookie", b"ession cookie", b"private keys"),
    *(b"API keys of", b"API keys from", b"`.env`"),
)
"""What only a sentence calls secrets."""
SECRETS_IN_WORDS = (*SECRETS_SAID, b"eychain")
"""What a sentence calls secrets without a path."""
SECRETS = (
    *(*secret_paths.LITERALS, *SECRETS_IN_WORDS, *_LOGINS),
    *(b".env", b"get secret", b"secrets -", b"get-secret-value"),
)
"""Files with secrets, keychains and the secrets of clusters."""
INPUTS = (
    *(b"paste()", b"clipboard", b"Clipboard", b"pbpaste", b"wl-paste", b"xclip", b"xsel", b"ImageGrab", b"screenshot"),
    *(b"mss.", b"CopyFromScreen", b"hidden answer", b"get_password"),
)
"""What the user copies, sees and types."""
CLIPBOARDS = (b"pyperclip.paste", b"clipboard.readText", b"pbpaste", b"Get-Clipboard", b"xclip -o", b"xsel -o")
SCREENS = (b"ImageGrab.grab", b"pyautogui.screenshot", b"mss.mss(", b"screencapture ", b"CopyFromScreen")
PASSWORDS = (
    *(b"hidden answer", b"getpass", b"read -s", b"read -rs", b"read -sr", b"read -sp", b"Get-Credential"),
    *(b"-AsSecureString", b"zenity", b"kdialog", b"show=", b"askstring("),
)
"""What asks for a password."""
JOINS = (b'" + "', b"' + '", b'"+"', b"'+'", b'"".join(', b"''.join(", b'" "', b"[::-1]", b".reverse()", b"chr(")
"""Where code puts texts together."""


def _split(word: str) -> tuple[str, ...]:
    """The beginnings of a name whose letters quotes or a backslash set apart: `c'u`, `cu""r`."""
    marks = ("''", '""', "'", '"', "\\")
    return tuple(f"{word[:at]}{mark}{word[at]}" for at in range(1, len(word)) for mark in marks)


_SPLIT = (*_split("curl"), *_split("wget"))
_SPLIT_SHELLS = (*_split("sh"), *_split("bash"))
PACKAGES = (
    *("npx ", "bunx ", "deno run ", "go run ", "bun x ", "pnpm dlx ", "yarn dlx ", "pipx run "),
    *('"npx"', '"bunx"', '"uvx"'),
)
"""Programs that fetch and run a package."""
DOWNLOADS = (
    *(b"import('http", b'import("http', b"curl", b"wget", b"iwr", b"irm ", b"irm\t", b"nvoke-", b"urlopen"),
    *(b"urlretrieve",),
    *(b"requests.", b"httpx.", b"fetch(", b"axios", b"DownloadString", b"DownloadFile", b"DownloadData"),
    *(b"BitsTransfer", b"git clone", b"aria2c", b"http.get", b"https.get", b"got(", b"session.get"),
    *(b"client.get", b"file_get_contents", b"ClientSession", b".request(", b"getresponse", b"from requests"),
    *(b"URI.open", b"Net::HTTP", b"bitsadmin", b"certutil", b"|sh", b"| sh", b"|bash", b"| bash", b"|zsh"),
    *(b"| zsh", b"lynx", b"scp ", b"StringAsync", b"w3m", b"fetch -", b"aws s3", b"/dev/tcp/", *JOINS),
    *(word.encode() for word in (*_SPLIT, *PACKAGES)),
    *(b"download.file(", b"getstore(", b'source("http', b"source('http", b'include("http'),
    *(b"mshta", b"msiexec", b"regsvr32", b"rundll32", b"wscript", b"cscript"),
    *(b"http.Get(", b"http.NewRequest", b"HTTParty", b"Faraday", b"RestClient", b"LWP::", b"HTTP::Tiny", b"url_exec("),
    *(b"copy('http", b'copy("http', b"reqwest::", b"ureq::", b"minreq::", b"httr", b"GET('", b'GET("', b"readLines("),
    *(b"req_perform", b"ByteArrayAsync", b"StreamAsync", b".openStream(", b".openConnection(", b"BodyHandlers."),
    *(b"url_download(", b"url_fetch", b"opyURLToFile(", b'URL("http', b").readBytes(", b").readText(", b".newCall("),
    *(b"URLSession", b"contentsOf:", b"URI.parse(", b"URI('", b'URI("', b"source(url(", b"URLClassLoader("),
    *(b"('https')", b'("https")', b"m 'https", b'm "https"', b"node:https", b"XMLHTTP"),
)
"""What fetches something from an address."""
DECODES = (
    *(b"base64", b"64decode", b"32decode", b"85decode", b"unhexlify", b"fromhex", b"decompress("),
    *(b"marshal.loads", b"atob(", b"decode64", b"Buffer.from(", b"FromBase64", b"xxd", b"openssl", b"owershell"),
    *(b"pwsh", b"|rev", b"| rev", b"base32", b"decode_base64", b"certutil", b"gunzip", b"zcat", b"gzip"),
    *(b"|tr ", b"| tr "),
    *(b"codecs.decode", b"inflateSync", b"uudecode", b"fromCharCode", b"fromCodePoint", b"(unescape(", b"= unescape("),
    *(b"TextDecoder", b"[char]", b"[char[", b"[Char", b"[-1..-", b"-bxor"),
)
"""What decodes a text."""
CODE_RUNS: tuple[Word, ...] = (
    *(*(f"{before}exec(" for before in ("\n", " ", "(", "=", ";", "\t", ":", ",", "s.", "[")), "exec (", "eval("),
    *(("exec(", "child"), "(eval)", "eval)(", "Function(", "runIn", "runcode", "os.system(", "popen(", "sh -c"),
    *(pair for option in ('"-c"', "'-c'") for pair in ((option, "subprocess"), (option, "spawn"), (option, "popen"))),
    *(('"-c"', "command("), ('"-c"', "child_process"), ("'-c'", "child_process"), "execsync(", "chmod", "0o7", "cdll"),
    *(f"getattr({module}" for module in ("os", "subp", "__", "sys", "imp", "code", "glob")),
    *(("getattr(", "import_module"), ("getattr(", "__import__"), ("subprocess", "shell=true")),
    *(("subprocess", '"wb"'), ("subprocess", "'wb'"), ("subprocess", "urlretrieve")),
    *(("subprocess", "write_bytes"), ("subprocess", "write_text"), ("spawn", "writefile"), ("exec", "writefile")),
    *("import(", "import_module(", "exec_module", "spec_from", "fileloader", "pickle", "= exec", "= eval"),
    *("'exec'", '"exec"', "'eval'", '"eval"', ".communicate(", "input=", "os.exec", ".script(", "builtins"),
    *(".stdin.", (".stdin", "popen"), (".stdin", "spawn"), ("stdin=", "subprocess"), ("require(", "writefile")),
    *("global[", "globalthis[", "window[", ".constructor(", "constructor)(", "vm2", "eval: true", "eval:true"),
    *("_compile(", "eval.", "eval,", "= function;", ("child_process", "reverse(")),
    *(f"settimeout({name}" for name in ("await", "data", "body", "text", "code")),
    *(("subprocess", "shlex"), ("subprocess", ".write("), "run_path", "execfile", "unsafe_load"),
    *(f"|{blank}{name}" for blank in ("", " ") for name in ("sh", "bash", "zsh", "sudo", "python", "node")),
)
"""Functions that run a text as code, in small letters."""
TEXT_RUNS: tuple[Word, ...] = (
    *(f"{before}exec(" for before in " \n\t(=;:"),
    *("eval(", "os.system(", "popen(", "execsync(", "runin", "new function(", "pickle", "importlib", "sh -c", "eval "),
    *(("subprocess", "shell=true"), ("subprocess", "input="), ("subprocess", "shlex"), ("child_process", ".exec(")),
    *("| sh", "| bash", "|sh", "|bash", "builtins"),
)
"""What runs a text that another file gives it, in small letters."""
_INTERPRETERS = (
    *("sh", "bash", "zsh", "sudo", "python", "node", "perl", "ruby", "env ", "xargs", "iex", "php", "source"),
    *("deno", "bun", "ash", "busybox", "dash", "ksh", "fish", "/bin", "/usr", "\\", "\n"),
)
SHELL_RUNS: tuple[Word, ...] = (
    *(*(f"|{blank}{name}" for blank in ("", " ") for name in _INTERPRETERS), "iex", "invoke-expression", "eval "),
    *(("git clone", "make"), ("git clone", "pip install"), ("\n$(", "curl"), ("\n$(", "wget")),
    *("source ", "<(", "sh -c", "; . ", "&& . ", "\n. ", "chmod ", "start-process", "\n./", " ./", "; /", "& /"),
    *("\n/", "\n~/", "sh /", "sh ~", "& sh ", "; sh ", "\nsh ", "bash ", "powershell", "pwsh", "certutil"),
    *("scriptblock", '"$(', "python3 ", "python ", "node ", "& ~/", "& $", ("\n$", "-o"), ('\n"$', "-o")),
    *(*_SPLIT_SHELLS, *PACKAGES, "dpkg -i", "rpm -", "installer -pkg", "open ", "apt install", "apt-get install"),
    *(("\n$", "outfile"), ("&& $", "-o"), "system(", "system2(", 'source("http', "source('http", 'include("http'),
    *("\n.\\", " .\\", "\n%", "& start", "\nstart ", "mshta", "msiexec", "regsvr32", "rundll32", "import-module"),
    *("assembly]::load", "do %", "do call", "cmd /c", "&('", "& ('", '&("', "\nc:\\"),
)
"""Commands that run what they get, in small letters."""
SENDING_CALLS: tuple[Word, ...] = (
    *(".post(", ".put(", ".patch(", ".request(", ".send(", ".end(", ".sendall(", ".sendto(", ".publish(", ".upload"),
    *("urlopen(", "fetch(", "axios", "got(", "xmlhttprequest", "sendbeacon", "websocket", "webhook", "send_message"),
    *("sendmail", "storbinary", "put_object", "requests.get(", "httpx.", "import post", "getaddrinfo(", "gethostby"),
    *("curl ", "wget ", "curl'", 'curl"', "scp ", "rsync ", "nc ", "gh gist", "gh issue", "git push", "aws s3", "dig "),
    *("invoke-restmethod", "invoke-webrequest", "iwr ", "irm ", "/dev/tcp", "nslookup", "mail -", "sftp"),
)
"""Calls and commands that send what another file gives them, in small letters."""
SENDS: tuple[Word, ...] = (
    *(".post", ".put", ".patch", "axios", "sendbeacon", ".send", ".stor", "fetch(", "websocket", ".upload"),
    *("net::http", "http.post", ".request(", "urlopen", "request(", "xmlhttprequest", "requests.", "httpx."),
    *("session.", "client.", "create_connection", "socket", "requests", "httpx", "aiohttp", "paramiko", "boto3"),
    *("pycurl", "undici", "net.connect", "http.client", "telebot", "dns.resolver", "from urllib", ".conn"),
    *("webhook", "curl", "wget", "invoke-restmethod", "invoke-webrequest", "iwr ", "irm ", "scp", "rsync"),
    *("sftp", " nc ", "\nnc ", "|nc ", " ncat", "netcat", "aws s3", "gsutil", "rclone", "gcloud", " az "),
    *("sendmail", "smtplib", "mailx", "mail -", " mutt", "\nmutt", " gh ", "\ngh ", "glab", "git push"),
    *(" dig ", "\ndig "),
    *("(dig ", "nslookup", "getaddrinfo", "gethostby", "dns", " ping ", "/dev/tcp", ".publish", "got(", "ky."),
    *(" http ", "\nhttp ", "https.", "socat", "telnet", "s3cmd", "upload", "$(host ", "openssl", "ssh ", " az "),
    *("\naz ", "ftp ", "send-mail", "nodemailer", "imaplib", "`nc ", "`gh ", "-fetch", ".emit(", ".src ="),
    *(".src=", "location =", "location.href", ".create("),
    *(".submit(", "bent(", "wretch"),
)
"""What calls and commands that send data have, in small letters."""
