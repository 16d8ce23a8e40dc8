# A setting is changed in a new replica before its region has been told anything more by the
# one that it was made from. It is the later one, everywhere.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Regions;
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n");
make_regions('us', 'eu');
sql(q{SELECT dynamo.create_table('Shop', 'id'), dynamo.enable_ttl('Shop', 'first')}, 'us');
sql(q{ALTER FUNCTION dynamo_internal.merge_settings(text, text) RENAME TO merge_nothing}, 'eu');
like(sql(q{SELECT dynamo.call('UpdateTable', '{"TableName": "Shop", "ReplicaUpdates": [{"Create": {"RegionName": "eu"}}]}')->'TableDescription'->>'TableStatus'}, 'us'), qr/UPDATING/, 'a replica');
is(await_sql('SELECT status FROM dynamo.replicas', 'ACTIVE', 'us'), 'ACTIVE', '... is there');
is(sql('SELECT ttl_attribute FROM dynamo.tables', 'eu'), 'first', '... with the settings of the table');
is(sql(q{SELECT dynamo.call('UpdateTable', '{"TableName": "Shop", "TableClass": "STANDARD_INFREQUENT_ACCESS"}')->'TableDescription'->>'TableName'}, 'eu'), 'Shop', 'one is changed there');
is(sql(q{SELECT dynamo.disable_ttl('Shop'), dynamo.enable_ttl('Shop', 'second')}, 'eu'), '', '... and another one');
sql(q{ALTER FUNCTION dynamo_internal.merge_nothing(text, text) RENAME TO merge_settings}, 'eu');
my $settings = q{SELECT ttl_attribute, settings->'TableClassSummary'->>'TableClass' FROM dynamo.tables};
is(await_sql($settings, 'second STANDARD_INFREQUENT_ACCESS', 'us'), 'second STANDARD_INFREQUENT_ACCESS', 'they come here');
await_sql(q{SELECT document FROM dynamo_internal.shared_settings}, sql(q{SELECT document FROM dynamo_internal.shared_settings}, 'us'), 'eu');
is(sql($settings, 'eu'), 'second STANDARD_INFREQUENT_ACCESS', '... and stay there');

# A replica has the key that was named for it.
sql(q{SELECT dynamo.call('CreateTable', '{"TableName": "Locked", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
	"SSESpecification": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "arn:aws:kms:us:000000000000:key/ours"}}')}, 'us');
sql(q{SELECT dynamo.call('UpdateTable', '{"TableName": "Locked", "ReplicaUpdates": [{"Create": {"RegionName": "eu", "KMSMasterKeyId": "arn:aws:kms:eu:000000000000:key/theirs"}}]}')}, 'us');
is(await_sql(q{SELECT status FROM dynamo.replicas WHERE table_name = 'Locked'}, 'ACTIVE', 'us'), 'ACTIVE', 'a replica with a key');
my $described = q{SELECT dynamo.call('DescribeTable', '{"TableName": "Locked"}')->'Table'};
is(sql("$described->'SSEDescription'->>'KMSMasterKeyArn'", 'eu'), 'arn:aws:kms:eu:000000000000:key/theirs', '... has it');
is(sql("$described->'Replicas'->0->>'KMSMasterKeyId'", 'us'), 'arn:aws:kms:eu:000000000000:key/theirs', '... as is told');

# Each region makes an index of one name, while they cannot reach each other. Items come all the same.
sql("ALTER SERVER region_$_ OPTIONS (SET dbname 'nowhere')", $_ eq 'eu' ? 'us' : 'eu') foreach qw(us eu);
foreach my $region (qw(us eu))
{
	sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dynamo replication'});
	like(await_sql(q{SELECT status_description FROM dynamo.replicas WHERE table_name = 'Shop'}, qr/nowhere/, $region), qr/nowhere/, "$region is alone");
	sql("SELECT dynamo.create_index('Shop', 'by_x', 'of_$region')", $region);
}
sql("ALTER SERVER region_$_ OPTIONS (SET dbname '$_')", $_ eq 'eu' ? 'us' : 'eu') foreach qw(us eu);
my $refused = q{SELECT string_agg(status_description, '') FROM dynamo.replicas WHERE table_name = 'Shop'};
is(wait_for(sub { return grep { sql($refused, $_) =~ /has another index "by_x"/ } qw(us eu) }, 120) ? 1 : 0, 1, 'they cannot agree');
foreach my $n (1 .. 3)
{
	sql("SELECT dynamo.put_item('Shop', '{\"id\": \"$_$n\"}')", $_) foreach qw(us eu);
	settle('Shop', qw(us eu));
}
is(sql(q{SELECT count(*) FROM dynamo.scan('Shop')}, $_), '6', "$_ has what was written") foreach qw(us eu);

done_testing();
