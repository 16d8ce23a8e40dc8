# Relations in one table, and tenants that see only what is theirs.

create RelationsCli -- --global-secondary-indexes "$(index Inverted SK PK)"
put_all RelationsCli "$(item PK=USER#1 SK=METADATA)" "$(item PK=USER#1 SK=PREFERENCES)" \
	"$(item PK=STUDENT#1 SK=COURSE#db)" "$(item PK=STUDENT#1 SK=COURSE#os)" "$(item PK=STUDENT#2 SK=COURSE#db)" \
	"$(item PK=NODE#1 SK=EDGE#2)" "$(item PK=NODE#1 SK=EDGE#3)" "$(item PK=NODE#2 SK=EDGE#3)" \
	"$(item PK=STORES SK=US#CA#SanFrancisco#94102)" "$(item PK=STORES SK=US#CA#SanFrancisco#94103)" \
	"$(item PK=STORES SK=US#CA#SanJose#95101)" "$(item PK=STORES SK=US#CAX#Nowhere#1)" "$(item PK=STORES SK=UK#ENG#London#E1)"

# ask NAME EXPECTED CONDITION VALUES...: what is asked for are the keys SK
ask() {
	check "E: $1" "$2" query --table-name RelationsCli --key-condition-expression "$3" \
		--expression-attribute-values "$4" --query 'Items[].SK.S' "${@:5}"
}
ask "one to one, read together" "METADATA PREFERENCES" 'PK = :u' "$(item :u=USER#1)"
ask "courses of a student" "COURSE#db COURSE#os" 'PK = :s AND begins_with(SK, :c)' "$(item :s=STUDENT#1 :c=COURSE#)"
ask "students of a course, by the inverted index" "STUDENT#1 STUDENT#2" 'SK = :c AND begins_with(PK, :s)' \
	"$(item :c=COURSE#db :s=STUDENT#)" --index-name Inverted --query 'Items[].PK.S'
ask "an adjacency list outwards" "EDGE#2 EDGE#3" 'PK = :n' "$(item :n=NODE#1)"
ask "and inwards" "NODE#1 NODE#2" 'SK = :e' "$(item :e=EDGE#3)" --index-name Inverted --query 'Items[].PK.S'
in_level='PK = :p AND begins_with(SK, :l)'
ask "a hierarchy by country" "4" "$in_level" "$(item :p=STORES :l=US#)" --select COUNT --query Count
ask "a hierarchy by state" "3" "$in_level" "$(item :p=STORES :l=US#CA#)" --select COUNT --query Count
ask "a hierarchy by city" "US#CA#SanFrancisco#94102 US#CA#SanFrancisco#94103" "$in_level" "$(item :p=STORES :l=US#CA#SanFrancisco#)"
ask "a hierarchy by store" "US#CA#SanFrancisco#94102" "$in_level" "$(item :p=STORES :l=US#CA#SanFrancisco#94102)"

# publish NAME EXPECTED VERSION: v0_ is the current one, the history stands beside it
publish() {
	check "E: $1" "$2" transact-write-items --transact-items \
		"[{\"Update\":{\"TableName\":\"RelationsCli\",\"Key\":$(item PK=DOC#1 SK=v0_doc),\"UpdateExpression\":\"SET latest = :v\",
		\"ConditionExpression\":\"attribute_not_exists(PK) OR latest = :old\",\"ExpressionAttributeValues\":$(item :v:="$3" :old:=$(($3 - 1)))}},
		{\"Put\":{\"TableName\":\"RelationsCli\",\"Item\":$(item PK=DOC#1 SK="v$3_doc")}}]"
}
publish "a first version" "" 1
publish "and a second" "" 2
publish "which is published once" "$(refusal TransactWriteItems TransactionCanceledException \
	"Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None]")" 2
ask "the current version and the history" "v0_doc 2 v1_doc None v2_doc None" 'PK = :d' "$(item :d=DOC#1)" \
	--query 'Items[].[SK.S,latest.N]'

# Role acme by an access key of its own; a policy shows it TENANT#acme#... alone.
put_all TenantsCli "$(item PK=TENANT#acme#USER#1 SK=PROFILE mail=u1@x.y)" \
	"$(item PK=TENANT#acme2#USER#1 SK=PROFILE mail=u1@x.y)" "$(item PK=TENANT#beta#USER#1 SK=PROFILE mail=u1@x.y)"
other=$(item PK=TENANT#beta#USER#1 SK=PROFILE)
(
	export AWS_ACCESS_KEY_ID=$ACME_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY=$ACME_SECRET_ACCESS_KEY
	check "E: a tenant sees its own alone" "TENANT#acme#USER#1" scan --table-name TenantsCli --query 'Items[].PK.S'
	check "E: another's is not there" "" get-item --table-name TenantsCli --key "$other"
	check "E: nor by an index" "TENANT#acme#USER#1" query --table-name TenantsCli --index-name ByMail \
		--key-condition-expression 'mail = :m' --expression-attribute-values "$(item :m=u1@x.y)" --query 'Items[].PK.S'
	compare "E: nor can it be written" "AccessDeniedException" \
		"$(aws dynamodb put-item --table-name TenantsCli --item "$other" 2>&1 | grep -o AccessDeniedException)"
)
check "E: the others are as they were" "u1@x.y" get-item --table-name TenantsCli --key "$other" --query Item.mail.S
