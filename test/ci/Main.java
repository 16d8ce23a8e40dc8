/** Uses the example of docs/ci.md. */
class Main {
	public static void main(String[] args) {
		try (Dynamo dynamo = new Dynamo(); var client = dynamo.start()) {
			client.createTable(t -> t.tableName("Java").billingMode("PAY_PER_REQUEST")
				.keySchema(k -> k.attributeName("id").keyType("HASH"))
				.attributeDefinitions(a -> a.attributeName("id").attributeType("S")));
			if (client.listTables().tableNames().contains("Java"))
				System.out.println("answered");
		}
	}
}
