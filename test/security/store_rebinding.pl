# Attacker: whoever answers for a name in DNS that a superuser has named as an
# endpoint, with a bucket that works.
# Wants: to have the name lead to another place once the bucket is in use: to
# metadata of a cloud, to this machine, to where the server's own ports are; by all
# of the addresses of an answer, or by one of them.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use Server;
use Store;

want_store();
my $port = start_store('main');
my $names = answer_names();
local @ENV{qw(LD_PRELOAD NAMES)} = @$names{qw(library file)};
names('store.example' => '192.0.2.1');
start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 1s\ndynamo.job_workers = 1\ndynamo.bucket_timeout = 10s\n"
	  . "dynamo.bucket_endpoints = 'http://store.example:$port'\n");
delete @ENV{qw(LD_PRELOAD NAMES)};
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Shop', 'id'); SELECT dynamo.put_item('Shop', '{"id": "secret"}')});
store('PUT', 'bucket/shop');
store('PUT', 'object/shop/a.json', qq({"Item":{"id":{"S":"1"}}}\n));
create_bucket('shop', endpoint => "http://store.example:$port");
store_log();

my $read = "SELECT count(*) FROM dynamo.bucket_items('shop')";
my $refused = qr/ERROR:  .*address of the endpoint of bucket "shop" is not allowed/;
is(sql($read), '1', 'a bucket that works');
is(scalar(store_log()), 2, 'its store was asked');

foreach my $address (qw(169.254.169.254 127.0.0.1 127.8.8.8 ::1 fd00:ec2::254 ::ffff:127.0.0.1 ::ffff:169.254.169.254 100.100.100.200 0.0.0.0))
{
	names('store.example' => $address);
	like(sql($read), $refused, "then the name leads to $address");
	is(join(' ', store_log()), '', 'nobody was asked');
}

# One of several addresses that is allowed is used.
names('store.example' => '192.0.2.1', 'store.example' => '127.0.0.1');
is(sql($read), '1', 'the first of two is allowed');
names('store.example' => '169.254.169.254', 'store.example' => '192.0.2.1');
is(sql($read), '1', 'the second of two is');

# A name before the endpoint's, where the bucket's is part of it
create_bucket('before', endpoint => "http://store.example:$port", path_style => 'false', store_bucket => "'shop'");
names('shop.store.example' => '127.0.0.1', 'store.example' => '192.0.2.1');
like(sql("SELECT count(*) FROM dynamo.bucket_items('before')"), qr/address of the endpoint of bucket "before" is not allowed/, 'its name leads to this machine');

# A job is asked to look again, not what it found before.
names('store.example' => '192.0.2.1');
fault(match => 'PUT', do => 'status', status => 503, times => 2);
my $arn = sql("SELECT dynamo.export_table('Shop', 'shop')");
ok(wait_for(sub { join(' ', store_log()) =~ /PUT/ }, 120), 'an export under way');
ok(wait_for(sub { sql("SELECT status FROM dynamo.jobs WHERE kind = 'EXPORT'") eq 'COMPLETED' }, 120), 'ends');
names('store.example' => '169.254.169.254');
store_log();
sql("SELECT dynamo.export_table('Shop', 'shop')");
ok(wait_for(sub { sql("SELECT count(*) FROM dynamo.jobs WHERE kind = 'EXPORT' AND status = 'FAILED'") eq '1' }, 120), 'the next one fails');
is(join(' ', store_log()), '', 'and nobody was asked');

done_testing();
