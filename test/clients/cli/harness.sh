# What the scenarios share.

# Print "ok" when what was got is what was expected, but for blanks.
compare() {
	local name=$1 expected=$2 got=$3
	if [ "$(xargs <<<"$got")" = "$(xargs <<<"$expected")" ]; then
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
	got=$(aws dynamodb "$@" --output text 2>&1 | tr '\t' ' ') || true
	compare "$name" "$expected" "$got"
}
