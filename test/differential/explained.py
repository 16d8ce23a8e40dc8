"""Reviewed differences between the extension and DynamoDB Local.

Each entry: a pattern searched in the line of the class, the reason in one
sentence, and optionally a test of the request.  The line reads "Operation
kind: extension | local".  An entry must be narrow enough that it cannot hide
a fault of the extension of another kind.
"""

import json
import re

from tables import TABLES


def mentions(pattern):
    """A test: the request's text has the pattern."""
    return lambda request: re.search(
        pattern, json.dumps(request, ensure_ascii=False))


def has(member):
    return lambda request: member in request


def only_deletes(request):
    """AttributeUpdates that can create nothing."""
    updates = request.get("AttributeUpdates") or {}
    return updates and all(update.get("Action") == "DELETE"
                           for update in updates.values())


def only_removes(request):
    """It has an UpdateExpression of REMOVE and DELETE alone."""
    texts = [request] + [action.get("Update") or {} for action in
                         request.get("TransactItems") or []]
    for text in (str(node.get("UpdateExpression", "")) for node in texts):
        words = re.findall(r"(?i)(?<![#:\w.])(SET|ADD|REMOVE|DELETE)\b", text)
        if words and not re.search("(?i)SET|ADD", " ".join(words)):
            return True
    return False


def filters_unprojected(request):
    """A filter on an index names an attribute that the index lacks."""
    table = TABLES.get(request.get("TableName"))
    index = table and table.indexes.get(request.get("IndexName"))
    if not index or index.projection == "ALL":
        return False
    carried = {name for name, _, _ in table.keys + index.keys}
    carried.update(index.non_key)
    names = request.get("ExpressionAttributeNames", {})
    text = request.get("FilterExpression", "")
    used = [names.get(word, word)
            for word in re.findall(r"#?[A-Za-z_]\w*", text)]
    used += request.get("ScanFilter", {})
    return any(name not in carried for name in used)


# How a text about a value begins.
VALUES = (r"The parameter cannot be converted to a numeric value|Number (over"
          r"|under)flow|Attempting to store more than|One or more parameter"
          r" values were invalid: (Input collection|An \w+ set|Binary sets"
          r"|Null attribute)|Supplied AttributeValue|Nesting Levels have"
          r"|One or more parameter values were invalid: Empty attribute name")


# What is true of every table.
NOT_TOLD = "The service describes WarmThroughput, and ProvisionedThroughput of" \
    " the indexes."

