import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.pagination.sync.SdkIterable;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedClient;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbIndex;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Expression;
import software.amazon.awssdk.enhanced.dynamodb.Key;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.extensions.annotations.DynamoDbVersionAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondaryPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondarySortKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSortKey;
import software.amazon.awssdk.enhanced.dynamodb.model.BatchGetResultPageIterable;
import software.amazon.awssdk.enhanced.dynamodb.model.BatchWriteResult;
import software.amazon.awssdk.enhanced.dynamodb.model.IgnoreNullsMode;
import software.amazon.awssdk.enhanced.dynamodb.model.Page;
import software.amazon.awssdk.enhanced.dynamodb.model.PageIterable;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryEnhancedRequest;
import software.amazon.awssdk.enhanced.dynamodb.model.ReadBatch;
import software.amazon.awssdk.enhanced.dynamodb.model.TransactPutItemEnhancedRequest;
import software.amazon.awssdk.enhanced.dynamodb.model.WriteBatch;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.IdempotentParameterMismatchException;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** A shop: four kinds of beans in one table, by the mapper, its iterables and its extensions. */
public class ScenarioA extends Harness
{
	/** What every item of the table has. */
	public static class Entity
	{
		private String pk, sk, gsi1pk, gsi1sk, gsi2pk, gsi2sk;

		@DynamoDbPartitionKey @DynamoDbAttribute("PK")
		public String getPk() { return pk; }
		public void setPk(String v) { pk = v; }

		@DynamoDbSortKey @DynamoDbAttribute("SK")
		public String getSk() { return sk; }
		public void setSk(String v) { sk = v; }

		@DynamoDbSecondaryPartitionKey(indexNames = "GSI1") @DynamoDbAttribute("GSI1PK")
		public String getGsi1pk() { return gsi1pk; }
		public void setGsi1pk(String v) { gsi1pk = v; }

		@DynamoDbSecondarySortKey(indexNames = "GSI1") @DynamoDbAttribute("GSI1SK")
		public String getGsi1sk() { return gsi1sk; }
		public void setGsi1sk(String v) { gsi1sk = v; }

		@DynamoDbSecondaryPartitionKey(indexNames = "GSI2") @DynamoDbAttribute("GSI2PK")
		public String getGsi2pk() { return gsi2pk; }
		public void setGsi2pk(String v) { gsi2pk = v; }

		@DynamoDbSecondarySortKey(indexNames = "GSI2") @DynamoDbAttribute("GSI2SK")
		public String getGsi2sk() { return gsi2sk; }
		public void setGsi2sk(String v) { gsi2sk = v; }
	}

	@DynamoDbBean
	public static class Address
	{
		private String street, city;

		public Address() {}
		Address(String street, String city) { this.street = street; this.city = city; }

		public String getStreet() { return street; }
		public void setStreet(String v) { street = v; }
		public String getCity() { return city; }
		public void setCity(String v) { city = v; }

		@Override
		public boolean equals(Object o)
		{
			return o instanceof Address && Objects.equals(street, ((Address) o).street)
				&& Objects.equals(city, ((Address) o).city);
		}

		@Override
		public int hashCode() { return Objects.hash(street, city); }
	}

	@DynamoDbBean
	public static class Customer extends Entity
	{
		private String name, email;
		private Instant since;
		private Boolean active;
		private Set<String> tags;
		private List<Address> addresses;
		private Map<String, Integer> points;
		private SdkBytes picture;

		static Customer of(String id, String name, String email)
		{
			Customer c = new Customer();
			c.setPk("CUSTOMER#" + id);
			c.setSk("PROFILE");
			c.setGsi1pk("EMAIL#" + email);
			c.setGsi1sk("CUSTOMER#" + id);
			c.name = name;
			c.email = email;
			return c;
		}

		public String getName() { return name; }
		public void setName(String v) { name = v; }
		public String getEmail() { return email; }
		public void setEmail(String v) { email = v; }
		public Instant getSince() { return since; }
		public void setSince(Instant v) { since = v; }
		public Boolean getActive() { return active; }
		public void setActive(Boolean v) { active = v; }
		public Set<String> getTags() { return tags; }
		public void setTags(Set<String> v) { tags = v; }
		public List<Address> getAddresses() { return addresses; }
		public void setAddresses(List<Address> v) { addresses = v; }
		public Map<String, Integer> getPoints() { return points; }
		public void setPoints(Map<String, Integer> v) { points = v; }
		public SdkBytes getPicture() { return picture; }
		public void setPicture(SdkBytes v) { picture = v; }
	}

