# aws:SecureTransport and aws:SourceIp of SQL sessions: by a Unix-domain socket, by
# TCP, and by TCP with TLS.  A policy that asks for TLS must not be satisfied by a
# session without, nor refuse one with.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server("listen_addresses = '127.0.0.1'");
my $made = tempdir(CLEANUP => 1);
my $said = `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout $made/server.key -out $made/server.crt -subj /CN=x 2>&1`;
$? == 0 or die $said;
my $data = directory() . '/data';
foreach my $file ('server.crt', 'server.key')
{
	copy("$made/$file", "$data/$file") or die;
	chmod 0600, "$data/$file";
	chown((stat $data)[ 4, 5 ], "$data/$file");
}
is(sql(q{
	SET client_min_messages = error;
	ALTER SYSTEM SET ssl = on;
	SELECT pg_reload_conf();
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Safe', 'pk') IS NOT NULL;
	CREATE ROLE ann LOGIN;
	GRANT SELECT ON dynamo_data."Safe" TO ann;
	CREATE FUNCTION reads() RETURNS json LANGUAGE sql AS $$
		SELECT dynamo.try_call('GetItem', '{"TableName": "Safe", "Key": {"pk": {"S": "1"}}}') $$}), "t\nt", 'a table');

# What becomes of ann's request in a session with these settings of the client.
sub outcome
{
	my ($client) = @_;
	my $answer = run("psql -XAt '$client user=ann dbname=postgres' -c 'SELECT reads()' 2>&1");
	return $answer eq '{}' ? 'yes' : $answer =~ /because no identity-based policy allows/ ? 'no' : $answer;
}

sub policy
{
	my ($condition) = @_;
	return sql(qq{SELECT dynamo.put_role_policy('ann', 'p', '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": $condition}}')});
}

my %client = (socket => '', tcp => 'host=127.0.0.1 sslmode=disable', tls => 'host=127.0.0.1 sslmode=require');
ok(wait_for(sub { run("psql -XAt '$client{tls} dbname=postgres' -c 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()' 2>&1") =~ /^t/ }), 'sessions with TLS are there');
foreach (
	[ '{"Bool": {"aws:SecureTransport": "true"}}',  { socket => 'no', tcp => 'no', tls => 'yes' } ],
	[ '{"Bool": {"aws:SecureTransport": "false"}}', { socket => 'yes', tcp => 'yes', tls => 'no' } ],
	[ '{"IpAddress": {"aws:SourceIp": "127.0.0.0/8"}}', { socket => 'no', tcp => 'yes', tls => 'yes' } ],
	[ '{"Null": {"aws:SourceIp": "true"}}', { socket => 'yes', tcp => 'no', tls => 'no' } ])
{
	my ($condition, $expected) = @$_;
	is(policy($condition), '', $condition);
	is(outcome($client{$_}), $expected->{$_}, "by $_") foreach sort keys %client;
}
done_testing();
