# Who: a role that may write to a table but not read it: INSERT, UPDATE and
# DELETE, no SELECT.
# Owns: nothing.  Wants: to learn what stands in an item: whether it is there,
# its size, its values, the types of its attributes.
#
# Each request is sent while the item is missing, small, of other types, and
# almost as large as an item may be.  The answers must be the same.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_role = writer\ndynamo.http_workers = 1");
sql(q{CREATE EXTENSION dynamo;
	CREATE ROLE writer LOGIN;
	SELECT dynamo.create_table('Local', 'pk');
	SELECT dynamo.create_index('Local', 'ByN', 'n', partition_key_type => 'N');
	SELECT dynamo.create_table('Checked', 'pk');
	ALTER TABLE dynamo_data."Checked" ADD CHECK (item IS NOT NULL);
	GRANT INSERT, UPDATE, DELETE ON dynamo_data."Local", dynamo_data."Checked" TO writer});
ok(wait_for(sub { connection() && (call('ListTables', '{}')->{status} // 0) == 200 }), 'served');

# The item of each key: all ways it can be.
my $large = 'x' x 390_000;
my %state = (
	1 => undef,
	2 => '{"pk": "2"}',
	3 => '{"pk": "3", "n": 1, "s": "a", "l": [1], "m": {"a": 1}, "ss": {"SS": ["a"]}}',
	4 => '{"pk": "4", "s": 1, "l": "a", "m": [1], "ss": "a"}',
	5 => qq({"pk": "5", "n": 2, "filling": "$large"}));

sub reset_items
{
	my ($table) = @_;
	return sql(qq{DELETE FROM dynamo_data."$table"; INSERT INTO dynamo_data."$table" (item) VALUES }
		  . join ',', map { "('$_')" } grep { defined } values %state);
}

# The answers to a request about each item, those that are the same once.
my $connection = connection();
sub answers
{
	my ($table, $operation, $request) = @_;
	my %seen;
	foreach my $key (sort keys %state)
	{
		(my $body = $request) =~ s/TABLE/$table/g;
		$body =~ s/KEY/$key/g;
		my $answer = call($operation, $body, {}, $connection)->{body} // 'none';
		$answer =~ s/"pk":\{"S":"$key"\}/"pk":{"S":"KEY"}/g;
		$seen{$answer} = 1;
	}
	return sort keys %seen;
}

my $key = '"TableName":"TABLE","Key":{"pk":{"S":"KEY"}}';
my $all = '"ReturnConsumedCapacity":"INDEXES","ReturnItemCollectionMetrics":"SIZE"';

sub update
{
	my ($expression, $value) = @_;
	my $values = $expression =~ /:v/ ? qq(,"ExpressionAttributeValues":{":v":$value}) : '';
	return ["UpdateItem $expression", 'UpdateItem',
		qq({$key,$all,"UpdateExpression":"$expression"$values})];
}

# Done, and told nothing of what was there.
my @blind = (
	['PutItem', 'PutItem', qq({"TableName":"TABLE",$all,"Item":{"pk":{"S":"KEY"},"n":{"N":"1"}}})],
	['DeleteItem', 'DeleteItem', qq({$key,$all})],
	['UpdateItem of the key alone', 'UpdateItem', qq({$key,$all})],
	['BatchWriteItem, put', 'BatchWriteItem',
		qq({$all,"RequestItems":{"TABLE":[{"PutRequest":{"Item":{"pk":{"S":"KEY"}}}}]}})],
	['BatchWriteItem, delete', 'BatchWriteItem',
		qq({$all,"RequestItems":{"TABLE":[{"DeleteRequest":{"Key":{"pk":{"S":"KEY"}}}}]}})],
	['TransactWriteItems, put', 'TransactWriteItems',
		qq({$all,"TransactItems":[{"Put":{"TableName":"TABLE","Item":{"pk":{"S":"KEY"}}}}]})],
	['TransactWriteItems, delete', 'TransactWriteItems', qq({$all,"TransactItems":[{"Delete":{$key}}]})]);

# Refused.
my $add = '"UpdateExpression":"ADD n :v","ExpressionAttributeValues":{":v":{"N":"1"}}';
my @reading = (
	['PutItem, ALL_OLD', 'PutItem', '{"TableName":"TABLE","ReturnValues":"ALL_OLD","Item":{"pk":{"S":"KEY"}}}'],
	['PutItem, ALL_OLD on failure', 'PutItem',
		'{"TableName":"TABLE","ReturnValuesOnConditionCheckFailure":"ALL_OLD","Item":{"pk":{"S":"KEY"}}}'],
	['PutItem, a condition', 'PutItem',
		'{"TableName":"TABLE","Item":{"pk":{"S":"KEY"}},"ConditionExpression":"attribute_exists(pk)"}'],
	['PutItem, Expected', 'PutItem',
		'{"TableName":"TABLE","Item":{"pk":{"S":"KEY"}},"Expected":{"n":{"Exists":false}}}'],
	['DeleteItem, a condition', 'DeleteItem', qq({$key,"ConditionExpression":"size(filling) > :v",
		"ExpressionAttributeValues":{":v":{"N":"1"}}})],
	['DeleteItem, ALL_OLD', 'DeleteItem', qq({$key,"ReturnValues":"ALL_OLD"})],
	['UpdateItem of the key alone, ALL_NEW', 'UpdateItem', qq({$key,"ReturnValues":"ALL_NEW"})],
	update('ADD n :v', '{"N":"1"}'),
	update('ADD ss :v', '{"SS":["b"]}'),
	update('DELETE ss :v', '{"SS":["b"]}'),
	update('SET s = :v', '{"S":"b"}'),
	update('SET more = :v', '{"S":"' . ('y' x 20_000) . '"}'),
	update('SET n = n + :v', '{"N":"1"}'),
	update('SET n = if_not_exists(n, :v)', '{"N":"1"}'),
	update('SET l = list_append(l, :v)', '{"L":[]}'),
	update('SET m.a = :v', '{"N":"1"}'),
	update('SET l[3] = :v', '{"N":"1"}'),
	update('SET s = m.a'),
	update('REMOVE m.a'),
	update('REMOVE l[0]'),
	['UpdateItem, AttributeUpdates', 'UpdateItem',
		qq({$key,"AttributeUpdates":{"n":{"Action":"ADD","Value":{"N":"1"}}}})],
	['TransactWriteItems, update', 'TransactWriteItems', qq({"TransactItems":[{"Update":{$key,$add}}]})],
	['TransactWriteItems, check', 'TransactWriteItems',
		qq({"TransactItems":[{"ConditionCheck":{$key,"ConditionExpression":"attribute_exists(pk)"}}]})],
	['TransactWriteItems, ALL_OLD on failure', 'TransactWriteItems',
		qq({"TransactItems":[{"Put":{"TableName":"TABLE","ReturnValuesOnConditionCheckFailure":"ALL_OLD","Item":{"pk":{"S":"KEY"}}}}]})],
	['GetItem', 'GetItem', qq({$key})],
	['GetItem of the key', 'GetItem', qq({$key,"ProjectionExpression":"pk"})],
	['TransactGetItems', 'TransactGetItems', qq({"TransactItems":[{"Get":{$key}}]})],
	['Scan', 'Scan', '{"TableName":"TABLE","Select":"COUNT"}']);

# One answer, which is this.
sub is_blind
{
	my ($name, $pattern, @answers) = @_;
	return ok(@answers == 1 && $answers[0] =~ $pattern, $name)
	  || diag(join "\n", map { substr $_, 0, 300 } @answers);
}

foreach my $case (@blind)
{
	my ($name, @request) = @$case;
	reset_items('Local');
	is_blind("$name: done", qr/^(?!.*Exception)/, answers('Local', @request));
}
reset_items('Local');
my $before = sql(q{SELECT item FROM dynamo_data."Local" ORDER BY pk});
foreach my $case (@reading)
{
	my ($name, @request) = @$case;
	is_blind("$name: refused", qr/AccessDeniedException/, answers('Local', @request));
}
ok($before eq sql(q{SELECT item FROM dynamo_data."Local" ORDER BY pk}), 'and nothing was written');

# The store that goes through SQL needs SELECT for the key in its WHERE.
reset_items('Checked');
foreach my $case (@blind, @reading)
{
	my ($name, @request) = @$case;
	is_blind("$name: refused, by SQL", qr/AccessDeniedException/, answers('Checked', @request));
}

# What is kept of a transaction for the answer to a replay says nothing, either.
my $put = qq({"ClientRequestToken":"KEY",$all,"TransactItems":[{"Delete":{$key}}]});
is_blind('a token', qr/ConsumedCapacity/, answers('Local', 'TransactWriteItems', $put));
is_blind('the token once more', qr/ReadCapacityUnits":2.0/, answers('Local', 'TransactWriteItems', $put));

done_testing();
