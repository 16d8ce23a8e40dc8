import java.util.Map;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;

/** What a client is refused. */
public class ScenarioZ extends Harness
{
	/** A client by other credentials. */
	static DynamoDbClient as(String id, String secret)
	{
		return DynamoDbClient.builder().credentialsProvider(
			StaticCredentialsProvider.create(AwsBasicCredentials.create(id, secret))).build();
	}

	public static void run() throws Exception
	{
		documents("Refused");
		check("no such table", refusal(ResourceNotFoundException.class, () -> client.getItem(
			r -> r.tableName("NoSuchJava").key(lowKey("a", "b")))).awsErrorDetails().errorMessage(),
			"Requested resource not found");
		DynamoDbException e = refusal(DynamoDbException.class, () -> client.getItem(r -> r.tableName("RefusedJava")
			.key(Map.of("PK", s("a")))));
		check("a key that does not fit", e.awsErrorDetails().errorCode() + ": " + e.awsErrorDetails().errorMessage(),
			"ValidationException: The provided key element does not match the schema");
		check("an unknown key", refusal(DynamoDbException.class, () -> as("AKIAX", "x").listTables())
			.awsErrorDetails().errorCode(), "UnrecognizedClientException");
		check("a wrong secret", refusal(DynamoDbException.class, () ->
			as(System.getenv("AWS_ACCESS_KEY_ID"), "x").listTables())
			.awsErrorDetails().errorCode(), "InvalidSignatureException");
		dropTables();
		check("a table dropped is gone", client.listTablesPaginator().tableNames().stream()
			.filter(t -> t.equals("RefusedJava")).count(), 0L);
	}
}
