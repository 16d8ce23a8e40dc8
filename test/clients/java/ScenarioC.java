import java.util.List;
import java.util.stream.Collectors;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Expression;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondaryPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSortKey;
import software.amazon.awssdk.enhanced.dynamodb.model.TransactPutItemEnhancedRequest;
import software.amazon.awssdk.enhanced.dynamodb.model.WriteBatch;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** Users by e-mail: sparse indexes, and an address that only one may have. */
public class ScenarioC extends Harness
{
	/** A user's profile, an address of a user's, or the guard of an address. */
	@DynamoDbBean
	public static class User
	{
		private String pk, sk, email, bio, activeSince;

		static User of(String pk, String sk, String email)
		{
			User u = new User();
			u.pk = pk;
			u.sk = sk;
			u.email = email;
			return u;
		}

		@DynamoDbPartitionKey @DynamoDbAttribute("PK")
		public String getPk() { return pk; }
		public void setPk(String v) { pk = v; }
		@DynamoDbSortKey @DynamoDbAttribute("SK")
		public String getSk() { return sk; }
		public void setSk(String v) { sk = v; }
		@DynamoDbSecondaryPartitionKey(indexNames = "ByEmail")
		public String getEmail() { return email; }
		public void setEmail(String v) { email = v; }
		public String getBio() { return bio; }
		public void setBio(String v) { bio = v; }
		@DynamoDbSecondaryPartitionKey(indexNames = "ACTIVE_USERS") @DynamoDbAttribute("active_since")
		public String getActiveSince() { return activeSince; }
		public void setActiveSince(String v) { activeSince = v; }
	}

	static DynamoDbTable<User> users;

	/** Whose address it is. */
	static List<String> owners(String email)
	{
		return users.index("ByEmail").query(all(email)).stream().flatMap(p -> p.items().stream())
			.map(User::getPk).collect(Collectors.toList());
	}

	/** Put a user and a guard of the address, if both are new. */
	static void signUp(String user, String email)
	{
		Expression isNew = Expression.builder().expression("attribute_not_exists(PK)").build();
		enhanced.transactWriteItems(r -> r
			.addPutItem(users, TransactPutItemEnhancedRequest.builder(User.class)
				.item(User.of(user, "PROFILE", email)).conditionExpression(isNew).build())
			.addPutItem(users, TransactPutItemEnhancedRequest.builder(User.class)
				.item(User.of("EMAIL#" + email, "GUARD", null)).conditionExpression(isNew).build()));
	}

	static List<String> refused(String user, String email) throws Exception
	{
		return reasons(refusal(TransactionCanceledException.class, () -> {
			signUp(user, email);
			return null;
		}));
	}

	public static void run() throws Exception
	{
		users = create(enhanced.table("UsersJava", TableSchema.fromBean(User.class)));
		users.putItem(User.of("USER#7f3a", "PROFILE", "ann@x.y"));
		users.putItem(User.of("USER#7f3a", "EMAIL#ann@home.y", "ann@home.y"));
		User bob = User.of("USER#0001", "PROFILE", null);
		users.putItem(bob);
		check("a user by e-mail", owners("ann@x.y"), List.of("USER#7f3a"));
		check("and by a further address", owners("ann@home.y"), List.of("USER#7f3a"));
		check("an address nobody has", owners("Ann@x.y"), List.of());
		check("those without are not in the index", count("ByEmail"), 2L);
		bob.setEmail("bob@x.y");
		users.updateItem(bob);
		check("who gets one comes in", owners("bob@x.y"), List.of("USER#0001"));
		bob.setEmail(null);
		users.updateItem(bob);
		check("who loses it leaves", owners("bob@x.y"), List.of());

		signUp("USER#a1", "new@x.y");
		check("an address is taken once", refused("USER#b2", "new@x.y"), List.of("None", "ConditionalCheckFailed"));
		check("a user is, too", refused("USER#a1", "other@x.y"), List.of("ConditionalCheckFailed", "None"));
		check("the loser is not made", users.getItem(key("USER#b2", "PROFILE")), null);
		check("the winner is found", owners("new@x.y"), List.of("USER#a1"));

		/* 300 users, a tenth of them active. */
		for (int from = 0; from < 300; from += 25)
		{
			WriteBatch.Builder<User> batch = WriteBatch.builder(User.class).mappedTableResource(users);
			for (int i = from; i < from + 25; i++)
			{
				String n = String.format("%03d", i);
				User user = User.of("USER#n" + n, "PROFILE", "user" + n + "@example.com");
				user.setBio("b".repeat(300));
				user.setActiveSince(i % 10 == 0 ? "2024-01-01T00:" + n : null);
				batch.addPutItem(user);
			}
			enhanced.batchWriteItem(r -> r.writeBatches(batch.build()));
		}
		check("a tenth is in the sparse index", count("ACTIVE_USERS"), 30L);
		check("and reading it costs about a tenth", List.of(cost("ACTIVE_USERS"), cost("ByEmail")), List.of(1.5, 13.0));
	}

	static long count(String index)
	{
		return users.index(index).scan().stream().mapToLong(p -> p.items().size()).sum();
	}

	static double cost(String index)
	{
		return users.index(index).scan(r -> r.returnConsumedCapacity("INDEXES")).stream()
			.mapToDouble(p -> p.consumedCapacity().capacityUnits()).sum();
	}
}
