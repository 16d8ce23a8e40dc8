import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbIndex;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Key;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.document.EnhancedDocument;
import software.amazon.awssdk.enhanced.dynamodb.mapper.Order;
import software.amazon.awssdk.enhanced.dynamodb.mapper.StaticAttributeTag;
import software.amazon.awssdk.enhanced.dynamodb.mapper.StaticAttributeTags;
import software.amazon.awssdk.enhanced.dynamodb.mapper.StaticTableSchema;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondaryPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondarySortKey;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndexUpdate;
import software.amazon.awssdk.services.dynamodb.model.IndexStatus;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** Orders by customer: keys with prefixes, then an index of several attributes. */
public class ScenarioB extends Harness
{
	/* Customers, products, orders and invoices told apart by c#, p#, o#, i#. */
	static void prefixes()
	{
		DynamoDbTable<EnhancedDocument> table = documents("Prefixes",
			new String[] {"GSI1", "GSI1PK", "GSI1SK"}, new String[] {"GSI2", "GSI2PK", "GSI2SK"});
		String[][] orders = {{"001", "c#001", "2025-02-10", "p#001", "p#002"}, {"002", "c#001", "2025-04-03", "p#001"},
			{"003", "c#002", "2025-02-12", "p#001"}};
		for (String[] o : orders)
		{
			String order = "o#" + o[0], invoice = "i#" + o[0], customer = o[1], day = o[2];
			table.putItem(document("PK", order, "SK", order, "day", day));
			for (String product : Arrays.asList(o).subList(3, o.length))
				table.putItem(document("PK", order, "SK", product, "quantity", 1, "GSI1PK", product, "GSI1SK", day,
					"GSI2PK", customer, "GSI2SK", "p#" + day + "#" + product));
			table.putItem(document("PK", order, "SK", invoice, "amount", 320, "GSI1PK", invoice, "GSI1SK", invoice,
				"GSI2PK", customer, "GSI2SK", "i#" + day));
		}
		DynamoDbIndex<EnhancedDocument> first = table.index("GSI1"), second = table.index("GSI2");
		check("an order with its products and its invoice", found("SK", table, all("o#001")),
			List.of("i#001", "o#001", "p#001", "p#002"));
		check("the products of an order", found("SK", table, beginning("o#001", "p#")), List.of("p#001", "p#002"));
		check("orders of a product between two dates",
			found("PK", first, between("p#001", "2025-02-01", "2025-02-28")), List.of("o#001", "o#003"));
		check("an invoice by its id", found("PK", first, all("i#002")), List.of("o#002"));
		check("invoices of a customer in a quarter",
			found("SK", second, between("c#001", "i#2025-01-01", "i#2025-03-31")), List.of("i#001"));
		check("products of a customer, the latest first", second.query(r -> r.scanIndexForward(false)
			.queryConditional(beginning("c#001", "p#"))).stream().flatMap(p -> p.items().stream())
			.map(d -> d.getString("PK")).collect(Collectors.toList()), List.of("o#002", "o#001", "o#001"));
	}

	/** An index whose sort key is made of two attributes. */
	@DynamoDbBean
	public static class Document
	{
		private String id, customer, type, day;

		static Document of(String id, String customer, String type, String day)
		{
			Document d = new Document();
			d.id = id;
			d.customer = customer;
			d.type = type;
			d.day = day;
			return d;
		}

		@DynamoDbPartitionKey
		public String getId() { return id; }
		public void setId(String v) { id = v; }
		@DynamoDbSecondaryPartitionKey(indexNames = "ByCustomer") @DynamoDbAttribute("CustomerId")
		public String getCustomer() { return customer; }
		public void setCustomer(String v) { customer = v; }
		@DynamoDbSecondarySortKey(indexNames = "ByCustomer", order = Order.FIRST)
		@DynamoDbAttribute("EntityType")
		public String getType() { return type; }
		public void setType(String v) { type = v; }
		@DynamoDbSecondarySortKey(indexNames = "ByCustomer", order = Order.SECOND)
		@DynamoDbAttribute("OrderDate")
		public String getDay() { return day; }
		public void setDay(String v) { day = v; }
	}

