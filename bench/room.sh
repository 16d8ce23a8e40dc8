# What the two sides of bench/sides.sh take of the disk, each "ours" or "plain".  To
# be sourced, with bench/sides.sh; "items" is their number.

declare -A relation=([ours]='dynamo_data."Shop"' [plain]=plain)

sql() {
	psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"
}

ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'
}

# Pages that a collection lies on.
pages() {
	sql -c "SELECT round(avg(n), 1) FROM (SELECT count(DISTINCT (ctid::text::point)[0]) AS n FROM ${relation[$1]} GROUP BY pk) s"
}

# How much of its pages a table fills, in percent.
fill() {
	sql -c "SELECT round(100.0 * sum(pg_column_size(t.*) + 4) / pg_relation_size('${relation[$1]}')) FROM ${relation[$1]} t"
}

megabytes() {
	sql -c "SELECT round($1('${relation[$2]}') / 1048576.0, 1)"
}

table_bytes() {
	megabytes pg_table_size "$1"
}

index_bytes() {
	megabytes pg_indexes_size "$1"
}

# Bytes an item and how full the leaves are, of a primary index; of $2 items.
primary_index() {
	sql -F ' ' -c "SELECT round(pg_relation_size(indexrelid)::numeric / ${2:-$items}, 1), round(avg_leaf_density)
		FROM pg_index, pgstatindex(indexrelid) WHERE indrelid = '${relation[$1]}'::regclass AND indisprimary"
}
