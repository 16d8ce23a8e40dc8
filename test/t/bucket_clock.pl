# The clock is set back while a store is asked again after a while, since it said that it
# was busy: who had asked waited for as long as that.
use strict;
use warnings;
use File::Basename qw(dirname);
use POSIX qw(_exit);
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use Clock;
use Server;
use Store;

want_store();
my $port = start_store('main');
with_clock(sub {
	start_server("dynamo.http_port = 0\ndynamo.ttl_interval = 0\ndynamo.bucket_endpoints = 'http://127.0.0.1:$port'\n");
});
sql('CREATE EXTENSION dynamo');
store('PUT', 'bucket/shop');
store('PUT', 'object/shop/a.json', qq({"Item":{"id":{"S":"1"}}}\n));
create_bucket('shop');
is(sql(q{SELECT count(*) FROM dynamo.bucket_items('shop')}), '1', 'a bucket');

fault(match => 'list-type', times => 2, do => 'status', status => 503, body => '<Error><Code>SlowDown</Code></Error>');
my $parent = $$;
my $setter = fork() // die;
if ($setter == 0)
{
	for (my $hours = 1; getppid() == $parent; $hours++)
	{
		set_clock(-3600 * $hours);
		sleep 0.02;
	}
	_exit(0);
}
is(sql(q{SET statement_timeout = '120s'; SELECT count(*) FROM dynamo.bucket_items('shop')}), '1', 'a store that was busy twice is asked a third time');
kill 'KILL', $setter;
waitpid $setter, 0;
done_testing();
