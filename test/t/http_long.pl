# Long requests are executed by processes of their own: short ones are answered
# meanwhile, long ones as if nothing were different, and every end is clean.
#
# Takes long.
use strict;
use warnings;
use Compress::Zlib qw(crc32 memGunzip memGzip);
use File::Basename qw(dirname);
use IO::Select;
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

my $workers = 'dynamo.http_workers = 1';
start_server("$workers\nmax_worker_processes = 16\n");
my $alice = tenant('alice');

sub long_pids
{
	return split ' ',
	  sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo http long worker' ORDER BY pid});
}

# Which long workers are held, by the trigger below?  It has looked at the gate, and keeps
# the lock.  (At any moment it may be between two sleeps.)
my $held = q{(SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
	WHERE relation = 'public.gate'::regclass AND backend_type = 'dynamo http long worker')};
sub held { return sql("SELECT count(*) FROM $held AS h") }

sub put { return qq({"TableName":"$_[0]","Item":{"id":{"S":"$_[1]"}}}) }
sub get { return qq({"TableName":"$_[0]","Key":{"id":{"S":"$_[1]"}}}) }
sub status { return call_as($alice, @_)->{status} // 'closed' }

# A batch so large that it is long: one item into a table, padded with blanks.
sub batch
{
	my ($table, $id, $size) = @_;
	my $body = qq({"RequestItems":{"$table":[{"PutRequest":{"Item":{"id":{"S":"$id"}}}}]}});
	return $body . ' ' x (($size || 8000) - length $body);
}

# Is there nothing to read yet?
sub is_silent { return !IO::Select->new(@_)->can_read(0) }

ok(wait_for(sub { long_pids() == 2 }), 'two long workers are there');
sql(q{
	CREATE TABLE public.gate ();
	GRANT SELECT ON public.gate TO alice;
	GRANT CREATE ON SCHEMA public TO alice;
	SET ROLE alice;
	SELECT dynamo.create_table('Tab', 'id'), dynamo.create_table('Held', 'id'), dynamo.create_table('Large', 'id', 'n', sort_key_type => 'N');
	CREATE FUNCTION public.waits() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		WHILE EXISTS (SELECT FROM public.gate) LOOP
			PERFORM pg_sleep(0.02);
		END LOOP;
		RETURN new;
	END $$;
	CREATE TRIGGER waits BEFORE INSERT ON dynamo_data."Held" FOR EACH ROW EXECUTE FUNCTION public.waits();
	SELECT dynamo.put_item('Tab', '{"id": "a"}');
	SELECT dynamo.put_item('Large', json_build_object('id', 'x', 'n', i, 'odd', i % 2, 'text', repeat('text', 100))::text::dynamo.item)
	FROM generate_series(1, 6000) i;
	SELECT dynamo.put_item('Large', json_build_object('id', 'y', 'n', i, 'text', repeat('y', 100000))::text::dynamo.item)
	FROM generate_series(1, 20) i});

sub close_gate { sql('INSERT INTO public.gate DEFAULT VALUES'); return }
sub open_gate { sql('DELETE FROM public.gate'); return }

# -- the same answers ---------------------------------------------------------

# All pages of a read, by HTTP and by SQL, where nothing is handed over; $next
# says how a page's answer leads to the next one's request.
sub pages
{
	my ($ask, $operation, $body, $next) = @_;
	my @pages;
	my $more = '';
	while (@pages < 20)
	{
		(my $request = $body) =~ s/\}\z/$more}/;
		my $page = $ask->($operation, $request);
		push @pages, $page;
		last unless $page =~ $next;
		$more = qq(,$1);
		$more =~ s/LastEvaluatedKey/ExclusiveStartKey/;
	}
	return @pages;
}

