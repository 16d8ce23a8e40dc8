# The protocol as bytes: what is HTTP, what is not, and what is too much.
#
# Whatever a client sends or leaves out, the server answers as the service
# does or closes the connection, and goes on serving the others.
use strict;
use warnings;
use Compress::Zlib qw(compress crc32 memGunzip memGzip uncompress);
use File::Basename qw(dirname);
use Test::More;
use Time::HiRes qw(time);
use lib dirname(__FILE__);
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1");
ok(wait_for(sub { connection() }), 'the port is served');

# Before there is an extension.
my $r = call('ListTables', '{}');
is($r->{status}, 503, 'no extension: try again later');
like($r->{body}, qr/#ServiceUnavailable"/, 'and the body says so');
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Tab', 'id');});

# Health and what is no call.
$r = ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
is("$r->{status} $r->{body}", '200 healthy: x ', 'GET / tells health, of the host that was asked');
$r = ask("GET / HTTP/1.1\r\nHost: db.example:8000\r\n\r\n");
is($r->{body}, 'healthy: db.example:8000 ', 'its port included');
$r = ask("GET / HTTP/1.0\r\n\r\n");
is($r->{body}, 'healthy: dynamodb.us-east-1.amazonaws.com ', 'of the service where no host is named');
$r = ask("GET /?x HTTP/1.1\r\nHost: x\r\n\r\n");
is($r->{status}, 200, 'whatever is asked there');
foreach my $path ('/health', '//', 'x', '*')
{
	$r = ask("GET $path HTTP/1.1\r\nHost: x\r\n\r\n");
	is("$r->{status} $r->{body}", "404 <UnknownOperationException/>\n", "$path is not there");
}
$r = ask("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
is("$r->{status} $r->{body} $r->{head}{'x-amz-crc32'}",
	"404 <UnknownOperationException/>\n 3552371480", 'another method is not found');
foreach my $type ('text/plain', 'application/jsonl', 'application/x-amz-json-1.01', 'application/jso')
{
	$r = call('ListTables', '{}', { 'Content-Type' => $type });
	is("$r->{status} $r->{body}", "404 <UnknownOperationException/>\n", "nor is another content type: $type");
}
$r = call('ListTables', '{}', { 'Content-Type' => 'application/json; charset=utf-8' });
is("$r->{status} $r->{head}{'content-type'}", '200 application/json',
	'application/json is taken, and answered without its parameters');
my $lead = 'com.amazon.coral.service#';
foreach my $case ([ '', 'UnknownOperation' ], [ "X-Amz-Target: DynamoDB_20120810.ListTables\r\n", 'Serialization' ])
{
	my ($target, $error) = @$case;
	$r = ask("POST / HTTP/1.1\r\nHost: x\r\n${target}Content-Length: 0\r\n\r\n");
	is("$r->{status} $r->{head}{'content-type'} $r->{body}", qq(400 $JSON {"__type":"$lead${error}Exception"}),
		"a POST of nothing: $error");
}
$r = ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
is($r->{status}, 404, 'a body without a type is not found');

# A call.
$r = call('ListTables', '{}');
is("$r->{status} $r->{body}", '200 {"TableNames":["Tab"]}', 'a call is answered');
is($r->{head}{'content-type'}, $JSON, 'with its content type');
is($r->{head}{'x-amz-crc32'}, crc32($r->{body}), 'with the sum of its body');
like($r->{head}{'x-amzn-requestid'}, qr/^[0-9A-Z]{52}$/, 'with an identifier');
is($r->{head}{server}, 'Server', 'and without a word on who answers');

# A client that asks where to go is not sent to the service itself.
$r = call('DescribeEndpoints', '{}', { 'Host' => 'db.example:8000' });
is($r->{body}, '{"Endpoints":[{"Address":"db.example:8000","CachePeriodInMinutes":1440}]}',
	'the endpoint is the host that was asked');
foreach my $host ("a\xFFb", "a\xC3\xBFb", "a\xC0\x8Ab")
{
	$r = call('DescribeEndpoints', '{}', { 'Host' => $host });
	my $body = $r->{body};
	ok(utf8::decode($body), 'an answer is UTF-8 whatever the header is');
	like($body, qr/"Address":"a[^"a]+b"/, 'and has what was in it');
}

# Errors of the envelope.
$r = call('NoSuch', '{}');
is("$r->{status} $r->{body}", '400 {"__type":"com.amazon.coral.service#UnknownOperationException"}',
	'an unknown operation');
foreach my $target ('DynamoDB_20120810.ListStreams', 'DynamoDBStreams_20120810.ListTables',
	'DynamoDBStreams_20120810.', 'DynamoDBStreams_20120810', '.ListTables', 'ListTables', 'Kinesis_20131202.ListStreams',
	'DynamoDB_20120810.ListTables.', 'XDynamoDB_20120810.ListTables', 'x' x 10_000)
{
	$r = call('', '{}', { 'X-Amz-Target' => $target });
	is("$r->{status} $r->{body}", '400 {"__type":"com.amazon.coral.service#UnknownOperationException"}',
		'an operation its service does not have: ' . substr($target, 0, 40));
}
$r = call('', '{}', { 'X-Amz-Target' => 'DynamoDBStreams_20120810.ListStreams' });
is("$r->{status} $r->{body}", '200 {"Streams":[]}', 'DynamoDB Streams is served beside DynamoDB');
$r = call('', '{}', { 'X-Amz-Target' => undef });
is("$r->{status} $r->{body}", '400 {"__type":"com.amazon.coral.service#UnknownOperationException"}',
	'no operation');
$r = call('ListTables', '{"');
is("$r->{status} $r->{body}", '400 {"__type":"com.amazon.coral.service#SerializationException"}',
	'what is not JSON');
$r = call('NoSuch', '{"');
like($r->{body}, qr/SerializationException/, 'comes before the operation');
foreach my $body ('', 'null', '[]', '1', "\0", '[' x 100_000, '{"a":' x 100_000)
{
	$r = call('ListTables', $body);
	is($r->{status}, 400, 'a body that is no object: ' . substr($body, 0, 5));
}
$r = call('GetItem', '{"TableName":"None","Key":{"id":{"S":"a"}}}');
is($r->{body},
	'{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"}',
	'an exception of an operation');

# CORS.
$r = call('ListTables', '{}', { Origin => 'http://localhost:3000' });
is($r->{head}{'access-control-allow-origin'}, '*', 'a page may read the answer');
my $exposed = 'x-amzn-RequestId,x-amzn-ErrorType,x-amz-request-id,x-amz-id-2,x-amzn-ErrorMessage,x-amz-crc32,Date';
is($r->{head}{'access-control-expose-headers'}, $exposed, 'and these of its headers');
is(call('Unheard', '{}', { Origin => 'http://localhost:3000' })->{head}{'access-control-expose-headers'}, $exposed, 'of an error, too');
$r = ask("OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://localhost:3000\r\n"
	  . "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x-amz-target\r\n\r\n");
is( join(' ', $r->{status}, @{ $r->{head} }{
		qw(access-control-allow-methods access-control-allow-headers access-control-max-age)}),
	'200 POST x-amz-target 172800', 'and ask what it may send');
is($r->{head}{'access-control-expose-headers'}, $exposed, 'and read');

# One connection, many requests, in one piece and in many.
my $socket = connection();
my $one = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: $JSON\r\n"
  . "X-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: 2\r\n\r\n{}";
is(ask($one, $socket)->{status}, 200, 'a connection is kept') foreach 1 .. 3;
foreach my $byte (split //, $one)
{
	syswrite $socket, $byte;
}
is(receive($socket)->{status}, 200, 'a request byte by byte');
is( ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: $JSON\r\n"
		  . "X-Amz-Target: DynamoDB_20120810.ListTables\r\nTransfer-Encoding: chunked\r\n\r\n"
		  . "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", $socket)->{status}, 200, 'a body in chunks');
print $socket "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: $JSON\r\nExpect: 100-continue\r\n"
  . "X-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: 2\r\n\r\n";
$socket->flush;
sysread $socket, my $continue, 1000;
like($continue, qr{^HTTP/1.1 100 }, 'a client that asks first may go on');
is(ask('{}', $socket)->{status}, 200, 'and is answered');

# Where a body ends must be beyond doubt, or else a proxy could take for one
# request what is two.
foreach my $length ("Content-Length: 2\r\nContent-Length: 0", "Content-Length: 0\r\nContent-Length: 2",
	"Content-Length: 2\r\nTransfer-Encoding: chunked", "Transfer-Encoding: gzip", "Transfer-Encoding:", "Content-Length : 2",
	"Content-Length\t: 2", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked")
{
	my $doubtful = connection();
	my $body = $length =~ /chunked/ ? "2\r\n{}\r\n0\r\n\r\n" : '{}';
	print $doubtful "POST / HTTP/1.1\r\nHost: x\r\n$length\r\n\r\n$body$one";
	$doubtful->flush;
	my $answers = '';
	1 while IO::Select->new($doubtful)->can_read(10) && sysread $doubtful, $answers, 65536, length $answers;
	# A coding that the library does not know, as one without a name, is a bad request,
	# or not implemented (libmicrohttpd 1.0).
	like(join(' ', $answers =~ m{^HTTP/1\.1 (\d+)}mg), $length =~ /^Transfer-Encoding:(?: gzip)?$/ ? qr/^(?:400|501)$/ : qr/^400$/,
		'refused, and the connection closed: ' . $length =~ s/\r\n/, /r);
}

# Compressed bodies, both ways.
$r = call('ListTables', memGzip('{}'), { 'Content-Encoding' => 'gzip' });
is($r->{status}, 200, 'gzip is understood');
$r = call('ListTables', compress('{}'), { 'Content-Encoding' => 'deflate' });
is($r->{status}, 200, 'deflate is understood');
$r = call('ListTables', '{}', { 'Content-Encoding' => 'gzip' });
is($r->{status}, 500, 'what only claims to be gzip');
like($r->{body}, qr/#InternalServerError"/, 'is an InternalServerError');
$r = call('ListTables', substr(memGzip('{}' . ' ' x 1000), 0, 20), { 'Content-Encoding' => 'gzip' });
is($r->{status}, 500, 'and so is half of it');
$r = call('ListTables', memGzip('{}') . 'more', { 'Content-Encoding' => 'gzip' });
is($r->{status}, 500, 'and what has more behind it');
$r = call('ListTables', memGzip('{"Limit"') . memGzip('') . memGzip(':1}'), { 'Content-Encoding' => 'gzip' });
is("$r->{status} $r->{body}", '200 {"TableNames":["Tab"]}', 'several members of gzip are one body');
$r = call('ListTables', memGzip('{}') . substr(memGzip(' '), 0, 15), { 'Content-Encoding' => 'gzip' });
is($r->{status}, 500, 'unless one of them is broken');
$r = call('ListTables', memGzip('{}') . memGzip(' ' x (9 * 1024 * 1024)) x 2, { 'Content-Encoding' => 'gzip' });
is($r->{status}, 500, 'or they are 18 MB together');
$r = call('ListTables', compress('{') . compress('}'), { 'Content-Encoding' => 'deflate' });
is($r->{status}, 500, 'deflate has no members');
$r = call('ListTables', memGzip('{}' . ' ' x (17 * 1024 * 1024)), { 'Content-Encoding' => 'gzip' });
is($r->{status}, 500, 'and 17 MB in a small parcel');
my $item = '{"a":{"S":"' . 'x' x 100_000 . '"},"id":{"S":"big"}}';
is(call('PutItem', qq({"TableName":"Tab","Item":$item}))->{body}, '{}', 'a large item is put');
my $get = '{"TableName":"Tab","Key":{"id":{"S":"big"}}}';
$r = call('GetItem', $get, { 'Accept-Encoding' => 'gzip, br' });
is($r->{head}{'content-encoding'}, 'gzip', 'a large answer is compressed for who takes it');
is($r->{head}{'x-amz-crc32'}, crc32($r->{body}), 'the sum is that of the bytes sent');
ok(memGunzip($r->{body}) eq qq({"Item":$item}), 'and unpacks to the item');
ok(call('GetItem', $get)->{body} eq qq({"Item":$item}), 'others get it as it is');
foreach my $case (
	[ 'deflate', 'deflate' ], [ 'gzip, deflate', 'gzip' ], [ 'deflate, gzip', 'deflate' ],
	[ 'GZIP', 'gzip' ], [ 'x-gzip', '' ], [ '*, deflate', 'deflate' ], [ '*, gzip;q=0.9', 'deflate' ], [ 'br;q=1.0, *;q=0.1', 'gzip' ],
	[ 'gzip;q=0.5, deflate;q=0.8', 'deflate' ], [ 'gzip;q=0, deflate ; Q=0.001', 'deflate' ],
	[ 'gzip;q=0, *', 'deflate' ], [ "gzip;q=0.2\r\nAccept-Encoding: deflate;q=0.3", 'gzip' ],
	[ "br\r\nAccept-Encoding: gzip", '' ], [ 'gzip;q=0.0001', 'gzip' ], [ 'deflate, gzip;q=2', 'deflate' ],
	[ 'deflate;q=0.5, gzip;q=1.5', 'gzip' ], [ 'deflate;q=0.5, gzip;q=0.8;q=0.1', 'gzip' ], [ 'gzip;q=0;q=1', '' ],
	[ 'deflate;q=0.5, gzip;level=9', 'gzip' ], [ 'deflate;q=0.5, gzip;level=9;q=0', 'deflate' ], [ 'identity;q=0.5, gzip;q=0.6', 'gzip' ],
	[ 'identity, gzip;q=0.9', 'gzip' ], [ 'identity, *;q=0.9', '' ], [ 'gzip;q=0', '' ], [ 'gzip;q=0.0, deflate;q=0.000', '' ],
	[ 'br', '' ], [ '', '' ], [ ',;q=1,', '' ], [ 'gzipped', '' ], [ 'gzip;q=x', 'gzip' ], [ 'gzip;q=', 'gzip' ], [ 'gzip;q=-1', 'gzip' ], [ '*;q=0', '' ])
{
	my ($accepted, $used) = @$case;
	$r = call('GetItem', $get, { 'Accept-Encoding' => $accepted });
	my $body = $used eq 'gzip' ? memGunzip($r->{body}) : $used eq 'deflate' ? uncompress($r->{body}) : $r->{body};
	is($r->{head}{'content-encoding'} // '', $used, "Accept-Encoding: $accepted");
	ok($body eq qq({"Item":$item}), 'and so it is');
}
# {"Item":{"a":{"S":"..."},"id":{"S":"edge"}}} is 41 bytes around the text.
foreach my $case ([ 4095, '' ], [ 4096, 'gzip' ])
{
	my ($length, $used) = @$case;
	my $edge = '{"a":{"S":"' . 'x' x ($length - 41) . '"},"id":{"S":"edge"}}';
	call('PutItem', qq({"TableName":"Tab","Item":$edge}));
	my $key = '{"TableName":"Tab","Key":{"id":{"S":"edge"}}}';
	is(length call('GetItem', $key)->{body}, $length, 'a length at the edge');
	$r = call('GetItem', $key, { 'Accept-Encoding' => 'gzip' });
	is($r->{head}{'content-encoding'} // '', $used, "an answer of $length bytes");
}

# Where the service sends no body, there is none, and no object either.
my $arn = '"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Tab"';
foreach my $case ([ 'TagResource', '"Tags":[{"Key":"a","Value":"b"}]' ], [ 'UntagResource', '"TagKeys":["a"]' ])
{
	my ($operation, $rest) = @$case;
	$r = call($operation, "{$arn,$rest}");
	is("$r->{status} $r->{head}{'content-length'} $r->{head}{'x-amz-crc32'} $r->{body}", '200 0 0 ', "$operation has no body");
}

# Too much.
$r = call('ListTables', '{}' . ' ' x (16 * 1024 * 1024 - 2));
is($r->{status}, 200, 'a body of 16 MB');
$r = call('ListTables', '{}' . ' ' x (16 * 1024 * 1024 - 1));
is("$r->{status} $r->{body}", '413 ', 'a byte more');
$r = call('ListTables', '{}', { 'Content-Length' => '99999999999' });
is($r->{status}, 413, 'a body that is only announced');
$r = call('ListTables', '{}', { 'X-Long' => 'x' x 16384 });
is($r->{status}, 400, 'headers of more than 16 KB');
my $zero = '-1';
$r = call('ListTables', '{}', { 'Content-Length' => $zero });
ok(!$r->{status} || $r->{status} >= 400, 'a negative length');

# What is not HTTP.
foreach my $bytes ("\r\n\r\n", "HELLO\r\n\r\n", "GET\r\n\r\n", "\x16\x03\x01\x02\x00" . "\0" x 100,
	"POST / HTTP/9.9\r\n\r\n", "\0" x 5000,
	"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n")
{
	my $s = connection();
	local $SIG{PIPE} = 'IGNORE';
	print $s $bytes;
	$s->flush;
	shutdown $s, 1;
	$r = receive($s, 2);
	ok(!$r->{status} || $r->{status} >= 400, 'no answer, or an error')
	  or diag("$bytes: $r->{status} $r->{body}");
}

# Half-closed connections are closed when there is nothing more to say, also
# where the worker learns of the request and of its end at once.
{
	my ($worker) = worker_pids();
	foreach my $sent ($one, $one . $one, substr($one, 0, 20))
	{
		my ($fresh, $kept) = map { connection() } 1 .. 2;
		is(ask($one, $kept)->{status}, 200, 'a connection is kept');
		kill 'STOP', $worker;
		foreach ($fresh, $kept)
		{
			syswrite $_, $sent;
			shutdown $_, 1;
		}
		kill 'CONT', $worker;
		foreach ($fresh, $kept)
		{
			my $all = '';
			my $more = 1;
			while ($more)
			{
				$more = IO::Select->new($_)->can_read(10) && sysread($_, $all, 65536, length $all);
			}
			is(scalar(() = $all =~ m{HTTP/1.1 200}g), int(length($sent) / length($one)), 'half-closed: answered');
			is($more, 0, 'and closed at once');
		}
	}
}

# Half-sent requests, left open and closed.
my @open;
foreach my $length (1, 10, 60, length($one) - 1)
{
	foreach (1 .. 2)
	{
		my $s = connection();
		syswrite $s, substr($one, 0, $length);
		push @open, $s;
	}
	close pop @open;
}
# Closed before the answer.
foreach (1 .. 20)
{
	my $s = connection();
	syswrite $s, $one;
	close $s;
}
push @open, grep { defined } map { connection() } 1 .. 500;
is(scalar(@open), 504, 'many idle connections');
my ($pid) = worker_pids();
is(call('ListTables', '{}')->{status}, 200, 'the server goes on');
syswrite $open[0], substr($one, 1);
is(receive($open[0])->{status}, 200, 'and answers who was slow');
@open = ();

# Memory: the same again and again.
sub memory
{
	open(my $status, '<', "/proc/$pid/status") or return 0;
	my ($kb) = join('', <$status>) =~ /^VmRSS:\s+(\d+)/m;
	return $kb;
}
my $big = '{}' . ' ' x (4 * 1024 * 1024);
call('ListTables', $big) foreach 1 .. 3;
my $before = memory();
foreach (1 .. 200)
{
	ask($one, $socket);
	call('ListTables', '{"');
	call('GetItem', $get, { 'Accept-Encoding' => 'gzip' });
}
call('ListTables', $big) foreach 1 .. 5;
my $grown = memory() - $before;
cmp_ok($grown, '<', 4096, "no memory is kept (grown by $grown kB)");
is((worker_pids())[0], $pid, 'all by the same worker');

done_testing();
