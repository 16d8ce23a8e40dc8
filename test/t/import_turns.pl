# Two roles import 40 MB of gzip, which are 40 GB of zeros in one line: that held
# both processes that work on jobs, for as long as it took.  A step ends after a
# bounded number of decompressed bytes, so that what waits gets its turn, and the
# progress shows them.  After a crash the file is read again from its beginning,
# in bounded steps, too, which cost the job no attempts.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

my $PATIENCE = 600;

# A process takes the time to compress zeros only once.
start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 1s\ndynamo.job_workers = 1\n");
my $buckets = directory() . '/buckets';
as_server_user('mkdir', '-p', map { "$buckets/source/$_" } qw(large small)) or die;
sql("ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'; SELECT pg_reload_conf()");
sql('CREATE EXTENSION dynamo');

# 256 MB in each member of the file: 16 lines of one, one line of the others; then
# an item.
as_server_user('sh', '-c', qq{cd '$buckets/source' && head -c 268435456 /dev/zero | gzip -1 >part &&
	echo | gzip >newline && for i in `seq 16`; do cat part newline; done >large/zeros.json.gz &&
	for i in `seq 144`; do cat part; done >>large/zeros.json.gz &&
	printf '\\n{"Item":{"id":{"S":"1"}}}\\n' | gzip >>large/zeros.json.gz && rm part newline}) or die;
sql(qq{COPY (SELECT '{"Item":{"id":{"S":"1"}}}') TO '$buckets/source/small/one.json'});

foreach my $role (qw(mallory alice))
{
	sql(qq{CREATE ROLE $role LOGIN; GRANT USAGE, CREATE ON SCHEMA dynamo_data TO $role;
		SELECT dynamo.grant_bucket('source', '$role', '{read}')});
}

sub import_as
{
	my ($role, $table, $prefix, $compression) = @_;
	my $arn = sql(qq{SET SESSION AUTHORIZATION $role; SELECT dynamo.import_table('$table', 'source', 'id', prefix => '$prefix', input_compression => '$compression')});
	return $arn =~ /([0-9]{14}-[0-9a-f]{8})$/ ? $1 : die $arn;
}

# Of a job.
sub status { my ($job) = @_; return sql(qq{SELECT status FROM dynamo.jobs WHERE job = '$job'}) }
sub position { my ($job, $member) = @_; return sql(qq{SELECT coalesce(position ->> '$member', '0') FROM dynamo.jobs WHERE job = '$job'}) }

sub small
{
	my ($table) = @_;
	my $job = import_as('alice', $table, 'small/', 'NONE');
	return wait_for(sub { status($job) eq 'COMPLETED' }, $PATIENCE);
}

my $large = import_as('mallory', 'Large', 'large/', 'GZIP');
ok(wait_for(sub { position($large, 'ContentBytes') > 0 }, $PATIENCE), 'the progress of a line that goes on');
my $before = position($large, 'ContentBytes');
ok(wait_for(sub { position($large, 'ContentBytes') > $before }, $PATIENCE), 'grows');
cmp_ok(position($large, 'Failed'), '>', 0, 'the line has failed, whatever comes yet of it');
ok(small('Amid'), 'another import gets its turn');
is(status($large), 'IN_PROGRESS', 'before the line has ended');

# A file that comes later belongs to no job that has begun.
my $transactions = 'SELECT pg_snapshot_xmax(pg_current_snapshot())';
my $total = position($large, 'TotalBytes');
ok(wait_for(sub { position($large, 'ContentBytes') > 4 * 1024 ** 3 }, $PATIENCE), 'the file is read');
my $steps = sql($transactions);
server('crash') or die 'the server was not killed';
as_server_user('sh', '-c', qq(echo '{"Item":{"id":{"S":"2"}}}' | gzip >'$buckets/source/large/a.json.gz')) or die;
server('restart') or die 'the server did not start again';
my $reached = position($large, 'ContentBytes');
ok(small('Again'), 'another import gets its turn');
ok(wait_for(sub { position($large, 'ContentBytes') > $reached }, $PATIENCE), 'the first goes on');
cmp_ok(sql($transactions) - $steps, '>=', $reached / 64 / 1024 ** 2, 'after as many steps as the file was read in');
is(position($large, 'TotalBytes'), $total, 'as large as it was');
is(sql(qq{SELECT attempts FROM dynamo_internal.jobs WHERE id = '$large'}) <= 1 ? 'few' : 'many', 'few', 'attempts');
is(sql(qq{SELECT dynamo.cancel_job('$large')}), 't', 'it is cancelled');
ok(wait_for(sub { status($large) eq 'CANCELLED' }, $PATIENCE), 'at once');

done_testing();