sub by_http { return call_as($alice, @_)->{body} }
sub by_sql { my ($operation, $body) = @_; return sql("SET ROLE alice; SELECT dynamo.call('$operation', \$b\$$body\$b\$)") }
sub last_long { return sql(q{SELECT string_agg(split_part(query, ' ', 1), ' ') FROM pg_stat_activity WHERE backend_type = 'dynamo http long worker'}) }

my $key = qr/("LastEvaluatedKey":\{.*?\}\})/;
my $token = qr/("NextToken":"[^"]*")/;
my $never = qr/\A\z/;
foreach my $case (
	[ 'Scan', '{"TableName":"Large","FilterExpression":"odd = :o","ExpressionAttributeValues":{":o":{"N":"1"}}}', $key ],
	[ 'Scan', '{"TableName":"Large","FilterExpression":"odd = :o","ExpressionAttributeValues":{":o":{"N":"7"}},"Limit":2500,"ReturnConsumedCapacity":"TOTAL"}', $key ],
	[ 'Query', '{"TableName":"Large","KeyConditionExpression":"id = :i","ExpressionAttributeValues":{":i":{"S":"x"}},"ScanIndexForward":false}', $key ],
	[ 'ExecuteStatement', q({"Statement":"SELECT n FROM \"Large\" WHERE odd = 1"}), $token ],
	[ 'BatchGetItem', '{"RequestItems":{"Large":{"Keys":[' . join(',', map { qq({"id":{"S":"y"},"n":{"N":"$_"}}) } 1 .. 20) . ']}}}', $never ],
	[ 'TransactGetItems', '{"TransactItems":[' . join(',', map { qq({"Get":{"TableName":"Large","Key":{"id":{"S":"x"},"n":{"N":"$_"}}}}) } 1 .. 100) . ']}', $never ])
{
	my ($operation, $body, $next) = @$case;
	my @http = pages(\&by_http, $operation, $body, $next);
	my @sql = pages(\&by_sql, $operation, $body, $next);
	cmp_ok(scalar(@http), '>', $next == $never ? 0 : 1, "$operation has pages");
	ok("@http" eq "@sql", "$operation: the pages are the same") or diag(substr("@http", 0, 300), "\n", substr("@sql", 0, 300));
	like(last_long(), qr/\b$operation\b/, "$operation was executed by a long worker");
}
unlike(by_http('Query', '{"TableName":"Large","KeyConditionExpression":"id = :i","ExpressionAttributeValues":{":i":{"S":"x"}},"Limit":50}'), qr/__type/, 'a short Query');
unlike(last_long(), qr/\bQuery\b.*\bQuery\b/, 'is not handed over');

# That a Scan reads too much is foreseen by the size of what it reads: nothing is
# read in vain, which the counters would tell.  A limit, or a small part of the
# table, keeps it with the worker.
{
	my $read = q{SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes WHERE relname = 'Seen'};
	my $others = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()};
	# What a process has counted is known when it has ended.
	my $counted = sub {
		wait_for(sub { sql($others) == 0 });
		my %old = map { $_ => 1 } worker_pids(), long_pids();
		sql("SELECT pg_terminate_backend($_)") foreach keys %old;
		wait_for(sub { worker_pids() == 1 && long_pids() == 2 && !grep { $old{$_} } worker_pids(), long_pids() }, 120);
		return sql($read);
	};
	sql(q{SET ROLE alice; SELECT dynamo.create_table('Seen', 'id');
		SELECT dynamo.put_item('Seen', json_build_object('id', i::text, 'text', repeat('text', 100))::text::dynamo.item) FROM generate_series(1, 1000) i});
	foreach my $case ([ 'Scan', '{"TableName":"Seen"}', 1000, 'a Scan' ],
		[ 'Scan', '{"TableName":"Seen","Segment":0,"TotalSegments":2}', undef, 'a large segment' ],
		[ 'Scan', '{"TableName":"Seen","Limit":50}', 50, 'a Scan with a small limit' ],
		[ 'ExecuteStatement', q({"Statement":"SELECT id FROM \"Seen\" WHERE text = 'x'"}), 1001, 'a PartiQL scan' ])
	{
		my ($operation, $body, $wanted, $what) = @$case;
		my $before = $counted->();
		my $answer = by_http($operation, $body);
		$wanted //= $answer =~ /"ScannedCount":(\d+)/ ? $1 : -1;
		is($counted->() - $before, $wanted, "$what reads each item once");
	}
}

