# Attacker: a role that may make buckets with endpoints (USAGE on the wrapper), a
# role that may export and import, and whoever answers in a store's place: DNS,
# the environment of the server, a store that redirects.
# Wants: to have the server connect where it should not, such as to metadata of a
# cloud, to itself, to a host that no superuser has named; the items of others in
# a bucket of his; the credentials of a bucket.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use Server;
use Store;

want_store();
my $port = start_store('main');
my $other = start_store('other');
# What the environment says of proxies is not for us.
local @ENV{qw(http_proxy HTTP_PROXY all_proxy ALL_PROXY)} = ("http://127.0.0.1:$other") x 4;
start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 1s\ndynamo.job_workers = 1\ndynamo.bucket_timeout = 5s\nlog_error_verbosity = verbose\nlog_min_messages = debug1\n");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', "$buckets/folder") or die;
set('dynamo.bucket_directory', $buckets);
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE alice LOGIN;
	CREATE ROLE mallory LOGIN;
	GRANT USAGE, CREATE ON SCHEMA dynamo_data TO alice, mallory;
	GRANT USAGE ON FOREIGN DATA WRAPPER dynamo_bucket TO mallory;
	SELECT dynamo.create_table('Shop', 'id');
	SELECT dynamo.put_item('Shop', '{"id": "secret"}');
	GRANT SELECT ON dynamo_data."Shop" TO alice, mallory});
store('PUT', "bucket/$_") foreach qw(shop other);
store('PUT', 'object/shop/in/a.json', qq({"Item":{"id":{"S":"1"}}}\n));
store('PUT', 'object/other/b.json', qq({"Item":{"id":{"S":"of others"}}}\n));

sub as { my ($role, $sql) = @_; return sql("SET SESSION AUTHORIZATION $role; $sql") }
sub asked { return join ' ', store_log(), split /\n/, store('GET', 'log', '', 'other') }
asked();
my $endpoint = "http://127.0.0.1:$port";

# Off, until a superuser names an endpoint.
is(create_bucket('shop'), '', 'a bucket');
like(sql("SELECT dynamo.bucket_items('shop')"), qr/42501: endpoint of bucket "shop" is not allowed|ERROR:  endpoint of bucket "shop" is not allowed/, 'no endpoint is allowed');
is(asked(), '', 'nothing left the server');
foreach my $wrong ('store.example', 'ftp://store.example', 'http://', 'http://a:0', 'http://a:65536', 'http://a/path', 'http://u@a', 'http://a, ', 'http://a,,http://b', 'http://a?b', '*')
{
	like(sql("ALTER SYSTEM SET dynamo.bucket_endpoints = '$wrong'"), qr/ERROR:  invalid value for parameter/, "a setting like $wrong");
}
set('dynamo.bucket_endpoints', $endpoint);
is(sql("SELECT count(*) FROM dynamo.bucket_items('shop')"), '1', 'this one is');
is(asked(), 'GET /shop/?encoding-type=url&list-type=2&max-keys=1000&prefix= GET /shop/in/a.json', 'and was asked, not what the environment says is a proxy');

# Who may make a bucket
like(as('alice', "SELECT dynamo.create_bucket('mine', '$endpoint')"), qr/permission denied for foreign-data wrapper dynamo_bucket/, 'no bucket without USAGE');
like(as('mallory', "SELECT dynamo.create_bucket('mine', '$endpoint', ca_file => '/etc/passwd')"), qr/must be superuser to set option "ca_file"/, 'no file of the server');
like(as('mallory', "SELECT dynamo.create_bucket('shop', '$endpoint')"), qr/server "shop" already exists/, 'nor one that there is');
like(as('mallory', "SELECT dynamo.drop_bucket('shop')"), qr/must be owner of foreign server shop/, 'which stays');
like(as('mallory', "ALTER SERVER shop OPTIONS (SET endpoint 'http://127.0.0.1:$other')"), qr/must be owner/, 'and stays where it is');
is(as('mallory', "SELECT dynamo.create_bucket('mine', 'http://127.0.0.1:$other'); CREATE USER MAPPING FOR PUBLIC SERVER mine OPTIONS (access_key_id 'x', secret_access_key 'y')"), '', 'one at another endpoint');
like(as('mallory', "SELECT dynamo.bucket_items('mine')"), qr/ERROR:  .*endpoint of bucket "mine" is not allowed/, 'is of no use');
like(as('mallory', "SHOW dynamo.bucket_endpoints"), qr/ERROR/, 'which ones are, is not shown');
is(asked(), '', 'nothing left the server');

