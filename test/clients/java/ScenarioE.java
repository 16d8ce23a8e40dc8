import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedClient;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbIndex;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Expression;
import software.amazon.awssdk.enhanced.dynamodb.document.EnhancedDocument;
import software.amazon.awssdk.enhanced.dynamodb.model.Page;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional;
import software.amazon.awssdk.enhanced.dynamodb.model.ReadBatch;
import software.amazon.awssdk.enhanced.dynamodb.model.TransactPutItemEnhancedRequest;
import software.amazon.awssdk.enhanced.dynamodb.model.TransactUpdateItemEnhancedRequest;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** Relations in one table, and tenants that see only what is theirs. */
public class ScenarioE extends Harness
{
	static DynamoDbTable<EnhancedDocument> table;
	static DynamoDbIndex<EnhancedDocument> inverted;

	static void put(Object... attributes)
	{
		table.putItem(document(attributes));
	}

	/* One to one: a user's parts under one partition key. */
	static void parts()
	{
		put("PK", "USER#1", "SK", "METADATA", "name", "Ann");
		put("PK", "USER#1", "SK", "PREFERENCES", "theme", "dark");
		table.updateItem(document("PK", "USER#1", "SK", "PREFERENCES", "theme", "light"));
		check("one to one: read together; one changes, the other does not", table.query(all("USER#1")).items().stream()
			.map(EnhancedDocument::toMap).collect(Collectors.toList()), List.of(
				Map.of("PK", s("USER#1"), "SK", s("METADATA"), "name", s("Ann")),
				Map.of("PK", s("USER#1"), "SK", s("PREFERENCES"), "theme", s("light"))));
	}

	/* Many to many: each edge stored once, found from both ends. */
	static void edges()
	{
		for (String[] e : new String[][] {{"1", "db"}, {"1", "os"}, {"2", "db"}})
			put("PK", "STUDENT#" + e[0], "SK", "COURSE#" + e[1]);
		put("PK", "STUDENT#1", "SK", "STUDENT#1", "name", "Ann");
		put("PK", "COURSE#db", "SK", "COURSE#db", "title", "Databases");
		check("courses of a student", found("SK", table, beginning("STUDENT#1", "COURSE#")),
			List.of("COURSE#db", "COURSE#os"));
		check("students of a course, by the inverted index", found("PK", inverted, beginning("COURSE#db", "STUDENT#")),
			List.of("STUDENT#1", "STUDENT#2"));
		check("the course stands beside them", found("PK", inverted, all("COURSE#db")),
			List.of("COURSE#db", "STUDENT#1", "STUDENT#2"));
		Page<EnhancedDocument> page = inverted.query(r -> r.queryConditional(all("COURSE#db")).limit(2))
			.stream().findFirst().get();
		check("a page of the inverted index ends by the keys of both", page.lastEvaluatedKey(),
			lowKey("STUDENT#1", "COURSE#db"));
		check("and the next goes on there", inverted.query(r -> r.queryConditional(all("COURSE#db"))
			.exclusiveStartKey(page.lastEvaluatedKey())).stream().flatMap(p -> p.items().stream())
			.map(d -> d.getString("PK")).collect(Collectors.toList()), List.of("STUDENT#2"));
		for (int[] e : new int[][] {{1, 2}, {1, 3}, {2, 3}, {3, 1}})
			put("PK", "NODE#" + e[0], "SK", "EDGE#" + e[1]);
		check("an adjacency list outwards", found("SK", table, all("NODE#1")), List.of("EDGE#2", "EDGE#3"));
		check("and inwards", found("PK", inverted, all("EDGE#3")), List.of("NODE#1", "NODE#2"));
	}

	/* A hierarchy in the sort key; CAX is no part of CA. */
	static void places()
	{
		List<String> stores = List.of("UK#ENG#London#E1", "US#CA#SanFrancisco#94102", "US#CA#SanFrancisco#94103",
			"US#CA#SanJose#95101", "US#CAX#Nowhere#1", "US#NY#NewYork#10001");
		for (String store : stores)
			put("PK", "STORES", "SK", store);
		check("a hierarchy by country", found("SK", table, beginning("STORES", "US#")), stores.subList(1, 6));
		check("a hierarchy by state", found("SK", table, beginning("STORES", "US#CA#")), stores.subList(1, 4));
		check("a hierarchy by city", found("SK", table, beginning("STORES", "US#CA#SanFrancisco#")), stores.subList(1, 3));
		check("a hierarchy by store", found("SK", table, beginning("STORES", "US#CA#SanFrancisco#94102")),
			stores.subList(1, 2));
	}

