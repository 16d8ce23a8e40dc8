# A shop in one table.

check "A: create-table" "ACTIVE" create-table --table-name ShopCli --billing-mode PAY_PER_REQUEST \
	--attribute-definitions AttributeName=PK,AttributeType=S AttributeName=SK,AttributeType=S AttributeName=GSI1PK,AttributeType=S \
	--key-schema AttributeName=PK,KeyType=HASH AttributeName=SK,KeyType=RANGE \
	--global-secondary-indexes 'IndexName=GSI1,KeySchema=[{AttributeName=GSI1PK,KeyType=HASH}],Projection={ProjectionType=ALL}' \
	--query "TableDescription.TableStatus && 'ACTIVE'"
check "A: wait" "" wait table-exists --table-name ShopCli
for day in 11 12 15; do
	check "A: put-item $day" "" put-item --table-name ShopCli --item \
		"{\"PK\":{\"S\":\"CUSTOMER#1\"},\"SK\":{\"S\":\"ORDER#2024-03-$day\"},\"total\":{\"N\":\"$day.50\"},\"GSI1PK\":{\"S\":\"SHIPPED\"}}"
done
check "A: get-item" "12.5" get-item --table-name ShopCli \
	--key '{"PK":{"S":"CUSTOMER#1"},"SK":{"S":"ORDER#2024-03-12"}}' --query Item.total.N
check "A: query, newest first" "ORDER#2024-03-15 ORDER#2024-03-12 ORDER#2024-03-11" query --table-name ShopCli --no-scan-index-forward \
	--key-condition-expression 'PK = :pk AND begins_with(SK, :o)' \
	--expression-attribute-values '{":pk":{"S":"CUSTOMER#1"},":o":{"S":"ORDER#"}}' --query 'Items[].SK.S'
check "A: query of an index, page by page" "CUSTOMER#1 CUSTOMER#1 CUSTOMER#1" query --table-name ShopCli --index-name GSI1 --page-size 1 \
	--key-condition-expression 'GSI1PK = :s' --expression-attribute-values '{":s":{"S":"SHIPPED"}}' --query 'Items[].PK.S'
check "A: update-item" "13" update-item --table-name ShopCli --key '{"PK":{"S":"CUSTOMER#1"},"SK":{"S":"ORDER#2024-03-12"}}' \
	--update-expression 'SET #t = #t + :d' --expression-attribute-values '{":d":{"N":"0.5"}}' \
	--expression-attribute-names '{"#t":"total"}' --return-values UPDATED_NEW --query Attributes.total.N
check "A: a condition that fails" \
	"An error occurred (ConditionalCheckFailedException) when calling the PutItem operation: The conditional request failed" \
	put-item --table-name ShopCli --item '{"PK":{"S":"CUSTOMER#1"},"SK":{"S":"ORDER#2024-03-12"}}' \
	--condition-expression 'attribute_not_exists(PK)'
check "A: batch-write-item" "None" batch-write-item --query 'UnprocessedItems.ShopCli' --request-items \
	'{"ShopCli":[{"DeleteRequest":{"Key":{"PK":{"S":"CUSTOMER#1"},"SK":{"S":"ORDER#2024-03-11"}}}}]}'
check "A: scan" "2" scan --table-name ShopCli --select COUNT --query Count
check "A: delete-table" "ShopCli" delete-table --table-name ShopCli --query TableDescription.TableName
