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
    "1password.com 7-zip.org ableton.com acme.sh activestate.com adobe.com adoptium.net aider.chat airbyte.com"
    " aircrack-ng.org aka.ms alacritty.org aliyun.com alpinelinux.org amazon.com amd.com ampcode.com anaconda.com"
    " anchore.com android.com ansible.com anthropic.com antigravity.google anyscale.com anythingllm.com anza.xyz"
    " apache.org apple.com aptos.dev aquasec.com arangodb.com archlinux.org arduino.cc argoproj.io arkade.dev arm.com"
    " asdf-vm.com aspire.dev assemblyai.com astral.sh astronomer.io atlassian.com atuin.sh audacityteam.org"
    " autodesk.com autohotkey.com azul.com azure.com backblaze.com bambulab.com bazel.build bigmodel.cn"
    " bioconductor.org bitbucket.org bitcoin.org bitwarden.com blackmagicdesign.com blender.org bpkg.sh brew.sh"
    " broadinstitute.org buf.build buildkite.com bun.sh caddyserver.com calibre-ebook.com canonical.com canva.com"
    " charm.sh chatgpt.com chezmoi.io chocolatey.org chrome.com cilium.io circleci.com claude.ai claude.com"
    " clawhub.ai clawhub.com clickhouse.com clojure.org cloudflare.com cmake.org cockroachlabs.com cocoapods.org"
    " codacy.com code-server.dev codeberg.org codecov.io codeium.com coder.com cog-genomics.org cohere.com"
    " coinbase.com comfy.org composio.dev conda.io consul.io containerlab.dev continue.dev coollabs.io couchbase.com"
    " cpan.org crates.io crossplane.io crowdsec.net cryptomator.org crystal-lang.org cursor.com cygwin.com cypress.io"
    " cytoscape.org d2lang.com dagger.io dagster.io dart.dev dashlane.com dashscope.aliyuncs.com databricks.com"
    " datadoghq.com daytona.io dbeaver.io debian.org deepgram.com deepseek.com defold.com deno.com deno.land"
    " determinate.systems devenv.sh dfinity.org dgraph.io diagrams.net dify.ai digitalocean.com direnv.net docker.com"
    " docker.io dokploy.com dolthub.com doppler.com dot.net dotenvx.sh drawio.com duckdb.org ebi.ac.uk eclipse.org"
    " eff.org elastic.co electronjs.org elevenlabs.io elixir-lang.org encore.dev ensembl.org epicgames.com erlang.org"
    " espressif.com ethereum.org exiftool.org expo.dev factory.ai fal.ai falco.org fedoraproject.org ffmpeg.org"
    " figma.com fiji.sc fivetran.com flathub.org flatpak.org flutter.dev fluxcd.io fly.io forgejo.org"
    " foundry.paradigm.xyz framer.com freebsd.org freecad.org freedesktop.org frida.re getcomposer.org getdbt.com"
    " getfoundry.sh getmic.ro ghidra-sre.org ghostscript.com ghostty.org gimp.org git-lfs.com git-scm.com gitea.com"
    " github.com github.io gitkraken.com gitlab.com gitpod.io glasskube.dev gleam.run gnome.org gnu.org gnupg.org"
    " gnuplot.info go.dev godotengine.org gohugo.io golang.org google.com goreleaser.com goteleport.com gpg4win.org"
    " gpt4all.io graalvm.org gradle.org grafana.com grafana.net graphviz.org groq.com grpc.io gtk.org hammerspoon.org"
    " handbrake.fr haproxy.org hardhat.org harness.io hashcat.net hashicorp.com haskell.org haskellstack.org haxe.org"
    " heidisql.com helm.sh heroku.com hetzner.com hex-rays.com hex.pm home-assistant.io honeycomb.io hoppscotch.io"
    " huggingface.co hurl.dev ibm.com ignite.com illumina.com imagej.net imagemagick.org inference.sh infisical.com"
    " influxdata.com infracost.io inkscape.org insomnia.rest intel.com internetcomputer.org istio.io iterm2.com"
    " jan.ai java.com jenkins.io jetbrains.com jetify.com julialang.org just.systems k0sproject.io k3s.io k3sup.dev"
    " k8s.io k8slens.dev k9scli.io kali.org kde.org keepassxc.org kernel.org keybase.io kicad.org kiro.dev"
    " kotlinlang.org krita.org kubernetes.io kubevela.net kustomize.io lambdalabs.com langchain.com langflow.org"
    " lastpass.com latex-project.org launchdarkly.com ldtk.io letsencrypt.org libreoffice.org lilypond.org linear.app"
    " linkerd.io linode.com lix.systems llamaindex.ai llvm.org lmstudio.ai love2d.org lua.org macports.org"
    " mailgun.com mamba.pm mariadb.com mariadb.org mathworks.com maxon.net mediaarea.net meilisearch.com memgraph.com"
    " mesonbuild.com metaplex.com metasploit.com microsoft.com miktex.org milvus.io min.io mingw-w64.org mingw.org"
    " minimax.io minimaxi.com minio.io mise.run mistral.ai mitmproxy.org mkvtoolnix.download mlflow.org modal.com"
    " modelcontextprotocol.io modular.com mongodb.com mono-project.com moonbitlang.com moonrepo.dev moonshot.ai"
    " moonshot.cn mozilla.org mpv.io msys2.org mullvad.net multipass.run musescore.org my-netdata.io mysql.com n8n.io"
    " nagios.org neo4j.com neon.com neon.tech neovim.io netbird.io netdata.cloud netlify.com newrelic.com"
    " nextcloud.com nextdns.io nextflow.io nginx.com nginx.org nih.gov nim-lang.org ninja-build.org nixos.org"
    " nmap.org nodejs.org nodered.org nodesource.com nomadproject.io npmjs.com nuget.org nushell.sh nvidia.com"
    " obsidian.md obsproject.com ocaml.org octave.org oh-my-posh.dev ohmyz.sh ollama.ai ollama.com openai.com"
    " openclaw.ai opencode.ai openfaas.com openjdk.org openpolicyagent.org openrouter.ai openscad.org opensearch.org"
    " openssh.com openssl.org opensuse.org opentofu.org openvpn.net openwall.com openwebui.com oracle.com"
    " orbstack.dev osquery.io overleaf.com ovhcloud.com packagist.org packer.io pagerduty.com pandoc.org parallel.ai"
    " paypal.com pdflabs.com pdm-project.org perl.org perplexity.ai pgadmin.org php.net pi-hole.net pixi.sh pkgx.sh"
    " plaid.com planetscale.com plantuml.com platformio.org playwright.dev pnpm.io podman.io porter.sh"
    " portswigger.net posit.co postgresql.org posthog.com postman.com postmarkapp.com prefect.io prefix.dev"
    " princexml.com processing.org prometheus.io proton.me prusa3d.com pulumi.com puppeteer.dev puredata.info"
    " putty.org pyenv.run pypa.io pypi.org python-poetry.org python.org pytorch.org qdrant.tech qemu.org qlty.sh"
    " qt.io qualcomm.com qualys.com quarto.org questdb.io r-project.org radare.org railway.app railway.com"
    " rancher.com rancherdesktop.io rapid7.com rarlab.com raspberrypi.com raylib.com rclone.org rcsb.org"
    " reactnative.dev readthedocs.org reaper.fm redhat.com redis.io render.com replicate.com resend.com restic.net"
    " rhino3d.com risczero.com rke2.io rollupjs.org rstudio.com ruby-lang.org rubygems.org runpod.io rust-lang.org"
    " rustup.rs rvm.io sagemath.org salesforce.com saltproject.io scala-lang.org scaleway.com scilab.org scoop.sh"
    " scylladb.com sdkman.io segment.com selenium.dev semgrep.dev sendgrid.com sentry.io shopify.com sidefx.com"
    " signal.org sigstore.dev siliconflow.cn sketch.com sketchup.com slack.com slicer.org snapcraft.io snort.org"
    " snowflake.com snyk.io solana.com soliditylang.org sonarsource.com sourceforge.net sourcegraph.com"
    " sourcetreeapp.com splunk.com spotify.com sqlite.org sqlitebrowser.org squareup.com sst.dev st.com starkup.sh"
    " starship.rs steampowered.com stepfun.com strawberryperl.com stripe.com sublimetext.com submariner.io"
    " succinct.xyz supabase.com suricata.io surrealdb.com swift.org swmansion.com syncthing.net tableplus.com"
    " tailscale.com taskfile.dev tauri.app tavily.com telegram.org tenable.com tensorflow.org tenzir.app tenzir.com"
    " terraform-docs.io terraform.io ti.com timescale.com todoist.com torproject.org traefik.io trivy.dev trunk.io"
    " trychroma.com tug.org tur.so turso.tech twilio.com typst.app ubuntu.com ultimaker.com uniprot.org unity.com"
    " unrealengine.com upbound.io vagrantup.com vaultproject.io vector.dev veracrypt.fr vercel.com videolan.org"
    " vim.org virtualbox.org visualstudio.com vitejs.dev vmware.com volatilityfoundation.org volcengine.com volta.sh"
    " vultr.com wandb.ai warp.dev wasmer.io wasmtime.dev wazuh.com weasyprint.org weaviate.io wezterm.org"
    " whatsapp.com win-rar.com windsurf.com wireguard.com wireshark.org wkhtmltopdf.org wolfram.com wxwidgets.org"
    " x.ai xpdfreader.com xquartz.org yarnpkg.com yt-dlp.org yubico.com z.ai zabbix.com zaproxy.org zed.dev zeek.org"
    " zerotier.com ziglang.org zoom.us zotero.org"
    " sysinternals.com wix.com wixapis.com flashlight.dev mobile.dev browser-use.com agpt.co risingwave.com fastgpt.cn"
    " link-ai.tech edu gov ac.uk"
)
"""Vendors of programs, indexes of packages, universities: the hosts of their own pages, as read in November 2026."""
_FORGES = _places(
    "github.com raw.githubusercontent.com gitlab.com bitbucket.org codeberg.org gitee.com huggingface.co github.io"
    " sourceforge.net clawhub.ai clawhub.com cloudapp.azure.com script.google.com"
)
"""Where vendors show what anybody uploads."""
_OWNERS = _names(
    "0xmiden ajeetdsouza alexellis anchore ansible anthropics apache apple aquasecurity argoproj asdf-vm astral-sh"
    " aws aws-samples awslabs aztecprotocol azure basherpm block bpkg burntsushi cantino cargo-bins charmbracelet"
    " cilium cli cloudflare conda-forge creationix crossplane dapr denoland derailed docker dolthub dotnet elastic"
    " facebook fluxcd gastownhall git-lfs github gitleaks gohugoio golangci google googleapis googlecloudplatform"
    " goreleaser grafana gravitational hashicorp helm homebrew infracost istio jenkins-x jesseduffield jqlang"
    " junegunn k3d-io kubernetes kubernetes-sigs kubescape linkerd mamba-org matter-labs meta-llama microsoft"
    " mikefarah mongodb moovweb mystenlabs nektos neovim nmap nodejs noir-lang npm nvidia nvm-sh ohmybash ohmyzsh"
    " open-policy-agent openai openshift oven-sh pact-foundation pnpm postgres powershell projectdiscovery prometheus"
    " pyenv pypa python python-poetry rancher rapid7 rbenv rcaloras redis render-oss risc0 rust-lang saltstack sdkman"
    " securego sharkdp sqlfluff sqlmapproject starkware-libs starship stedolan steveyegge succinctlabs supabase"
    " tektoncd terraform-linters tilt-dev tj trufflesecurity velocidex vercel vim vmware-tanzu wagoodman wasmedge"
    " withastro yarnpkg zaproxy zellij-org"
)
"""Accounts of GitHub, in small letters, whose installers many use, as read in November 2026."""

