import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import software.amazon.awssdk.enhanced.dynamodb.AttributeConverterProvider;
import software.amazon.awssdk.enhanced.dynamodb.AttributeValueType;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedClient;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbIndex;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Key;
import software.amazon.awssdk.enhanced.dynamodb.TableMetadata;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.document.DocumentTableSchema;
import software.amazon.awssdk.enhanced.dynamodb.document.EnhancedDocument;
import software.amazon.awssdk.enhanced.dynamodb.model.CreateTableEnhancedRequest;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveDescription;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveSpecification;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** What the scenarios share: the clients, and TAP. */
public abstract class Harness
{
	static final DynamoDbClient client = DynamoDbClient.create();
	static final DynamoDbEnhancedClient enhanced =
		DynamoDbEnhancedClient.builder().dynamoDbClient(client).build();

	/** The letter that a scenario's checks begin with: that of its class. */
	static String scenario = "";

	private static final List<String> tables = new ArrayList<>();

	/** What came is what should have come. */
	static void check(String name, Object got, Object expected)
	{
		boolean good = Objects.equals(got, expected);

		System.out.println((good ? "ok" : "not ok") + " - Java " + scenario + ": " + name);
		if (!good)
			System.out.println("# got      " + got + "\n# expected " + expected);
	}

	/** The exception that a call ends with. */
	static <E extends Exception> E refusal(Class<E> kind, Callable<?> call) throws Exception
	{
		try
		{
			call.call();
		}
		catch (Exception e)
		{
			if (kind.isInstance(e))
				return kind.cast(e);
			throw e;
		}
		throw new IllegalStateException("no " + kind.getSimpleName());
	}

	static Key key(String pk, String sk)
	{
		return Key.builder().partitionValue(pk).sortValue(sk).build();
	}

	static AttributeValue s(String v) { return AttributeValue.fromS(v); }
	static AttributeValue n(int v) { return AttributeValue.fromN(Integer.toString(v)); }

	static Map<String, AttributeValue> lowKey(String pk, String sk)
	{
		return Map.of("PK", s(pk), "SK", s(sk));
	}

	static List<String> reasons(TransactionCanceledException e)
	{
		return e.cancellationReasons().stream().map(CancellationReason::code)
			.collect(Collectors.toList());
	}

	/** A new table of documents. */
	static DynamoDbTable<EnhancedDocument> documents(String name, String[]... indexes)
	{
		return create(enhanced.table(name + "Java", schema(indexes)));
	}

	/**
	 * The schema of documents with keys PK and SK, and indexes: each is its
	 * name, its partition key, its sort key; one on PK is local.
	 */
	static DocumentTableSchema schema(String[]... indexes)
	{
		DocumentTableSchema.Builder schema = TableSchema.documentSchemaBuilder()
			.addIndexPartitionKey(TableMetadata.primaryIndexName(), "PK", AttributeValueType.S)
			.addIndexSortKey(TableMetadata.primaryIndexName(), "SK", AttributeValueType.S)
			.attributeConverterProviders(AttributeConverterProvider.defaultProvider());
		for (String[] index : indexes)
		{
			if (!index[1].equals("PK"))
				schema.addIndexPartitionKey(index[0], index[1], AttributeValueType.S);
			if (index.length > 2)
				schema.addIndexSortKey(index[0], index[2], AttributeValueType.S);
		}
		return schema.build();
	}

	/** Create a table with the indexes of its schema, and wait until it can be used. */
	static <T> DynamoDbTable<T> create(DynamoDbTable<T> table)
	{
		return create(table, null);
	}

	/** The same with a word of one's own on the indexes. */
	static <T> DynamoDbTable<T> create(DynamoDbTable<T> table, Consumer<CreateTableEnhancedRequest.Builder> more)
	{
		if (more == null)
			table.createTable();
		else
			table.createTable(more);
		tables.add(table.tableName());
		client.waiter().waitUntilTableExists(r -> r.tableName(table.tableName()));
		return table;
	}

	/** Let a table's items expire by their ttl, or no more; returns what the service says then. */
	static List<String> expire(DynamoDbTable<?> table, boolean enabled)
	{
		TimeToLiveSpecification wanted = TimeToLiveSpecification.builder().enabled(enabled).attributeName("ttl").build();
		TimeToLiveSpecification done = client.updateTimeToLive(r -> r.tableName(table.tableName())
			.timeToLiveSpecification(wanted)).timeToLiveSpecification();
		TimeToLiveDescription now = client.describeTimeToLive(r -> r.tableName(table.tableName())).timeToLiveDescription();

		return Arrays.asList(String.valueOf(done.equals(wanted)), now.timeToLiveStatusAsString(), now.attributeName());
	}

	/** Ask again and again, for five minutes; returns whether it came true. */
	static boolean until(BooleanSupplier done) throws InterruptedException
	{
		for (long end = System.nanoTime() + 300_000_000_000L; !done.getAsBoolean(); Thread.sleep(200))
			if (System.nanoTime() > end)
				return false;
		return true;
	}

	/** Drop what was created, and wait until it is gone. */
	static void dropTables()
	{
		while (!tables.isEmpty())
		{
			String name = tables.remove(0);
			client.deleteTable(r -> r.tableName(name));
			client.waiter().waitUntilTableNotExists(r -> r.tableName(name));
		}
	}

	/** A document by its attributes' names and values, in turn. */
	static EnhancedDocument document(Object... attributes)
	{
		EnhancedDocument.Builder document = EnhancedDocument.builder()
			.attributeConverterProviders(AttributeConverterProvider.defaultProvider());
		for (int i = 0; i < attributes.length; i += 2)
			if (attributes[i + 1] instanceof Number)
				document.putNumber((String) attributes[i], (Number) attributes[i + 1]);
			else
				document.putString((String) attributes[i], (String) attributes[i + 1]);
		return document.build();
	}

	/** One attribute of each document that a table's query finds. */
	static List<String> found(String name, DynamoDbTable<EnhancedDocument> table, QueryConditional condition)
	{
		return table.query(condition).items().stream().map(d -> d.getString(name)).collect(Collectors.toList());
	}

	/** The same of an index. */
	static List<String> found(String name, DynamoDbIndex<EnhancedDocument> index, QueryConditional condition)
	{
		return index.query(condition).stream().flatMap(p -> p.items().stream()).map(d -> d.getString(name))
			.collect(Collectors.toList());
	}

	/** The condition that a partition key equals. */
	static QueryConditional all(String partition)
	{
		return QueryConditional.keyEqualTo(k -> k.partitionValue(partition));
	}

	/** The condition that a partition key equals and a sort key begins so. */
	static QueryConditional beginning(String partition, String prefix)
	{
		return QueryConditional.sortBeginsWith(key(partition, prefix));
	}

	/** The condition that a partition key equals and a sort key lies between. */
	static QueryConditional between(String partition, String from, String to)
	{
		return QueryConditional.sortBetween(key(partition, from), key(partition, to));
	}
}