	@DynamoDbBean
	public static class Sale extends Entity
	{
		private BigDecimal total;
		private String status;

		static Sale of(String customer, String day, String id, String total, String status)
		{
			Sale s = new Sale();
			s.setPk("CUSTOMER#" + customer);
			s.setSk("ORDER#" + day + "#" + id);
			s.setGsi1pk("STATUS#" + status);
			s.setGsi1sk(day + "#ORDER#" + id);
			s.total = new BigDecimal(total);
			s.status = status;
			return s;
		}

		public BigDecimal getTotal() { return total; }
		public void setTotal(BigDecimal v) { total = v; }
		public String getStatus() { return status; }
		public void setStatus(String v) { status = v; }
	}

	@DynamoDbBean
	public static class Line extends Entity
	{
		private Integer quantity;
		private BigDecimal price;

		static Line of(String order, String sk, int quantity, String price)
		{
			Line l = new Line();
			l.setPk("ORDER#" + order);
			l.setSk(sk);
			l.quantity = quantity;
			l.price = new BigDecimal(price);
			return l;
		}

		public Integer getQuantity() { return quantity; }
		public void setQuantity(Integer v) { quantity = v; }
		public BigDecimal getPrice() { return price; }
		public void setPrice(BigDecimal v) { price = v; }
	}

	@DynamoDbBean
	public static class Product extends Entity
	{
		private BigDecimal price;
		private Integer inventory;
		private Long version;

		static Product of(String id, String category, String price, int inventory)
		{
			Product p = new Product();
			p.setPk("PRODUCT#" + id);
			p.setSk("DETAILS");
			p.setGsi1pk("CATEGORY#" + category);
			p.setGsi1sk("PRODUCT#" + id);
			p.price = new BigDecimal(price);
			p.inventory = inventory;
			return p;
		}

		public BigDecimal getPrice() { return price; }
		public void setPrice(BigDecimal v) { price = v; }
		public Integer getInventory() { return inventory; }
		public void setInventory(Integer v) { inventory = v; }
		@DynamoDbVersionAttribute
		public Long getVersion() { return version; }
		public void setVersion(Long v) { version = v; }
	}

	static final DynamoDbTable<Customer> customers =
		enhanced.table("ShopJava", TableSchema.fromBean(Customer.class));
	static final DynamoDbTable<Sale> sales =
		enhanced.table("ShopJava", TableSchema.fromBean(Sale.class));
	static final DynamoDbTable<Line> lines =
		enhanced.table("ShopJava", TableSchema.fromBean(Line.class));
	static final DynamoDbTable<Product> products =
		enhanced.table("ShopJava", TableSchema.fromBean(Product.class));

	static List<String> keys(SdkIterable<? extends Entity> items)
	{
		return items.stream().map(Entity::getSk).collect(Collectors.toList());
	}

	/** The sort keys of an index's pages. */
	static List<String> indexKeys(SdkIterable<? extends Page<? extends Entity>> pages)
	{
		return pages.stream().flatMap(p -> p.items().stream()).map(Entity::getSk)
			.collect(Collectors.toList());
	}

	static void tables()
	{
		create(customers, r -> r.globalSecondaryIndices(
			i -> i.indexName("GSI1").projection(p -> p.projectionType(ProjectionType.ALL)),
			i -> i.indexName("GSI2").projection(p -> p.projectionType(ProjectionType.KEYS_ONLY))));
		TableDescription d = client.describeTable(r -> r.tableName("ShopJava")).table();
		check("the table is active", d.tableStatusAsString(), "ACTIVE");
		check("on demand", d.billingModeSummary().billingModeAsString(), "PAY_PER_REQUEST");
		check("its keys", d.keySchema().stream().map(k -> k.attributeName() + " " + k.keyType())
			.collect(Collectors.toList()), List.of("PK " + KeyType.HASH, "SK " + KeyType.RANGE));
		check("its indexes", d.globalSecondaryIndexes().stream()
			.map(i -> i.indexName() + " " + i.projection().projectionTypeAsString()).sorted()
			.collect(Collectors.toList()), List.of("GSI1 ALL", "GSI2 KEYS_ONLY"));
		check("described by the mapper", customers.describeTable().table().tableName(), "ShopJava");
	}

