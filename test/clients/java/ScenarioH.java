import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Expression;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondaryPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondarySortKey;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;

/** Sessions: those that have ended may still be there, a read leaves them out, and then they go. */
public class ScenarioH extends Harness
{
	static final long now = 1700000000;

	@DynamoDbBean
	public static class Session
	{
		private String pk, owner;
		private Long ttl;

		static Session of(String name, Long ttl)
		{
			Session s = new Session();
			s.pk = "SESSION#" + name;
			s.owner = "USER#1";
			s.ttl = ttl;
			return s;
		}

		@DynamoDbPartitionKey @DynamoDbAttribute("PK")
		public String getPk() { return pk; }
		public void setPk(String v) { pk = v; }
		@DynamoDbSecondaryPartitionKey(indexNames = "ByUser")
		public String getOwner() { return owner; }
		public void setOwner(String v) { owner = v; }
		@DynamoDbSecondarySortKey(indexNames = "ByUser")
		public Long getTtl() { return ttl; }
		public void setTtl(Long v) { ttl = v; }
	}

	static DynamoDbTable<Session> sessions;

	static Expression expression(String text)
	{
		return Expression.builder().expression(text).putExpressionName("#ttl", "ttl")
			.putExpressionValue(":now", n((int) now)).build();
	}

	/** What a scan finds under a filter, in order of keys. */
	static List<String> scan(String filter)
	{
		return sessions.scan(r -> r.filterExpression(expression(filter))).items().stream().map(Session::getPk).sorted()
			.collect(Collectors.toList());
	}

	static List<String> living(String name)
	{
		return sessions.query(r -> r.queryConditional(all("SESSION#" + name)).filterExpression(expression("#ttl > :now")))
			.items().stream().map(Session::getPk).collect(Collectors.toList());
	}

	static Long prolong(String name)
	{
		return sessions.updateItem(r -> r.item(Session.of(name, now + 7200)).conditionExpression(expression("#ttl > :now")))
			.getTtl();
	}

	public static void run() throws Exception
	{
		sessions = create(enhanced.table("SessionsJava", TableSchema.fromBean(Session.class)));
		sessions.putItem(Session.of("abc", now + 3600));
		sessions.putItem(Session.of("old", now - 1));
		sessions.putItem(Session.of("edge", now));
		sessions.putItem(Session.of("forever", null));
		check("a living session", living("abc"), List.of("SESSION#abc"));
		check("an ended one is filtered out", List.of(living("old"), living("edge")), List.of(List.of(), List.of()));
		check("all living ones", scan("#ttl > :now"), List.of("SESSION#abc"));
		check("without a ttl there is no end", scan("#ttl > :now OR attribute_not_exists(#ttl)"),
			List.of("SESSION#abc", "SESSION#forever"));
		check("a user's living sessions, by an index", sessions.index("ByUser").query(QueryConditional.sortGreaterThan(
			k -> k.partitionValue("USER#1").sortValue(now))).stream().flatMap(p -> p.items().stream()).map(Session::getPk)
			.collect(Collectors.toList()), List.of("SESSION#abc"));
		check("a reserved word needs a name", refusal(DynamoDbException.class, () -> client.scan(r -> r.tableName("SessionsJava")
			.filterExpression("ttl > :now").expressionAttributeValues(Map.of(":now", n((int) now)))))
			.awsErrorDetails().errorMessage(), "Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: ttl");
		check("a living one is prolonged", prolong("abc"), now + 7200);
		refusal(ConditionalCheckFailedException.class, () -> prolong("old"));
		check("an ended one is not", sessions.getItem(k -> k.key(b -> b.partitionValue("SESSION#old"))).getTtl(), now - 1);

		long today = System.currentTimeMillis() / 1000;
		sessions.putItem(Session.of("over", today - 1));
		sessions.putItem(Session.of("open", today + 3600));
		sessions.putItem(Session.of("touched", today - 1));
		sessions.updateItem(Session.of("touched", today + 3600));
		check("sessions expire", expire(sessions, true), List.of("true", "ENABLED", "ttl"));
		check("one that has ended goes",
			until(() -> sessions.getItem(k -> k.key(b -> b.partitionValue("SESSION#over"))) == null), true);
		check("from its user's, too; those that were touched stay", sessions.index("ByUser").query(
			QueryConditional.sortGreaterThan(k -> k.partitionValue("USER#1").sortValue(today - 2))).stream()
			.flatMap(p -> p.items().stream()).map(Session::getPk).sorted().collect(Collectors.toList()),
			List.of("SESSION#open", "SESSION#touched"));
	}
}
