import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbIndex;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondarySortKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSortKey;
import software.amazon.awssdk.enhanced.dynamodb.model.Page;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndexUpdate;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;

/** A local index: a customer's orders by status, read consistently. */
public class ScenarioF extends Harness
{
	@DynamoDbBean
	public static class Sale
	{
		private String pk, sk, status, day, note;
		private Integer total;

		@DynamoDbPartitionKey @DynamoDbAttribute("PK")
		public String getPk() { return pk; }
		public void setPk(String v) { pk = v; }
		@DynamoDbSortKey @DynamoDbAttribute("SK")
		public String getSk() { return sk; }
		public void setSk(String v) { sk = v; }
		@DynamoDbSecondarySortKey(indexNames = "ByStatus")
		public String getStatus() { return status; }
		public void setStatus(String v) { status = v; }
		@DynamoDbSecondarySortKey(indexNames = "ByTotal")
		public Integer getTotal() { return total; }
		public void setTotal(Integer v) { total = v; }
		public String getDay() { return day; }
		public void setDay(String v) { day = v; }
		public String getNote() { return note; }
		public void setNote(String v) { note = v; }
	}

	static DynamoDbTable<Sale> sales;

	/** The orders of C#1 that are pending, read consistently, by their keys. */
	static List<String> pending()
	{
		return sales.index("ByStatus").query(r -> r.queryConditional(QueryConditional.keyEqualTo(key("C#1", "PENDING")))
			.consistentRead(true)).stream().flatMap(p -> p.items().stream()).map(Sale::getSk).sorted()
			.collect(Collectors.toList());
	}

	public static void run() throws Exception
	{
		sales = create(enhanced.table("LocalJava", TableSchema.fromBean(Sale.class)), r -> r.localSecondaryIndices(
			i -> i.indexName("ByStatus").projection(p -> p.projectionType(ProjectionType.INCLUDE).nonKeyAttributes("day")),
			i -> i.indexName("ByTotal").projection(p -> p.projectionType(ProjectionType.KEYS_ONLY))));
		for (String customer : List.of("C#1", "C#2"))
			for (int i = 1; i <= 5; i++)
			{
				Sale sale = new Sale();
				sale.setPk(customer);
				sale.setSk("O#" + i);
				sale.setStatus(i % 2 == 1 ? "PENDING" : "SHIPPED");
				sale.setTotal(i * 30 % 100);
				sale.setDay("2024-03-1" + i);
				sale.setNote("n");
				sales.putItem(sale);
			}
		DynamoDbIndex<Sale> byStatus = sales.index("ByStatus");
		QueryConditional wanted = QueryConditional.keyEqualTo(key("C#1", "PENDING"));
		check("orders of a status", pending(), List.of("O#1", "O#3", "O#5"));
		check("keys and what it includes", byStatus.query(wanted).stream().flatMap(p -> p.items().stream())
			.map(o -> o.getSk() + " " + o.getDay() + " " + o.getTotal() + " " + o.getNote()).sorted().findFirst().get(),
			"O#1 2024-03-11 null null");
		Sale second = sales.getItem(key("C#1", "O#2"));
		second.setStatus("PENDING");
		sales.updateItem(second);
		check("read consistently, a write is there at once", pending(), List.of("O#1", "O#2", "O#3", "O#5"));
		check("what it does not hold is fetched", byStatus.query(r -> r.queryConditional(wanted)
			.attributesToProject("SK", "note")).stream().flatMap(p -> p.items().stream()).map(Sale::getNote)
			.collect(Collectors.toList()), List.of("n", "n", "n", "n"));
		Sale third = sales.getItem(key("C#1", "O#3"));
		third.setStatus(null);
		sales.updateItem(third);
		check("an order without a status leaves it", pending(), List.of("O#1", "O#2", "O#5"));
		check("a number sorts as one", sales.index("ByTotal").query(r -> r.scanIndexForward(false).queryConditional(
			QueryConditional.sortBetween(k -> k.partitionValue("C#2").sortValue(20), k -> k.partitionValue("C#2").sortValue(60))))
			.stream().flatMap(p -> p.items().stream()).map(Sale::getTotal).collect(Collectors.toList()), List.of(60, 50, 30, 20));
		Page<Sale> page = byStatus.query(r -> r.queryConditional(wanted).limit(1)).stream().findFirst().get();
		List<String> seen = new ArrayList<>(List.of(page.items().get(0).getSk()));
		Map<String, AttributeValue> end = new HashMap<>(lowKey("C#1", seen.get(0)));
		end.put("status", s("PENDING"));
		check("a page ends by all three keys", page.lastEvaluatedKey(), end);
		byStatus.query(r -> r.queryConditional(wanted).exclusiveStartKey(page.lastEvaluatedKey())).stream()
			.flatMap(p -> p.items().stream()).map(Sale::getSk).forEach(seen::add);
		check("and the next goes on there", seen.stream().sorted().collect(Collectors.toList()), List.of("O#1", "O#2", "O#5"));

		check("five of them", documents("Local5", some(5)).describeTable().table().localSecondaryIndexes().size(), 5);
		check("a sixth is refused", refusal(DynamoDbException.class, () -> documents("Local6", some(6)))
			.awsErrorDetails().errorCode(), "ValidationException");
		check("they cannot be dropped", refusal(DynamoDbException.class, () -> client.updateTable(r -> r.tableName("LocalJava")
			.globalSecondaryIndexUpdates(GlobalSecondaryIndexUpdate.builder().delete(d -> d.indexName("ByStatus")).build())))
			.awsErrorDetails().errorCode(), "ValidationException");
	}

	/** Local indexes, as many as are asked for. */
	static String[][] some(int number)
	{
		return IntStream.range(0, number).mapToObj(i -> new String[] {"Local" + i, "PK", "a" + i}).toArray(String[][]::new);
	}
}
