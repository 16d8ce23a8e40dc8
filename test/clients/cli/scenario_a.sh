# A shop in one table.

check "A: create-table" "ShopCli" create-table --table-name ShopCli --billing-mode PAY_PER_REQUEST \
	--attribute-definitions AttributeName={PK,SK,GSI1PK,GSI1SK,GSI2PK,GSI2SK},AttributeType=S \
	--key-schema AttributeName=PK,KeyType=HASH AttributeName=SK,KeyType=RANGE \
	--global-secondary-indexes "$(index GSI1 GSI1PK GSI1SK)" "$(projection=KEYS_ONLY index GSI2 GSI2PK GSI2SK)" \
	--query TableDescription.TableName
check "A: wait" "" wait table-exists --table-name ShopCli
check "A: describe-table" "ACTIVE" describe-table --table-name ShopCli --query Table.TableStatus
check "A: put-item" "" put-item --table-name ShopCli --item \
	"$(item PK=CUSTOMER#12345 SK=PROFILE name=Ann GSI1PK=EMAIL#ann@example.com GSI1SK=CUSTOMER#12345)"
orders=()
for day in 11 12 15; do
	orders+=("$(item PK=CUSTOMER#12345 SK="ORDER#2024-03-$day" total:="$day.50" GSI1PK=STATUS#SHIPPED GSI1SK="2024-03-$day")")
done
put_all ShopCli "${orders[@]}" \
	"$(item PK=PRODUCT#p-456 SK=DETAILS inventory:=3 version:=1 GSI1PK=CATEGORY#electronics GSI1SK=PRODUCT#p-456)"
order=$(item PK=CUSTOMER#12345 SK=ORDER#2024-03-12)
product=$(item PK=PRODUCT#p-456 SK=DETAILS)

check "A: order by key" "12.5" get-item --table-name ShopCli --key "$order" --query Item.total.N
check "A: newest orders first" "ORDER#2024-03-15 ORDER#2024-03-12 ORDER#2024-03-11" query --table-name ShopCli \
	--no-scan-index-forward --key-condition-expression 'PK = :pk AND begins_with(SK, :o)' \
	--expression-attribute-values "$(item :pk=CUSTOMER#12345 :o=ORDER#)" --query 'Items[].SK.S'
check "A: profile and orders, page by page" "ORDER#2024-03-11 ORDER#2024-03-12 ORDER#2024-03-15 PROFILE" query --table-name ShopCli --page-size 1 --key-condition-expression 'PK = :pk' \
	--expression-attribute-values "$(item :pk=CUSTOMER#12345)" --query 'Items[].SK.S'
check "A: orders by status and date" "ORDER#2024-03-12 ORDER#2024-03-15" query --table-name ShopCli --index-name GSI1 \
	--key-condition-expression 'GSI1PK = :s AND GSI1SK BETWEEN :a AND :b' \
	--expression-attribute-values "$(item :s=STATUS#SHIPPED :a=2024-03-12 :b=2024-03-16)" --query 'Items[].SK.S'
check "A: update-item, an order is flagged" "13" update-item --table-name ShopCli --key "$order" \
	--update-expression 'SET #t = #t + :d, GSI2PK = :f, GSI2SK = :day' --expression-attribute-names '{"#t":"total"}' \
	--expression-attribute-values "$(item :d:=0.5 :f=FLAGGED :day=2024-03-12)" --return-values ALL_NEW --query Attributes.total.N
check "A: flagged orders alone" "ORDER#2024-03-12" scan --table-name ShopCli --index-name GSI2 --query 'Items[].SK.S'

# place NUMBER QUANTITY: an order, a line of it, and what it takes from stock
place() {
	cat <<-END
		[{"Put": {"TableName": "ShopCli", "Item": $(item PK="ORDER#$1" SK=META), "ConditionExpression": "attribute_not_exists(PK)"}},
		 {"Put": {"TableName": "ShopCli", "Item": $(item PK="ORDER#$1" SK=ITEM#001)}},
		 {"Update": {"TableName": "ShopCli", "Key": $product, "UpdateExpression": "SET inventory = inventory - :qty",
		  "ConditionExpression": "inventory >= :qty", "ExpressionAttributeValues": $(item :qty:="$2")}}]
	END
}
for attempt in first second; do
	check "A: an order is placed, $attempt time" "" transact-write-items --client-request-token cli-98800 --transact-items "$(place 98800 2)"
done
check "A: out of stock" "$(refusal TransactWriteItems TransactionCanceledException \
	"Transaction cancelled, please refer cancellation reasons for specific reasons [None, None, ConditionalCheckFailed]")" \
	transact-write-items --transact-items "$(place 98801 2)"
check "A: an order with its lines" "ITEM#001 META" query --table-name ShopCli --key-condition-expression 'PK = :o' \
	--expression-attribute-values "$(item :o=ORDER#98800)" --query 'Items[].SK.S'
check "A: done once, and nothing of the other" "1 None" transact-get-items --transact-items \
	"[{\"Get\":{\"TableName\":\"ShopCli\",\"Key\":$product}},{\"Get\":{\"TableName\":\"ShopCli\",\"Key\":$(item PK=ORDER#98801 SK=META)}}]" \
	--query '[Responses[0].Item.inventory.N,Responses[1].Item.PK.S]'
change=(update-item --table-name ShopCli --key "$product" --update-expression 'SET price = :p, version = :new'
	--condition-expression 'version = :old' --expression-attribute-values "$(item :p:=34.99 :new:=2 :old:=1)"
	--return-values ALL_NEW --query '[Attributes.price.N,Attributes.version.N]')
check "A: optimistic lock won" "34.99 2" "${change[@]}"
check "A: optimistic lock lost" "$(refusal UpdateItem ConditionalCheckFailedException "The conditional request failed")" "${change[@]}"
check "A: batch-get-item" "CUSTOMER#12345 PRODUCT#p-456" batch-get-item --request-items \
	"{\"ShopCli\":{\"Keys\":[$order,$product]}}" --query 'sort(Responses.ShopCli[].PK.S)'
check "A: delete-item" "13" delete-item --table-name ShopCli --key "$order" --return-values ALL_OLD --query Attributes.total.N
check "A: scan" "6" scan --table-name ShopCli --select COUNT --query Count
check "A: delete-table" "ShopCli" delete-table --table-name ShopCli --query TableDescription.TableName
