import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSortKey;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional;
import software.amazon.awssdk.enhanced.dynamodb.model.WriteBatch;

/** Readings of devices: a partition is an hour of one, a day is 24 queries. */
public class ScenarioD extends Harness
{
	static final DateTimeFormatter hour = DateTimeFormatter.ofPattern("yyyy-MM-dd-HH").withZone(ZoneOffset.UTC);

	@DynamoDbBean
	public static class Reading
	{
		private String bucket;
		private Instant time;
		private Integer n;
		private Long ttl;

		/** The reading number n: one every 29 minutes and a quarter of a second. */
		static Reading of(String device, int n)
		{
			Reading r = new Reading();
			r.time = Instant.parse("2024-03-15T00:00:00.125Z").plus(Duration.ofMinutes(29).plusMillis(250).multipliedBy(n));
			r.bucket = "DEVICE#" + device + "#" + hour.format(r.time);
			r.n = n;
			return r;
		}

		@DynamoDbPartitionKey @DynamoDbAttribute("PK")
		public String getBucket() { return bucket; }
		public void setBucket(String v) { bucket = v; }
		@DynamoDbSortKey @DynamoDbAttribute("SK")
		public Instant getTime() { return time; }
		public void setTime(Instant v) { time = v; }
		public Integer getN() { return n; }
		public void setN(Integer v) { n = v; }
		public Long getTtl() { return ttl; }
		public void setTtl(Long v) { ttl = v; }
	}

	/** Readings expire by a number in seconds, not in milliseconds and not of long ago. */
	static void expiry(DynamoDbTable<Reading> readings) throws Exception
	{
		long now = System.currentTimeMillis() / 1000;
		List<Long> ttl = List.of(now - 60, now + 86400, (now - 60) * 1000, 60L);
		for (int n = 0; n < ttl.size(); n++)
		{
			Reading reading = Reading.of("7", 0);
			reading.setTime(Instant.ofEpochSecond(n));
			reading.setN(n);
			reading.setTtl(ttl.get(n));
			readings.putItem(reading);
		}
		check("readings expire", expire(readings, true), List.of("true", "ENABLED", "ttl"));
		Supplier<List<Integer>> left = () -> readings.query(all(Reading.of("7", 0).getBucket())).items().stream()
			.map(Reading::getN).collect(Collectors.toList());
		check("they are gone when their time is over", until(() -> left.get().size() <= 3), true);
		check("others are not", left.get(), List.of(1, 2, 3));
		check("they do no more", expire(readings, false), Arrays.asList("true", "DISABLED", null));
	}

	public static void run() throws Exception
	{
		DynamoDbTable<Reading> readings = create(enhanced.table("IotJava", TableSchema.fromBean(Reading.class)));
		for (String device : List.of("123", "12"))
			for (int from = 0; from < 60; from += 20)
			{
				WriteBatch.Builder<Reading> batch = WriteBatch.builder(Reading.class).mappedTableResource(readings);
				for (int i = from; i < from + 20; i++)
					batch.addPutItem(Reading.of(device, i));
				enhanced.batchWriteItem(r -> r.writeBatches(batch.build()));
			}
		String fourteen = "DEVICE#123#2024-03-15-14";
		check("an hour, in order of time", readings.query(all(fourteen)).items().stream()
			.map(r -> r.getTime().toString()).collect(Collectors.toList()),
			List.of("2024-03-15T14:01:07.375Z", "2024-03-15T14:30:07.625Z", "2024-03-15T14:59:07.875Z"));
		check("milliseconds count, both bounds belong to it", readings.query(
			between(fourteen, "2024-03-15T14:01:07.376Z", "2024-03-15T14:30:07.625Z")).items().stream()
			.map(r -> r.getTime().toString()).collect(Collectors.toList()), List.of("2024-03-15T14:30:07.625Z"));
		check("the latest reading", readings.query(r -> r.queryConditional(all(fourteen)).scanIndexForward(false).limit(1))
			.stream().findFirst().get().items().get(0).getTime().toString(), "2024-03-15T14:59:07.875Z");

		List<List<Reading>> day = IntStream.range(0, 24).parallel()
			.mapToObj(h -> all(String.format("DEVICE#123#2024-03-15-%02d", h)))
			.map(QueryConditional.class::cast)
			.map(c -> readings.query(c).items().stream().collect(Collectors.toList())).collect(Collectors.toList());
		check("a day is 24 queries at once, merged", day.stream().flatMap(List::stream)
			.sorted(Comparator.comparing(Reading::getTime)).map(Reading::getN).collect(Collectors.toList()),
			IntStream.range(0, 50).boxed().collect(Collectors.toList()));
		check("every hour has some", day.stream().noneMatch(List::isEmpty), true);
		readings.putItem(Reading.of("123", 7));
		check("a reading that comes twice is stored once", readings.scan().items().stream().count(), 120L);
		expiry(readings);
	}
}
