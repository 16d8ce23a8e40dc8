import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.document.EnhancedDocument;

/** Counters: one hot item, and one spread over shards; no increment is lost. */
public class ScenarioG extends Harness
{
	static void add(String sk)
	{
		client.updateItem(r -> r.tableName("CountersJava").key(lowKey("PAGEVIEW#home", sk))
			.updateExpression("ADD view_count :one").expressionAttributeValues(Map.of(":one", n(1))));
	}

	public static void run() throws Exception
	{
		DynamoDbTable<EnhancedDocument> counters = documents("Counters");
		ExecutorService pool = Executors.newFixedThreadPool(16);
		List<Callable<Object>> work = new ArrayList<>();
		for (int t = 0; t < 16; t++)
		{
			int thread = t;
			work.add(() -> {
				for (int i = 0; i < 25; i++)
				{
					add("HOT");
					add("SHARD#" + (thread + i) % 10);
				}
				return null;
			});
		}
		for (Future<Object> f : pool.invokeAll(work))
			f.get();
		pool.shutdown();
		check("16 threads on one item, every ADD counts",
			counters.getItem(key("PAGEVIEW#home", "HOT")).getNumber("view_count").intValue(), 400);
		List<String> shards = found("view_count", counters, beginning("PAGEVIEW#home", "SHARD#"));
		check("ten shards", shards.size(), 10);
		check("summed over one query", shards.stream().mapToInt(Integer::parseInt).sum(), 400);
	}
}
