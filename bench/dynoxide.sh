# Dynoxide, a DynamoDB in Rust on SQLite, as one of the servers of bench/http.
# To be sourced there: start_dynoxide appends to its arrays "sides", "port" and
# "pids", and fails where there is no cargo.  The first call builds it, for some
# minutes.

dynoxide_version=3.2.0

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
	pids+=($!)
	sides+=(dynoxide)
}
