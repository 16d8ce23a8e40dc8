# HTTPS: nothing else is served where a certificate is asked for, and a reload
# takes a new certificate, or keeps the old one, without a connection lost.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use IO::Socket::SSL;
use Test::More;
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__);
use HttpClient;

local $SIG{PIPE} = 'IGNORE';
my $made = tempdir(CLEANUP => 1);

# Certificate and key of a name, made now.
foreach my $name (qw(one two large rsa))
{
	my $comment = $name eq 'large' ? '-addext nsComment=' . 'x' x 40_000 : '';
	my $kind = $name eq 'rsa' ? 'rsa:2048' : 'ec -pkeyopt ec_paramgen_curve:prime256v1';
	my $said = `openssl req -x509 -newkey $kind -nodes -days 2 \\
		-keyout $made/$name.key -out $made/$name.crt -subj /CN=$name \\
		-addext subjectAltName=DNS:localhost,IP:127.0.0.1 $comment 2>&1`;
	$? == 0 or die $said;
}
`openssl ec -in $made/one.key -aes128 -passout pass:x -out $made/secret.key 2>&1`;
open(my $file, '>', "$made/garbage") or die;
print $file "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
close $file;

# Put files where the server looks for them, as its own.
sub give
{
	my ($certificate, $key, $mode) = @_;
	my $data = directory() . '/data';
	my ($uid, $gid) = (stat $data)[ 4, 5 ];
	foreach ([ $certificate, 'tls.crt', 0644 ], [ $key, 'tls.key', $mode || 0600 ])
	{
		my ($from, $to, $permissions) = @$_;
		copy("$made/$from", "$data/$to") or die;
		chmod $permissions, "$data/$to";
		chown $uid, $gid, "$data/$to";
	}
	return;
}

sub reload { return sql('SELECT pg_reload_conf()') }

# The name in the certificate that a new connection is shown.
sub name_served
{
	my $socket = tls_connection() or return '';
	return $socket->peer_certificate('commonName');
}

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1\n"
	  . "dynamo.http_tls_cert_file = 'tls.crt'\ndynamo.http_tls_key_file = 'tls.key'");
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Tab', 'id'); SELECT dynamo.put_item('Tab', '{"id": "a", "n": 0}')});

# Without a certificate.
ok(reported(qr/could not access certificate file "tls.crt"/), 'no file: reported');
ok(!connection(), 'and nothing is served, least of all plain HTTP');
give('one.crt', 'one.key', 0644);
reload();
ok(reported(qr/private key file "tls.key" has group or world access/), 'a key that others can read: reported');
ok(!connection(), 'and nothing is served');
give('one.crt', 'one.key');
reload();
ok(wait_for(sub { connection() }), 'with both files HTTPS is served');

