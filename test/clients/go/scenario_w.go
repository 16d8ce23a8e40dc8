package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

const dimensions = 8

var target = []float64{1.5, -2, 0.25, 3, 0, 4, -1, 2}

type document struct {
	sk, kind string
	vector   []float64
}

// Elements as the API has them; they are exact as float32.
func numbers(vector []float64) []value {
	var list []value
	for _, element := range vector {
		list = append(list, n(fmt.Sprint(element)))
	}
	return list
}

func (d document) item(tenant string) item {
	return item{"PK": s("TENANT#" + tenant), "SK": s(d.sk), "tenant": s(tenant), "kind": s(d.kind),
		"embedding": &types.AttributeValueMemberL{Value: numbers(d.vector)}}
}

// The same "random" documents in each run.
func documents(seed int) (list []document) {
	for i := range 100 {
		one := document{sk: fmt.Sprintf("DOC#%03d", i), kind: "note"}
		if i%3 == 0 {
			one.kind = "paper"
		}
		for range dimensions {
			seed = seed * 48271 % 2147483647
			one.vector = append(one.vector, float64(seed%128)/8-8)
		}
		list = append(list, one)
	}
	return list
}

// The sort keys of the nearest by the distance of Euclid; those with one distance in the
// order of their keys.
func nearest(list []document, top int) (keys []string) {
	distance := func(d document) (sum float64) {
		for i, element := range d.vector {
			sum += (element - target[i]) * (element - target[i])
		}
		return math.Sqrt(sum)
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b document) int { return cmp.Compare(distance(a), distance(b)) })
	for _, one := range list[:top] {
		keys = append(keys, one.sk)
	}
	return keys
}

// Documents of tenants, found by their vectors: the nearest, and only a tenant's own.
func vectors() {
	table := create("Documents", dynamodb.CreateTableInput{VectorIndexes: []types.VectorIndex{{
		IndexName: aws.String("near"), VectorAttribute: &types.VectorAttributeDefinition{AttributeName: aws.String("embedding")},
		Dimensions: aws.Int64(dimensions), DistanceFunction: types.VectorDistanceFunctionEuclidean,
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		SearchSchema: []types.SearchSchemaElement{
			{AttributeName: aws.String("tenant"), SearchSchemaElementType: types.SearchSchemaElementTypeHash},
			{AttributeName: aws.String("kind"), SearchSchemaElementType: types.SearchSchemaElementTypeInlineFilter}}}}},
		"tenant", "kind")
	shown := table.VectorIndexes[0]
	check("DescribeTable shows the index", []string{*shown.IndexName, string(shown.IndexStatus)}, []string{"near", "ACTIVE"})
	acme := documents(1)
	for tenant, list := range map[string][]document{"acme": acme, "other": documents(2)} {
		var items []item
		for _, one := range list {
			items = append(items, one.item(tenant))
		}
		write(*table.TableName, items)
	}

	search := func(top int32, vector []float64, condition string, values item) ([]types.SearchResultItem, error) {
		answer, err := client.SearchVectors(ctx, &dynamodb.SearchVectorsInput{
			TableName: table.TableArn, IndexName: aws.String("near"), SearchVector: numbers(vector), TopK: &top,
			SearchConditionExpression: &condition, ExpressionAttributeValues: values})
		if err != nil {
			return nil, err
		}
		return answer.SearchResults, nil
	}
	keys := func(results []types.SearchResultItem) (found []string) {
		for _, one := range results {
			found = append(found, text(one.Item["SK"]))
		}
		return found
	}
	own := item{":t": s("acme")}
	found := must(search(10, target, "tenant = :t", own))
	check("the nearest of a tenant", keys(found), nearest(acme, 10))
	check("the nearest first", slices.IsSortedFunc(found, func(a, b types.SearchResultItem) int {
		return cmp.Compare(a.Score, b.Score)
	}), true)
	check("nothing of others", slices.ContainsFunc(found, func(one types.SearchResultItem) bool {
		return text(one.Item["tenant"]) != "acme"
	}), false)
	papers := slices.DeleteFunc(slices.Clone(acme), func(d document) bool { return d.kind != "paper" })
	check("with a filter", keys(must(search(5, target, "tenant = :t AND kind = :k", item{":t": s("acme"), ":k": s("paper")}))), nearest(papers, 5))

	first := keys(found)[0]
	must(client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: table.TableName, Key: key("TENANT#acme", first)}))
	rest := slices.DeleteFunc(slices.Clone(acme), func(d document) bool { return d.sk == first })
	check("what is deleted is not found", keys(must(search(10, target, "tenant = :t", own))), nearest(rest, 10))
	must(client.PutItem(ctx, &dynamodb.PutItemInput{TableName: table.TableName, Item: document{"DOC#new", "note", target}.item("acme")}))
	best := must(search(1, target, "tenant = :t", own))
	check("what is written is found at once", []any{keys(best), best[0].Score}, []any{[]string{"DOC#new"}, 0.0})

	var refused smithy.APIError
	_, err := search(1, target[:2], "tenant = :t", own)
	check("a vector of another size is refused", errors.As(err, &refused) && refused.ErrorCode() == "ValidationException", true)
	_, err = client.PutItem(ctx, &dynamodb.PutItemInput{TableName: table.TableName, Item: document{"DOC#short", "note", target[:2]}.item("acme")})
	check("and is not stored", errors.As(err, &refused) && refused.ErrorCode() == "ValidationException", true)
}