# Two addresses of one hash (sql/engine_hash.sql): a Query of one reads the items
# of the other, and returns none of them.
sql(q{SET ROLE alice;
	SELECT dynamo.create_table('Mixed', 'id'), dynamo.create_index('Mixed', 'by_mail', 'mail');
	SELECT dynamo.put_item('Mixed', json_build_object('id', i::text, 'mail', 'mail22891@x.y')::text::dynamo.item) FROM generate_series(1, 1000) i;
	SELECT dynamo.put_item('Mixed', '{"id": "own", "mail": "mail6950@x.y"}')});
my $executed = q{SELECT sum(a.requests) FROM dynamo.stat_activity a JOIN pg_stat_activity p USING (pid)
	WHERE p.backend_type = 'dynamo http long worker'};
my $so_far = sql($executed);
like(by_http('Query', '{"TableName":"Mixed","IndexName":"by_mail","KeyConditionExpression":"mail = :m","ExpressionAttributeValues":{":m":{"S":"mail6950@x.y"}}}'),
	qr/"Count":1,/, 'a Query that leaves out many items');
ok(wait_for(sub { sql($executed) == $so_far + 1 }), 'is handed over');

# What is written, in what is sent, and how it is packed.
is(status('BatchWriteItem', batch('Tab', 'large', 15_000_000)), 200, 'a body of 15 MB is executed');
like(by_http('GetItem', get('Tab', 'large')), qr/"large"/, 'and has done its work');
my $packed = memGzip(batch('Tab', 'packed', 3_000_000));
is(call('BatchWriteItem', $packed, { %{ signed_head('BatchWriteItem', $packed, %$alice) }, 'Content-Encoding' => 'gzip' })->{status},
	200, 'so is a packed one');
like(by_http('GetItem', get('Tab', 'packed')), qr/"packed"/, 'which has done its work, too');
my $scan = '{"TableName":"Large"}';
my $plain = call_as($alice, 'Scan', $scan);
is($plain->{head}{'x-amz-crc32'}, crc32($plain->{body}), 'the checksum of an answer is right');
my $zipped = call('Scan', $scan, { %{ signed_head('Scan', $scan, %$alice) }, 'Accept-Encoding' => 'gzip' });
is($zipped->{head}{'content-encoding'}, 'gzip', 'an answer is packed for who takes that');
is($zipped->{head}{'x-amz-crc32'}, crc32($zipped->{body}), 'its checksum is that of what is sent');
ok(memGunzip($zipped->{body}) eq $plain->{body}, 'and it is the same');

# Errors.
like(by_http('BatchWriteItem', batch('Nowhere', 'a')), qr/ResourceNotFoundException/, 'an error of a long request is answered');
like(by_http('BatchWriteItem', '{' . ' ' x 8000), qr/SerializationException/, 'and one of its text');
my $forged = signed_head('BatchWriteItem', batch('Tab', 'forged'), %$alice);
like(call('BatchWriteItem', batch('Tab', 'other'), $forged)->{body}, qr/InvalidSignatureException/, 'and a wrong signature');

# A large body is hashed as it comes, and its last byte counts.
my $large = batch('Tab', 'hashed', 200_000);
$forged = signed_head('BatchWriteItem', $large, %$alice);
is(call('BatchWriteItem', $large, $forged)->{status}, 200, 'the signature of a large body is checked');
like(call('BatchWriteItem', substr($large, 0, -1) . "\t", $forged)->{body}, qr/InvalidSignatureException/, 'to its end');