	/* CustomerId, then EntityType and OrderDate, over items that were there before. */
	static void severalAttributes() throws Exception
	{
		DynamoDbTable<Document> documents =
			create(enhanced.table("DocumentsJava", TableSchema.fromBean(Document.class)), r -> {});
		documents.putItem(Document.of("1", "c#001", "invoice", "2025-01-15"));
		documents.putItem(Document.of("2", "c#001", "invoice", "2025-04-02"));
		documents.putItem(Document.of("3", "c#001", "order", "2025-01-10"));
		documents.putItem(Document.of("4", "c#002", "invoice", "2025-01-20"));
		documents.putItem(Document.of("5", "c#001", "invoice", null));
		List<String> hash = List.of("CustomerId"), range = List.of("EntityType", "OrderDate");
		addIndex("DocumentsJava", "ByCustomer", hash, range);
		check("an index of three attributes, added", documents.describeTable().table().globalSecondaryIndexes().get(0)
			.keySchema().stream().map(k -> k.attributeName() + " " + k.keyType()).collect(Collectors.toList()),
			List.of("CustomerId HASH", "EntityType RANGE", "OrderDate RANGE"));
		check("it leaves the items as they are", documents.scan().items().stream().map(Document::getId).sorted()
			.collect(Collectors.toList()), List.of("1", "2", "3", "4", "5"));
		DynamoDbIndex<Document> byCustomer = documents.index("ByCustomer");
		check("allowed: the partition alone, in order of both", found(byCustomer, all("c#001")), List.of("1", "2", "3"));
		check("allowed: first equal", found(byCustomer, QueryConditional.keyEqualTo(
			k -> k.partitionValue("c#001").sortValue("invoice"))), List.of("1", "2"));
		check("allowed: both equal", found(byCustomer, QueryConditional.keyEqualTo(
			k -> k.partitionValue("c#001").addSortValue("invoice").addSortValue("2025-01-15"))), List.of("1"));
		check("allowed: first equal, second between", found(byCustomer, QueryConditional.sortBetween(
			k -> k.partitionValue("c#001").addSortValue("invoice").addSortValue("2025-01-01"),
			k -> k.partitionValue("c#001").addSortValue("invoice").addSortValue("2025-03-31"))), List.of("1"));
		check("allowed: a range on the first", found(byCustomer, beginning("c#001", "i")), List.of("1", "2"));

		/* What the mapper has no words for. */
		String passedOver = "RANGE key attributes EntityType must have equality conditions specified in the query "
			+ "because a condition is present on key attribute OrderDate";
		String noPartition = "HASH key attributes CustomerId must have equality conditions specified in the query";
		check("refused: the first passed over", refused("CustomerId = :c AND OrderDate = :d"), passedOver);
		check("refused: a range on the first and something after it",
			refused("CustomerId = :c AND begins_with(EntityType, :t) AND OrderDate = :d"), passedOver);
		check("refused: no partition", refused("EntityType = :t AND OrderDate = :d"), noPartition);
		check("refused: a range on the partition", refused("CustomerId > :c AND EntityType = :t"), noPartition);
	}

	static List<String> found(DynamoDbIndex<Document> index, QueryConditional condition)
	{
		return index.query(condition).stream().flatMap(p -> p.items().stream()).map(Document::getId)
			.collect(Collectors.toList());
	}

	/** What is said to a key condition that is not allowed. */
	static String refused(String condition) throws Exception
	{
		Map<String, AttributeValue> values = new HashMap<>(Map.of(":c", s("c#001"), ":t", s("invoice"), ":d", s("2025-01-15")));
		values.keySet().removeIf(name -> !condition.contains(name));
		return refusal(DynamoDbException.class, () -> client.query(r -> r.tableName("DocumentsJava")
			.indexName("ByCustomer").keyConditionExpression(condition).expressionAttributeValues(values)))
			.awsErrorDetails().errorMessage();
	}

