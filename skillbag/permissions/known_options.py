"""Programs that can run others, each with its options that are known to run nothing.

`program_options.options_of` reads the tables. What is not in one is refused under a pattern with a wildcard.
"""

from __future__ import annotations

from collections.abc import Mapping

OPTIONS: Mapping[str, str] = {
    "ack": (
        "-h --help --version --color: --hidden --no-heading --heading --column -A: -B: -C: -m: -i -v -w -x -n -l -L "
        "-c -o -Q -g: -f --nocolor --type: --ignore-dir: --ignore-case --count"
    ),
    "ag": (
        "-h --help --version --color: --hidden --no-heading --heading --column -A: -B: -C: -m: -i -v -w -n -l -L -c "
        "-o -Q -g: -G: -s -S -a -t -u -U -z --nocolor --count --literal --ignore: --ignore-case --depth: "
        "--files-with-matches --max-count: --nogroup --group --numbers --stats --vimgrep"
    ),
    "ansible-playbook": (
        "--check --diff --syntax-check --list-tasks --list-hosts --list-tags -v -vv -vvv --version --help"
    ),
    "ant": "-q -v -S -help -version -projecthelp",
    "apt": "-y -q -s -qq --yes --quiet --dry-run --installed --upgradable --version --help",
    "apt-get": "-y -q -s -qq -d --yes --quiet --dry-run --version --help",
    "bun": (
        "--version --help --frozen-lockfile --production --dry-run --silent --coverage --bail --timeout: -t: -D -d -E"
    ),
    "bundle": "--version --help --quiet --jobs: --without: --with: --local --verbose",
    "c++": (
        "-c -S -E -g -g3 -ggdb -v -w -s -p -pg -pipe -pthread -pedantic -shared -static -rdynamic -ansi -o: -std: -x: "
        "-fPIC -fpic -fPIE -fpie -fopenmp -flto -fno-* -fsanitize: -fdiagnostics-color: -fvisibility: -Wall -Wextra "
        "-Werror -Wpedantic -Wshadow -Wconversion -Wformat -Wno-* -Werror: -O* -I* -D* -U* -L* -l* -M -MM -MD -MMD "
        "-MP -MF: -MT: -m32 -m64 -march: -mtune: --version --help -fsyntax-only -isystem: -include:"
    ),
    "cargo": (
        "-q -v -V -r -p: -j: -F: --quiet --verbose --version --help --release --package: --workspace --all "
        "--all-targets --all-features --no-default-features --features: --lib --bin: --bins --example: --examples "
        "--test: --tests --bench: --benches --doc --no-run --no-fail-fast --profile: --jobs: --keep-going --locked "
        "--offline --frozen --message-format: --color: --no-deps --open --depth: --invert: -i: -e: --edges: --check "
        "--fix --allow-dirty --allow-staged --dev --build --dry-run -D: -W: -A:"
    ),
    "cc": (
        "-c -S -E -g -g3 -ggdb -v -w -s -p -pg -pipe -pthread -pedantic -shared -static -rdynamic -ansi -o: -std: -x: "
        "-fPIC -fpic -fPIE -fpie -fopenmp -flto -fno-* -fsanitize: -fdiagnostics-color: -fvisibility: -Wall -Wextra "
        "-Werror -Wpedantic -Wshadow -Wconversion -Wformat -Wno-* -Werror: -O* -I* -D* -U* -L* -l* -M -MM -MD -MMD "
        "-MP -MF: -MT: -m32 -m64 -march: -mtune: --version --help -fsyntax-only -isystem: -include:"
    ),
    "clang": (
        "-c -S -E -g -g3 -ggdb -v -w -s -p -pg -pipe -pthread -pedantic -shared -static -rdynamic -ansi -o: -std: -x: "
        "-fPIC -fpic -fPIE -fpie -fopenmp -flto -fno-* -fsanitize: -fdiagnostics-color: -fvisibility: -Wall -Wextra "
        "-Werror -Wpedantic -Wshadow -Wconversion -Wformat -Wno-* -Werror: -O* -I* -D* -U* -L* -l* -M -MM -MD -MMD "
        "-MP -MF: -MT: -m32 -m64 -march: -mtune: --version --help -fsyntax-only -isystem: -include:"
    ),
    "clang++": (
        "-c -S -E -g -g3 -ggdb -v -w -s -p -pg -pipe -pthread -pedantic -shared -static -rdynamic -ansi -o: -std: -x: "
        "-fPIC -fpic -fPIE -fpie -fopenmp -flto -fno-* -fsanitize: -fdiagnostics-color: -fvisibility: -Wall -Wextra "
        "-Werror -Wpedantic -Wshadow -Wconversion -Wformat -Wno-* -Werror: -O* -I* -D* -U* -L* -l* -M -MM -MD -MMD "
        "-MP -MF: -MT: -m32 -m64 -march: -mtune: --version --help -fsyntax-only -isystem: -include:"
    ),
    "cmake": (
        "-S: -B: -G: --build: -j* --target: --config: --parallel: --version --help --preset: --install: --fresh "
        "--clean-first --verbose -v -DCMAKE_BUILD_TYPE: -DCMAKE_EXPORT_COMPILE_COMMANDS: -DBUILD_TESTING: "
        "-DBUILD_SHARED_LIBS: -DCMAKE_CXX_STANDARD: -DCMAKE_C_STANDARD: -Wno-dev --list-presets"
    ),
    "conda": "--json -n: --name: -q -v --version --help --verbose --quiet",
    "ctest": (
        "-V -VV -N -j* -R: -E: -L: -C: --output-on-failure --rerun-failed --test-dir: --parallel: --timeout: --version"
    ),
    "curl": (
        "-f -s -S -L -I -i -k -v -G -O -J -N -g -# -a -C: -X: -H: -d: -F: -o: -u: -A: -e: -m: -w: -b: -c: -r: -T: -x: "
        "--fail --fail-with-body --silent --show-error --location --head --include --insecure --verbose --get "
        "--remote-name --remote-name-all --remote-header-name --no-buffer --compressed --progress-bar --request: "
        "--header: --data: --data-raw: --data-binary: --data-urlencode: --json: --form: --form-string: --output: "
        "--output-dir: --create-dirs --user: --user-agent: --referer: --max-time: --connect-timeout: --retry: "
        "--retry-delay: --retry-max-time: --retry-all-errors --retry-connrefused --write-out: --cookie: --cookie-jar: "
        "--range: --upload-file: --url: --http1.1 --http2 --ipv4 --ipv6 --max-redirs: --no-progress-meter --globoff "
        "--version --help --proto: --tlsv1.2 --oauth2-bearer: --continue-at: --cacert: --limit-rate: --max-filesize: "
        "-h -V"
    ),
    "deno": "--quiet -q --version --help --check --json --fix --coverage:",
    "diff3": "-m -A -E -e -x -X -3 -a -i -T -L: --label: --merge --text --version --help",
    "docker": (
        "-a -q -f -n: -t --all --quiet --no-trunc --filter: --format: --tail: --since: --until: --follow --timestamps "
        "-s --no-stream --help --version --force --rm -i -it -d -e: -p: -w: --name: --env: --publish: --workdir:"
    ),
    "dotnet": (
        "-c: -f: -o: -v: --configuration: --framework: --no-build --no-restore --nologo --filter: --verbosity: "
        "--version"
    ),
    "eslint": (
        "--fix --fix-dry-run --quiet --max-warnings: --ext: --cache -f: --format: --no-color --color --version -h"
    ),
    "fd": (
        "-H -I -g -F -s -i -a -l -L -p -0 -u -1 -q -d: -t: -e: -E: -c: -S: -o: -j: -h -V --hidden --no-ignore --glob "
        "--extension: --type: --max-depth: --min-depth: --exclude: --absolute-path --follow --full-path --print0 "
        "--color: --case-sensitive --ignore-case --fixed-strings --size: --changed-within: --changed-before: "
        "--max-results: --quiet --version --help"
    ),
    "find": (
        "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth "
        "-size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -newermt -user -group -uid -gid -nouser "
        "-nogroup -perm -links -inum -samefile -lname -ilname -fstype -empty -readable -writable -executable -true "
        "-false -not -o -or -a -and -prune -quit -print -print0 -printf -ls -delete -depth -d -xdev -mount -follow "
        "-daystart -noleaf -ignore_readdir_race -H -L -P -warn -nowarn -help --help -version --version -# -used -O0 "
        "-O1 -O2 -O3 -E -X -x -s"
    ),
    "flake8": (
        "-v -q --select: --ignore: --extend-ignore: --max-line-length: --statistics --count --exclude: -j: --version"
    ),
    "g++": (
        "-c -S -E -g -g3 -ggdb -v -w -s -p -pg -pipe -pthread -pedantic -shared -static -rdynamic -ansi -o: -std: -x: "
        "-fPIC -fpic -fPIE -fpie -fopenmp -flto -fno-* -fsanitize: -fdiagnostics-color: -fvisibility: -Wall -Wextra "
        "-Werror -Wpedantic -Wshadow -Wconversion -Wformat -Wno-* -Werror: -O* -I* -D* -U* -L* -l* -M -MM -MD -MMD "
        "-MP -MF: -MT: -m32 -m64 -march: -mtune: --version --help -fsyntax-only -isystem: -include:"
    ),
    "gcc": (
        "-c -S -E -g -g3 -ggdb -v -w -s -p -pg -pipe -pthread -pedantic -shared -static -rdynamic -ansi -o: -std: -x: "
        "-fPIC -fpic -fPIE -fpie -fopenmp -flto -fno-* -fsanitize: -fdiagnostics-color: -fvisibility: -Wall -Wextra "
        "-Werror -Wpedantic -Wshadow -Wconversion -Wformat -Wno-* -Werror: -O* -I* -D* -U* -L* -l* -M -MM -MD -MMD "
        "-MP -MF: -MT: -m32 -m64 -march: -mtune: --version --help -fsyntax-only -isystem: -include:"
    ),
    "gh": (
        "-R: -L: -s: -t: -b: -B: -H: -F: -f: -l: -a: -q: -X: -n: -d -y -w: -m -r -v --repo: --limit: --state: "
        "--title: --body: --body-file: --base: --head: --label: --assignee: --author: --search: --json: --jq: "
        "--method: --field: --raw-field: --header: --input: --paginate --draft --squash --merge --rebase "
        "--delete-branch --yes --log --log-failed --job: --workflow: --branch: --commit: --status: --event: --user: "
        "--name-only --patch --comments --help --version --reviewer: --milestone: --add-label: --remove-label: "
        "--add-assignee: --remove-assignee: --reason: --comment: --approve --request-changes --exit-status --watch "
        "--required --notes: --notes-file: --target: --latest --prerelease --generate-notes --verify-tag --fill "
        "--slurp --hostname: --sort: --order: --public --private -p: --pattern: --dir: --clobber --ref: --attempt: "
        "--verbose --auto --undo -u: -c: -e: -i --dry-run"
    ),
    "go": (
        "-v -race -short -run: -count: -timeout: -cover -coverprofile: -covermode: -coverpkg: -bench: -benchmem "
        "-benchtime: -json -x -n -a -tags: -o: -c -failfast -parallel: -cpu: -shuffle: -mod: -trimpath -p: -u -m "
        "-list: -skip: -vet: -t -f: -deps -e -test -all -src -short -h --help -versions -retracted -work -i -modcache "
        "-cache -testcache -msan -asan -buildvcs: -fuzz: -fuzztime:"
    ),
    "gradle": (
        "-q -i -s -d -v --info --quiet --stacktrace --debug --offline --no-daemon --console: --tests: --parallel "
        "--continue -x:"
    ),
    "hatch": "-v -q --version --help --verbose --quiet",
    "helm": "-n: -A -a -o: --namespace: --output: --all-namespaces --all --short -q --version: --help --revision:",
    "ip": "-4 -6 -br -s -j -o -c -d -h -brief -json -stats -V",
    "jest": (
        "-t: -i -b -w: -o --testNamePattern: --runInBand --bail --watch --watchAll --coverage --verbose --silent --ci "
        "--onlyChanged --passWithNoTests --maxWorkers: --testPathPattern: --updateSnapshot -u --detectOpenHandles "
        "--forceExit --json --listTests --no-coverage --colors --no-cache --findRelatedTests --version --help "
        "--testTimeout: --shard:"
    ),
    "just": "-l -n -q -v --list --dry-run --quiet --summary --show: --verbose --version --help --evaluate --no-dotenv",
    "kubectl": (
        "-n: -A -o: -l: -f -w -c: -p --namespace: --all-namespaces --output: --selector: --tail: --since: "
        "--container: --previous --follow --watch --show-labels --sort-by: --field-selector: --no-headers --help "
        "--client --all-containers --timestamps --recursive --ignore-not-found"
    ),
    "less": "-N -S -R -F -X -i -I -n -M -m -E -e -s -r -q -Q -g -G -J -w -W --version --help -V -#",
    "make": (
        "-j* -k -n -s -B -q -i -d -p -r -R -w -O -t -v -h --jobs: --keep-going --dry-run --just-print --silent "
        "--quiet --always-make --question --print-data-base --version --help --no-print-directory --output-sync "
        "--trace --ignore-errors"
    ),
    "man": "-k -f -w -a -K -s: -S: --whatis --apropos --where --path --all --version --help",
    "meson": "--version --help -v --reconfigure --wipe --buildtype: --prefix: -C: --list --no-rebuild",
    "mocha": (
        "-b -g: -f: -t: -R: -w --bail --grep: --timeout: --reporter: --watch --recursive --exit --parallel --version"
    ),
    "more": "-d -f -l -s -u -p -c -n: -V -h -#",
    "mvn": (
        "-q -B -o -U -e -X -N -am -amd -T* -pl: -DskipTests -DskipTests: -Dtest: -Dmaven.test.skip: -ntp -v -h "
        "--version --batch-mode --offline --quiet --no-transfer-progress -fae -ff -fn"
    ),
    "mypy": (
        "-v --strict --version --ignore-missing-imports --no-incremental --show-error-codes --pretty "
        "--no-error-summary --check-untyped-defs --disallow-untyped-defs --warn-unused-ignores --python-version: "
        "--platform: --follow-imports: --explicit-package-bases --namespace-packages --exclude: -p: -m: --help"
    ),
    "ninja": "-v -n -k: -j: -d: -t: --version --quiet --verbose -h",
    "npm": (
        "-s -q -d -dd -ddd -l -g -f -D -E -S -O -v -ws -w: --silent --quiet --verbose --json --long --parseable "
        "--if-present --workspaces --workspace: --include-workspace-root --ignore-scripts --no-audit --no-fund "
        "--offline --prefer-offline --save --save-dev --save-exact --save-optional --no-save --production --omit: "
        "--include: --force --legacy-peer-deps --dry-run --no-color --color --depth: --all --global --help --version "
        "--loglevel: --foreground-scripts"
    ),
    "pdm": "-v -q -d -G: --version --help --verbose --quiet --dev --group: --no-lock --dry-run",
    "pip": (
        "-r: -e: -c: -U -q -v -y --requirement: --constraint: --editable: --upgrade --user --no-deps --pre --quiet "
        "--verbose --yes --no-cache-dir --disable-pip-version-check --no-input --break-system-packages --dry-run "
        "--outdated --format: --no-build-isolation --only-binary: --prefer-binary --require-hashes --version --help "
        "-h -V -f -l --local --files --target: -t: -d: --dest: --no-index --uptodate --not-required "
        "--exclude-editable"
    ),
    "pipenv": "-v -d --version --help --verbose --dev --quiet --deploy --bare",
    "pnpm": (
        "-s -q -d -dd -ddd -l -g -f -D -E -S -O -v -ws -w: --silent --quiet --verbose --json --long --parseable "
        "--if-present --workspaces --workspace: --include-workspace-root --ignore-scripts --no-audit --no-fund "
        "--offline --prefer-offline --save --save-dev --save-exact --save-optional --no-save --production --omit: "
        "--include: --force --legacy-peer-deps --dry-run --no-color --color --depth: --all --global --help --version "
        "--loglevel: --foreground-scripts -r --recursive --parallel --stream --frozen-lockfile --no-frozen-lockfile "
        "--filter: -P --prod --dev --reporter: --aggregate-output --no-bail --workspace-root -F: --fail-if-no-match"
    ),
    "podman": (
        "-a -q -f -n: -t --all --quiet --no-trunc --filter: --format: --tail: --since: --until: --follow --timestamps "
        "-s --no-stream --help --version --force --rm -i -it -d -e: -p: -w: --name: --env: --publish: --workdir:"
    ),
    "poetry": (
        "-q -v -n -V --quiet --verbose --no-interaction --dry-run --with: --without: --only: --sync --all-extras "
        "--no-root --group: --extras: --dev -D -G: -E: --tree --outdated --latest --no-cache --version --help "
        "--format: -f: --lock"
    ),
    "prettier": (
        "-c -l -w -u --check --list-different --write --log-level: --ignore-unknown --no-color --cache --version "
        "--help --tab-width: --print-width: --single-quote --parser: --no-config --no-error-on-unmatched-pattern"
    ),
    "pylint": (
        "-E -v -j: -d: -e: -f: -r: --disable: --enable: --errors-only --output-format: --reports: --score: --version "
        "--max-line-length: --jobs: --recursive: --ignore: --help"
    ),
    "pytest": (
        "-x -q -v -s -l -h -V -k: -m: -n: -r: --lf --ff --nf --sw --last-failed --failed-first --stepwise --exitfirst "
        "--maxfail: --tb: --durations: --durations-min: --co --collect-only --fixtures --markers --cov --cov: "
        "--cov-report: --cov-branch --cov-fail-under: --cov-append --no-cov --no-header --no-summary --color: "
        "--disable-warnings --junitxml: --junit-xml: --quiet --verbose --version --help --setup-show --setup-plan "
        "--cache-clear --cache-show --ignore: --deselect: --capture: --strict-markers --strict-config --strict "
        "--showlocals --runxfail --timeout: --forked --dist: --random-order --reruns: --doctest-modules --full-trace "
        "--numprocesses: --benchmark-only --benchmark-skip --snapshot-update --no-showlocals --show-capture: "
        "--verbosity: --hypothesis-seed:"
    ),
    "rake": "-n -q -s -t -T -P -j: --trace --dry-run --quiet --silent --tasks --version --help",
    "rg": (
        "-h --help --version --color: --hidden --no-heading --heading --column -A: -B: -C: -m: -i -v -w -x -n -N -l "
        "-c -o -F -H -I -L -P -S -s -U -a -q -u -p -e: -g: -t: -T: -r: -j: -E: -d: -0 -V -. --files "
        "--files-with-matches --files-without-match --count --count-matches --ignore-case --smart-case "
        "--case-sensitive --fixed-strings --word-regexp --line-regexp --invert-match --line-number --no-line-number "
        "--with-filename --no-filename --only-matching --glob: --iglob: --type: --type-not: --type-list --max-count: "
        "--max-depth: --max-columns: --max-filesize: --multiline --multiline-dotall --pcre2 --replace: --sort: "
        "--sortr: --stats --json --vimgrep --trim --no-ignore --no-ignore-vcs --no-messages --passthru --quiet --text "
        "--unrestricted --regexp: --after-context: --before-context: --context: --follow --null --pretty --no-config "
        "--context-separator: --no-hidden --one-file-system --engine: --encoding: --threads:"
    ),
    "rsync": (
        "-a -v -z -h -n -u -r -l -p -t -g -o -D -P -q -c -x -H -A -X -S -W -i -k -L -K -b -C -d -m -O -R -y -0 -4 -6 "
        "-8 --archive --verbose --compress --human-readable --dry-run --update --recursive --links --copy-links "
        "--perms --times --group --owner --delete --delete-after --delete-before --delete-during --delete-excluded "
        "--exclude: --include: --exclude-from: --include-from: --progress --stats --partial --checksum "
        "--itemize-changes --ignore-existing --ignore-errors --existing --size-only --max-size: --min-size: "
        "--bwlimit: --timeout: --quiet --relative --no-perms --no-owner --no-group --chmod: --mkpath "
        "--prune-empty-dirs --info: --version --help --inplace --whole-file --hard-links --omit-dir-times --no-times "
        "--backup --backup-dir: --suffix: --filter: --files-from: --from0 --port: --safe-links --one-file-system"
    ),
    "rye": "-v -q --version --help --verbose --quiet --dev --no-lock",
    "scp": "-r -p -q -C -B -v -3 -4 -6 -O -s -P: -i: -l:",
    "sort": (
        "-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k: -t: -o: -S: -T: --ignore-leading-blanks "
        "--dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --numeric-sort --random-sort "
        "--reverse --version-sort --check --merge --stable --unique --zero-terminated --key: --field-separator: "
        "--output: --parallel: --sort: --buffer-size: --debug --version --help"
    ),
    "split": (
        "-d -x -e -u -l: -b: -C: -n: -a: -t: --lines: --bytes: --line-bytes: --number: --numeric-suffixes "
        "--numeric-suffixes: --hex-suffixes --additional-suffix: --suffix-length: --elide-empty-files --unbuffered "
        "--separator: --verbose --version --help -#"
    ),
    "ssh": "-4 -6 -a -C -k -N -n -q -T -t -v -x -V -p: -l: -i: -b: -c: -m:",
    "svn": (
        "-q -v -r: -m: -F: -l: -u -N -c: -g --quiet --verbose --revision: --message: --limit: --xml --summarize "
        "--force --depth: --version --help --non-interactive --stop-on-copy --show-updates --change:"
    ),
    "tar": (
        "-c -x -t -z -j -J -v -p -k -m -h -O -a -w -W -r -u -d -A -f: -C: -b: -Z -P -S -U -l -o -n --create --extract "
        "--get --list --append --update --diff --gzip --bzip2 --xz --zstd --lzma --verbose --file: --directory: "
        "--exclude: --strip-components: --wildcards --no-wildcards --same-owner --no-same-owner --no-same-permissions "
        "--preserve-permissions --keep-old-files --overwrite --transform: --xform: --owner: --group: --mode: --mtime: "
        "--sort: --numeric-owner --one-top-level --one-top-level: --exclude-vcs --exclude-from: --to-stdout --totals "
        "--touch --auto-compress --dereference --version --help --no-recursion --null --skip-old-files --ignore-zeros "
        "--format: --show-transformed-names --delete --concatenate --sparse --absolute-names --exclude-caches "
        "--warning:"
    ),
    "terraform": "-json -no-color -out: -recursive -check -diff -write: -list: -raw -help -version",
    "tofu": "-json -no-color -out: -recursive -check -diff -write: -list: -raw -help -version",
    "tox": "-q -v -l -a -p --list -r --recreate --version --help",
    "uv": (
        "-q -v -U --quiet --verbose --upgrade --dev --group: --extra: --all-extras --all-groups --no-dev --frozen "
        "--locked --no-sync --offline --dry-run --version --help -r: -e: --optional: --outdated --depth: --no-cache "
        "--all-packages --package:"
    ),
    "vitest": (
        "-t: -u -w --run --watch --coverage --reporter: --bail: --silent --testNamePattern: --passWithNoTests "
        "--changed --update --no-color --version --help --shard: --maxWorkers:"
    ),
    "wget": (
        "-q -v -c -N -r -p -k -m -n: -E -S -O: -P: -o: -a: -t: -T: -w: -l: -A: -R: -D: -I: -X: -U: -i: -Q: -4 -6 "
        "--quiet --verbose --no-verbose --continue --timestamping --recursive --page-requisites --convert-links "
        "--mirror --no-parent --no-clobber --no-directories --no-host-directories --output-document: "
        "--directory-prefix: --output-file: --tries: --timeout: --wait: --level: --accept: --reject: --domains: "
        "--user-agent: --header: --show-progress --progress: --spider --server-response --content-disposition "
        "--no-check-certificate --post-data: --method: --body-data: --version --help --input-file: "
        "--retry-connrefused --waitretry: --limit-rate: --random-wait --adjust-extension --max-redirect: --cut-dirs: "
        "--https-only --inet4-only --connect-timeout: --read-timeout:"
    ),
    "yarn": (
        "-s -v -h -D -E -P -O -T -A -R --silent --verbose --json --offline --prefer-offline --frozen-lockfile "
        "--immutable --production --prod --dev --exact --tilde --ignore-scripts --ignore-optional --ignore-engines "
        "--non-interactive --no-progress --no-lockfile --pure-lockfile --check-files --force --flat --level: "
        "--groups: --pattern: --depth: --version --help --no-color --mode: --peer --optional --inline-builds"
    ),
    "zip": (
        "-r -q -v -j -u -f -d -m -o -X -y -e -x: -i: -n: -g -D -l -k -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --recurse-paths "
        "--quiet --junk-paths --update --delete --exclude: --include: --no-extra --symlinks --encrypt --verbose "
        "--help --version"
    ),
    "bat": (
        "-A -p -n -s -f -u -l: -r: -H: -m: --plain --number --color: --paging: --style: --theme: --language: --version "
        "--help"
    ),
    "fzf": "-f: -q: -e -1 -0 -i -m -n: -d: --filter: --query: --exact --tac --height: --reverse --version --help",
    "gpg": (
        "-d -e -s -c -a -b -r: -u: -o: -k -K -q -v --verify --decrypt --encrypt --sign --clearsign --armor "
        "--detach-sign --symmetric --recipient: --local-user: --output: --list-keys --list-secret-keys --fingerprint "
        "--import --export --recv-keys --batch --yes --quiet --verbose --with-colons --version --help"
    ),
    "nmap": "-sS -sT -sV -sn -Pn -p: -p- -F -O -v -d -n -6 -oN: -oX: --open --top-ports: --reason --version --help -h",
    "pandoc": (
        "-s -i -N -v -h -f: -t: -o: -c: -M: --from: --to: --output: --standalone --toc --toc-depth: --number-sections "
        "--wrap: --columns: --citeproc --css: --embed-resources --mathjax --pdf-engine=xelatex --pdf-engine=pdflatex "
        "--pdf-engine=lualatex --pdf-engine=weasyprint --version --help"
    ),
    "rustc": "-O -g -v -V -o: --edition: --crate-type: --crate-name: --emit: --test --explain: --version --help",
    "delta": "-s -n -w: --side-by-side --line-numbers --light --dark --version --help",
}