# The memory of one request serves the next, which finds nothing of it.
foreach my $size (15_000_000, 8_000, 300_000, 15_000_000)
{
	is(status('BatchWriteItem', batch('Tab', "size $size", $size)), 200, "a body of $size bytes");
	like(by_http('GetItem', get('Tab', "size $size")), qr/"size $size"/, 'has done its own work');
	is(by_http('BatchWriteItem', batch('Tab', "again $size", 8_100)), '{"UnprocessedItems":{}}', 'a shorter one after it');
}

# -- short requests go on -----------------------------------------------------

close_gate();
my @held = map { send_as($alice, 'BatchWriteItem', batch('Held', $_)) } 1 .. 2;
ok(wait_for(sub { held() == 2 }), 'all long workers are held');
my $waiting = send_as($alice, 'Scan', $scan);
my $gone = send_as($alice, 'Scan', $scan);
is(status('GetItem', get('Tab', 'a')), 200, 'a GetItem is answered');
is(status('PutItem', put('Tab', 'b')), 200, 'so is a PutItem');
is(status('ListTables', '{}'), 200, 'and ListTables');
is(held(), 2, 'while they are held');
ok(is_silent(@held, $waiting), 'and the long requests wait');
is( sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo http long worker'
	AND query = 'BatchWriteItem Held as alice' AND usename = 'alice' AND client_addr = '127.0.0.1' AND state = 'active'}),
	2, 'what runs is shown, and for whom');
close $gone;
open_gate();
is(receive($_)->{status}, 200, 'then a held one is answered') foreach @held;
ok(receive($waiting)->{body} eq $plain->{body}, 'and the one that waited');

# A connection serves short and long requests in turn.
my $socket = connection();
is(call_as($alice, $_->[0], $_->[1], $socket)->{status}, 200, "$_->[0] on one connection")
  foreach [ 'GetItem', get('Tab', 'a') ], [ 'Scan', $scan ], [ 'GetItem', get('Tab', 'a') ], [ 'BatchWriteItem', batch('Tab', 'c') ];

# Several requests, the long one first, in one piece: answers come in order.
{
	my $pipe = connection();
	print $pipe map { HttpClient::request(@$_, signed_head(@$_, %$alice)) }
	  [ 'Scan', $scan ], [ 'GetItem', get('Tab', 'a') ];
	$pipe->flush;
	ok(receive($pipe)->{body} =~ /"Items"/, 'of two requests in a row, the long one is answered');
}

# -- locks --------------------------------------------------------------------

# It waits for five seconds.  Where the machine is so slow that these are over before
# the lock is gone, it is sent again.
my $session = session('SET application_name = locks', 'postgres');
my $silent = my $scanned = my $answered = '';
foreach my $try (1 .. 20)
{
	print $session qq{BEGIN; SELECT dynamo.put_item('Tab', '{"id": "locked"}');\n};
	wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'locks' AND state = 'idle in transaction' AND query LIKE '%put_item%'}) eq '1' }) or die 'an item is not locked';
	my $blocked = send_as($alice, 'BatchWriteItem', batch('Tab', 'locked'));
	$scanned = status('Scan', $scan);
	$silent = is_silent($blocked);
	print $session "COMMIT;\n";
	$answered = receive($blocked)->{status} // 'closed';
	last if $silent && $answered eq '200';
	wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'locks' AND state = 'idle'}) eq '1' }) or die 'an item stays locked';
}
is($scanned, 200, 'others are executed while a long request waits for a lock');
ok($silent, 'which is not answered');
is($answered, 200, 'it is when the lock is gone');
close $session;

# -- ends ---------------------------------------------------------------------

# A cancel, a timeout, and the end of the process.
close_gate();
my $cancelled = send_as($alice, 'BatchWriteItem', batch('Held', 'cancelled'));
ok(wait_for(sub { held() == 1 }), 'a long request runs');
sql("SELECT pg_cancel_backend(pid) FROM $held AS h");
is(receive($cancelled)->{status}, 500, 'it can be cancelled');
my @before = long_pids();