# Requests.
foreach my $version (qw(TLSv1_2 TLSv1_3))
{
	my $socket = tls_connection(SSL_version => $version) or diag($SSL_ERROR);
	is(call('ListTables', '{}', {}, $socket)->{body}, '{"TableNames":["Tab"]}', "a request by $version");
	is(call('ListTables', '{}', {}, $socket)->{status}, 200, 'and another');
}
ok(!tls_connection(SSL_version => 'TLSv1_1', SSL_cipher_list => 'DEFAULT@SECLEVEL=0'), 'nothing older');
my $socket = tls_connection(SSL_verify_mode => 1, SSL_ca_file => "$made/one.crt", SSL_verifycn_name => 'localhost');
ok($socket, 'a client can verify the certificate') or diag($SSL_ERROR);
is(call('ListTables', '{}')->{status}, undef, 'HTTP at this port is no request');
is(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n", $socket)->{status}, 200, 'others do not notice');

# Sizes, and pieces.
my $item = '{"a":{"S":"' . 'x' x 300_000 . '"},"id":{"S":"big"}}';
is(call('PutItem', qq({"TableName":"Tab","Item":$item}), {}, $socket)->{body}, '{}', 'a large item');
ok( call('GetItem', '{"TableName":"Tab","Key":{"id":{"S":"big"}}}', {}, $socket)->{body} eq
	  qq({"Item":$item}), 'comes back');
is(call('ListTables', '{}' . ' ' x (16 * 1024 * 1024 - 2), {}, $socket)->{status}, 200, 'a body of 16 MB');
my $one = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: $JSON\r\n"
  . "X-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: 2\r\n\r\n{}";
$socket->syswrite($_) foreach split //, $one;
is(receive($socket)->{status}, 200, 'a request byte by byte');
is(ask($one . $one, $socket)->{status}, 200, 'two requests at once');

# A client that says no more is answered and left.
$socket = tls_connection();
is(ask($one, $socket)->{status}, 200, 'a connection');
my ($pid) = worker_pids();
kill 'STOP', $pid;
$socket->syswrite($one);
shutdown $socket, 1;
kill 'CONT', $pid;
is(receive($socket)->{status}, 200, 'half-closed: answered');
ok(IO::Select->new($socket)->can_read(10) && !$socket->sysread(my $rest, 1), 'and closed at once');

# One whose length is none is answered once.
$socket = tls_connection();
$socket->syswrite($one =~ s/Length: 2/Length: +2/r);
my $answers = '';
1 while $socket->sysread($answers, 65536, length $answers);
is(join(' ', $answers =~ m{HTTP/1\.1 (\d+)}g), '400', 'a bad length');

# A request that waits for a lock, or comes when it is free again.
my $holder = in_transaction(q{BEGIN; UPDATE dynamo_data."Tab" SET item = item});
my $release = fork;
if ($release == 0)
{
	sleep 1;
	print $holder "COMMIT;\n";
	$holder->flush;
	POSIX::_exit(0);
}
my $add = '{"TableName":"Tab","Key":{"id":{"S":"a"}},"UpdateExpression":"ADD n :one",'
  . '"ExpressionAttributeValues":{":one":{"N":"1"}},"ReturnValues":"UPDATED_NEW"}';
is(call('UpdateItem', $add, {}, tls_connection())->{body}, '{"Attributes":{"n":{"N":"1"}}}', 'a lock is waited for');
waitpid($release, 0);
close $holder;

# Reload: a new certificate, and what is none.
$socket = tls_connection();
is(name_served(), 'one', 'the certificate');
give('two.crt', 'two.key');
reload();
ok(wait_for(sub { name_served() eq 'two' }), 'a reload takes a new one');
is(call('ListTables', '{}', {}, $socket)->{status}, 200, 'connections from before are kept');
foreach (
	[ 'garbage', 'two.key', 0600, qr/could not load certificate file "tls.crt" with private key file/ ],
	[ 'one.crt', 'two.key', 0600, qr/do not match/ ],
	[ 'one.crt', 'garbage', 0600, qr/could not load/ ],
	[ 'one.crt', 'secret.key', 0600, qr/could not load/ ],
	[ 'one.crt', 'one.key', 0640, qr/has group or world access/ ])
{
	my ($certificate, $key, $mode, $reason) = @$_;
	give($certificate, $key, $mode);
	reload();
	ok(reported($reason), sprintf('%s with %s, %o: reported', $certificate, $key, $mode));
	ok(reported(qr/dynamo goes on with the certificate it has/), 'and so is what is done');
	is(name_served(), 'two', 'the old one stays');
}
unlink directory() . '/data/tls.crt';
reload();
ok(reported(qr/could not access certificate file/), 'no file: reported');
is(name_served(), 'two', 'the old one stays');
is(call('ListTables', '{}', {}, $socket)->{status}, 200, 'and all connections');

# A key that is found out later does not tell what was said before.
give('rsa.crt', 'rsa.key');
reload();
ok(wait_for(sub { name_served() eq 'rsa' }), 'a certificate of RSA');
ok(tls_connection(SSL_version => 'TLSv1_2', SSL_cipher_list => 'ECDHE-RSA-AES128-GCM-SHA256'), 'with forward secrecy');
ok(!tls_connection(SSL_version => 'TLSv1_2', SSL_cipher_list => 'AES128-GCM-SHA256'), 'and not without');
give('two.crt', 'two.key');
reload();
ok(wait_for(sub { name_served() eq 'two' }), 'back to the other');
unlink directory() . '/data/tls.crt';

# Worker and launcher do not take what a worker goes on with.
kill 'TERM', $pid;
ok(reported(qr/could not access certificate file/), 'a worker that ends is not replaced without a certificate');
ok(!connection(), 'and nothing is served');
give('one.crt', 'one.key');
reload();
ok(wait_for(sub { name_served() eq 'one' }), 'with one it is');

# A certificate goes with the last connection that was shown it.
($pid) = worker_pids();
sub resident
{
	open(my $status, '<', "/proc/$pid/status") or die;
	my ($kilobytes) = map { /^VmRSS:\s+(\d+)/ } <$status>;
	return $kilobytes;
}
sub renew
{
	my ($times) = @_;
	foreach (1 .. $times)
	{
		kill 'HUP', $pid;
		name_served() eq 'large' or return;
	}
	return resident();
}
give('large.crt', 'large.key');
reload();
ok(wait_for(sub { name_served() eq 'large' }), 'a large certificate');
my $grown = renew(50);
$grown = renew(200) - $grown;
cmp_ok($grown, '<', 4000, '200 of them are not kept');
give('one.crt', 'one.key');
reload();
ok(wait_for(sub { name_served() eq 'one' }), 'back to the other');

# Clients that do not shake hands: no work, and an end.
sub cpu
{
	open(my $stat, '<', "/proc/$pid/stat") or return 0;
	my @fields = split ' ', <$stat> =~ s/.*\) //sr;
	return ($fields[11] + $fields[12]) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}
