import java.util.List;
import java.util.stream.Collectors;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbIndex;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.mapper.Order;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondaryPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondarySortKey;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;

/** Orders by customer, by an index of several attributes. */
public class ScenarioB extends Harness
{
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

	static void severalAttributes() throws Exception
	{
		DynamoDbTable<Document> documents = create(enhanced.table("DocumentsJava", TableSchema.fromBean(Document.class)));
		check("an index of three attributes", documents.describeTable().table().globalSecondaryIndexes().get(0)
			.keySchema().stream().map(k -> k.attributeName() + " " + k.keyType()).collect(Collectors.toList()),
			List.of("CustomerId HASH", "EntityType RANGE", "OrderDate RANGE"));
		documents.putItem(Document.of("1", "c#001", "invoice", "2025-01-15"));
		documents.putItem(Document.of("2", "c#001", "invoice", "2025-04-02"));
		documents.putItem(Document.of("3", "c#001", "order", "2025-01-10"));
		documents.putItem(Document.of("4", "c#002", "invoice", "2025-01-20"));
		DynamoDbIndex<Document> byCustomer = documents.index("ByCustomer");
		check("all of a customer", found(byCustomer, QueryConditional.keyEqualTo(k -> k.partitionValue("c#001"))),
			List.of("1", "2", "3"));
		check("the first attribute equal", found(byCustomer, QueryConditional.keyEqualTo(
			k -> k.partitionValue("c#001").sortValue("invoice"))), List.of("1", "2"));
		check("the first equal, the second between", found(byCustomer, QueryConditional.sortBetween(
			k -> k.partitionValue("c#001").addSortValue("invoice").addSortValue("2025-01-01"),
			k -> k.partitionValue("c#001").addSortValue("invoice").addSortValue("2025-03-31"))), List.of("1"));
	}

	static List<String> found(DynamoDbIndex<Document> index, QueryConditional condition)
	{
		return index.query(condition).stream().flatMap(p -> p.items().stream()).map(Document::getId)
			.collect(Collectors.toList());
	}

	public static void run() throws Exception
	{
		severalAttributes();
	}
}
