# Change capture: a stream, its shards, its records.

streams() {
	local name=$1 expected=$2 got
	shift 2
	got=$(aws dynamodbstreams "$@" --output text 2>&1 | tr '\t' ' ') || true
	compare "$name" "$expected" "$got"
}

check "I: create-table with a stream" "True NEW_AND_OLD_IMAGES" create-table --table-name ChangesCli --billing-mode PAY_PER_REQUEST \
	--attribute-definitions AttributeName=PK,AttributeType=S --key-schema AttributeName=PK,KeyType=HASH \
	--stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES --query 'TableDescription.StreamSpecification.[StreamEnabled, StreamViewType]'
for n in 1 2; do
	check "I: put-item $n" "" put-item --table-name ChangesCli --item "{\"PK\":{\"S\":\"a\"},\"n\":{\"N\":\"$n\"}}"
done
arn=$(aws dynamodb describe-table --table-name ChangesCli --query Table.LatestStreamArn --output text)
streams "I: list-streams" "$arn" list-streams --table-name ChangesCli --query 'Streams[].StreamArn'
streams "I: describe-stream" "ENABLED NEW_AND_OLD_IMAGES 4" describe-stream --stream-arn "$arn" \
	--query 'StreamDescription.[StreamStatus, StreamViewType, length(Shards)]'
got=
for shard in $(aws dynamodbstreams describe-stream --stream-arn "$arn" --query 'StreamDescription.Shards[].ShardId' --output text); do
	iterator=$(aws dynamodbstreams get-shard-iterator --stream-arn "$arn" --shard-id "$shard" --shard-iterator-type TRIM_HORIZON --output text)
	got+=" $(aws dynamodbstreams get-records --shard-iterator "$iterator" --output text \
		--query 'Records[].[eventName, dynamodb.OldImage.n.N, dynamodb.NewImage.n.N]' | tr '\t\n' '  ')"
done
compare "I: get-records of all shards" "INSERT None 1 MODIFY 1 2" "$got"
streams "I: an iterator that is none" \
	"An error occurred (ValidationException) when calling the GetRecords operation: Invalid ShardIterator" get-records --shard-iterator x
check "I: delete-table" "ChangesCli" delete-table --table-name ChangesCli --query TableDescription.TableName
