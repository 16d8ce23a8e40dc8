package main

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A shop in one table.
func shop() {
	table := create("Shop", dynamodb.CreateTableInput{GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
		IndexName: aws.String("GSI1"), KeySchema: schema("GSI1PK", "GSI1SK"),
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}}}}, "GSI1PK", "GSI1SK").TableName
	profile := item{"PK": s("CUSTOMER#12345"), "SK": s("PROFILE"), "name": s("Ann"),
		"GSI1PK": s("EMAIL#ann@example.com"), "GSI1SK": s("CUSTOMER#12345")}
	must(client.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: profile}))
	got := must(client.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: key("CUSTOMER#12345", "PROFILE")}))
	check("profile by key", got.Item, profile)

	var orders []item
	for i, day := range []string{"11", "12", "15", "18", "20"} {
		status := "STATUS#SHIPPED"
		if i > 2 {
			status = "STATUS#PENDING"
		}
		orders = append(orders, item{"PK": s("CUSTOMER#12345"), "SK": s("ORDER#2024-03-" + day),
			"total": n(fmt.Sprint(float64(i+1) * 1.5)), "GSI1PK": s(status), "GSI1SK": s("2024-03-" + day)})
	}
	write(*table, orders)
	newest := dynamodb.QueryInput{TableName: table, KeyConditionExpression: aws.String("PK = :pk AND begins_with(SK, :o)"),
		ScanIndexForward:          aws.Bool(false),
		ExpressionAttributeValues: item{":pk": s("CUSTOMER#12345"), ":o": s("ORDER#")}, Limit: aws.Int32(2)}
	page := must(client.Query(ctx, &newest))
	check("newest orders", each(page.Items, "SK"), []string{"ORDER#2024-03-20", "ORDER#2024-03-18"})
	check("where the page ends", page.LastEvaluatedKey, key("CUSTOMER#12345", "ORDER#2024-03-18"))
	var totals []string
	for pages := dynamodb.NewQueryPaginator(client, &newest); pages.HasMorePages(); {
		totals = append(totals, each(must(pages.NextPage(ctx)).Items, "total")...)
	}
	check("a paginator", totals, []string{"7.5", "6", "4.5", "3", "1.5"})
	check("orders by status and date", each(must(client.Query(ctx, &dynamodb.QueryInput{
		TableName: table, IndexName: aws.String("GSI1"), KeyConditionExpression: aws.String("GSI1PK = :s AND GSI1SK BETWEEN :a AND :b"),
		ExpressionAttributeValues: item{":s": s("STATUS#SHIPPED"), ":a": s("2024-03-12"), ":b": s("2024-03-16")}})).Items, "total"),
		[]string{"3", "4.5"})

	values := item{"PK": s("types"), "SK": s("all"), "nothing": &types.AttributeValueMemberNULL{Value: true},
		"yes":     &types.AttributeValueMemberBOOL{Value: true},
		"list":    &types.AttributeValueMemberL{Value: []value{n("1"), s("a")}},
		"map":     &types.AttributeValueMemberM{Value: item{"deep": n("-0.000000000125")}},
		"strings": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
		"numbers": &types.AttributeValueMemberNS{Value: []string{"1", "2"}},
		"binary":  &types.AttributeValueMemberB{Value: []byte{0, 255, 128}}}
	must(client.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: values}))
	check("types come back", must(client.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: key("types", "all")})).Item, values)

	product := item{"PK": s("PRODUCT#p-456"), "SK": s("DETAILS"), "inventory": n("3")}
	must(client.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: product}))
	place := func(number string) error {
		_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
			ClientRequestToken: aws.String("go-" + number),
			TransactItems: []types.TransactWriteItem{
				{Put: &types.Put{TableName: table, Item: key("ORDER#"+number, "META"), ConditionExpression: aws.String("attribute_not_exists(PK)")}},
				{Update: &types.Update{TableName: table, Key: key("PRODUCT#p-456", "DETAILS"),
					UpdateExpression:          aws.String("SET inventory = inventory - :two"),
					ConditionExpression:       aws.String("inventory >= :two"),
					ExpressionAttributeValues: item{":two": n("2")}}}}})
		return err
	}
	check("an order is placed", place("98800"), nil)
	check("and once more with its token", place("98800"), nil)
	left := must(client.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: key("PRODUCT#p-456", "DETAILS")}))
	check("which is done once", text(left.Item["inventory"]), "1")
	var cancelled *types.TransactionCanceledException
	var codes []string
	if errors.As(place("98801"), &cancelled) {
		for _, reason := range cancelled.CancellationReasons {
			codes = append(codes, *reason.Code)
		}
	}
	check("out of stock", codes, []string{"None", "ConditionalCheckFailed"})
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: product, ConditionExpression: aws.String("inventory > :ten"),
		ExpressionAttributeValues: item{":ten": n("10")}, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld})
	var lost *types.ConditionalCheckFailedException
	check("a condition that does not hold", errors.As(err, &lost) && text(lost.Item["inventory"]) == "1", true)
}
