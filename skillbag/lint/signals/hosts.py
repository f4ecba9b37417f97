"""Hosts with a known part in attacks (pages that anybody fills, shorteners, collectors), and harmless addresses."""

from __future__ import annotations

from collections.abc import Mapping

from skillbag.kernel.base.lazy_regex import late


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _places(text: str) -> dict[str, tuple[str, ...]]:
    """The beginnings of paths by host; an empty one is any path."""
    found: dict[str, tuple[str, ...]] = {}
    for place in text.split():
        host, _, path = place.partition("/")
        found[host] = (*found.get(host, ()), path)
    return found


PASTE = _places(
    "pastebin.com pastebin.pl paste.ee paste.gg paste.rs paste.sh paste.centos.org paste.debian.net bpa.st dpaste.com"
    " dpaste.org hastebin.com hastebin.skyra.pw toptal.com/developers/hastebin rentry.co rentry.org glot.io"
    " ghostbin.com ghostbin.co controlc.com justpaste.it telegra.ph graph.org privatebin.net ix.io sprunge.us"
    " termbin.com 0bin.net pastes.dev textbin.net snippet.host nekobin.com teletype.in pastelink.net cl1p.net"
    " notes.io pst.moe pasteio.com codepad.org write.as txt.fyi ctxt.io textup.fr paste.mozilla.org paste.ubuntu.com"
    " pastery.net defuse.ca/pastebin.htm heypasteit.com friendpaste.com throwbin.io spacebin.io vpaste.net"
)
"""Where anybody posts a text without a name, and may change it later."""

SHARED_FILES = _places(
    "mediafire.com mega.nz gofile.io anonfiles.com file.io files.catbox.moe litter.catbox.moe sendspace.com"
    " pixeldrain.com dropmefiles.com temp.sh transfer.sh 0x0.st bashupload.com wetransfer.com we.tl uploadfiles.io"
    " ufile.io zippyshare.com workupload.com krakenfiles.com 1fichier.com filebin.net tmpfiles.org oshi.at"
    " cdn.discordapp.com/attachments drive.google.com/uc drive.usercontent.google.com dropbox.com/s dropbox.com/scl"
)
"""Where anybody leaves a file without a name."""

SHORTENERS = _places(
    "bit.ly tinyurl.com goo.gl is.gd v.gd cutt.ly rebrand.ly shorturl.at ow.ly rb.gy t.ly tiny.cc buff.ly s.id soo.gd"
    " adf.ly clck.ru bl.ink shorturl.com t.co urlz.fr da.gd u.to kutt.it"
)

COLLECTORS = _places(
    "webhook.site requestbin.com requestbin.net pipedream.net beeceptor.com hookbin.com interact.sh interactsh.com"
    " oast.fun oast.pro oast.live oast.site oast.online oast.me oastify.com burpcollaborator.net dnslog.cn ceye.io"
    " requestcatcher.com ptsv2.com ptsv3.com postb.in webhookinbox.com typedwebhook.tools requestinspector.com"
    " canarytokens.com canarytokens.org webhook.cool webhook-test.com requestrepo.com bxss.me xss.ht mockbin.org"
    " hooks.zapier.com/hooks/catch maker.ifttt.com/trigger formsubmit.co formspree.io/f getform.io/f hook.eu1.make.com"
    " hook.eu2.make.com hook.us1.make.com hook.us2.make.com hook.integromat.com"
)
"""Request bins, out-of-band test hosts, and services that mail or store what they are sent."""

CHAT_HOOKS = _places(
    "discord.com/api/webhooks discordapp.com/api/webhooks hooks.slack.com/services hooks.slack.com/workflows"
    " hooks.slack.com/triggers api.telegram.org/bot outlook.office.com/webhook open.feishu.cn/open-apis/bot/v2/hook"
    " oapi.dingtalk.com/robot/send qyapi.weixin.qq.com/cgi-bin/webhook"
)
"""Addresses of chat services that take messages from anybody who knows them."""

