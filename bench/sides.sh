# The two sides that bench/instructions, bench/plain and bench/growth compare.
# To be sourced.
#
# Ours is a table of create_table.  Plain is the table an expert would write for
# the same items: the item as jsonb, its key in two columns, an index on
# expressions for each global index.  Both hold the same items, of about 300
# bytes as JSON, loaded in the same order.
#
# Item number i belongs to collection i % (items / 100), so collections of 100
# grow side by side.  A key of GSI1 has 25 items, from all over the table.  Every
# item has keys for all indexes; bench/cases.pl has its text.

# Keys of ten global indexes: those of applications with one table, the
# inverted one among them, and one with few keys.
gsis=("GSI1PK GSI1SK" "GSI2PK GSI2SK" "SK PK" "status GSI1SK" "GSI1PK SK"
	"GSI2PK" "PK GSI1SK" "status" "GSI1PK PK" "GSI2SK SK")

# An attribute as the plain table has it.
plain_column() {
	case $1 in
	PK) echo pk ;;
	SK) echo sk ;;
	*) echo "(item ->> '$1')" ;;
	esac
}

# SQL that makes ours, empty, with $1 global indexes.
ours_sql() {
	local i partition_key sort_key
	echo "SELECT dynamo.create_table('Shop', 'PK', 'SK');"
	for ((i = 0; i < $1; i++)); do
		read -r partition_key sort_key <<<"${gsis[$i]}"
		echo "SELECT dynamo.create_index('Shop', 'GSI$((i + 1))', '$partition_key'${sort_key:+, '$sort_key'});"
	done
}

# The same for plain.
plain_sql() {
	local i partition_key sort_key
	echo 'CREATE TABLE plain (pk text COLLATE "C", sk text COLLATE "C", item jsonb NOT NULL, PRIMARY KEY (pk, sk));'
	for ((i = 0; i < $1; i++)); do
		read -r partition_key sort_key <<<"${gsis[$i]}"
		echo "CREATE INDEX plain_gsi$((i + 1)) ON plain ($(plain_column "$partition_key")${sort_key:+, $(plain_column "$sort_key")});"
	done
}

# SQL that loads $1 items, a multiple of 100, into both.
load_sql() {
	cat <<SQL
INSERT INTO dynamo_data."Shop" (item) SELECT item_of(i, $1)::dynamo.item FROM generate_series(0, $1 - 1) i;
INSERT INTO plain SELECT pk_of(i, $1), sk_of(i, $1), item_of(i, $1)::jsonb FROM generate_series(0, $1 - 1) i;
VACUUM (FREEZE, ANALYZE) dynamo_data."Shop";
VACUUM (FREEZE, ANALYZE) plain;
SQL
}

# SQL that makes both sides, empty, with $1 global indexes.
sides_sql() {
	echo 'SET client_min_messages = warning;'
	echo 'CREATE EXTENSION IF NOT EXISTS dynamo;'
	perl bench/cases.pl functions
	ours_sql "$1"
	plain_sql "$1"
}

# Make both sides, with $1 items and $2 global indexes, on the server that psql
# finds.
make_sides() {
	{
		sides_sql "$2"
		load_sql "$1"
	} | psql -X -q -v ON_ERROR_STOP=1 >/dev/null
}

# No plan of this session may be made anew each time; one that is, is an error.
# A plan is made for the values at hand up to five times, then for any.
check_plans='SELECT 1 / (max(custom_plans) <= 5)::int FROM pg_prepared_statements'

# The cases, in an order in which readers find their tables as they were made,
# and what they are called in tables.
cases=(nothing get get-bare get-sql query gsi add set-if overwrite hot put-new transaction transaction-begin insert copy)
declare -A label=(
	[nothing]='a statement that does nothing'
	[get]='get: `dynamo.get_item`, key in JSON'
	[get-bare]='get: `dynamo.get_item`, bare keys'
	[get-sql]='get: plain SQL on the relation'
	[query]='Query of 100'
	[gsi]='Query of 25 on an index'
	[add]='`ADD`'
	[set-if]='`SET` if a condition holds'
	[overwrite]='put, overwrite'
	[overwrite-each]='put, overwrite, each item once'
	[hot]='`ADD`, one item over and over'
	[put-new]='put, new'
	[transaction]='transaction of 4; plain: one statement'
	[transaction-begin]='transaction of 4; plain: BEGIN to COMMIT'
	[insert]='`INSERT` by plain SQL'
	[copy]='`COPY`, a row')
