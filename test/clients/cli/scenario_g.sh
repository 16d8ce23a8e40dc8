# A counter: eight clients at once on one item, no increment is lost.

create CountersCli
seq 8 | xargs -P 8 -I {} aws dynamodb update-item --table-name CountersCli --key "$(item PK=PAGEVIEW#home SK=SHARD#0)" \
	--update-expression 'ADD view_count :one, clients :{}' \
	--expression-attribute-values '{":one":{"N":"1"},":{}":{"NS":["{}"]}}'
check "G: eight clients at once, every ADD counts" "8 8" query --table-name CountersCli --key-condition-expression 'PK = :p' \
	--expression-attribute-values "$(item :p=PAGEVIEW#home)" --query 'Items[].[view_count.N,length(clients.NS)]'
