"""Lines for a shell that `Bash(git:*)` is held against: one a line."""

SLIPS = r"""
evil
gitk
git-evil
./git status
/tmp/git status
GIT status
git;evil
git status; evil
git status && evil
git status || evil
git status | evil
git status & evil
git status &
git status > /tmp/x
git log >> ~/.bashrc
git status 2> x
git status >| x
git status &> x
git apply < evil.patch
git apply <<< evil
git diff <(evil)
git log $(evil)
git log `evil`
git log "$(evil)"
git log "`evil`"
git log ${IFS}x
git log $'\x41'
git log "${x:=$(evil)}"
git log \; evil
git {status,log}
git log *
git log ~/x
git log # evil
(git status)
(evil)
{ git status; }
! git status
!git
if git status
while git status
time git status
coproc git status
function git
[[ git ]]
eval git status
eval 'git status; evil'
exec git status
command git status
builtin git status
source git
. git
env git status
env X=1 git status
sudo git status
xargs git status
nohup git status
nice git status
timeout 5 git status
watch git status
setsid git status
stdbuf -o0 git status
bash -c 'git status'
sh -c 'git status; evil'
X=1 git status
GIT_SSH_COMMAND=evil git fetch
PATH=/tmp git status
git status | sh
git log | xargs evil
git -c alias.x=!evil x
git -c core.pager=evil log
git -c core.sshCommand=evil fetch
git -c 'alias.x=!evil' x
git --config-env=core.pager=X log
git --config-env core.pager=X log
git --exec-path=/tmp status
git -p log
git --paginate log
git -C /tmp/evil status
git --git-dir=/tmp/evil status
git --git-dir /tmp/evil status
git --work-tree=.git checkout x -- hooks/pre-commit
git --bare status
git --namespace=x status
git evil
git ../evil
git config alias.x '!evil'
git config core.pager evil
git config core.editor evil
git config core.sshCommand evil
git config core.hooksPath evil
git config core.fsmonitor evil
git config diff.external evil
git config --global credential.helper '!evil'
git config filter.x.clean evil
git config gpg.program evil
git config sequence.editor evil
git config CORE.PAGER evil
git config --add core.pager evil
git config --replace-all core.pager evil
git config core.pager --list
git config core.pager evil --get
git config --get --add core.pager evil
git config --file /home/me/.bashrc user.name evil
git config -f x user.name evil
git config --file=x user.name evil
git config -fx user.name evil
git config set core.pager evil
git config set --all core.pager evil
git config --rename-section user alias
git config rename-section user alias
git config --edit
git config -e
git config edit
git config include.path /tmp/evil
git config remote.origin.url ext::evil
git config remote.origin.uploadpack evil
git clone ext::evil
git clone 'ext::sh -c evil'
git clone --depth=1 ext::evil
git fetch fd::3
git fetch 'ext::sh -c evil'
git pull ext::evil
git push ext::evil
git ls-remote ext::evil
git remote add x ext::evil
git remote set-url origin 'ext::sh -c evil'
git submodule add ext::evil
git archive --remote=ext::evil HEAD
git clone evil://x
git clone ssh://-oProxyCommand=evil/x
git push ./evil.git HEAD
git push sub/evil HEAD
git push /tmp/evil HEAD
git push evil.git HEAD
git push file:///tmp/evil HEAD
git push -o x sub/evil HEAD
git push --push-option x sub/evil
git push --repo=./evil
git push --rep ./evil
git remote add x ./evil
git remote add -t main x sub/evil
git remote set-url origin ../evil
git remote set-url origin ../evil https://example.com/x
git fetch --upload-pack=evil origin
git fetch --upload-pack evil origin
git fetch --upl=evil origin
git fetch -o -- --upload-pack=evil origin
git pull -- --upload-pack=evil
git pull --upload-pa=evil
git clone -u evil x
git clone -qu evil x
git clone --upload-pack=evil x
git clone -c core.pager=evil https://example.com/x
git clone -ccore.pager=evil https://example.com/x
git clone --config core.pager=evil https://example.com/x
git clone --conf=core.pager=evil https://example.com/x
git clone --template=/tmp/evil https://example.com/x
git clone --separate-git-dir=evil https://example.com/x
git clone https://example.com/x .git/hooks
git init --template=evil
git init --templ evil
git init --separate-git-dir=evil
git push --receive-pack=evil origin
git push --rec=evil origin
git push --exec=evil origin
git push --exe evil origin
git ls-remote --upload-pack=evil origin
git ls-remote --exec=evil origin
git archive --exec=evil --remote=x HEAD
git archive --remote=./evil.git --format=x HEAD
git archive --remo ./evil.git HEAD
git archive --output=/home/me/.bashrc HEAD
git archive -o /home/me/.bashrc HEAD
git archive -vo x HEAD
git rebase --exec evil main
git rebase --exe=evil main
git rebase -x evil main
git rebase -ix evil main
git rebase -s ../evil main
git merge -s evil main
git merge --strategy=evil main
git pull --strategy evil
git bisect run evil
git bisect visualize
git submodule foreach evil
git submodule --quiet foreach evil
git filter-branch --tree-filter evil
git difftool
git difftool -x evil
git mergetool
git merge-index evil -a
git merge-one-file
git grep -O evil
git grep -Oevil x
git grep -nOevil x
git grep --open-files-in-pager=evil x
git grep --open=evil x
git send-email x
git daemon
git instaweb
git help -w log
git help --web log
git log --help --web
git hook run pre-commit
git credential fill
git credential-store get
git maintenance start
git gui
git citool
git p4 sync
git svn init
git cvsserver
git shell -c evil
git upload-pack .
git receive-pack .
git fast-import
git for-each-repo --config=x status
git var; evil
git web--browse x
git diff --output=/home/me/.bashrc
git diff --outp=x
git log --output x
git show --output=x HEAD:evil
git log --format -- --output=x
git diff --ext-diff
git log --ext -p
git show --textconv
git show --textc
git cat-file --textconv HEAD:x
git bundle create /home/me/.bashrc --all
git checkout-index --prefix=.git/hooks/ -a
git checkout-index --prefix=x/ -a
git read-tree --index-output=/home/me/.bashrc HEAD
git apply --unsafe-paths x.patch
git apply --directory=.git/hooks x.patch
git worktree add .git/hooks evil
git worktree add a/../.GIT/hooks evil
git checkout evil -- .git/hooks
git archive -o.git/config HEAD
git clone https://example.com/x 'git~1/hooks'
git --help log -i
git --help log -w
git -h log --web
git fetch --set-upstream ./evil main
git fetch --depth 1 --set-u sub/evil main
git pull --set-upstream ../evil main
git push evil HEAD
git push -u evil HEAD
git init --bare
git init --bar .
git apply --build-fake-ancestor=/home/me/.bashrc x.patch
git apply --build x x.patch
git format-patch -1 -o out --suffix=/../../.bashrc
git format-patch -1 --suf /../../../.bashrc
git worktree add ../.config/git evil
git worktree add -b x ../../bin evil
git worktree move x /nowhere/.config/git
git clone ./evil ../.config/git
git clone https://example.com/x /nowhere/bin
git init ../.ssh
git format-patch -1 -o../.config
git format-patch -1 --output-directory=../.config/x
git fetch; git clone https://example.com/x dir
git checkout evil && git mv a link/pre-commit
git checkout evil; git mv list link
git checkout evil || git worktree add link/hooks evil
git remote rename origin x; git push origin HEAD
"""

