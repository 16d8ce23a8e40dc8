// The AWS SDK for Go v2 with two of the models that people draw.
package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

type value = types.AttributeValue
type item = map[string]value

var ctx = context.Background()
var client *dynamodb.Client
var tables []string

// The letter that a scenario's checks begin with.
var scenario string

// What came is what should have come.
func check(name string, got, expected any) {
	good := reflect.DeepEqual(got, expected)
	if good {
		fmt.Printf("ok - Go %s: %s\n", scenario, name)
	} else {
		fmt.Printf("not ok - Go %s: %s\n# got      %#v\n# expected %#v\n", scenario, name, got, expected)
	}
}

// The answer of a call that has to be well.
func must[T any](answer T, err error) T {
	if err != nil {
		panic(err)
	}
	return answer
}

func s(v string) value { return &types.AttributeValueMemberS{Value: v} }
func n(v string) value { return &types.AttributeValueMemberN{Value: v} }

func text(v value) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return ""
}

// One attribute of each item.
func each(items []item, name string) []string {
	var found []string
	for _, one := range items {
		found = append(found, text(one[name]))
	}
	return found
}

func key(pk, sk string) item { return item{"PK": s(pk), "SK": s(sk)} }

// A key of strings: its partition attribute, and the one it sorts by.
func schema(hash, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: &hash, KeyType: types.KeyTypeHash},
		{AttributeName: &sort, KeyType: types.KeyTypeRange},
	}
}

// Create a table of keys PK and SK, with what is given of it, and wait until it can be
// used; returns its description.
func create(name string, table dynamodb.CreateTableInput, attributes ...string) *types.TableDescription {
	table.TableName = aws.String(name + "Go")
	table.KeySchema = schema("PK", "SK")
	table.BillingMode = types.BillingModePayPerRequest
	for _, attribute := range append(attributes, "PK", "SK") {
		table.AttributeDefinitions = append(table.AttributeDefinitions,
			types.AttributeDefinition{AttributeName: aws.String(attribute), AttributeType: types.ScalarAttributeTypeS})
	}
	must(client.CreateTable(ctx, &table))
	tables = append(tables, *table.TableName)
	asked := &dynamodb.DescribeTableInput{TableName: table.TableName}
	return must(dynamodb.NewTableExistsWaiter(client).WaitForOutput(ctx, asked, time.Minute)).Table
}

// Write items, 25 by a call.
func write(table string, items []item) {
	for len(items) > 0 {
		var requests []types.WriteRequest
		for _, one := range items[:min(25, len(items))] {
			requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: one}})
		}
		must(client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: requests}}))
		items = items[len(requests):]
	}
}

func main() {
	client = dynamodb.NewFromConfig(must(config.LoadDefaultConfig(ctx)))
	scenarios := []struct {
		name string
		run  func()
	}{{"A", shop}, {"W", vectors}}
	failed := false
	for _, one := range scenarios {
		scenario = one.name
		failed = !ends(one.run) || failed
		for _, table := range tables {
			must(client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &table}))
		}
		tables = nil
	}
	if failed {
		os.Exit(1)
	}
}

// Does the scenario run to its end?
func ends(run func()) (good bool) {
	defer func() {
		if err := recover(); err != nil {
			fmt.Printf("not ok - Go %s ran to its end\n# %v\n", scenario, err)
		}
	}()
	run()
	return true
}