my $ended = send_as($alice, 'BatchWriteItem', batch('Held', 'ended'));
ok(wait_for(sub { held() == 1 }), 'another one runs');
sql("SELECT pg_terminate_backend(pid) FROM $held AS h");
is(receive($ended)->{status}, undef, 'if its process is ended, it loses its connection');
ok(wait_for(sub { my @now = long_pids(); @now == 2 && "@now" ne "@before" }), 'the process is replaced');
is(status('GetItem', get('Held', 'cancelled')), 200, 'others are served');
is(by_http('GetItem', get('Held', $_)), '{}', "what was $_ has done nothing") foreach qw(cancelled ended);

set('dynamo.http_request_timeout', '300ms');
is(status('BatchWriteItem', batch('Held', 'late')), 500, 'a timeout applies');
set('dynamo.http_request_timeout', '1min');

# The worker that has the connection ends: what it has handed over runs to its
# end, and leaves nothing behind.
my $abandoned = send_as($alice, 'BatchWriteItem', batch('Held', 'abandoned'));
ok(wait_for(sub { held() == 1 }), 'a long request runs');
sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo http worker'});
is(receive($abandoned)->{status}, undef, 'its client loses its connection when the worker ends');
ok(wait_for(sub { worker_pids() == 1 && connection() }), 'there is another worker');
is(held(), 1, 'the request still runs');
open_gate();
ok(wait_for(sub { by_http('GetItem', get('Held', 'abandoned')) =~ /abandoned/ }), 'and comes to its end');
is(status('Scan', $scan), 200, 'long requests are executed') foreach 1 .. 4;

# A revoked key: it is looked at again.
close_gate();
my $key2 = new_key('alice');
@held = map { send_as($alice, 'BatchWriteItem', batch('Held', "k$_")) } 1 .. 2;
ok(wait_for(sub { held() == 2 }), 'all long workers are held');
my $revoked = send_as($key2, 'BatchWriteItem', batch('Tab', 'revoked'));
is(status('GetItem', get('Tab', 'a')), 200, 'another request waits');
sql("SELECT dynamo.drop_access_key('$key2->{key}')");
open_gate();
like(receive($revoked)->{body}, qr/UnrecognizedClientException/, 'and finds that its key is gone');
receive($_) foreach @held;
is(by_http('GetItem', get('Tab', 'revoked')), '{}', 'it has done nothing');

# Without long workers, as many requests are executed as before.
sql('ALTER SYSTEM SET dynamo.http_long_workers = 0; SELECT pg_reload_conf()');
ok(wait_for(sub { long_pids() == 0 && worker_pids() == 1 && connection() }), 'there need not be any long worker');
is(call_as($alice, 'Scan', $scan)->{body}, $plain->{body}, 'then workers execute long requests themselves');
is(status('BatchWriteItem', batch('Tab', 'd')), 200, 'of both kinds');
sql('ALTER SYSTEM RESET dynamo.http_long_workers; SELECT pg_reload_conf()');
ok(wait_for(sub { long_pids() == 2 && connection() }), 'and they come back by a reload');

# A shutdown does not wait for what was handed over.
close_gate();
@held = map { send_as($alice, 'BatchWriteItem', batch('Held', "s$_")) } 1 .. 3;
ok(wait_for(sub { held() == 2 }), 'long requests run and wait');
ok(as_server_user('pg_ctl', '-D', directory() . '/data', '-m', 'fast', '-t', '120', '-w', '-l', directory() . '/log', 'restart'), 'a shutdown ends them');
is(receive($_)->{status}, undef, 'their clients lose their connections') foreach @held;
ok(wait_for(sub { long_pids() == 2 && connection() }), 'after a restart');
is(call_as($alice, 'Scan', $scan)->{body}, $plain->{body}, 'long requests are executed');

done_testing();
