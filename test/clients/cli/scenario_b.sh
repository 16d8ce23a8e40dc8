# Orders by customer: keys with prefixes, then an index of several attributes.

create PrefixesCli GSI1PK GSI1SK GSI2PK GSI2SK -- \
	--global-secondary-indexes "$(index GSI1 GSI1PK GSI1SK)" "$(index GSI2 GSI2PK GSI2SK)"
put_all PrefixesCli "$(item PK=o#001 SK=o#001)" \
	"$(item PK=o#001 SK=p#001 GSI1PK=p#001 GSI1SK=2025-02-10 GSI2PK=c#001 GSI2SK=p#2025-02-10)" \
	"$(item PK=o#001 SK=p#002 GSI1PK=p#002 GSI1SK=2025-02-10 GSI2PK=c#001 GSI2SK=p#2025-02-10)" \
	"$(item PK=o#001 SK=i#001 GSI1PK=i#001 GSI1SK=i#001 GSI2PK=c#001 GSI2SK=i#2025-02-11)" \
	"$(item PK=o#002 SK=p#001 GSI1PK=p#001 GSI1SK=2025-04-03 GSI2PK=c#001 GSI2SK=p#2025-04-03)" \
	"$(item PK=o#002 SK=i#002 GSI1PK=i#002 GSI1SK=i#002 GSI2PK=c#001 GSI2SK=i#2025-04-04)"
check "B: an order with its products and its invoice" "i#001 o#001 p#001 p#002" query --table-name PrefixesCli \
	--key-condition-expression 'PK = :o' --expression-attribute-values "$(item :o=o#001)" --query 'Items[].SK.S'
check "B: orders of a product between two dates" "o#001" query --table-name PrefixesCli --index-name GSI1 \
	--key-condition-expression 'GSI1PK = :p AND GSI1SK BETWEEN :a AND :b' \
	--expression-attribute-values "$(item :p=p#001 :a=2025-02-01 :b=2025-02-28)" --query 'Items[].PK.S'
check "B: an invoice by its id" "o#002" query --table-name PrefixesCli --index-name GSI1 \
	--key-condition-expression 'GSI1PK = :i' --expression-attribute-values "$(item :i=i#002)" --query 'Items[].PK.S'
check "B: invoices of a customer in a quarter" "i#001" query --table-name PrefixesCli --index-name GSI2 \
	--key-condition-expression 'GSI2PK = :c AND GSI2SK BETWEEN :a AND :b' \
	--expression-attribute-values "$(item :c=c#001 :a=i#2025-01-01 :b=i#2025-03-31)" --query 'Items[].SK.S'

create MultiCli
put_all MultiCli "$(item PK=1 SK=1 CustomerId=c#001 EntityType=invoice OrderDate=2025-02-11)" \
	"$(item PK=1 SK=2 CustomerId=c#001 EntityType=invoice OrderDate=2025-04-03)" \
	"$(item PK=1 SK=3 CustomerId=c#001 EntityType=order OrderDate=2025-02-10)" \
	"$(item PK=1 SK=4 CustomerId=c#002 EntityType=invoice OrderDate=2025-02-12)" \
	"$(item PK=1 SK=5 CustomerId=c#001 EntityType=invoice)"
check "B: an index of several attributes, added" "CustomerId HASH EntityType RANGE OrderDate RANGE" update-table --table-name MultiCli \
	--attribute-definitions AttributeName={CustomerId,EntityType,OrderDate},AttributeType=S --global-secondary-index-updates \
	"[{\"Create\":{\"IndexName\":\"ByCustomer\",\"Projection\":{\"ProjectionType\":\"ALL\"},\"KeySchema\":[
	{\"AttributeName\":\"CustomerId\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"EntityType\",\"KeyType\":\"RANGE\"},
	{\"AttributeName\":\"OrderDate\",\"KeyType\":\"RANGE\"}]}}]" \
	--query 'TableDescription.GlobalSecondaryIndexes[0].KeySchema[].[AttributeName,KeyType]'
await_index MultiCli ByCustomer

# ask NAME EXPECTED CONDITION VALUES
ask() {
	check "B: $1" "$2" query --table-name MultiCli --index-name ByCustomer --key-condition-expression "$3" \
		--expression-attribute-values "$4" --query 'Items[].SK.S'
}
passed_over=$(refusal Query ValidationException "RANGE key attributes EntityType must have equality conditions specified in the query because a condition is present on key attribute OrderDate")
no_partition=$(refusal Query ValidationException "HASH key attributes CustomerId must have equality conditions specified in the query")
ask "allowed: first equal" "1 2" 'CustomerId = :c AND EntityType = :t' "$(item :c=c#001 :t=invoice)"
ask "allowed: both equal" "1" 'CustomerId = :c AND EntityType = :t AND OrderDate = :d' "$(item :c=c#001 :t=invoice :d=2025-02-11)"
ask "allowed: first equal, second between" "1" 'CustomerId = :c AND EntityType = :t AND OrderDate BETWEEN :a AND :b' \
	"$(item :c=c#001 :t=invoice :a=2025-01-01 :b=2025-03-31)"
ask "refused: the first passed over" "$passed_over" 'CustomerId = :c AND OrderDate = :d' "$(item :c=c#001 :d=2025-02-11)"
ask "refused: a range on the first and something after it" "$passed_over" \
	'CustomerId = :c AND begins_with(EntityType, :i) AND OrderDate = :d' "$(item :c=c#001 :i=i :d=2025-02-11)"
ask "refused: a range on the partition" "$no_partition" 'CustomerId > :c AND EntityType = :t' "$(item :c=c#001 :t=invoice)"