HONEST = r"""
git
git status
git --version
git --no-pager log
git help log
git log --help
git status --short --branch
git log --oneline -n 5
git log --oneline -5 --graph --all
git log --format='%h %an %s' --since=2.weeks
git log --format="%H|%s" -n1
git log -p -S 'eval(' -- src/app.py
git log main..HEAD
git log @{u}..HEAD
git log --author='Zoë' --grep="fix #12"
git log --text -p
git show HEAD
git show HEAD~2:README.md
git show -c HEAD^2
git show 'HEAD^{tree}'
git show stash@{0}
git diff
git diff --stat HEAD~3
git diff HEAD^ -- src
git diff --cached --word-diff
git diff main...feature/x -- 'src/*.py'
git diff -- --output
git add .
git add -A
git add src/app.py tests/
git add -- --exec
git commit -m 'Fix the parser'
git commit -m "Don't lose lines"
git commit -m 'Größe: 漢字 & 🎉; $HOME | `x` > y'
git commit -m 'std::vector is faster' -m "second part"
git commit --amend --no-edit
git commit -am "fix(core): handle (empty) input, closes #3"
git commit --allow-empty -m ''
git commit --template=t.txt
git branch -a
git branch -D feature/x
git checkout -b feature/x-1
git checkout main -- src/app.py
git switch -c fix
git restore --staged a.txt
git reset --hard HEAD~1
git revert --no-edit HEAD
git merge --no-ff feature/x
git merge --squash x
git merge -X theirs x
git rebase main
git rebase -i HEAD~3
git rebase --onto main a b
git rebase --continue
git cherry-pick -x abc123
git stash push -m 'half done'
git stash show -p stash@{0}
git stash pop --index
git stash list
git tag -a v1.0.0 -m 'Release 1.0.0'
git fetch --all --prune
git fetch origin pull/3/head:pr-3
git pull --rebase origin main
git pull --ff-only
git push
git push -u origin feature/x
git push --force-with-lease origin HEAD:main
git push origin --delete old
git push https://example.com/x.git main
git push git@example.com:x/y.git main
git clone https://example.com/x.git
git clone --depth 1 -b main https://example.com/x.git dir
git clone git@example.com:x/y.git
git clone ssh://git@example.com/x/y.git
git init -b main
git remote -v
git remote add origin https://example.com/x.git
git remote add up git@example.com:x/y.git
git remote set-url origin ssh://git@example.com/x.git
git remote show origin
git ls-remote --heads origin
git ls-files --others --exclude-standard
git ls-tree -r HEAD
git grep -n TODO -- '*.py'
git grep -e one --and -e two
git blame -L 10,20 src/app.py
git bisect start HEAD v1.0
git bisect good
git submodule update --init --recursive
git submodule status
git worktree add ../x feature/x
git worktree list
git archive --format=tar --prefix=x/ HEAD
git format-patch -1 -o patches
git apply --check x.patch
git apply --index x.patch
git am --3way x.patch
git config --get user.name
git config --list --show-origin
git config --get-regexp '^alias'
git config --file .gitmodules --get-regexp path
git config user.email
git config user.name 'A B'
git config --global pull.rebase true
git config --local init.defaultBranch main
git config set user.name x
git config get user.name
git rev-parse --git-dir
git rev-parse --abbrev-ref HEAD
git rev-list --count HEAD
git describe --tags --always
git shortlog -sn
git reflog -n 3
git reflog show main@{1}
git clean -nd
git mv a b
git mv src/a .github/b
git mv a b && git commit -m 'moved'
git fetch && git worktree list && git submodule update --init
git commit -m x && git format-patch -1 -o out
git clone https://example.com/x.git x && git status
git init x; git status
git worktree add .worktrees/x main
git --help log
git rm --cached .gitignore
git notes add -m x
git sparse-checkout set src
git add . && git commit -m 'all' && git push
git fetch; git status
git diff --quiet || git commit -m x
git log | git shortlog
  git   status
"""
