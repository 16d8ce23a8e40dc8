# A local index: a customer's orders by status, read consistently.

create LocalCli status -- --local-secondary-indexes \
	'IndexName=ByStatus,KeySchema=[{AttributeName=PK,KeyType=HASH},{AttributeName=status,KeyType=RANGE}],Projection={ProjectionType=INCLUDE,NonKeyAttributes=[day]}'
put_all LocalCli "$(item PK=C#1 SK=O#1 status=PENDING day=2024-03-11 note=n)" "$(item PK=C#1 SK=O#2 status=SHIPPED day=2024-03-12 note=n)" \
	"$(item PK=C#1 SK=O#3 day=2024-03-13)" "$(item PK=C#2 SK=O#1 status=PENDING)"
ask=(query --table-name LocalCli --index-name ByStatus --consistent-read --key-condition-expression 'PK = :c AND #s = :p'
	--expression-attribute-names '{"#s":"status"}' --expression-attribute-values "$(item :c=C#1 :p=PENDING)")
check "F: orders of a status, keys and what it includes" "C#1 O#1 PENDING 2024-03-11 None" "${ask[@]}" \
	--query 'Items[].[PK.S,SK.S,status.S,day.S,note.S]'
check "F: what it does not hold is fetched" "n" "${ask[@]}" --select ALL_ATTRIBUTES --query 'Items[].note.S'
six=() attributes=()
for n in {1..6}; do
	attributes+=("AttributeName=a$n,AttributeType=S")
	six+=("$(index "Local$n" PK "a$n")")
done
check "F: a sixth is refused" "$(refusal CreateTable ValidationException "One or more parameter values were invalid: Number of LocalSecondaryIndexes exceeds per-table limit of 5")" \
	create-table --table-name Local6Cli --billing-mode PAY_PER_REQUEST --key-schema AttributeName=PK,KeyType=HASH AttributeName=SK,KeyType=RANGE \
	--attribute-definitions AttributeName={PK,SK},AttributeType=S "${attributes[@]}" --local-secondary-indexes "${six[@]}"