my @silent = map { connection() } 1 .. 20;
syswrite $_, "\x16\x03\x01\x02\x00\x01\x00" foreach @silent[ 0 .. 9 ];
is(call('ListTables', '{}', {}, tls_connection())->{status}, 200, 'others are served');
my $before = cpu();
sleep 2;
cmp_ok(cpu() - $before, '<', 0.5, 'clients that begin and stop cost nothing');
sql(q{ALTER SYSTEM SET authentication_timeout = '5s'; SELECT pg_reload_conf()});
sleep 0.5;
my $began = time();
my $late = connection();
$socket = tls_connection();
is(receive($late)->{status}, undef, 'who is late');
cmp_ok(time() - $began, '<', 50, 'is left');
is(call('ListTables', '{}', {}, $socket)->{status}, 200, 'who is idle is not');
@silent = ();

# Settings.
sql(q{ALTER SYSTEM SET dynamo.http_tls_key_file = ''; SELECT pg_reload_conf()});
ok(reported(qr/must be set together/), 'half of it: reported');
is(name_served(), 'one', 'the old one stays');
sql(q{ALTER SYSTEM SET dynamo.http_tls_cert_file = ''; SELECT pg_reload_conf()});
ok(wait_for(sub { (call('ListTables', '{}')->{status} || 0) == 200 }), 'without files it is HTTP');
sql(q{ALTER SYSTEM RESET ALL; SELECT pg_reload_conf()});
ok(wait_for(sub { name_served() eq 'one' }), 'and HTTPS again');
sql(q{ALTER SYSTEM SET dynamo.http_listen_addresses = '*'; SELECT pg_reload_conf()});
ok(reported(qr/WARNING: .*dynamo goes on with the HTTP server as it was/), 'no trust beyond this machine, TLS or not');
is(name_served(), 'one', 'and the server goes on where it was');

done_testing();
