# What the scenarios share.

# Print "ok" when what was got is what was expected, but for blanks.
compare() {
	local name=$1 expected=$2 got=$3
	if [ "$(echo $got)" = "$(echo $expected)" ]; then
		echo "ok - AWS CLI $name"
	else
		echo "not ok - AWS CLI $name"
		printf '# got      %s\n# expected %s\n' "${got//$'\n'/ }" "$expected"
	fi
}

# Compare what a command prints, its errors too, with what it should print.
check() {
	local name=$1 expected=$2 got
	shift 2
	got=$(aws dynamodb "$@" --output text 2>&1) || true
	compare "$name" "$expected" "$got"
}

# What the CLI says when it is refused.
refusal() {
	echo "An error occurred ($2) when calling the $1 operation: $3"
}

# An item, or the values of an expression: NAME=TEXT or NAME:=NUMBER each.
item() {
	local pair json=
	for pair; do
		case $pair in
		*:=*) json+=",\"${pair%%:=*}\":{\"N\":\"${pair#*:=}\"}" ;;
		*) json+=",\"${pair%%=*}\":{\"S\":\"${pair#*=}\"}" ;;
		esac
	done
	echo "{${json:1}}"
}

# A table with keys PK and SK.  What follows its name are the attributes of
# its indexes, all of them strings, then "--" and the rest of its definition.
create() {
	local table=$1 attributes=()
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		attributes+=("AttributeName=$1,AttributeType=S")
		shift
	done
	shift || true
	aws dynamodb create-table --table-name "$table" --billing-mode PAY_PER_REQUEST \
		--key-schema AttributeName=PK,KeyType=HASH AttributeName=SK,KeyType=RANGE \
		--attribute-definitions AttributeName=PK,AttributeType=S AttributeName=SK,AttributeType=S "${attributes[@]}" \
		"$@" >/dev/null
	aws dynamodb wait table-exists --table-name "$table"
}

# An index's definition: its name, its partition key, the keys it sorts by.
index() {
	local name=$1 schema="{AttributeName=$2,KeyType=HASH}" key
	for key in "${@:3}"; do
		schema+=",{AttributeName=$key,KeyType=RANGE}"
	done
	echo "IndexName=$name,KeySchema=[$schema],Projection={ProjectionType=${projection:-ALL}}"
}

# Wait, for five minutes, until an index that was added can be read.
await_index() {
	local tries
	for tries in {1..300}; do
		[ "$(aws dynamodb describe-table --table-name "$1" \
			--query "Table.GlobalSecondaryIndexes[?IndexName=='$2'].IndexStatus" --output text)" != ACTIVE ] || return 0
		sleep 1
	done
}

# Put up to 25 items by one call.
put_all() {
	local table=$1 one requests=
	shift
	for one; do
		requests+=",{\"PutRequest\":{\"Item\":$one}}"
	done
	aws dynamodb batch-write-item --request-items "{\"$table\":[${requests:1}]}" >/dev/null
}
