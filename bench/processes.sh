# What the processes of a server use.  To be sourced.  A server is named by its
# first process.

processes() {
	echo "$1"
	cat "/proc/$1/task"/*/children 2>/dev/null || true
}

# Processor time of these servers so far, in hundredths of a second, those of
# their processes that have ended included.
spent() {
	local server pid
	for server in "$@"; do
		sed 's/.*) //' "/proc/$server/stat" | awk '{ print $14 + $15 }'
		for pid in $(processes "$server"); do
			sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | awk '{ print $12 + $13 }' || true
		done
	done | awk '{ sum += $1 } END { print sum }'
}

# The memory that these processes have for themselves, in MB.
own_memory() {
	local pid
	for pid in "$@"; do
		cat "/proc/$pid/status" 2>/dev/null || true
	done | awk '/^RssAnon:/ { sum += $2 } END { printf "%.1f\n", sum / 1024 }'
}
