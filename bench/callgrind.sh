# Instructions a statement, counted by callgrind in the backend of a client that
# prepares its statements (bench/wire.py).  To be sourced, with bench/sides.sh;
# the cluster is "bench".
#
# A case runs with COUNT and with twice as many statements; the difference,
# divided by COUNT, is the statement.  So the start, the first plans and warm
# caches are not in it.  All pages are in shared buffers; with "warm=statements"
# those alone that the statements need, by being executed once before.  Pages are not logged
# in full and the checkpoint at the end is left out, for both depend on how long
# the run is.
shopt -s inherit_errexit

# For the server that is made before.
callgrind_conf='autovacuum = off
fsync = off
full_page_writes = off
max_wal_size = 64GB
random_page_cost = 1.1'

need_valgrind() {
	command -v valgrind >/dev/null || {
		echo "$0: skipped: valgrind is not installed (apt-get install valgrind)" >&2
		exit 0
	}
}

# SQL that reads all pages of a side into shared buffers.
prewarm_sql() {
	local relation=plain
	[ "$1" = plain ] || relation='dynamo_data."Shop"'
	echo "SELECT sum(pg_prewarm(indexrelid)) + pg_prewarm('$relation') FROM pg_index WHERE indrelid = '$relation'::regclass"
}

# The case "copy" copies a file with so many rows.  "before" may hold lines of SQL
# that the server is to run first.
statements() {
	local side=$1 case=$2 items=$3 n=$4 run=$5
	[ "${warm:-}" = statements ] || prewarm_sql "$side"
	[ -z "${before:-}" ] || echo "$before"
	if [ "$case" = copy ]; then
		perl bench/cases.pl rows "$side" "$items" "$n" "$run" >"$work/rows"
		[ "$side" = ours ] && echo "COPY dynamo_data.\"Shop\" (item) FROM '$work/rows'" ||
			echo "COPY plain FROM '$work/rows'"
	else
		perl bench/cases.pl wire "$side" "$case" "$items" "$n" "$run"
	fi
	echo "$check_plans"
}

# Instructions of a whole run: side, case, items, number of statements, number
# of the run.
instructions_of_run() {
	local server pid
	statements "$@" >"$work/statements"
	rm -f "$work"/callgrind.*
	test/server under bench valgrind --quiet --tool=callgrind --trace-children=yes \
		--collect-atstart=no --toggle-collect=PostgresMain \
		--callgrind-out-file="$work/callgrind.%p" >"$work/err" 2>&1 &
	server=$!
	until psql -X -q -c '' 2>/dev/null; do
		kill -0 $server || { cat "$work/err" >&2; exit 1; }
		sleep 0.5
	done
	[ "${warm:-}" != statements ] || bench/wire.py <"$work/statements" >/dev/null
	pid=$(bench/wire.py <"$work/statements") || {
		echo "$0: $1, $2: a statement failed" >&2
		exit 1
	}
	test/server halt bench
	wait $server
	sed -n 's/^totals: \([0-9]*\)$/\1/p' "$work/callgrind.$pid"
}

# Instructions of one statement: side, case, items, count, numbers of two runs.
instructions() {
	local n=$4 once twice
	[ "$2" != copy ] || n=$((10 * n))
	once=$(instructions_of_run "$1" "$2" "$3" $n "$5")
	twice=$(instructions_of_run "$1" "$2" "$3" $((2 * n)) "$6")
	echo $(((twice - once) / n))
}

# Start the cluster and make both sides, with $1 items and $2 global indexes;
# $3 are its shared buffers.
start_sides() {
	SERVER_CONF="shared_buffers = $3
$callgrind_conf" test/server start bench
	eval "$(test/server env bench)"
	make_sides "$1" "$2"
	psql -X -q -c 'CREATE EXTENSION pg_prewarm'
	work=$(dirname "$(psql -X -A -t -c 'SHOW data_directory')")
}
