# Attacker: a web page that somebody opens in a browser on the server's machine.  The
# server takes any request from there (trust).
# Wants: to read and to delete what is in the tables.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1");
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Private', 'id')});
wait_for(sub { (call('ListTables', '{}')->{status} // 0) == 200 }) or die;

sub preflight
{
	my ($origin) = @_;
	return ask("OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: $origin\r\nAccess-Control-Request-Method: POST\r\n"
		  . "Access-Control-Request-Headers: x-amz-target,content-type\r\n\r\n");
}
sub cors { my ($r) = @_; return join ' ', sort grep { /^access-control/ } keys %{ $r->{head} } }

is(call('ListTables', '{}')->{status}, 200, 'a program is served');
my $port = port();
foreach my $origin ('http://evil.example', "http://evil.example:$port", 'https://localhost.evil.example',
	'http://127.0.0.1.evil.example', 'http://127.evil.example', 'null', '', 'localhost', 'app://localhost')
{
	my $r = call('ListTables', '{}', { Origin => $origin });
	is($r->{status}, 400, "a page of '$origin' is not");
	like($r->{body}, qr/AccessDeniedException/, 'and is told so');
	is(cors($r) . cors(preflight($origin)), '', 'but by no page that a browser runs');
	call('DeleteTable', '{"TableName":"Private"}', { Origin => $origin });
	unlike(ask("POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: $origin\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 43\r\n\r\nAction=GetCallerIdentity&Version=2011-06-15")->{body},
		qr/<Arn>/, 'nor does it learn the role');
}
foreach my $origin ('http://localhost:3000', 'https://LOCALHOST', 'http://127.0.0.1:5173', 'http://[::1]:8080')
{
	my $r = call('ListTables', '{}', { Origin => $origin });
	is($r->{status}, 200, "a page of this machine's own is: $origin");
	is($r->{head}{'access-control-allow-origin'}, '*', 'and may read it');
	like(cors(preflight($origin)), qr/allow-headers access-control-allow-methods/, 'and send it');
}
is(sql('SELECT table_name FROM dynamo.tables'), 'Private', 'nothing was deleted');

done_testing();
