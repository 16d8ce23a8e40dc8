# Attacker: anybody who can reach the port, a page in the browser of a user on
# the server's machine, a client of a proxy there, or a role with an access key
# of its own.
# Wants: the names of tables, and how much they are used.
use strict;
use warnings;
use File::Basename qw(dirname);
use MIME::Base64 qw(encode_base64);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('dynamo.http_workers = 1');
my $mallory = tenant('mallory');
sql(q{SELECT dynamo.create_table('Hidden', 'id'); SELECT * FROM dynamo.get_item('Hidden', 'a')});

sub scrape
{
	my (@lines) = @_;
	unshift @lines, 'Host: localhost' unless grep { /^Host:/ } @lines;
	return ask(join("\r\n", 'GET /metrics HTTP/1.1', @lines, '', ''));
}
sub basic { my ($user, $password) = @_; return 'Authorization: Basic ' . encode_base64("$user:$password", '') }
sub refused
{
	my ($status, $name, @lines) = @_;
	my $r = scrape(@lines);
	is($r->{status}, $status, "$name is refused");
	unlike($r->{body}, qr/Hidden|dynamo_/, 'and learns nothing');
	return $r;
}
sub choose
{
	my ($way) = @_;
	sql("ALTER SYSTEM SET dynamo.http_metrics = $way; SELECT pg_reload_conf()");
	wait_for(sub { sql('SHOW dynamo.http_metrics') eq $way && (scrape()->{status} // 0) != ($way eq 'off' ? 0 : 404) }) or die;
}

# Nobody has chosen anything.
refused(404, 'a request by default');
refused(404, 'one with a key', basic($mallory->{key}, $mallory->{secret}));

# To this machine.
choose('loopback');
is(scrape()->{status}, 200, 'a client on this machine reads it');
is(scrape('Host: 127.0.0.1:80')->{status}, 200, 'by its address');
is(scrape('Host: [::1]')->{status}, 200, 'or another');
refused(403, 'a browser that was led here by a name', 'Host: evil.example');
refused(403, 'a name that begins well', 'Host: localhost.evil.example');
refused(403, 'an address that does', 'Host: 127.0.0.1.evil.example');
refused(403, 'a client of a proxy', 'X-Forwarded-For: 192.0.2.1');
refused(403, 'and of another', 'Forwarded: for=192.0.2.1');
my $r = scrape('Origin: http://evil.example');
ok(!exists $r->{head}{'access-control-allow-origin'}, 'no page of another origin may read it');
is(ask("POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")->{status}, 400, 'only GET');
is(ask("GET /metricsx HTTP/1.1\r\nHost: localhost\r\n\r\n")->{status}, 404, 'only this path');

# To who has a key of a monitor.
sql(q{CREATE ROLE monitor LOGIN; GRANT pg_monitor TO monitor});
my $monitor = new_key('monitor');
choose('key');
is(scrape(basic($monitor->{key}, $monitor->{secret}))->{status}, 200, 'a monitor reads it');
like(scrape(basic($monitor->{key}, $monitor->{secret}))->{body}, qr/table="Hidden"/, 'all of it');
ok(wait_for(sub { sql(qq{SELECT last_used_at IS NOT NULL FROM dynamo.stat_access_keys WHERE access_key_id = '$monitor->{key}'}) eq 't' }, 120),
	'which is a use of the key');
$r = refused(401, 'a request without key');
like($r->{head}{'www-authenticate'}, qr/^Basic /, 'and is told how');
refused(401, 'a key of somebody else', basic($mallory->{key}, $mallory->{secret}));
refused(401, 'a wrong secret', basic($monitor->{key}, $mallory->{secret}));
refused(401, 'a part of the secret', basic($monitor->{key}, substr($monitor->{secret}, 0, 39)));
refused(401, 'no secret', basic($monitor->{key}, ''));
refused(401, 'no key', basic('', $monitor->{secret}));
refused(401, 'a NUL in it', basic($monitor->{key}, "$monitor->{secret}\0x"));
refused(401, 'what is not base64', 'Authorization: Basic !!!');
refused(401, 'nothing at all', 'Authorization: Basic ');
refused(401, 'what is too long', 'Authorization: Basic ' . 'QUFB' x 1000);
refused(401, 'another scheme', "Authorization: Bearer $monitor->{secret}");
sql('ALTER ROLE monitor NOLOGIN');
refused(401, 'a role that may not log in', basic($monitor->{key}, $monitor->{secret}));
sql('ALTER ROLE monitor LOGIN; REVOKE pg_monitor FROM monitor');
refused(401, 'one that is a monitor no more', basic($monitor->{key}, $monitor->{secret}));

# A lock on the definitions makes the page late, not the worker.
choose('loopback');
my $holder = session('BEGIN; LOCK TABLE dynamo.tables IN ACCESS EXCLUSIVE MODE');
wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'}) eq '1' });
my $late = connection();
print $late "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
$late->flush;
is(ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")->{status}, 200, 'others are served meanwhile');
close $holder;
is(receive($late)->{status}, 200, 'and it comes when the lock is gone');
done_testing();
