# A table is created and dropped over and over while others ask for it: they
# find it or they do not, and see no other error.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp;
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server();
psql('CREATE EXTENSION dynamo');
%ENV = (%ENV, environment());

# A script for pgbench that runs operations on the table.
sub script
{
	my @requests = @_;
	my $file = File::Temp->new(SUFFIX => '.sql');
	while (my ($operation, $request) = splice @requests, 0, 2)
	{
		print $file qq{DO \$\$ BEGIN PERFORM dynamo.call('$operation', '$request');\n},
		  qq{EXCEPTION WHEN SQLSTATE 'ND004' OR SQLSTATE 'ND005' THEN NULL; END \$\$;\n};
	}
	close $file;
	return $file;
}

my $makers = script(
	CreateTable => '{"TableName": "Raced", "BillingMode": "PAY_PER_REQUEST",'
	  . ' "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],'
	  . ' "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}',
	DeleteTable => '{"TableName": "Raced"}');
my $askers = script(
	DescribeTable => '{"TableName": "Raced"}',
	PutItem => '{"TableName": "Raced", "Item": {"a": {"S": "x"}}}');

# Both at a time.
my $pid = fork // die "fork: $!";
exec "exec timeout 1200 pgbench -n -c 3 -t 800 -f $makers >/dev/null 2>&1" if $pid == 0;
my $out = qx{timeout 1200 pgbench -n -c 8 -t 5000 -f $askers 2>&1};
is($? >> 8, 0, 'who asks sees no other error') or diag $out;
waitpid $pid, 0;
is($? >> 8, 0, 'nor does who creates and drops');
done_testing();