TUNNELS = _places(
    "ngrok.io ngrok.app ngrok-free.app ngrok.dev ngrok-free.dev trycloudflare.com serveo.net localhost.run lhr.life"
    " localtunnel.me loca.lt bore.pub pagekite.me pinggy.io pinggy.link"
)

FREE_SITES = (
    *(".vercel.app", ".netlify.app", ".pages.dev", ".workers.dev", ".web.app", ".firebaseapp.com", ".onrender.com"),
    *(".surge.sh", ".glitch.me", ".replit.app", ".repl.co", ".herokuapp.com", ".up.railway.app", ".fly.dev"),
)
"""Ends of hosts under which anybody publishes a site without a name."""

_VENDORS = _names(
    "pypi.org npmjs.com github.com github.io gitlab.com bitbucket.org codeberg.org sourceforge.net huggingface.co"
    " python.org nodejs.org rust-lang.org rustup.rs go.dev golang.org ruby-lang.org php.net java.com oracle.com"
    " docker.com kubernetes.io hashicorp.com microsoft.com visualstudio.com apple.com google.com googleapis.com"
    " android.com chrome.com mozilla.org anaconda.com conda.io astral.sh bun.sh deno.com deno.land pnpm.io brew.sh"
    " amazon.com amazonaws.com azure.com cloudflare.com anthropic.com claude.ai claude.com openai.com ollama.com"
    " ollama.ai cursor.com postgresql.org mysql.com mongodb.com redis.io sqlite.org ffmpeg.org imagemagick.org"
    " pandoc.org graphviz.org latex-project.org tug.org miktex.org gnu.org git-scm.com nvidia.com intel.com amd.com"
    " blender.org unity.com unrealengine.com figma.com obsidian.md tailscale.com wireshark.org nmap.org osquery.io"
    " libreoffice.org videolan.org jetbrains.com adobe.com terraform.io helm.sh vercel.com netlify.com supabase.com"
    " stripe.com 1password.com bitwarden.com elastic.co grafana.com prometheus.io salesforce.com composio.dev"
)
"""Vendors of programs, and indexes of packages."""


_LOCAL = late(
    r"(?:localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[::1\]|[a-z_-]+(?::\d+)?\Z"
    r"|[^/]*\.(?:local|internal|test)(?::|\Z))"
)


def is_local(host: str) -> bool:
    """Whether a host, with its port or without, is this machine, of a private network, or a stand-in without a dot."""
    return _LOCAL().match(host) is not None


def is_vendor(host: str) -> bool:
    """Whether a host is that of a known vendor or index, or one of its subdomains."""
    return f".{host}".endswith(tuple(f".{name}" for name in _VENDORS))


RESOLVERS = _names(
    "8.8.8.8 8.8.4.4 1.0.0.1 9.9.9.9 149.112.112.112 208.67.222.222 208.67.220.220 94.140.14.14 94.140.15.15 76.76.2.0"
    " 76.76.10.0 4.2.2.1 4.2.2.2 64.6.64.6 119.29.29.29 223.5.5.5 223.6.6.6 114.114.114.114 168.63.129.16"
)
"""Public resolvers, and the address of a cloud's own services."""

SAMPLES = _names("1.2.3.4 1.2.3.5 4.3.2.1 2.3.4.5 5.6.7.8 12.34.56.78 11.22.33.44 123.45.67.89 123.45.67.8")
"""IPv4 addresses that people invent as samples."""

FILE_ENDINGS = _names(
    "md py js ts mjs cjs jsx tsx json yaml yml toml txt html htm css scss png jpg jpeg svg gif pdf csv xml rb go java"
    " kt swift php lua zip gz tgz log lock cfg ini env sample template local bak tmp vue ipynb"
)
"""Last parts of names that look like hosts and are files."""


def below(host: str, path: str, known: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether an address is on a known host or below it, and its path (with a slash) begins like one given for it."""
    labels = host.split(".")
    for first in range(max(0, len(labels) - 4), len(labels) - 1):
        begins = known.get(".".join(labels[first:]))
        if begins and path[1:].startswith(begins):
            return True
    return False