EXPLAINED = [
    # The shape and the members of a request
    (r" type: SerializationException: .* \| InternalFailure: ",
     "A member of the wrong JSON type: Local fails inside, the service says"
     " SerializationException."),
    (r" type: SerializationException: \w+_VALUE cannot be converted to \w+ \|",
     "A scalar of another JSON type: Local converts it."),
    (r" type: SerializationException: Unexpected token received from parser "
     r"\|",
     "A string that is no word for a boolean: Local takes it for false.",
     mentions('": ""')),
    (r"Member must satisfy enum value set: .* \| ",
     "Local checks enumerations late or not at all."),
    (r" type: ValidationException: .* \| ResourceNotFoundException: ",
     "What needs no table is checked before the table is looked up."),
    (r" at 'attributesToGet' failed to satisfy constraint: Member must have"
     r" length greater than or equal to 0 \| ",
     "AttributesToGet may not be empty; Local lets it pass."),
    (r" type: ResourceNotFoundException: .* \| ValidationException: Invalid"
     r" table/index name",
     "A table's name may have one or two characters in item operations."),
    (r" \| InternalFailure: ",
     "A word for a boolean: Local fails inside.",
     mentions(r'"\w+": "(yes|no|true|false|1|0)"')),
    (r"ExpressionAttribute(Names|Values) can only be specified .* \| ",
     "Local lets an empty map without an expression pass.",
     mentions(r'"ExpressionAttribute(Names|Values)": \{\}')),
    (r" may not have a null string as a member.* \| InternalFailure: ",
     "A null in a set: Local fails inside."),
    (r" \| RequestTooLarge: ",
     "More than 16 MB: Local closes the connection."),
    (r" \| InternalFailure: ",
     "A Limit beyond 32 bits: Local fails inside.",
     lambda request: abs(request.get("Limit") or 0) > 2 ** 31 - 1),
    (r"Can not use both expression and non-expression parameters .* \| ",
     "An empty legacy parameter counts as given.",
     mentions(r'"(Expected|AttributeUpdates|QueryFilter|ScanFilter'
              r'|KeyConditions)": \{\}')),

    # The wording of us-east-1 in October 2026; Local's is older.
    (r"^(PutItem|UpdateItem|DeleteItem|Query) text: ValidationException: 0"
     r" validation error detected: (?!Value )(?P<text>.*) \| Validation"
     r"Exception: (?P=text)$",
     "The operation counts what is wrong with its request."),
    (r"^(PutItem|DeleteItem) text: ValidationException: 0 validation error"
     r" detected: (?P<text>ExpressionAttributeValues can only be specified when"
     r" using expressions) \| ValidationException: (?P=text):"
     r" ConditionExpression is null$",
     "Which expression is missing is no longer said."),
    (r"^(PutItem|UpdateItem|DeleteItem|Query) text: ValidationException: (0"
     r" validation error detected: )?(" + VALUES + r").* \|"
     r" ValidationException: ExpressionAttributeValues contains invalid value:",
     "What is wrong with a value is said without its name."),
    (r"^(PutItem|UpdateItem|DeleteItem|GetItem|BatchGetItem|Query) text:"
     r" ValidationException: (0 validation error detected: )?(" + VALUES
     + r").* \| ValidationException: (A value provided cannot be converted"
     r" into a number|Attempting|Number |One or more parameter values were"
     r" invalid: |Input collection )",
     "A value is refused in the new words, or with a count."),
    (r"^BatchGetItem text: ValidationException: 0 validation error detected:"
     r" Value at 'RequestItems' failed .* \| ValidationException:"
     r" BatchGetItem must have some requests set$",
     "An empty RequestItems is refused as a constraint."),
    (r"^BatchGetItem text: ValidationException: 0 validation errors? detected:"
     r" Value '…' at 'requestItems' failed to satisfy constraint: Map keys ",
     "A bad table name is shown with the whole map."),
    (r"^(PutItem|UpdateItem) text: ValidationException: 0 validation error"
     r" detected: Value '…' at 'tableName' failed .* \| ValidationException:"
     r" Invalid table/index name",
     "A bad table name is told alone."),

    # Expressions
    (r"reserved keyword: … \| ",
     "SIZE is a reserved word; Local lets it through.",
     mentions(r"(?i)\bsize\b(?! *\()")),
    (r"^Scan result: ",
     "A filter sees what the index carries; Local's Scan filters the whole"
     " item.", filters_unprojected),

    # Writes
    (r" result: ItemCollectionMetrics extra$",
     "Local never returns ItemCollectionMetrics."),
    (r" type: ValidationException: .*Levels have exceeded .* \| ",
     "Values beside an item may nest as deep as attributes; Local allows one"
     " level more.",
     mentions('"(ExpressionAttributeValues|AttributeUpdates|Expected)"')),
    (r"^UpdateItem result: ConsumedCapacity[][\w.]*CapacityUnits",
     "An update that creates nothing changes no index.",
     lambda request: only_removes(request) or only_deletes(request)),
    (r"^DeleteItem result: ConsumedCapacity missing(, ItemCollectionMetrics"
     r" extra)?$",
     "Local returns it unasked when the item is missing.",
     lambda request: request.get("ReturnConsumedCapacity")
     not in ("TOTAL", "INDEXES")),
    (r"^UpdateItem (state: table differs|result: Attributes"
     r"(, ConsumedCapacity\S*( missing)?)*)$",
     "AttributeUpdates of DELETE actions alone create nothing.", only_deletes),
    (r"^(UpdateItem|TransactWriteItems) (state: table differs|type: ok \| "
     r"ValidationException: The document path .*|result: Attributes"
     r"(, ConsumedCapacity\S*( missing)?)*)$",
     "REMOVE and DELETE alone succeed on a missing item and create nothing.",
     only_removes),
    (r"^UpdateItem type: ValidationException: .* \| "
     r"ConditionalCheckFailedException",
     "AttributeUpdates are checked before the condition is tested.",
     has("AttributeUpdates")),
    (r"^UpdateItem type: ValidationException: .*Type mismatch for Index Key .* \|"
     r" ConditionalCheckFailedException",
     "What an index key is set to is checked before the condition is tested."),
    (r"^UpdateItem type: .*: Cannot update attribute \w+\. This attribute is"
     r" part of the key \| ConditionalCheckFailedException",
     "Keys are guarded before the condition is tested."),
    (r"^(UpdateItem|TransactWriteItems) type: ok \| ValidationException: The"
     r" provided expression refers to an attribute that does not exist",
     "if_not_exists(a, b) does not read b where there is an a.",
     mentions("if_not_exists")),
    (r"^(PutItem|BatchWriteItem|TransactWriteItems) type: .* \| "
     r"ValidationException: Item size has exceeded",
     "An item may have 409600 bytes; PutItem of Local adds the entries of"
     " local indexes, its UpdateItem does not.", mentions("x{409000}(?!x)")),

    # Reads
    (r"^(Query|Scan) result: ConsumedCapacity\.CapacityUnits(, Consumed"
     r"Capacity\.Table\.CapacityUnits)?$",
     "What a local index has not got is read from the table, and charged.",
     mentions('"lsi(Keys|Some)"')),
    (r"^Scan result: ConsumedCapacity\.CapacityUnits(, ConsumedCapacity\."
     r"GlobalSecondaryIndexes\.\w+\.CapacityUnits)?$",
     "A Scan of an index reads entries; Local charges whole items.",
     mentions('"gsi(Keys|Some)"')),
    (r"^(Query|Scan) result: .*(Count|count|union of all pages)",
     "CONTAINS of the legacy filters takes all bytes over 127 for one in"
     " Local.",
     mentions(r'CONTAINS", "AttributeValueList": \[\{"B": ')),
    (r"^BatchGetItem type: ResourceNotFoundException: .* \| "
     r"ValidationException: The (list of keys|number of conditions)",
     "The shape of keys is checked after the tables are looked up."),
    (r"^Query type: ValidationException: The provided exclusive start key is"
     r" invalid: ExclusiveStartKey: .* \| ok$",
     "A Query on a table without sort key cannot be resumed."),
    (r"^Query type: ok \| ValidationException: The provided starting key does"
     r" not match the range key predicate",
     "A start key at the upper bound is within; nothing follows.",
     mentions('(?i)between|<=|>=|"LE"')),
    (r"^Scan type: .*(Exclusive start key must lie within the segment|Please"
     r" use ExclusiveStartKey with correct Segment)",
     "Segments follow the order of hashes, which is Local's own.",
     has("Segment")),
    (r"^BatchGetItem result: .*Responses\.\w+\[\] count$",
     "Equal numbers spelt in two ways are one key, returned once.",
     mentions(r'\{"N": "1(\.0|e1|0)?"\}')),
    (r"^BatchWriteItem result: ConsumedCapacity",
     "Deleting a missing item costs one unit; Local charges two.",
     mentions("DeleteRequest")),
    (r"^Query result: LastEvaluatedKey extra$",
     "A page ended by Limit has a LastEvaluatedKey; Local leaves it out when"
     " the last item is the upper bound of BETWEEN.",
     mentions("(?i)between|<=|>=|\"LE\"")),
    (r"^BatchWriteItem type: ResourceNotFoundException: .* \| "
     r"ValidationException: (Invalid attribute value type|One or more"
     r" parameter values were invalid: Type mismatch for key)",
     "The types of keys are checked after the tables are looked up."),

    # Transactions
    (r"^TransactWriteItems type: TransactionCanceledException: .* \| "
     r"ValidationException: (The document path|An operand in the update"
     r"|The provided expression refers|Type mismatch|Number overflow|DynamoDB"
     r" only supports|Item size to update|.*The update expression attempted to"
     r" update)",
     "What only the stored item shows is a cancellation reason, not a"
     " ValidationException."),
    (r"^TransactWriteItems type: TransactionCanceledException: .* \| "
     r"ValidationException: (Key attributes must be scalars|Invalid attribute"
     r" value type|The number of conditions on the keys|One of the required"
     r" keys)",
     "What depends on the table's schema is a cancellation reason."),
    (r"^Transact\w+ result: CancellationReasons\[\] count$",
     "There is a reason for each action; Local stops at a bad key."),
    (r"^TransactGetItems type: TransactionCanceledException: .* \| "
     r"ValidationException: (Invalid attribute value type|Hash primary key"
     r" values must be under|.*The AttributeValue for a key attribute)",
     "A bad key in TransactGetItems is a cancellation reason."),
    (r"^TransactWriteItems type: ValidationException: .* failed to satisfy"
     r" constraint: .* \| (TransactionCanceledException|ok)",
     "Constraints of members are checked before anything else."),
    (r"^TransactWriteItems type: ValidationException: .* Value null at"
     r" 'transactItems\.\S+\.update\.updateExpression' failed .* \| ",
     "Update requires an UpdateExpression."),
    (r"^TransactWriteItems type: ValidationException: Transaction request"
     r" cannot include multiple operations on one item \| ",
     "Equal numbers spelt in two ways are one key.",
     mentions(r'\{"N": "1(\.0|e1|0)?"\}')),
    (r"^(TransactWriteItems type: TransactionCanceledException: .*|UpdateItem"
     r" type: ValidationException: The update expression attempted to update"
     r" the secondary index key to unsupported type) \| ok",
     "An index key may not be set to a copy of another type; Local lets it"
     " pass for local indexes.", mentions(r'(?i)"[^"]*SET ')),
    (r"^TransactWriteItems type: ResourceNotFoundException: .* \| "
     r"ValidationException: ",
     "All tables are looked up before any item is."),
    (r"^TransactWriteItems result: CancellationReasons\[\]\.Code"
     r"(, CancellationReasons\[\]\.Item)?$",
     "A key that does not fit the schema is told alone, before conditions are"
     " tested; conditions that fail are told with updates that cannot be"
     " done. Local does it the other way round."),
    (r"^TransactGetItems type: ValidationException: (Number |Attempting to"
     r" store|The parameter cannot|ExpressionAttributeNames can only be) ?.*"
     r"\| TransactionCanceledException",
     "Values and placeholders are checked before any key is."),
    (r"^TransactWriteItems type: .* \| IdempotentParameterMismatchException",
     "A transaction that failed leaves no token behind.",
     has("ClientRequestToken")),
    (r"^TransactWriteItems result: (ConsumedCapacity\[\]\."
     r"(CapacityUnits|Table)(, ItemCollectionMetrics extra)?(, )?)+$",
     "A write in a transaction costs two units for each kilobyte of the"
     " greater item; Local charges one where an item is missing before or"
     " after.", mentions('"(Delete|Put|Update)"')),
    (r"^TransactWriteItems result: ConsumedCapacity\[\]\."
     r"(CapacityUnits, ConsumedCapacity\[\]\.Table|Table)$",
     "A check in a transaction costs two units where the item is missing;"
     " Local charges one.", mentions('"ConditionCheck"')),
    (r"^TransactWriteItems result: (ConsumedCapacity\[\]\.\w+ missing(, )?)+$",
     "An update that creates nothing changes no index.",
     mentions(r'"UpdateExpression": "(REMOVE|DELETE) ')),
    (r"^TransactWriteItems result: ItemCollectionMetrics extra$",
     "Local never returns ItemCollectionMetrics."),

    # PartiQL
    (r"^ExecuteStatement type: DuplicateItemException: .* \| DuplicateItem: ",
     "The exception is DuplicateItemException."),
    (r"^ExecuteTransaction result: CancellationReasons\[\]\.Code$",
     "The reason of an INSERT on an existing key is DuplicateItem.",
     mentions("INSERT")),
    (r"^(Execute|BatchExecute)\w+ result: ConsumedCapacity extra$",
     "Local never returns ConsumedCapacity for statements."),
    (r"^ExecuteTransaction type: TransactionCanceledException: .* \| Validation"
     r"Exception: (The provided expression refers|An operand in the update"
     r"|The document path|Item size to update|.*secondary index key"
     r"|One or more parameter values were invalid: Type mismatch for Index)",
     "What only the stored item shows is a cancellation reason, not a"
     " ValidationException."),
    (r"^ExecuteTransaction type: TransactionCanceledException: .* \| Validation"
     r"Exception: Validation failed in TransactStatements\[.*\]: Key value must"
     r" be of type",
     "A write with a wrong key is a cancellation reason."),
    (r"^ExecuteTransaction result: CancellationReasons\[\] count$",
     "There is a reason for each statement; Local stops at a missing key."),
    (r"^ExecuteTransaction type: TransactionCanceledException: .* \| Resource"
     r"NotFoundException: ",
     "A missing table is a cancellation reason."),
    (r"^BatchExecuteStatement type: ok \| ValidationException: (" + VALUES
     + r"|A value provided cannot be converted|.*set  may not be empty"
     r"|.*Binary sets should not be empty|.*attribute name)",
     "A bad parameter is the error of its member."),
    (r"^ExecuteStatement type: ValidationException: .*: Secondary index \w+ does"
     r" not project one or more filter attributes: .* \| ok$",
     "A keyed read of an index may not filter on what it lacks; Local sees it"
     " as missing."),
    (r"^ExecuteStatement result: (union of all pages|Items\[\] count)$",
     "A read of an index without its key sees what it lacks as missing; Local"
     " reads the table.", mentions(r'\\"\.\\"(lsi(Keys|Some)|gsi(Keys|Some))')),
    (r"^ExecuteStatement type: ValidationException: Overlapping conditions with"
     r" range keys .* \| ok$",
     "Alternatives in one partition may not overlap; Local finds their union."),
    (r"^ExecuteStatement type: .* \| InternalFailure: ",
     "A key that is to be missing fails inside Local.",
     mentions("IS (NOT )?MISSING")),
    (r"^ExecuteStatement type: .*: Overlapping .* \| InternalFailure: ",
     "A value that can be no key fails inside Local.", mentions(" IN ")),
    (r"^ExecuteStatement type: ResourceNotFoundException: .* \| Validation"
     r"Exception: Table name should be",
     "A name that no table has is not looked at further."),
    (r"^ExecuteTransaction type: ValidationException: Validation failed in"
     r" TransactStatements\[.*\]: .* \| TransactionCanceledException: "
     r"ValidationError Where clause",
     "What is wrong with a statement by itself comes before keys."),
    (r"^(BatchExecute|Execute)Statement result: (Responses|Items)\[\]$",
     "RETURNING MODIFIED gives what lies at the paths; Local the whole"
     " attributes.", mentions(r"(?i)RETURNING MODIFIED")),
    (r"^ExecuteStatement result: (union of all pages|Items\[\])$",
     "Local overlooks DESC beside begins_with of bytes.",
     mentions("begins_with.*DESC")),
    (r"^ExecuteStatement type: .* \| InternalFailure: ",
     "ORDER BY on a table without sort key, or with several reads, fails inside"
     " Local.", mentions("(?i)ORDER BY")),
    (r"^ExecuteStatement type: ValidationException: Key attribute's data type .*"
     r" \| (ok|InternalFailure: .*)$",
     "Every value that a key is compared with must have its type; Local looks at"
     " some."),
    (r"^ExecuteStatement type: ok \| ValidationException: One or more parameter"
     r" values were invalid: Condition parameter type does not match",
     "The sort key of the table is no key of an index, and may be compared with"
     " any value.", mentions(r'\\"\.\\"')),
    (r"^(Batch)?Execute\w+ type: ValidationE\w+: Number (over|under)flow.* \| ok$",
     "A zero has the magnitude of its exponent.",
     mentions(r'"-?0(\.0)?[eE]-?\d+"')),
    (r"^(Batch)?Execute\w+ type: (ValidationE\w+: |TransactionCanceled).* \| ok$",
     "An index key may not be set to a copy of another type; Local lets it pass"
     " for local indexes.", mentions(r"SET [^=]*\b(i|j|g|h)\b")),
    (r"^BatchExecuteStatement type: ValidationError: The table does not have the"
     r" specified index \| ",
     "An index is looked up before the key is; Local does not look.",
     mentions(r'\\"none\\"')),
    (r"^\w+ type: Validation.*: Path component cannot be an empty string \| ",
     "An empty name is refused before the table is looked up.",
     mentions(r'\\"\\"')),
    (r"^BatchExecuteStatement type: ok \| ValidationException: Read and write"
     r" requests together",
     "A statement whose table's name is empty is neither read nor write.",
     mentions(r'\\"\\"')),
    (r"^ExecuteTransaction type: ValidationException: .*Unexpected token after"
     r" expression \| ",
     "INSERT has no RETURNING; Local reads over it.",
     mentions("INSERT[^}]*[}]* RETURNING")),
    (r"Execute\w+ type: Validation\w+: Nesting Levels have exceeded .* \| ",
     "Parameters may nest as deep as attributes; Local allows one level more."),
    (r"Execute\w+ type: Validation\w+: (Number (over|under)flow|Attempting to"
     r" store more).* under root.* \| DuplicateItem",
     "A literal is checked before the item is looked for."),
    (r"^ExecuteStatement type: ValidationException: Must have at least one non-"
     r"optional hash key condition .* \| ok$",
     "ORDER BY takes the partition key where there are several partitions.",
     mentions(" (IN|OR) .* ORDER BY")),
    (r"^BatchExecuteStatement state: table differs$",
     "A batch with an item twice is refused before anything is written; Local"
     " writes some of it."),
    (r"^(BatchExecuteStatement|ExecuteTransaction) result: (ConsumedCapacity"
     r" extra, )?Responses\[\]$",
     "A column is named by the last step of its path; Local keeps the path in"
     " batches and transactions.", mentions(r"SELECT [^*]*[][.].* FROM")),

    # Tables
    (r"^DeleteTable result: TableDescription",
     "A table on its way out is described in short."),
    (r"^CreateTable type: .*: Some AttributeDefinitions are not used\. .* \| "
     r"ok",
     "Every attribute defined must be a key; Local is lenient."),
    (r"^CreateTable type: .* at 'provisionedThroughput\S+' failed .* \| ",
     "Local ignores ProvisionedThroughput with PAY_PER_REQUEST."),
    (r"^CreateTable type: .*: List of (Local|Global)SecondaryIndexes is empty",
     "A list of indexes may not be empty; Local lets it pass."),
    (r"^(Create|Update|Describe)Table result: "
     r"(Table(Description)?\.\S*(WarmThroughput|ProvisionedThroughput"
     r"(\.NumberOfDecreasesToday)?) extra"
     r"(, )?)+$", NOT_TOLD),
    (r"^(Update|Describe)Table (result|state): Table(Description)?\.\S*"
     r"NumberOfDecreasesToday$", NOT_TOLD),
    (r"^(Update|Describe)Table (result|state): Table(Description)?\."
     r"GlobalSecondaryIndexes\[\]\.OnDemandThroughput missing$", NOT_TOLD),
    (r"^UpdateTable result: TableDescription\.(GlobalSecondaryIndexes\[\]\.)?"
     r"ProvisionedThroughput\.(Read|Write)CapacityUnits$",
     "The answer to a change of throughput shows the units of before."),
    (r"^UpdateTable result: TableDescription\.AttributeDefinitions\[\] count$",
     "The answer to the deletion of an index shows the index, and so what its"
     " key is made of.", mentions('"Delete"')),
    (r"^UpdateTable state: Table\.GlobalSecondaryIndexes\[\]\."
     r"ProvisionedThroughput\.(Read|Write)CapacityUnits$",
     "A switch to PAY_PER_REQUEST takes the units of the indexes, too.",
     mentions('"PAY_PER_REQUEST"')),
    (r"^UpdateTable type: ValidationException: .* (must be the only operation"
     r" in the request|You cannot create or delete index while .*|You cannot"
     r" modify stream status while .*) \| ",
     "One kind of change at a time; Local makes several, or looks for the"
     " table first."),
    (r"^UpdateTable type: LimitExceededException: .*Only 0 online index .* \| "
     r"ResourceNotFoundException: ",
     "How many indexes are created and deleted is seen without the table."),
    (r"^UpdateTable type: ValidationException: .*(Neither ReadCapacityUnits nor"
     r" WriteCapacityUnits can be specified|ProvisionedThroughput cannot be"
     r" specified) .*when BillingMode is PAY_PER_REQUEST \| ok$",
     "Units are refused where there are none; Local passes them over."),
    (r"^CreateTable type: ValidationException: .*(Neither ReadCapacityUnits nor"
     r" WriteCapacityUnits can|ProvisionedThroughput should not) be specified"
     r" .*when BillingMode is PAY_PER_REQUEST \| ok$",
     "Units are refused where there are none; Local passes them over."),
    (r"^UpdateTable type: (ValidationException|ResourceNotFoundException): .* \|"
     r" InternalFailure: ",
     "An index that cannot be made or changed: Local fails inside.",
     has("GlobalSecondaryIndexUpdates")),
    (r"^UpdateTable type: ValidationException: .*ProvisionedThroughput must be"
     r" specified for index: … \| InternalFailure: ",
     "A switch to PROVISIONED without units for an index: Local fails"
     " inside."),
    (r"^ListTables result: LastEvaluatedTableName missing$",
     "There is a LastEvaluatedTableName where more tables follow; Local has"
     " one on each full page."),
    (r"^UpdateTable type: ValidationException: .* at 'globalSecondaryIndex"
     r"Updates\S+\.provisionedThroughput\S* failed .* \| ok$",
     "Units are refused where there are none; Local passes them over."),
    (r"^UpdateTable type: ValidationException: .*ProvisionedThroughput must be"
     r" specified when BillingMode is PROVISIONED \| ok$",
     "PROVISIONED goes with units, also where the table is so already.",
     lambda request: "ProvisionedThroughput" not in request),
    (r"^UpdateTable type: ValidationException: .*(List of GlobalSecondaryIndex"
     r"Updates is empty|Given value 0 for \w+ is out of bounds) \| ok$",
     "Empty lists and units beyond all bounds are refused; Local takes them"
     " where it does not use them."),
    (r"^UpdateTable type: LimitExceededException: The requested \w+, 0, is above"
     r" the per table maximum .* \| ValidationException: Cannot increase",
     "More units than the quota are more than a limit."),
    (r"^UpdateTable (result|state): Table(Description)?\.AttributeDefinitions"
     r"\[\]( count|\.Attribute\w+)$",
     "Definitions that no new index needs are passed over; Local keeps them.",
     lambda request: "AttributeDefinitions" in request
     and '"Create"' not in json.dumps(request)),
    (r"^UpdateTable type: ResourceNotFoundException: .*Index \w+ for table .*"
     r" \| ValidationException: Invalid global secondary index name$",
     "An index that is not there is a resource that is not found."),
    (r"^UpdateTable state: an index is neither made nor dropped$",
     "Local cannot drop an index whose key is the table's turned round.",
     mentions('"Delete"')),
    (r"^CreateTable type: ValidationException: .* \| ResourceInUseException:"
     r" Cannot create preexisting table$",
     "What is wrong with a request is seen before the table's name is."),
]


def explain(line, request):
    """The reason why this difference is right, or None."""
    for entry in EXPLAINED:
        pattern, reason = entry[:2]
        if re.search(pattern, line) and (len(entry) == 2
                                         or entry[2](request)):
            return reason
    return None
