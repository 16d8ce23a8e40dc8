# Users by e-mail: sparse indexes, and an address that only one may have.

compare "C: who is it that asks?" "000000000000 arn:aws:iam::000000000000:user/clerk" \
	"$(aws sts get-caller-identity --query '[Account, Arn]' --output text 2>&1)"
create UsersCli email active_since -- \
	--global-secondary-indexes "$(index ByEmail email)" "$(projection=KEYS_ONLY index ACTIVE_USERS active_since)"
users=("$(item PK=USER#7f3a SK=PROFILE email=ann@x.y)" "$(item PK=USER#7f3a SK=EMAIL#ann@home.y email=ann@home.y)"
	"$(item PK=USER#0001 SK=PROFILE name=Bob)")
for n in {10..29}; do
	active=()
	[ $((n % 10)) != 0 ] || active=("active_since=2024-01-$n")
	users+=("$(item PK="USER#n$n" SK=PROFILE email="user$n@example.com" "${active[@]}")")
done
put_all UsersCli "${users[@]}"
check "C: a user by a further address" "USER#7f3a" query --table-name UsersCli --index-name ByEmail \
	--key-condition-expression 'email = :e' --expression-attribute-values "$(item :e=ann@home.y)" --query 'Items[].PK.S'
check "C: those without are not in the index" "22" scan --table-name UsersCli --index-name ByEmail --select COUNT --query Count
check "C: a tenth is in the sparse index" "USER#n10 USER#n20" scan --table-name UsersCli --index-name ACTIVE_USERS \
	--query 'sort(Items[].PK.S)'

# sign_up NAME EXPECTED USER ADDRESS
sign_up() {
	local put='{"Put":{"TableName":"UsersCli","ConditionExpression":"attribute_not_exists(PK)","Item":'
	check "C: $1" "$2" transact-write-items --transact-items \
		"[$put$(item PK="$3" SK=PROFILE email="$4")}},$put$(item PK="EMAIL#$4" SK=GUARD)}}]"
}
reasons="Transaction cancelled, please refer cancellation reasons for specific reasons"
sign_up "a user and the guard of an address" "" USER#a1 new@x.y
sign_up "an address is taken once" \
	"$(refusal TransactWriteItems TransactionCanceledException "$reasons [None, ConditionalCheckFailed]")" USER#b2 new@x.y
check "C: the loser is not made" "" get-item --table-name UsersCli --key "$(item PK=USER#b2 SK=PROFILE)"