_LOCAL = late(
    r"(?:localhost|127(?:\.\d+){1,3}|0\.0\.0\.0|10(?:\.\d+){3}|192\.168(?:\.\d+){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}"
    r"|169\.254(?:\.\d+){2}|\[::1\]|[a-z_-]+|[^/:]*\.(?:local|internal|test))(?::\d*)?\Z"
)
"""169.254 is where a cloud tells a machine about itself. A name that only begins so is a host like others."""


def is_local(host: str) -> bool:
    """Whether a host, with its port or without, is this machine, of a private network, or a stand-in without a dot."""
    return _LOCAL().match(host) is not None


def is_vendor(host: str) -> bool:
    """Whether a host is that of a known vendor or index, or below one, and not where anybody leaves files."""
    labels = host.split(".")
    return any(".".join(labels[at:]) in _VENDORS for at in range(len(labels))) and not host.startswith(_FILLED)


def answers_for(host: str, path: str) -> bool:
    """Whether a known vendor answers for what an address (with its slash) gives, and nobody else may leave it there."""
    if host in ("github.com", "raw.githubusercontent.com"):
        return path[1:].partition("/")[0].lower() in _OWNERS
    return is_vendor(host) and not host.endswith((".edu", ".ac.uk")) and not below(host, path, _FORGES)


def gives_securely(address: str) -> bool:
    """Whether a known vendor answers for what an address gives, over https."""
    scheme, _, rest = address.rpartition("://")
    host, slash, path = rest.partition("/")
    return scheme == "https" and answers_for(host.lower(), slash + path)


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
