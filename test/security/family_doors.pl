# Who: a role with a key and a session that may only read one table.
# Owns: nothing.  Wants: to write it, or to read another, by some door that
# forgot to ask: a SQL function, dynamo.call, HTTP, plain SQL, COPY, a batch, a
# transaction.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_role = reader\ndynamo.http_workers = 1");
sql(q{CREATE EXTENSION dynamo;
	CREATE ROLE reader LOGIN;
	SELECT dynamo.create_table('Mine', 'pk'), dynamo.create_table('Closed', 'pk');
	SELECT dynamo.put_item('Mine', '{"pk": "a"}'), dynamo.put_item('Closed', '{"pk": "secret"}');
	GRANT SELECT ON dynamo_data."Mine" TO reader});
ok(wait_for(sub { connection() && (call('ListTables', '{}')->{status} // 0) == 200 }), 'served');

sub as_reader { return sql("SET ROLE reader; $_[0]") }

my $item = '{"pk":{"S":"a"}}';
my %write = (
	PutItem => qq({"TableName":"Mine","Item":$item}),
	UpdateItem => qq({"TableName":"Mine","Key":$item}),
	DeleteItem => qq({"TableName":"Mine","Key":$item}),
	BatchWriteItem => qq({"RequestItems":{"Mine":[{"PutRequest":{"Item":$item}}]}}),
	TransactWriteItems => qq({"TransactItems":[{"Put":{"TableName":"Mine","Item":$item}}]}),
	UpdateTable => '{"TableName":"Mine","DeletionProtectionEnabled":true}',
	UpdateTimeToLive => '{"TableName":"Mine","TimeToLiveSpecification":{"AttributeName":"t","Enabled":true}}',
	DeleteTable => '{"TableName":"Mine"}');
my %read = (
	GetItem => qq({"TableName":"Closed","Key":$item}),
	Query => '{"TableName":"Closed","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"secret"}}}',
	Scan => '{"TableName":"Closed"}',
	BatchGetItem => qq({"RequestItems":{"Closed":{"Keys":[$item]}}}),
	TransactGetItems => qq({"TransactItems":[{"Get":{"TableName":"Closed","Key":$item}}]}));

foreach my $what (\%write, \%read)
{
	foreach my $operation (sort keys %$what)
	{
		my $answer = call($operation, $what->{$operation});
		like($answer->{body}, qr/AccessDenied|not authorized|must be owner/, "$operation by HTTP");
		unlike($answer->{body}, qr/secret/, "$operation tells nothing");
		like(as_reader("SELECT dynamo.call('$operation', '$what->{$operation}')"),
			qr/ERROR:.*(?:not authorized|denied|must be owner)/, "$operation by dynamo.call");
	}
}

my %sql = (
	put_item => q{SELECT dynamo.put_item('Mine', '{"pk": "b"}')},
	update_item => q{SELECT dynamo.update_item('Mine', '{"pk": "a"}', 'SET x = :x', '{":x": 1}')},
	delete_item => q{SELECT dynamo.delete_item('Mine', '{"pk": "a"}')},
	transact_write => q{SELECT * FROM dynamo.transact_write('[{"Delete": {"TableName": "Mine", "Key": {"pk": "a"}}}]')},
	expire_items => q{SELECT dynamo.expire_items('Mine')},
	enable_stream => q{SELECT dynamo.enable_stream('Mine')},
	drop_table => q{SELECT dynamo.drop_table('Mine')},
	get_item => q{SELECT * FROM dynamo.get_item('Closed', '{"pk": "secret"}')},
	scan => q{SELECT * FROM dynamo.scan('Closed')},
	INSERT => q{INSERT INTO dynamo_data."Mine" (item) VALUES ('{"pk": "b"}')},
	DELETE => q{DELETE FROM dynamo_data."Mine"},
	SELECT => q{SELECT * FROM dynamo_data."Closed"},
	COPY => q{COPY dynamo_data."Closed" TO STDOUT},
	keys => q{SELECT * FROM dynamo.access_keys},
	tables => q{UPDATE dynamo.tables SET settings = '{}'},
	records => q{SELECT * FROM dynamo_internal.stream_records_0});
foreach my $door (sort keys %sql)
{
	like(as_reader($sql{$door}), qr/ERROR:/, "$door is refused");
}
is(sql(q{SELECT count(*) FROM dynamo_data."Mine"}), 1, 'nothing was written');
is(sql(q{SELECT settings FROM dynamo.tables WHERE name = 'Mine'}) =~ /Protection/ ? 1 : 0, 0,
	'nor changed');

done_testing();
