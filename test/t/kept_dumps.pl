# The dump of each version that was released is restored, and answers as it did: what it
# names of ours, functions with their arguments and tables with their columns, is there
# as long as somebody may have such a dump.  "test/upgrade/run keep" makes one.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

my @dumps = sort glob abs_path(dirname(__FILE__) . '/../upgrade') . '/dump-*.sql';
ok(@dumps, 'there are dumps');

# What it says of each, and the answer.
my @questions = (
	[ 'items of all types', q{SELECT item FROM dynamo.query('Shop', 'PK = :p', '{":p": "all"}')},
		'{"PK":{"S":"all"},"SK":{"N":"-12345678901234567890.12345678"},"b":{"B":"AAEC"},"bs":{"BS":["AP8="]},"e":{"S":""},"l":{"L":[{"M":{}},{"NULL":true},{"BOOL":false}]},"ns":{"NS":["3","1"]},"ss":{"SS":["a","b"]}}' ],
	[ 'a query', q{SELECT count(*), sum((item ->> 'SK')::int) FROM dynamo.query('Shop', 'PK = :p AND SK > :s', '{":p": "p2", ":s": 50}')}, '10 745' ],
	[ 'an index', q{SELECT count(*) FROM dynamo.query('Shop', '#d = :d', '{":d": "d1"}', index_name => 'ByDay', expression_attribute_names => '{"#d": "day"}')}, 34 ],
	[ 'one of two attributes', q{SELECT count(*), max(item ->> 'note') = repeat('x', 98) FROM dynamo.query('Shop', '#d = :d AND kind = :k AND #t > :t',
		'{":d": "d2", ":k": "k", ":t": 20}', index_name => 'Many', expression_attribute_names => '{"#d": "day", "#t": "time"}')}, '26 t' ],
	[ 'a local one', q{SELECT count(*) FROM dynamo.query('Local', 'a = :a AND c = :c', '{":a": "x", ":c": "1"}', index_name => 'ByC')}, 7 ],
	[ 'vectors', q{SELECT item ->> 'id' FROM dynamo.search_vectors('Vectors', 'Near', '[9, 1]', 1, 'tenant = :t', '{":t": "t1"}')}, 9 ],
	[ 'time to live', q{SELECT dynamo.call('DescribeTimeToLive', '{"TableName": "Shop"}')}, '{"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"ttl"}}' ],
	[ 'capacity', q{SELECT dynamo.call('DescribeTable', '{"TableName": "Local"}')::jsonb #> '{Table,ProvisionedThroughput,WriteCapacityUnits}'}, 6 ],
	[ 'tags', q{SELECT dynamo.call('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Local"}')}, '{"Tags":[{"Key":"k","Value":"v"}]}' ],
	[ 'the stream', q{SELECT string_agg(event_name, ' ' ORDER BY sequence_number) FROM dynamo.stream('Shop')}, 'INSERT MODIFY REMOVE' ],
	[ 'its reader', q{SELECT dynamo.run_event_source_mapping(1); SELECT string_agg(id || event, ' ' ORDER BY event) FROM public.handled}, "3\nstreamINSERT streamMODIFY streamREMOVE" ],
	[ 'a backup', q{SELECT dynamo.restore_table('Back', backup_arn => 'arn:aws:dynamodb:us-east-1:000000000000:table/' || table_name || '/backup/' || backup_id) FROM dynamo.backups;
		SELECT count(*) FROM dynamo.scan('Back')}, "dynamo_data.\"Back\"\n101" ],
	[ 'a policy of a role', q{SET ROLE kept_tenant; SELECT dynamo.call('DeleteItem', '{"TableName": "Shop", "Key": {"PK": {"S": "p2"}, "SK": {"N": "2"}}}')}, qr/is not authorized to perform: dynamodb:DeleteItem/ ],
	[ 'one of a table', q{SELECT dynamo.call('GetResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Local"}') ->> 'Policy'}, qr/dynamodb:DeleteItem/ ],
	[ 'a bucket', q{SELECT bucket, role, may_read, may_write FROM dynamo.bucket_grants}, 'kept kept_tenant t t' ],
	[ 'the past', q{SELECT status FROM dynamo.recovery_window('Local')}, qr/./ ],
	[ 'a write', q{SELECT dynamo.put_item('Shop', '{"PK": "new", "SK": 1, "day": "d9", "time": 1}');
		SELECT count(*) FROM dynamo.query('Shop', '#d = :d', '{":d": "d9"}', index_name => 'ByDay', expression_attribute_names => '{"#d": "day"}')}, "\n1" ],
	[ 'all is sound', q{SELECT t.table_name, c.* FROM dynamo.tables t, dynamo.check_table(t.table_name) c}, '' ]);

start_server('dynamo.ttl_interval = 0');
sql('CREATE ROLE kept_tenant');
for my $dump (@dumps)
{
	my $name = basename($dump);
	(my $database = $name) =~ s/\W/_/g;

	sql("CREATE DATABASE $database");
	my ($said, $status) = run("psql -X -q -v ON_ERROR_STOP=1 -d $database -f $dump 2>&1 >/dev/null");
	is("$status$said", '0', "$name is restored");
	for (@questions)
	{
		my ($what, $question, $answer) = @$_;
		ref $answer ? like(sql($question, $database), $answer, $what) : is(sql($question, $database), $answer, $what);
	}
}
done_testing();