	/**
	 * Add an index to a table that has none, and wait until it can be used;
	 * attributes whose names end by an even number are numbers, the
	 * others strings.
	 */
	static void addIndex(String table, String name, List<String> hash, List<String> range) throws Exception
	{
		List<KeySchemaElement> key = Arrays.asList(hash, range).stream().flatMap(part -> part.stream().map(
			n -> KeySchemaElement.builder().attributeName(n).keyType(part == hash ? KeyType.HASH : KeyType.RANGE).build()))
			.collect(Collectors.toList());
		client.updateTable(r -> r.tableName(table)
			.attributeDefinitions(key.stream().map(k -> AttributeDefinition.builder().attributeName(k.attributeName())
				.attributeType(isNumber(k.attributeName()) ? ScalarAttributeType.N : ScalarAttributeType.S).build())
				.collect(Collectors.toList()))
			.globalSecondaryIndexUpdates(GlobalSecondaryIndexUpdate.builder().create(i -> i.indexName(name).keySchema(key)
				.projection(p -> p.projectionType(ProjectionType.ALL))).build()));
		until(() -> client.describeTable(r -> r.tableName(table)).table().globalSecondaryIndexes().get(0).indexStatus()
			== IndexStatus.ACTIVE);
	}

	static boolean isNumber(String attribute)
	{
		return attribute.endsWith("2") || attribute.endsWith("4");
	}

	/** Attributes by their names. */
	static class Wide
	{
		final Map<String, Object> values = new HashMap<>();
	}

	/** The schema of Wide: its attributes and what each is. */
	static <T> void attribute(StaticTableSchema.Builder<Wide> schema, Class<T> type, String name, StaticAttributeTag tag)
	{
		schema.addAttribute(type, a -> a.name(name).getter(w -> type.cast(w.values.get(name)))
			.setter((w, v) -> w.values.put(name, v)).tags(tag));
	}

	/* As many attributes as an index may have. */
	static void fourAndFour() throws Exception
	{
		List<String> hash = List.of("h1", "h2", "h3", "h4"), range = List.of("r1", "r2", "r3", "r4");
		StaticTableSchema.Builder<Wide> schema = TableSchema.builder(Wide.class).newItemSupplier(Wide::new);
		attribute(schema, String.class, "id", StaticAttributeTags.primaryPartitionKey());
		Wide item = new Wide();
		item.values.put("id", "1");
		for (int i = 0; i < 4; i++)
		{
			Class<?> type = i % 2 == 0 ? String.class : Integer.class;
			Order order = List.of(Order.FIRST, Order.SECOND, Order.THIRD, Order.FOURTH).get(i);
			attribute(schema, type, hash.get(i), StaticAttributeTags.secondaryPartitionKey("Wide", order));
			attribute(schema, type, range.get(i), StaticAttributeTags.secondarySortKey("Wide", order));
			item.values.put(hash.get(i), i % 2 == 0 ? "h" : (Object) i);
			item.values.put(range.get(i), i % 2 == 0 ? "r" : (Object) (-i));
		}
		DynamoDbTable<Wide> table = create(enhanced.table("WideJava", schema.build()), r -> {});
		table.putItem(item);
		addIndex("WideJava", "Wide", hash, range);
		Key.Builder key = Key.builder();
		for (String name : hash)
			key.addPartitionValue(item.values.get(name));
		for (String name : range)
			key.addSortValue(item.values.get(name));
		check("four and four attributes", table.index("Wide").query(QueryConditional.keyEqualTo(key.build())).stream()
			.flatMap(p -> p.items().stream()).map(w -> w.values).collect(Collectors.toList()), List.of(item.values));
		check("a fifth is refused", refusal(DynamoDbException.class, () -> {
			addIndex("WideJava", "Wider", List.of("h1", "h2", "h3", "h4", "h5"), List.of());
			return null;
		}).awsErrorDetails().errorCode(), "ValidationException");
	}

	public static void run() throws Exception
	{
		prefixes();
		severalAttributes();
		fourAndFour();
	}
}
