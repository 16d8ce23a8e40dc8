# Other servers of DynamoDB's protocol, each fetched from its registry of packages
# by the first call, and listening on loopback.  To be sourced: a start_* appends
# to the array "sides", fills "port" and "process" of its side, and writes its log
# to $work.  It fails where the server cannot be installed.

dynalite_version=4.0.0
dynoxide_version=3.2.0

declare -A label=([local]='DynamoDB Local' [dynalite]="dynalite $dynalite_version" [dynoxide]="Dynoxide $dynoxide_version")

# Amazon's, by Maven; Java as it comes, so it needs time to warm up.
start_local() {
	local lib=$PWD/tmp/dynamodb-local/lib
	python3 -c 'import sys; sys.path.insert(0, "test/differential"); import local; local.install(sys.argv[1])' "$PWD/tmp" >&2 ||
		return
	port[local]=$(test/free-port)
	java -Djava.library.path=$lib -cp "$lib/*" software.amazon.dynamodb.services.local.main.ServerRunner \
		-inMemory -disableTelemetry -port "${port[local]}" >"$work/local.log" 2>&1 &
	process[local]=$!
	sides+=(local)
}

# In JavaScript, by npm.
start_dynalite() {
	local home=tmp/dynalite
	command -v node >/dev/null && command -v npm >/dev/null || return
	if [ ! -f $home/node_modules/dynalite/cli.js ]; then
		mkdir -p $home
		npm install --no-audit --no-fund --silent --prefix $home "dynalite@$dynalite_version" >&2 || return
	fi
	port[dynalite]=$(test/free-port)
	node $home/node_modules/dynalite/cli.js --host 127.0.0.1 --port "${port[dynalite]}" \
		--createTableMs 0 >"$work/dynalite.log" 2>&1 &
	process[dynalite]=$!
	sides+=(dynalite)
}

# In Rust on SQLite, by cargo, which builds it for some minutes.
start_dynoxide() {
	local home=$PWD/tmp/dynoxide
	if [ ! -x "$home/bin/dynoxide" ]; then
		command -v cargo >/dev/null || return
		cargo install --quiet --locked --root "$home" --target-dir "$home/build" --no-default-features \
			--features native-sqlite,http-server,cli "dynoxide-rs@$dynoxide_version" >&2 || return
		rm -rf "$home/build"
	fi
	port[dynoxide]=$(test/free-port)
	"$home/bin/dynoxide" serve --host 127.0.0.1 --port "${port[dynoxide]}" --log quiet >"$work/dynoxide.log" 2>&1 &
	process[dynoxide]=$!
	sides+=(dynoxide)
}

# Start these, or say which cannot be had.
start_rivals() {
	local name
	for name in "$@"; do
		"start_$name" || say "no ${label[$name]}: it could not be installed"
	done
}

stop_rivals() {
	local pid
	for pid in "${process[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
}