	static void items() throws Exception
	{
		Customer ann = Customer.of("12345", "Ann", "ann@example.com");
		ann.setSince(Instant.parse("2024-03-15T10:11:12.123456789Z"));
		ann.setActive(true);
		ann.setTags(new LinkedHashSet<>(List.of("vip", "press")));
		ann.setAddresses(List.of(new Address("Main St 1", "Springfield"), new Address("Møllegade", "Århus")));
		ann.setPoints(Map.of("2023", 7, "2024", 12));
		ann.setPicture(SdkBytes.fromString("\u0000\u00ff picture", StandardCharsets.ISO_8859_1));
		customers.putItem(ann);

		Customer got = customers.getItem(r -> r.key(key("CUSTOMER#12345", "PROFILE")).consistentRead(true));
		check("profile by key", got.getName() + got.getEmail(), "Annann@example.com");
		check("an instant", got.getSince(), ann.getSince());
		check("a boolean", got.getActive(), true);
		check("a set", got.getTags(), ann.getTags());
		check("a list of beans", got.getAddresses(), ann.getAddresses());
		check("a map", got.getPoints(), ann.getPoints());
		check("binary", got.getPicture(), ann.getPicture());
		check("what is not there", customers.getItem(key("CUSTOMER#0", "PROFILE")), null);

		/* Nulls become REMOVE, unless they are to be ignored. */
		Customer change = Customer.of("12345", "Ann B.", "ann@example.com");
		got = customers.updateItem(r -> r.item(change).ignoreNullsMode(IgnoreNullsMode.SCALAR_ONLY));
		check("an update that ignores nulls", got.getName() + got.getTags().size(), "Ann B.2");
		got = customers.updateItem(change);
		check("an update that does not", Arrays.asList(got.getName(), got.getTags(), got.getPicture()),
			Arrays.asList("Ann B.", null, null));

		/* A put under a condition, and what the loser is told. */
		Expression isNew = Expression.builder().expression("attribute_not_exists(PK)").build();
		ConditionalCheckFailedException e = refusal(ConditionalCheckFailedException.class, () -> {
			customers.putItem(r -> r.item(change).conditionExpression(isNew)
				.returnValuesOnConditionCheckFailure("ALL_OLD"));
			return null;
		});
		check("a put under a condition is refused", e.awsErrorDetails().errorMessage(),
			"The conditional request failed");
		check("and shows the item", e.item().get("name").s(), "Ann B.");
		check("as a 400 with a request id", e.statusCode() + " " + (e.requestId().length() > 0), "400 true");
		Customer bob = Customer.of("777", "Bob", "bob@example.com");
		customers.putItem(r -> r.item(bob).conditionExpression(isNew));
		check("a new one is put", customers.getItem(bob).getName(), "Bob");
		check("and deleted", customers.deleteItem(bob).getName(), "Bob");
		check("and is gone", customers.getItem(bob), null);
	}

