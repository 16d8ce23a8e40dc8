# Readings of devices: a partition is an hour of one, a day is 24 queries.

create IotCli
# One reading an hour, at its n-th minute; the 25th is of the next day.
readings=()
for n in {0..24}; do
	printf -v hour '%02d' $((n % 24))
	printf -v minute '%02d' "$n"
	day=2024-03-$((15 + n / 24))
	readings+=("$(item PK="DEVICE#123#$day-$hour" SK="${day}T$hour:$minute:00.125Z" n:="$n")")
done
put_all IotCli "${readings[@]}"
put_all IotCli "$(item PK=DEVICE#12#2024-03-15-14 SK=2024-03-15T14:14:00.125Z)" \
	"$(item PK=DEVICE#123#2024-03-15-14 SK=2024-03-15T14:14:00.124Z)"
check "D: an hour, in order of time" "2024-03-15T14:14:00.124Z 2024-03-15T14:14:00.125Z" query --table-name IotCli \
	--key-condition-expression 'PK = :p' --expression-attribute-values "$(item :p=DEVICE#123#2024-03-15-14)" --query 'Items[].SK.S'
check "D: milliseconds count, both bounds belong to it" "2024-03-15T14:14:00.125Z" query --table-name IotCli \
	--key-condition-expression 'PK = :p AND SK BETWEEN :a AND :b' --query 'Items[].SK.S' --expression-attribute-values \
	"$(item :p=DEVICE#123#2024-03-15-14 :a=2024-03-15T14:14:00.125Z :b=2024-03-15T14:59:59.999Z)"
rm -f hour.*
for hour in {00..23}; do
	echo "hour.$hour"
	item :p="DEVICE#123#2024-03-15-$hour"
done | xargs -d '\n' -n 2 -P 2 bash -c 'aws dynamodb query --table-name IotCli --key-condition-expression "PK = :p" \
	--output text --query "Items[].[SK.S,n.N]" --expression-attribute-values "$1" >"$0"'
compare "D: a day is 24 queries merged" "$(seq -s ' ' 0 23)" "$(sort hour.* | cut -f 2 | grep -v None)"