# What is no endpoint, or becomes a header
foreach my $wrong (qw(file:///etc/passwd gopher://a scp://a ftp://a dict://a ldap://a HTTP://a), "$endpoint\@127.0.0.1:$other", "$endpoint/..", "$endpoint/?x", "$endpoint#x", "http://127.0.0.1:$port:$other",
	'http://[::1', 'http://[::1%lo]', 'http://a b', "http://a\rb", 'http://-a', "http://127.0.0.1\\\@a", 'http://' . 'a' x 254)
{
	like(as('mallory', "SELECT dynamo.create_bucket('odd', \$x\$$wrong\$x\$)"), qr/invalid value for option "endpoint"/, 'no endpoint: ' . $wrong =~ s/[^ -~]/?/gr);
}
foreach my $option ("region => E'a\\r\\nX: y'", "region => 'a:b'", "store_bucket => '../other'", "store_bucket => 'a?b'")
{
	like(as('mallory', "SELECT dynamo.create_bucket('odd', '$endpoint', $option)"), qr/invalid value for option/, $option);
}
foreach my $option ("access_key_id E'a\\r\\nX: y', secret_access_key 'b'", "access_key_id 'a', secret_access_key 'b', session_token E'c\\n'", "access_key_id 'a', secret_access_key 'b', password 'c'", "access_key_id 'a'")
{
	unlike(as('mallory', "CREATE USER MAPPING FOR mallory SERVER mine OPTIONS ($option)"), qr/^\z/, "no mapping with $option");
}

# Addresses: a superuser has named them, or DNS says so of a name that he has.
my @addresses = qw(169.254.169.254 169.254.170.2 [fd00:ec2::254] [fd20:ce::254] 100.100.100.200 168.63.129.16 192.0.0.192 0.0.0.0 0 127.1 0x7f000001 2130706433
  [::] [fe80::1] [::ffff:127.0.0.1] [::ffff:169.254.169.254] [::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::1] [2002:7f00:1::1] [2002:a9fe:a9fe::1] [ff02::1] 224.0.0.1 255.255.255.255);
set('dynamo.bucket_endpoints', join ', ', $endpoint, map { "http://$_:$port" } @addresses);
foreach my $address (@addresses)
{
	sql("DROP SERVER IF EXISTS target CASCADE");
	create_bucket('target', endpoint => "http://$address:$port");
	like(sql("SELECT dynamo.bucket_items('target')"), qr/ERROR:  .*address of the endpoint of bucket "target" is not allowed/, "not at $address");
}
is(asked(), '', 'nothing left the server');
set('dynamo.bucket_endpoints', "$endpoint, http://[::1]:$port, http://localhost:$port");
foreach my $address ('[::1]', 'localhost')
{
	sql("DROP SERVER IF EXISTS target CASCADE");
	create_bucket('target', endpoint => "http://$address:$port", store_bucket => "'shop'");
	SKIP:
	{
		skip 'no IPv6 here', 1 if $address eq '[::1]' && !-e '/proc/net/if_inet6';
		is(sql("SELECT count(*) FROM dynamo.bucket_items('target')"), '1', "$address, which says what it is");
	}
}
asked();

# A redirect is not followed, to no host.
foreach my $to ("http://127.0.0.1:$other/shop/", "http://169.254.169.254/", 'file:///etc/passwd', "$endpoint/other/")
{
	fault(match => 'GET', do => 'status', status => 307, headers => { Location => $to });
	like(sql("SELECT dynamo.bucket_items('shop')"), qr/has refused a request.*307/s, "not to $to");
	is(scalar(() = asked() =~ /GET/g), 1, 'one request');
}
fault();

# Nobody is led to a bucket of somebody else's by its name.
sql("SELECT dynamo.grant_bucket('archive', 'alice'); SELECT dynamo.grant_bucket('folder', 'alice')");
is(as('mallory', "SELECT dynamo.create_bucket('archive', '$endpoint', store_bucket => 'other'); CREATE USER MAPPING FOR PUBLIC SERVER archive OPTIONS (access_key_id '" . store_key() . "', secret_access_key '" . store_secret() . "')"), '', 'a bucket with the name of one that was granted');
is(as('mallory', "SELECT count(*) FROM dynamo.bucket_items('archive')"), '1', 'is his own');
asked();
like(as('alice', "SELECT dynamo.export_table('Shop', 'archive')"), qr/permission denied for bucket "archive"/, 'not hers');
like(as('alice', "SELECT dynamo.bucket_items('archive')"), qr/permission denied for bucket "archive"/, 'not hers to read');
like(sql("SELECT dynamo.export_table('Shop', 'archive')"), qr/permission denied for bucket "archive"/, 'nor a superuser\'s, who meant another');
like(as('mallory', "SELECT dynamo.create_bucket('folder', '$endpoint')"), qr/bucket "folder" already exists/, 'a folder comes first');
is(as('mallory', "CREATE SERVER folder FOREIGN DATA WRAPPER dynamo_bucket OPTIONS (endpoint '$endpoint')"), '', 'also before a server');
is(as('alice', "SELECT count(*) FROM dynamo.bucket_items('folder')"), '0', 'that has its name');
like(as('alice', "SELECT dynamo.bucket_items('shop')"), qr/permission denied for bucket "shop"/, 'a bucket takes a grant');
sql("CREATE FOREIGN DATA WRAPPER others; CREATE SERVER foreign_one FOREIGN DATA WRAPPER others OPTIONS (endpoint '$endpoint')");
like(sql("SELECT dynamo.bucket_items('foreign_one')"), qr/bucket "foreign_one" does not exist/, 'a server of another wrapper is none');
is(asked(), '', 'nobody was asked');
# What was granted to others under the name stays, whatever becomes of his bucket.
unlike(as('mallory', "SELECT dynamo.drop_bucket('archive')"), qr/ERROR/, 'he drops his own');
is(sql("SELECT count(*) FROM dynamo.bucket_grants WHERE bucket = 'archive'"), '1', 'her grant is there');
# Not by a name that is cut to that of another, either.
my $long = 'a' x 63;
create_bucket($long);
like(sql("SELECT dynamo.bucket_items('${long}b')"), qr/bucket "${long}b" does not exist/, 'a longer name');

# What a role says of keys stays in the bucket.
sql("SELECT dynamo.grant_bucket('shop', 'alice', '{read}')");
foreach my $prefix ('../other/', 'in/../../other/', '/other')
{
	like(as('alice', "SELECT dynamo.bucket_items('shop', '$prefix')"), qr/invalid key/, "no prefix like $prefix");
}
asked();
is(as('alice', "SELECT count(*) FROM dynamo.bucket_items('shop', 'in/&prefix=x?versions#')"), '0', 'a prefix with parameters');
is(asked(), 'GET /shop/?encoding-type=url&list-type=2&max-keys=1000&prefix=in%2F%26prefix%3Dx%3Fversions%23', 'is no more than a prefix');
like(as('alice', "SELECT dynamo.export_table('Shop', 'shop')"), qr/permission denied for bucket "shop"/, 'read is not write');

# A right that was taken away: no more requests, not even to tidy up.
sql("SELECT dynamo.grant_bucket('shop', 'alice')");
fault(match => 'PUT', do => 'hang', times => 100);
like(as('alice', "SELECT dynamo.export_table('Shop', 'shop')"), qr/^arn:/, 'an export');
ok(wait_for(sub { join(' ', store_log()) =~ /PUT/ }), 'under way');
sql("SELECT dynamo.revoke_bucket('shop', 'alice')");
ok(wait_for(sub { sql("SELECT failure_code FROM dynamo.jobs WHERE kind = 'EXPORT' AND status = 'FAILED'") eq 'S3AccessDenied' }, 120), 'and fails');
ok(reported(qr/could not clean up after job .*: permission denied for bucket "shop"/), 'which is said');
fault();

# Secrets: where are they?
foreach my $role (qw(alice mallory))
{
	is(as($role, "SELECT count(*) FROM pg_user_mappings WHERE srvname = 'shop' AND umoptions IS NOT NULL"), '0', "$role does not see options");
	like(as($role, 'SELECT * FROM pg_user_mapping'), qr/permission denied/, 'nor the catalog');
	is(as($role, "SELECT count(option_value) FROM information_schema.user_mapping_options WHERE foreign_server_name = 'shop'"), '0', 'nor the standard\'s view');
}
sql("ALTER USER MAPPING FOR PUBLIC SERVER shop OPTIONS (SET access_key_id 'AKIAWRONG')");
unlike(sql("\\set VERBOSITY verbose\nSELECT dynamo.bucket_items('shop')"), qr/AKIAWRONG|\Q@{[store_secret()]}\E/, 'not in errors');
my $secret = quotemeta store_secret();
ok(!log_has(qr/$secret/), 'nor in the log');
is(sql("SELECT count(*) FROM dynamo_internal.jobs j WHERE j::text ~ '@{[store_key()]}'") . sql("SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query ~ '@{[store_key()]}'"), '00', 'nor in jobs or activity');
my $dump = run('pg_dump -d postgres');
like($dump, qr/CREATE SERVER shop FOREIGN DATA WRAPPER dynamo_bucket OPTIONS/, 'a dump has buckets');
like($dump, qr/CREATE USER MAPPING FOR public SERVER shop OPTIONS/, 'and a superuser\'s their credentials');
unlike($dump, qr/CREATE FOREIGN DATA WRAPPER dynamo_bucket/, 'but not what is the extension\'s');

done_testing();