	static void queries()
	{
		String[][] orders = {
			{"2024-03-11", "98701", "19.95", "SHIPPED"}, {"2024-03-12", "98722", "240.00", "SHIPPED"},
			{"2024-03-15", "98765", "109.97", "SHIPPED"}, {"2024-03-15", "98766", "5.00", "PENDING"},
			{"2024-03-18", "98799", "64.50", "PENDING"}};
		for (String[] o : orders)
			sales.putItem(Sale.of("12345", o[0], o[1], o[2], o[3]));

		QueryConditional all = QueryConditional.sortBeginsWith(key("CUSTOMER#12345", "ORDER#"));
		PageIterable<Sale> pages = sales.query(r -> r.queryConditional(all).scanIndexForward(false).limit(2));
		List<Integer> sizes = new ArrayList<>();
		Page<Sale> first = null;
		for (Page<Sale> page : pages)
		{
			sizes.add(page.items().size());
			first = first == null ? page : first;
		}
		check("pages of two", sizes, List.of(2, 2, 1));
		check("newest first", keys(pages.items()), List.of("ORDER#2024-03-18#98799", "ORDER#2024-03-15#98766",
			"ORDER#2024-03-15#98765", "ORDER#2024-03-12#98722", "ORDER#2024-03-11#98701"));
		Map<String, AttributeValue> after = first.lastEvaluatedKey();
		check("going on by LastEvaluatedKey", sales.query(QueryEnhancedRequest.builder().queryConditional(all)
			.scanIndexForward(false).exclusiveStartKey(after).limit(1).build()).stream().findFirst().get()
			.items().get(0).getSk(), "ORDER#2024-03-15#98765");
		check("a number keeps its digits", sales.getItem(key("CUSTOMER#12345", "ORDER#2024-03-12#98722"))
			.getTotal().stripTrailingZeros(), new BigDecimal("240").stripTrailingZeros());

		String from = "ORDER#2024-03-12#98722", to = "ORDER#2024-03-15#98766", pk = "CUSTOMER#12345";
		check("sortGreaterThan", sales.query(QueryConditional.sortGreaterThan(key(pk, from))).items().stream().count(), 4L);
		check("sortGreaterThanOrEqualTo",
			sales.query(QueryConditional.sortGreaterThanOrEqualTo(key(pk, to))).items().stream().count(), 3L);
		check("sortLessThan", sales.query(QueryConditional.sortLessThan(key(pk, from))).items().stream().count(), 1L);
		check("sortLessThanOrEqualTo",
			sales.query(QueryConditional.sortLessThanOrEqualTo(key(pk, from))).items().stream().count(), 2L);
		check("sortBetween", keys(sales.query(QueryConditional.sortBetween(key(pk, from), key(pk, to))).items()),
			List.of(from, "ORDER#2024-03-15#98765", to));
		check("profile and orders in one query",
			sales.query(QueryConditional.keyEqualTo(k -> k.partitionValue(pk))).items().stream().count(), 6L);
		check("one by its whole key", keys(sales.query(QueryConditional.keyEqualTo(key(pk, from))).items()), List.of(from));
		check("a filter", keys(sales.query(r -> r.queryConditional(all).filterExpression(Expression.builder()
			.expression("#t > :t").putExpressionName("#t", "total").putExpressionValue(":t", n(100)).build())).items()),
			List.of("ORDER#2024-03-12#98722", "ORDER#2024-03-15#98765"));
		check("a projection", sales.query(r -> r.queryConditional(all).attributesToProject("SK", "status"))
			.items().stream().map(o -> o.getStatus() + o.getTotal()).findFirst().get(), "SHIPPEDnull");

		DynamoDbIndex<Sale> byStatus = sales.index("GSI1");
		check("orders by status", indexKeys(byStatus.query(
			QueryConditional.keyEqualTo(k -> k.partitionValue("STATUS#PENDING")))),
			List.of("ORDER#2024-03-15#98766", "ORDER#2024-03-18#98799"));
		check("and by date", indexKeys(byStatus.query(QueryConditional.sortBetween(
			key("STATUS#SHIPPED", "2024-03-12"), key("STATUS#SHIPPED", "2024-03-16")))),
			List.of("ORDER#2024-03-12#98722", "ORDER#2024-03-15#98765"));
		check("a customer by e-mail", customers.index("GSI1").query(r -> r.queryConditional(
			QueryConditional.keyEqualTo(k -> k.partitionValue("EMAIL#ann@example.com")))).stream()
			.flatMap(p -> p.items().stream()).map(Customer::getName).collect(Collectors.toList()), List.of("Ann B."));
	}

	/* Two items carry the key of GSI2; the index holds these alone. */
	static void sparse()
	{
		for (String sk : List.of("ORDER#2024-03-12#98722", "ORDER#2024-03-18#98799"))
		{
			Sale flagged = sales.getItem(key("CUSTOMER#12345", sk));
			flagged.setGsi2pk("FLAGGED");
			flagged.setGsi2sk(sk);
			sales.updateItem(flagged);
		}
		DynamoDbIndex<Sale> flags = sales.index("GSI2");
		check("a sparse index", indexKeys(flags.scan()).stream().sorted().collect(Collectors.toList()),
			List.of("ORDER#2024-03-12#98722", "ORDER#2024-03-18#98799"));
		check("holds keys only", flags.scan().stream().flatMap(p -> p.items().stream()).map(Sale::getTotal)
			.filter(Objects::nonNull).count(), 0L);
		Sale resolved = sales.getItem(key("CUSTOMER#12345", "ORDER#2024-03-12#98722"));
		resolved.setGsi2pk(null);
		resolved.setGsi2sk(null);
		sales.updateItem(resolved);
		check("and drops what is resolved", indexKeys(flags.scan()), List.of("ORDER#2024-03-18#98799"));
	}

