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
    "1password.com 7-zip.org adobe.com adoptium.net airbyte.com alacritty.org alpinelinux.org amazon.com"
    " amd.com anaconda.com android.com ansible.com anthropic.com anyscale.com anza.xyz apache.org apple.com"
    " archlinux.org arduino.cc argoproj.io arm.com asdf-vm.com assemblyai.com astral.sh atlassian.com atuin.sh"
    " audacityteam.org autodesk.com autohotkey.com azure.com backblaze.com bitbucket.org bitcoin.org"
    " bitwarden.com blender.org brew.sh bun.sh caddyserver.com calibre-ebook.com canonical.com canva.com"
    " chezmoi.io chocolatey.org chrome.com cilium.io claude.ai claude.com clawhub.ai clawhub.com clickhouse.com"
    " clojure.org cloudflare.com cockroachlabs.com cocoapods.org codeberg.org cohere.com coinbase.com"
    " composio.dev conda.io couchbase.com cpan.org crates.io crystal-lang.org cursor.com cygwin.com cypress.io"
    " dagster.io dart.dev dashlane.com databricks.com datadoghq.com debian.org deepgram.com deepseek.com"
    " deno.com deno.land determinate.systems devenv.sh digitalocean.com direnv.net docker.com doppler.com"
    " dot.net duckdb.org eclipse.org eff.org elastic.co electronjs.org elevenlabs.io elixir-lang.org"
    " epicgames.com erlang.org espressif.com ethereum.org expo.dev fal.ai fedoraproject.org ffmpeg.org"
    " figma.com fivetran.com flathub.org flatpak.org flutter.dev fluxcd.io fly.io framer.com freebsd.org"
    " freecad.org freedesktop.org frida.re getcomposer.org getdbt.com getfoundry.sh ghidra-sre.org"
    " ghostscript.com ghostty.org gimp.org git-scm.com github.com github.io gitkraken.com gitlab.com gleam.run"
    " gnome.org gnu.org gnupg.org go.dev godotengine.org golang.org google.com goreleaser.com gpg4win.org"
    " gradle.org grafana.com grafana.net graphviz.org groq.com gtk.org hammerspoon.org handbrake.fr haproxy.org"
    " hardhat.org hashcat.net hashicorp.com haskell.org helm.sh heroku.com hetzner.com hex-rays.com hex.pm"
    " home-assistant.io honeycomb.io hoppscotch.io huggingface.co ibm.com imagemagick.org inference.sh"
    " infisical.com influxdata.com infracost.io inkscape.org insomnia.rest intel.com istio.io iterm2.com jan.ai"
    " java.com jetbrains.com julialang.org k3s.io k8s.io kali.org kde.org keepassxc.org kernel.org kicad.org"
    " kotlinlang.org krita.org kubernetes.io langchain.com lastpass.com latex-project.org launchdarkly.com"
    " letsencrypt.org libreoffice.org linear.app linkerd.io linode.com llamaindex.ai lmstudio.ai lua.org"
    " macports.org mailgun.com mariadb.com mariadb.org mathworks.com metaplex.com metasploit.com microsoft.com"
    " miktex.org milvus.io min.io minio.io mise.run mistral.ai mitmproxy.org mkvtoolnix.download mlflow.org"
    " modal.com mongodb.com mono-project.com moonrepo.dev mozilla.org mpv.io msys2.org mysql.com n8n.io"
    " neo4j.com neon.com neon.tech neovim.io netbird.io netlify.com newrelic.com nextcloud.com nextdns.io"
    " nginx.com nginx.org nim-lang.org nixos.org nmap.org nodejs.org nodered.org npmjs.com nuget.org nushell.sh"
    " nvidia.com obsidian.md obsproject.com ocaml.org ollama.ai ollama.com openai.com openclaw.ai opencode.ai"
    " openjdk.org openscad.org opensearch.org openssh.com openssl.org opensuse.org opentofu.org openvpn.net"
    " openwebui.com oracle.com osquery.io overleaf.com ovhcloud.com packagist.org pagerduty.com pandoc.org"
    " paypal.com perl.org perplexity.ai php.net pi-hole.net plaid.com planetscale.com platformio.org"
    " playwright.dev pnpm.io podman.io portswigger.net posit.co postgresql.org posthog.com postman.com"
    " postmarkapp.com prefect.io prometheus.io pulumi.com puppeteer.dev putty.org pypa.io pypi.org python.org"
    " pytorch.org qdrant.tech qemu.org qt.io qualcomm.com quarto.org r-project.org radare.org railway.com"
    " rancher.com rapid7.com rarlab.com raspberrypi.com raylib.com rclone.org reactnative.dev readthedocs.org"
    " redhat.com redis.io render.com replicate.com resend.com restic.net rollupjs.org rstudio.com ruby-lang.org"
    " rubygems.org runpod.io rust-lang.org rustup.rs sagemath.org salesforce.com saltproject.io scala-lang.org"
    " scaleway.com scoop.sh sdkman.io segment.com selenium.dev semgrep.dev sendgrid.com sentry.io shopify.com"
    " signal.org sketch.com slack.com snapcraft.io snort.org snowflake.com snyk.io solana.com soliditylang.org"
    " sonarsource.com sourceforge.net sourcetreeapp.com splunk.com spotify.com sqlite.org squareup.com st.com"
    " starship.rs steampowered.com stripe.com sublimetext.com supabase.com suricata.io surrealdb.com swift.org"
    " syncthing.net tailscale.com taskfile.dev tauri.app telegram.org tensorflow.org terraform-docs.io"
    " terraform.io ti.com timescale.com todoist.com torproject.org traefik.io trivy.dev trychroma.com tug.org"
    " turso.tech twilio.com typst.app ubuntu.com unity.com unrealengine.com vercel.com videolan.org vim.org"
    " virtualbox.org visualstudio.com vitejs.dev vmware.com volatilityfoundation.org volta.sh vultr.com"
    " wandb.ai warp.dev weaviate.io wezterm.org whatsapp.com win-rar.com windsurf.com wireguard.com"
    " wireshark.org wolfram.com wxwidgets.org x.ai xquartz.org yarnpkg.com yt-dlp.org yubico.com zaproxy.org"
    " zed.dev zeek.org zerotier.com ziglang.org zoom.us zotero.org"
)
"""Vendors of programs, and indexes of packages: the hosts of their own pages, as read in November 2026."""


_LOCAL = late(
    r"(?:localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[::1\]|[a-z_-]+(?::\d+)?\Z"
    r"|[^/]*\.(?:local|internal|test)(?::|\Z))"
)


def is_local(host: str) -> bool:
    """Whether a host, with its port or without, is this machine, of a private network, or a stand-in without a dot."""
    return _LOCAL().match(host) is not None


def is_vendor(host: str) -> bool:
    """Whether a host is that of a known vendor or index, or below one, and not where anybody leaves files."""
    return f".{host}".endswith(tuple(f".{name}" for name in _VENDORS)) and not host.startswith(_FILLED)


_FILLED = ("drive.", "docs.", "sites.", "storage.", "gist.", "cdn.", "share.", "forms.", "blob.")
"""First labels of hosts of vendors where their users publish."""


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
