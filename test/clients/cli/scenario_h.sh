# Sessions: those that have ended may still be there, a read leaves
# them out, and then they go.

now=1700000000
create SessionsCli
put_all SessionsCli "$(item PK=SESSION#abc SK=x ttl:=$((now + 3600)))" "$(item PK=SESSION#old SK=x ttl:=$((now - 1)))" \
	"$(item PK=SESSION#edge SK=x ttl:=$now)" "$(item PK=SESSION#forever SK=x)"
check "H: living sessions; what was read is said" "SESSION#abc 4" scan --table-name SessionsCli --filter-expression '#ttl > :now' \
	--expression-attribute-names '{"#ttl":"ttl"}' --expression-attribute-values "$(item :now:=$now)" --query '[Items[0].PK.S,ScannedCount]'
check "H: an ended one is filtered out" "0" query --table-name SessionsCli --key-condition-expression 'PK = :s' \
	--filter-expression '#ttl > :now' --expression-attribute-names '{"#ttl":"ttl"}' \
	--expression-attribute-values "$(item :s=SESSION#old :now:=$now)" --query Count
check "H: a reserved word needs a name" "$(refusal Scan ValidationException \
	"Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: ttl")" \
	scan --table-name SessionsCli --filter-expression 'ttl > :now' --expression-attribute-values "$(item :now:=$now)"

# prolong NAME EXPECTED SESSION
prolong() {
	check "H: $1" "$2" update-item --table-name SessionsCli --key "$(item PK="$3" SK=x)" --update-expression 'SET #ttl = :end' \
		--condition-expression '#ttl > :now' --expression-attribute-names '{"#ttl":"ttl"}' --return-values UPDATED_NEW \
		--expression-attribute-values "$(item :now:=$now :end:=$((now + 7200)))" --query Attributes.ttl.N
}
prolong "a living one is prolonged" "$((now + 7200))" SESSION#abc
prolong "an ended one is not" "$(refusal UpdateItem ConditionalCheckFailedException "The conditional request failed")" SESSION#old

today=$(date +%s)
put_all SessionsCli "$(item PK=SESSION#over SK=today ttl:=$((today - 1)))" "$(item PK=SESSION#open SK=today ttl:=$((today + 3600)))"
check "H: update-time-to-live" "ttl True" update-time-to-live --table-name SessionsCli \
	--time-to-live-specification Enabled=true,AttributeName=ttl --query 'TimeToLiveSpecification.[AttributeName, Enabled]'
check "H: describe-time-to-live" "ttl ENABLED" describe-time-to-live --table-name SessionsCli \
	--query 'TimeToLiveDescription.[AttributeName, TimeToLiveStatus]'
SECONDS=0
while [ $SECONDS -lt 300 ]; do
	left=$(aws dynamodb scan --table-name SessionsCli --filter-expression 'SK = :t' \
		--expression-attribute-values "$(item :t=today)" --query 'Items[].PK.S' --output text)
	[ "$left" != SESSION#open ] || break
	sleep 0.5
done
compare "H: one that has ended goes" "SESSION#open" "$left"
check "H: enabled already" "$(refusal UpdateTimeToLive ValidationException "TimeToLive is already enabled")" \
	update-time-to-live --table-name SessionsCli --time-to-live-specification Enabled=true,AttributeName=ttl