	static TransactWriteItem take(int quantity)
	{
		return TransactWriteItem.builder().update(u -> u.tableName("ShopJava")
			.key(lowKey("PRODUCT#p-456", "DETAILS")).updateExpression("SET inventory = inventory - :qty")
			.conditionExpression("inventory >= :qty").expressionAttributeValues(Map.of(":qty", n(quantity)))).build();
	}

	static TransactWriteItem place(String order)
	{
		return TransactWriteItem.builder().put(p -> p.tableName("ShopJava")
			.item(lowKey("ORDER#" + order, "META")).conditionExpression("attribute_not_exists(PK)")).build();
	}

	static TransactWriteItem line(String order)
	{
		return TransactWriteItem.builder().put(p -> p.tableName("ShopJava")
			.item(lowKey("ORDER#" + order, "ITEM#001"))).build();
	}

	static void transactions() throws Exception
	{
		products.putItem(Product.of("p-456", "electronics", "39.99", 3));

		String token = UUID.randomUUID().toString();
		List<TransactWriteItem> order = List.of(place("98765"), line("98765"), take(2));
		for (int i = 0; i < 2; i++)
			client.transactWriteItems(r -> r.transactItems(order).clientRequestToken(token));
		Key stock = key("PRODUCT#p-456", "DETAILS");
		check("an order placed twice by one token is placed once", products.getItem(stock).getInventory(), 1);
		IdempotentParameterMismatchException mismatch = refusal(IdempotentParameterMismatchException.class,
			() -> client.transactWriteItems(r -> r.transactItems(take(1)).clientRequestToken(token)));
		check("the token is not for another", mismatch.statusCode(), 400);

		TransactionCanceledException e = refusal(TransactionCanceledException.class,
			() -> client.transactWriteItems(r -> r.transactItems(place("98800"), line("98800"), take(2))));
		check("stock is short", reasons(e), List.of("None", "None", "ConditionalCheckFailed"));
		check("and nothing was written", lines.query(QueryConditional.keyEqualTo(
			k -> k.partitionValue("ORDER#98800"))).items().stream().count(), 0L);

		/* The same by beans. */
		Expression isNew = Expression.builder().expression("attribute_not_exists(PK)").build();
		enhanced.transactWriteItems(r -> r
			.addPutItem(lines, TransactPutItemEnhancedRequest.builder(Line.class)
				.item(Line.of("98801", "META", 1, "0")).conditionExpression(isNew).build())
			.addPutItem(lines, Line.of("98801", "ITEM#001", 2, "39.99"))
			.addPutItem(lines, Line.of("98801", "ITEM#002", 1, "9.50"))
			.addConditionCheck(products, c -> c.key(stock).conditionExpression(
				Expression.builder().expression("inventory >= :one").putExpressionValue(":one", n(1)).build())));
		check("an order with its lines", keys(lines.query(QueryConditional.keyEqualTo(
			k -> k.partitionValue("ORDER#98801"))).items()), List.of("ITEM#001", "ITEM#002", "META"));
		e = refusal(TransactionCanceledException.class, () -> {
			enhanced.transactWriteItems(r -> r
				.addDeleteItem(lines, key("ORDER#98801", "ITEM#002"))
				.addPutItem(lines, TransactPutItemEnhancedRequest.builder(Line.class)
					.item(Line.of("98801", "META", 1, "0")).conditionExpression(isNew)
					.returnValuesOnConditionCheckFailure("ALL_OLD").build()));
			return null;
		});
		check("the second of two fails", reasons(e), List.of("None", "ConditionalCheckFailed"));
		check("and shows the item", e.cancellationReasons().get(1).item().get("SK"), s("META"));
		check("read in a transaction", enhanced.transactGetItems(r -> r
			.addGetItem(lines, key("ORDER#98801", "ITEM#002")).addGetItem(products, stock)
			.addGetItem(lines, key("ORDER#98801", "ITEM#003"))).stream()
			.map(d -> d.getItem(lines)).map(l -> l == null ? "none" : l.getSk()).collect(Collectors.toList()),
			List.of("ITEM#002", "DETAILS", "none"));
	}

