import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.document.EnhancedDocument;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.GetRecordsResponse;
import software.amazon.awssdk.services.dynamodb.model.Record;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.Shard;
import software.amazon.awssdk.services.dynamodb.model.ShardFilterType;
import software.amazon.awssdk.services.dynamodb.model.ShardIteratorType;
import software.amazon.awssdk.services.dynamodb.model.StreamRecord;
import software.amazon.awssdk.services.dynamodb.model.StreamViewType;
import software.amazon.awssdk.services.dynamodb.model.TrimmedDataAccessException;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/**
 * Change capture: workers, one a shard, read a stream while writers write, and begin again from their checkpoints;
 * each change once, per item in order.
 */
public class ScenarioI extends Harness
{
	static final DynamoDbStreamsClient streams = DynamoDbStreamsClient.create();
	static final int WRITERS = 6, CHANGES = 30;

	/** Reads a shard to its end, and after each third answer gives up and goes on from its checkpoint. */
	static List<Record> read(String arn, Shard shard) throws InterruptedException
	{
		List<Record> seen = new ArrayList<>();
		String checkpoint = null;

		for (;;)
		{
			String after = checkpoint;
			String iterator = streams.getShardIterator(r -> r.streamArn(arn).shardId(shard.shardId())
				.shardIteratorType(after == null ? ShardIteratorType.TRIM_HORIZON : ShardIteratorType.AFTER_SEQUENCE_NUMBER)
				.sequenceNumber(after)).shardIterator();
			for (int i = 0; i < 3; i++)
			{
				String next = iterator;
				GetRecordsResponse answer = streams.getRecords(r -> r.shardIterator(next).limit(20));
				seen.addAll(answer.records());
				iterator = answer.nextShardIterator();
				if (iterator == null)
					return seen;
				if (!answer.records().isEmpty())
					checkpoint = seen.get(seen.size() - 1).dynamodb().sequenceNumber();
				else
					Thread.sleep(10);
			}
		}
	}

	/** Changes items that all writers change. */
	static void write(String table, int writer)
	{
		for (int n = 0; n < CHANGES; n++)
		{
			Map<String, AttributeValue> key = lowKey("ITEM#" + n % 5, "x");
			String mark = writer + "#" + n;
			client.updateItem(r -> r.tableName(table).key(key).updateExpression("SET mark = :m ADD n :one")
				.expressionAttributeValues(Map.of(":m", s(mark), ":one", n(1))));
			Map<String, AttributeValue> own = new HashMap<>(lowKey("OWN#" + writer, mark));
			own.put("price", AttributeValue.fromN("1.50"));
			client.putItem(r -> r.tableName(table).item(own));
			own.put("price", AttributeValue.fromN("1.5"));
			client.putItem(r -> r.tableName(table).item(own));
			client.deleteItem(r -> r.tableName(table).key(lowKey("OWN#" + writer, mark)));
		}
	}

	/** Records that do not follow from those before. */
	static List<Record> wrong(List<Record> seen)
	{
		Map<Map<String, AttributeValue>, Map<String, AttributeValue>> items = new HashMap<>();
		List<Record> wrong = new ArrayList<>();
		BigInteger last = BigInteger.ZERO;

		for (Record record : seen)
		{
			StreamRecord change = record.dynamodb();
			BigInteger number = new BigInteger(change.sequenceNumber());
			Map<String, AttributeValue> old = change.hasOldImage() ? change.oldImage() : null;
			String event = old == null ? "INSERT" : change.hasNewImage() ? "MODIFY" : "REMOVE";
			if (!Objects.equals(items.get(change.keys()), old) || !event.equals(record.eventNameAsString()) ||
				number.compareTo(last) <= 0)
				wrong.add(record);
			last = number;
			items.put(change.keys(), change.hasNewImage() ? change.newImage() : null);
		}
		return wrong;
	}

	public static void run() throws Exception
	{
		DynamoDbTable<EnhancedDocument> table = documents("Changes");
		String name = table.tableName();
		client.updateTable(r -> r.tableName(name).streamSpecification(
			s -> s.streamEnabled(true).streamViewType(StreamViewType.NEW_AND_OLD_IMAGES)));
		String arn = client.describeTable(r -> r.tableName(name)).table().latestStreamArn();
		check("a stream is listed", streams.listStreams(r -> r.tableName(name)).streams().get(0).streamArn(), arn);
		List<Shard> shards = streams.describeStream(r -> r.streamArn(arn)).streamDescription().shards();

		ExecutorService pool = Executors.newCachedThreadPool();
		List<Future<List<Record>>> workers = new ArrayList<>();
		for (Shard shard : shards)
			workers.add(pool.submit(() -> read(arn, shard)));
		List<Callable<Object>> writers = new ArrayList<>();
		for (int w = 0; w < WRITERS; w++)
		{
			int writer = w;
			writers.add(() -> {
				write(name, writer);
				return null;
			});
		}
		for (Future<Object> f : pool.invokeAll(writers))
			f.get();
		client.updateTable(r -> r.tableName(name).streamSpecification(s -> s.streamEnabled(false)));

		List<Record> seen = new ArrayList<>();
		List<Record> wrong = new ArrayList<>();
		for (Future<List<Record>> worker : workers)
		{
			seen.addAll(worker.get());
			wrong.addAll(wrong(worker.get()));
		}
		pool.shutdown();
		check("each change once", seen.size(), WRITERS * CHANGES * 3);
		check("each record has an ID of its own", seen.stream().map(Record::eventID).distinct().count(), (long) seen.size());
		check("images and numbers follow one another", wrong.stream().limit(1).collect(Collectors.toList()), List.of());

		Shard first = streams.describeStream(r -> r.streamArn(arn).limit(1)).streamDescription().shards().get(0);
		check("a closed shard has an end", first.sequenceNumberRange().endingSequenceNumber() != null, true);
		check("and no children", streams.describeStream(r -> r.streamArn(arn).shardFilter(
			f -> f.type(ShardFilterType.CHILD_SHARDS).shardId(first.shardId()))).streamDescription().shards(), List.of());
		check("trimmed", refusal(TrimmedDataAccessException.class, () -> streams.getShardIterator(
			r -> r.streamArn(arn).shardId(first.shardId()).shardIteratorType(ShardIteratorType.AT_SEQUENCE_NUMBER)
			.sequenceNumber("0".repeat(21)))) != null, true);
		check("no such shard", refusal(ResourceNotFoundException.class, () -> streams.getShardIterator(
			r -> r.streamArn(arn).shardId("shardId-00000000000000000000-00000000").shardIteratorType(ShardIteratorType.LATEST)))
			.awsErrorDetails().errorMessage(), "Requested resource not found: Shard does not exist");
	}
}
