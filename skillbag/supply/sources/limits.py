"""How large a source may be, and how much and how long one run may fetch: each limit with its reason.

Sources and their dependencies are not trusted, so they must not keep a run busy without end. What exceeds a limit is
refused with a message that names the limit, and nothing is installed. All limits lie far above what published sources
hold.
"""

from __future__ import annotations

from skillbag.kernel.workspace.tree_hash import LARGEST

MAX_ENTRIES = 50_000
"""Most files, folders and links that are taken of a source: each is checked, hashed and copied."""

MAX_LISTED = 4 * MAX_ENTRIES
"""Most files and folders of a plain repository, or a folder, that are searched for the skills among them."""

MAX_FILE = LARGEST
"""Largest file of a source, in bytes (64 MiB): skills are text, with a picture or a model here and there."""

MAX_TOTAL = 512 << 20
"""Largest source, unpacked, in bytes (512 MiB): it lies in the cache, and again in the workspace."""

MAX_ARCHIVE = 256 << 20
"""Largest archive, in bytes (256 MiB), downloaded or copied: it is hashed and kept before anything in it is known."""

MAX_UNPACKED = 1 << 30
"""Bytes that a tar archive may unpack to, all of it (1 GiB): it has no list, so that what is not taken is read too."""

MAX_RECEIVED = 1 << 30
"""Bytes that one git command may receive, packed (1 GiB): some hosts can't leave the history out."""

MAX_DEPTH = 32
"""Most names in the path of an entry: deeper entries are never installed, and no walk goes there."""

MAX_DEPENDENCIES = 200
"""Most dependencies of one skill: each may be a source of its own, on any host."""

MAX_CHAIN = 2_000
"""Most requesters between the first one and a skill: what is known of a chain grows with the square of its length."""

MAX_SOURCES = 500
"""Most sources, each at a version, that one run fetches."""

MAX_REDIRECTS = 5
CONNECT_SECONDS = 10.0
READ_SECONDS = 30.0
"""Longest silence of an HTTP server."""

DOWNLOAD_SECONDS = 600.0
"""Longest time for a whole download, redirects and retries included."""

RETRY_PAUSES = (0.5, 1.5)
"""Seconds to wait before each retry of a download."""

MAX_RETRY_AFTER = 5.0
"""Longest `Retry-After` that is waited for; the user is shown a longer one."""

MAX_REGISTRY_ARCHIVE = 100 << 20
"""Largest archive of a registry, in bytes (100 MiB): one skill (skill runtime, section 9)."""

MAX_REGISTRY_ENTRIES = 10_000
MAX_REGISTRY_FILE = 50 << 20
MAX_REGISTRY_TOTAL = 500 << 20
"""Most entries of such an archive, and its largest file and content, unpacked, in bytes (50 MiB, 500 MiB)."""

MAX_REGISTRY_ANSWER = 1 << 20
"""Largest manifest, list of versions or result of a search, in bytes (1 MiB)."""

REGISTRY_SECONDS = 30.0
"""Longest time for one of these requests, redirects included; a download has the time of every other download."""