	/* The mapper's own version attribute. */
	static void locking() throws Exception
	{
		Product mine = products.getItem(key("PRODUCT#p-456", "DETAILS"));
		Product theirs = products.getItem(key("PRODUCT#p-456", "DETAILS"));
		long before = mine.getVersion();

		mine.setPrice(new BigDecimal("34.99"));
		check("the winner's version", products.updateItem(mine).getVersion(), before + 1);
		theirs.setPrice(new BigDecimal("29.99"));
		refusal(ConditionalCheckFailedException.class, () -> products.updateItem(theirs));
		check("the loser changed nothing", products.getItem(mine).getPrice(), new BigDecimal("34.99"));

		Map<String, AttributeValue> values = client.updateItem(r -> r.tableName("ShopJava")
			.key(lowKey("PRODUCT#p-456", "DETAILS")).updateExpression("SET price = :p, version = :new")
			.conditionExpression("version = :old").returnValues(ReturnValue.ALL_NEW)
			.expressionAttributeValues(Map.of(":p", n(31), ":new", n(9), ":old", n((int) before + 1)))).attributes();
		check("the same by an expression", values.get("price").n() + " " + values.get("version").n(), "31 9");
	}

	static void batches()
	{
		WriteBatch.Builder<Line> batch = WriteBatch.builder(Line.class).mappedTableResource(lines);
		for (int i = 1; i <= 25; i++)
			batch.addPutItem(Line.of("55555", String.format("ITEM#%03d", i), i, "1.10"));
		BatchWriteResult result = enhanced.batchWriteItem(r -> r.writeBatches(batch.build()));
		check("25 lines at once", result.unprocessedPutItemsForTable(lines).size(), 0);
		check("all there", lines.query(QueryConditional.keyEqualTo(k -> k.partitionValue("ORDER#55555")))
			.items().stream().mapToInt(Line::getQuantity).sum(), 325);

		/* A batch knows no conditions, so the version must stay out of it. */
		DynamoDbTable<Product> unversioned = DynamoDbEnhancedClient.builder().dynamoDbClient(client).extensions()
			.build().table("ShopJava", TableSchema.fromBean(Product.class));
		for (int from = 0; from < 100; from += 25)
		{
			WriteBatch.Builder<Product> some = WriteBatch.builder(Product.class).mappedTableResource(unversioned);
			for (int i = from; i < from + 25; i++)
				some.addPutItem(Product.of(String.format("b-%03d", i), "books", "10", i));
			enhanced.batchWriteItem(r -> r.writeBatches(some.build()));
		}
		ReadBatch.Builder<Product> wanted = ReadBatch.builder(Product.class).mappedTableResource(products);
		for (int i = 0; i < 100; i++)
			wanted.addGetItem(key(String.format("PRODUCT#b-%03d", i), "DETAILS"));
		BatchGetResultPageIterable read = enhanced.batchGetItem(r -> r.readBatches(wanted.build()));
		check("100 products at once",
			read.resultsForTable(products).stream().mapToInt(Product::getInventory).sum(), 4950);
		check("products of a category, page by page", products.index("GSI1").query(r -> r.limit(30)
			.queryConditional(QueryConditional.keyEqualTo(k -> k.partitionValue("CATEGORY#books")))).stream()
			.map(p -> p.items().size()).collect(Collectors.toList()), List.of(30, 30, 30, 10));
		check("a scan, page by page", products.scan(r -> r.limit(20).filterExpression(Expression.builder()
			.expression("begins_with(PK, :p) AND inventory < :n").putExpressionValue(":p", s("PRODUCT#b"))
			.putExpressionValue(":n", n(10)).build())).items().stream().count(), 10L);
		List<Integer> segments = IntStream.range(0, 3).mapToObj(i -> (int) products.scan(r -> r.segment(i)
			.totalSegments(3)).items().stream().count()).collect(Collectors.toList());
		check("three segments make the whole", segments.stream().mapToInt(Integer::intValue).sum(),
			(int) products.scan().items().stream().count());
	}

	public static void run() throws Exception
	{
		tables();
		items();
		queries();
		sparse();
		transactions();
		locking();
		batches();
	}
}