	/** v0_ becomes the version given, and the history gets it too. */
	static void publish(int version, String body)
	{
		enhanced.transactWriteItems(r -> r
			.addUpdateItem(table, TransactUpdateItemEnhancedRequest.builder(EnhancedDocument.class)
				.item(document("PK", "DOC#1", "SK", "v0_doc", "body", body, "latest", version))
				.conditionExpression(Expression.builder().expression("attribute_not_exists(PK) OR latest = :old")
					.putExpressionValue(":old", n(version - 1)).build()).build())
			.addPutItem(table, TransactPutItemEnhancedRequest.builder(EnhancedDocument.class)
				.item(document("PK", "DOC#1", "SK", "v" + version + "_doc", "body", body))
				.conditionExpression(Expression.builder().expression("attribute_not_exists(PK)").build()).build()));
	}

	static void versions() throws Exception
	{
		publish(1, "one");
		publish(2, "two");
		check("a version is published once", reasons(refusal(TransactionCanceledException.class, () -> {
			publish(2, "lost");
			return null;
		})), List.of("ConditionalCheckFailed", "ConditionalCheckFailed"));
		EnhancedDocument current = table.getItem(key("DOC#1", "v0_doc"));
		check("the current version", current.getString("body") + current.getNumber("latest"), "two2");
		check("the history, newest first", table.query(r -> r.scanIndexForward(false)
			.queryConditional(QueryConditional.sortGreaterThan(key("DOC#1", "v0_z")))).items().stream()
			.map(d -> d.getString("body")).collect(Collectors.toList()), List.of("two", "one"));
	}

	static String code(Runnable action) throws Exception
	{
		return refusal(DynamoDbException.class, () -> {
			action.run();
			return null;
		}).awsErrorDetails().errorCode();
	}

	/* Role acme by an access key of its own; a policy shows it TENANT#acme#... alone. */
	static void tenants() throws Exception
	{
		table = enhanced.table("TenantsJava", schema(new String[] {"ByMail", "mail"}));
		for (String tenant : List.of("acme", "acme2", "beta"))
			for (int user = 1; user <= 2; user++)
				put("PK", "TENANT#" + tenant + "#USER#" + user, "SK", "PROFILE", "mail", "u" + user + "@x.y");
		DynamoDbClient low = DynamoDbClient.builder().credentialsProvider(StaticCredentialsProvider.create(
			AwsBasicCredentials.create(System.getenv("ACME_ACCESS_KEY_ID"), System.getenv("ACME_SECRET_ACCESS_KEY")))).build();
		DynamoDbEnhancedClient client = DynamoDbEnhancedClient.builder().dynamoDbClient(low).build();
		DynamoDbTable<EnhancedDocument> acme = client.table("TenantsJava", table.tableSchema());
		String own = "TENANT#acme#USER#1", other = "TENANT#beta#USER#1", longer = "TENANT#acme2#USER#1";

		check("a tenant reads its own", acme.getItem(key(own, "PROFILE")).getString("mail"), "u1@x.y");
		check("another's is not there", Arrays.asList(acme.getItem(key(other, "PROFILE")), acme.getItem(key(longer, "PROFILE"))),
			Arrays.asList(null, null));
		check("nor by query", found("PK", acme, all(other)), List.of());
		check("nor by scan", acme.scan().items().stream().map(d -> d.getString("PK")).sorted().collect(Collectors.toList()),
			List.of("TENANT#acme#USER#1", "TENANT#acme#USER#2"));
		check("nor by an index", found("PK", acme.index("ByMail"), all("u1@x.y")), List.of(own));
		check("nor by batch", client.batchGetItem(r -> r.readBatches(ReadBatch.builder(EnhancedDocument.class)
			.mappedTableResource(acme).addGetItem(key(own, "PROFILE")).addGetItem(key(other, "PROFILE")).build()))
			.resultsForTable(acme).stream().map(d -> d.getString("PK")).collect(Collectors.toList()), List.of(own));
		check("a tenant writes its own", acme.updateItem(
			document("PK", own, "SK", "PROFILE", "mail", "u1@x.y", "visits", 1)).getNumber("visits").intValue(), 1);
		EnhancedDocument theirs = document("PK", other, "SK", "PROFILE"), none = document("PK", "TENANT#beta#USER#9", "SK", "PROFILE"),
			change = document("PK", longer, "SK", "PROFILE", "mail", "x");
		check("another's cannot be written", List.of(code(() -> acme.putItem(theirs)), code(() -> acme.putItem(none)),
			code(() -> acme.updateItem(change))), List.of("AccessDeniedException", "AccessDeniedException", "AccessDeniedException"));
		check("deleting what one cannot see deletes nothing", acme.deleteItem(key(other, "PROFILE")), null);
		check("nor may a tenant drop the table", code(acme::deleteTable), "AccessDeniedException");
		check("the others are as they were", table.getItem(key(other, "PROFILE")).getString("mail")
			+ table.getItem(key(longer, "PROFILE")).getString("mail"), "u1@x.yu1@x.y");
	}

	public static void run() throws Exception
	{
		table = documents("Relations", new String[] {"Inverted", "SK", "PK"});
		inverted = table.index("Inverted");
		parts();
		edges();
		places();
		versions();
		tenants();
	}
}
