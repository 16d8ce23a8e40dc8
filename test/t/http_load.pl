# Bad company: while clients stall, break off, talk nonsense, send too much or
# only hold a connection, the others are answered, and the workers' memory
# stays what it is.
#
# The run takes 20 seconds, or DYNAMO_LOAD_SECONDS; with DYNAMO_LOAD_PAUSE, it
# rests so many milliseconds between turns.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Select;
use POSIX qw(_exit sysconf _SC_OPEN_MAX);
use Socket qw(SOL_SOCKET SO_LINGER);
use Test::More;
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__);
use HttpClient;

my $idle_wanted = 5000;
my $seconds = $ENV{DYNAMO_LOAD_SECONDS} || 20;
my $pause = ($ENV{DYNAMO_LOAD_PAUSE} || 0) / 1000;

# As many descriptors as there may be, which takes a shell.
if (!$ENV{DYNAMO_LOAD_STARTED})
{
	$ENV{DYNAMO_LOAD_STARTED} = 1;
	exec 'sh', '-c', 'ulimit -n "$(ulimit -Hn)" 2>/dev/null; exec "$@"', 'sh', $^X, $0;
}
local $SIG{PIPE} = 'IGNORE';
srand 1;

# Left to itself, glibc keeps what two bodies of 16 MB took, or gives it back,
# as it happens: what leaks would drown in that.
local $ENV{MALLOC_MMAP_THRESHOLD_} = 131072;
start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 2");
ok(wait_for(sub { connection() }), 'the port is served');
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Tab', 'id');
	SELECT dynamo.put_item('Tab', json_build_object('id', i::text)::text::dynamo.item)
	FROM generate_series(0, 99) i});
wait_for(sub { worker_pids() == 2 });
my @workers = sort(worker_pids());
is(scalar(@workers), 2, 'by two workers');

sub request
{
	my ($operation, $body, $head) = @_;
	return "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: $JSON\r\nX-Amz-Target: DynamoDB_20120810.$operation\r\n"
	  . ($head || 'Content-Length: ' . length $body) . "\r\n\r\n$body";
}

my @gets = map { request('GetItem', qq({"TableName":"Tab","Key":{"id":{"S":"$_"}}})) } 0 .. 99;
my $put = request('PutItem', '{"TableName":"Tab","Item":{"id":{"S":"p"},"x":{"S":"' . 'x' x 3000 . '"}}}');
my $huge = 16 * 1024 * 1024;
my $blanks = ' ' x ($huge - 1);

# The memory of the workers that is theirs alone, in kB.
sub memory
{
	my $sum = 0;
	foreach my $pid (@workers)
	{
		open(my $status, '<', "/proc/$pid/status") or return 0;
		my ($kb) = join('', <$status>) =~ /^RssAnon:\s+(\d+)/m;
		$sum += $kb || 0;
	}
	return $sum;
}

# Somebody who only wants to be served: reports how often it was, how often it
# was not, and the longest wait in milliseconds.
sub bystander
{
	my ($stop) = @_;
	pipe(my $in, my $out);
	my $pid = fork;
	if ($pid == 0)
	{
		my ($served, $failed, $worst) = (0, 0, 0);
		while (!-e $stop)
		{
			my $began = time();
			my $socket = connection();
			foreach my $i (0 .. 9)
			{
				last unless $socket;
				$began = time() if $i > 0;
				my $r = ask($gets[$i], $socket);
				my $took = time() - $began;
				$worst = $took if $took > $worst;
				if (($r->{status} || 0) == 200 && $r->{body} eq qq({"Item":{"id":{"S":"$i"}}})) { $served++ }
				else { $failed++ }
				sleep 0.005;
			}
			$failed++ unless $socket;
		}
		print $out join(' ', $served, $failed, int($worst * 1000));
		close $out;
		_exit(0);
	}
	close $out;
	return ($pid, $in);
}

# -- connections that only wait ----------------------------------------------

my $limit = sysconf(_SC_OPEN_MAX) || 1024;
$idle_wanted = $limit - 1500 if $limit - 1500 < $idle_wanted;
my @idle;
if ($idle_wanted > 0)
{
	my $before = memory();
	foreach (1 .. $idle_wanted)
	{
		my $s = connection() or last;
		push @idle, $s;
	}
	is(scalar(@idle), $idle_wanted, "$idle_wanted connections");
	my $served = 0;
	my $began = time();
	foreach my $s (@idle)
	{
		$served++ if (ask($gets[0], $s)->{status} || 0) == 200;
	}
	is($served, scalar(@idle), 'each is answered and kept');
	note(sprintf '%d connections hold %d kB; a request each took %.1f s', scalar(@idle), memory() - $before,
		time() - $began);
}
else
{
	note("no idle connections: only $limit files may be open");
}

# -- what others do ----------------------------------------------------------

# Clients that send a byte now and then; each has its request, and the answer
# comes when it is complete.
my @slow;
my ($slow_served, $slow_failed) = (0, 0);

sub slow_turn
{
	while (@slow < 30)
	{
		my $socket = connection() or last;
		push @slow, { socket => $socket, bytes => $gets[ rand 100 ], at => 0 };
	}
	foreach my $c (@slow)
	{
		if (!defined syswrite $c->{socket}, substr($c->{bytes}, $c->{at}++, 1)) { $c->{failed} = 1 }
		next if $c->{at} < length $c->{bytes};
		$c->{done} = 1;
		if ((receive($c->{socket})->{status} || 0) == 200) { $slow_served++ }
		else { $slow_failed++ }
	}
	$slow_failed += grep { $_->{failed} && !$_->{done} } @slow;
	@slow = grep { !$_->{done} && !$_->{failed} } @slow;
	return;
}

# A connection that ends with a reset instead of an end.
sub reset_connection
{
	my ($bytes) = @_;
	my $socket = connection() or return;
	syswrite $socket, $bytes;
	setsockopt($socket, SOL_SOCKET, SO_LINGER, pack('ii', 1, 0));
	close $socket;
	return;
}

# The server closes who is silent for five minutes; these say something every
# two: the idle a request, those that are half done one more byte.
my @half = map { { socket => connection(), at => 0 } } 1 .. 15;
my ($nudged_at, $nudge_failed) = (time(), 0);

sub nudge_idle
{
	return if time() - $nudged_at < 120;
	foreach my $s (@idle)
	{
		$nudge_failed++ if (ask($gets[0], $s)->{status} || 0) != 200;
	}
	syswrite $_->{socket}, substr($gets[0], $_->{at}++, 1) foreach @half;
	$nudged_at = time();
	return;
}

sub random_bytes { return join '', map { chr int rand 256 } 1 .. 1 + rand $_[0] }

# A request with some bytes changed, dropped or doubled.
sub damaged
{
	my $bytes = $gets[ rand 100 ];
	foreach (1 .. 1 + rand 5)
	{
		my $at = int rand length $bytes;
		my $kind = int rand 3;
		if ($kind == 0) { substr($bytes, $at, 1) = chr int rand 256 }
		elsif ($kind == 1) { substr($bytes, $at, 1 + rand 10) = '' }
		else { substr($bytes, $at, 0) = substr($bytes, $at, 1 + rand 10) }
	}
	return $bytes;
}

my @nonsense = (
	"\r\n\r\n", "\n", "HELLO\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "POST / HTTP/1.1\r\n\r\n",
	"POST / HTTP/9.9\r\n\r\n", "POST / HTTP/1.1 x\r\nHost: x\r\n\r\n", "\x16\x03\x01\x02\x00" . "\0" x 100,
	"\0" x 5000, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /" . 'x' x 20_000 . " HTTP/1.1\r\n\r\n",
	"POST / HTTP/1.1\r\n" . "A: b\r\n" x 5000 . "\r\n", "POST / HTTP/1.1\r\n" . 'x' x 30_000,
	"POST / HTTP/1.1\r\n: x\r\n\r\n", "POST / HTTP/1.1\r\nHost : x\r\n\r\n", "POST / HTTP/1.1\r\n folded\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "POST http://[::1/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"POST /%zz%00%ff?%&=&&a=%0 HTTP/1.1\r\nHost: x\r\n\r\n",
	request('GetItem', '{}', 'Content-Length: -1'), request('GetItem', '{}', 'Content-Length: 2x'),
	request('GetItem', '{}', 'Content-Length: 18446744073709551617'),
	request('GetItem', '{}', 'Content-Length: 99999999999'),
	request('GetItem', '{}', "Content-Length: 2\r\nContent-Length: 3"),
	request('GetItem', '{}', "Content-Length: 2\r\nTransfer-Encoding: chunked"),
	request('GetItem', "zz\r\n{}\r\n0\r\n\r\n", 'Transfer-Encoding: chunked'),
	request('GetItem', "ffffffffffffffffff\r\n{}\r\n0\r\n\r\n", 'Transfer-Encoding: chunked'),
	request('GetItem', "2\r\n{}xx0\r\n\r\n", 'Transfer-Encoding: chunked'),
	request('GetItem', "2\r\n{}\r\n0\r\nTrailer: x\r\n\r\n", 'Transfer-Encoding: chunked'),
	request('GetItem', '{}', 'Transfer-Encoding: gzip, identity, nothing'),
	request('GetItem', '{}', "Expect: 200-ok\r\nContent-Length: 2"),
	request('GetItem', '{}', "Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 2"),
	request('GetItem', '{}', "Content-Encoding: gzip\r\nContent-Length: 2"),
	request('GetItem', '{}', "Range: bytes=9-1\r\nContent-Length: 2"),
	request('GetItem', '{"TableName":"Tab","Key":{"id":{"S":"' . "\xff\xc0\x80\xed\xa0\x80" . '"}}}'),
	request("GetItem\x01\x80", '{}'), request('x' x 8000, '{}'));

# What they do, and how often of a hundred turns.
my @trouble = (
	[ 30, sub { reset_connection(substr($gets[0], 0, rand length $gets[0])) } ],
	[ 20, sub { reset_connection($put x (1 + rand 20)) } ],
	[ 30, sub { reset_connection(damaged()) } ],
	[ 15, sub { my $s = connection() or return; syswrite $s, random_bytes(3000); close $s } ],
	[ 30, sub { my $s = connection() or return; syswrite $s, $nonsense[ rand @nonsense ]; receive($s, 0.02); close $s } ],
	[ 5, sub { reset_connection(request('GetItem', $blanks x 0.3, "Content-Length: $huge") . ' ' x (4 * 1024 * 1024)) } ],
	[ 1, sub { $_[0]->('200 ', ask(request('ListTables', '{}' . substr $blanks, 1)), 'a body of 16 MB') } ],
	[ 1, sub { $_[0]->('413 ', ask(request('ListTables', "{}$blanks")), 'a byte more') } ],
	[ 30, sub { pipelined($_[0]) } ],
	[ 10, sub { my $s = connection() or return; syswrite $s, join('', @gets); close $s } ],
	[ 20, sub { dawdling_reader() } ]);

# Many requests in one piece: as many answers, in their order.
sub pipelined
{
	my ($check) = @_;
	my $socket = connection() or return;
	my $pid = fork;
	if ($pid == 0)
	{
		print $socket join('', @gets);
		$socket->flush;
		_exit(0);
	}
	my ($data, $select, $end) = ('', IO::Select->new($socket), time() + 15);
	my $n = 0;
	while ($n < 100 && time() < $end)
	{
		sysread($socket, $data, 65536, length $data) or last if $select->can_read(1);
		$n = () = $data =~ /\{"Item"/g;
	}
	waitpid($pid, 0);
	my $ids = join ' ', $data =~ /"id":\{"S":"(\d+)"\}/g;
	$check->('200 ', { status => $ids eq join(' ', 0 .. 99) ? 200 : 0, body => '' }, "pipelined: $ids");
	return;
}

# Those that ask for much and read none of it: they are dropped at the end.
my @dawdling;

sub dawdling_reader
{
	my $socket = connection() or return;
	push @dawdling, $socket;
	$socket->blocking(0);
	syswrite $socket, join('', @gets) for 1 .. 20;
	close shift @dawdling if @dawdling > 20;
	return;
}

# How long one of the worst takes on this machine, alone.
my $alone = time();
ask(request('ListTables', '{}' . substr $blanks, 1));
$alone = time() - $alone;

my $stop = "/tmp/http_load.$$";
my ($bystander, $report) = bystander($stop);
$half[$_]{at} = syswrite $half[$_]{socket}, substr($gets[0], 0, 10 * $_) foreach 0 .. $#half;
my @wrong;
my @weights = map { my $i = $_; ($i) x $trouble[$i][0] } 0 .. $#trouble;
my $check = sub {
	my ($wanted, $r, $what) = @_;
	my $status = ($r->{status} || 'none') . ' ';
	push @wrong, "$what: $status" if $status ne $wanted;
};
my ($began, $turns, $first) = (time(), 0, undef);

# All of it once, so that the memory measured has seen the worst.
$trouble[$_][1]->($check) foreach 0 .. $#trouble;
# On a slow machine it goes on until one of the slow clients has come to its end.
while (time() - $began < $seconds || (!$slow_served && time() - $began < 10 * $seconds))
{
	$trouble[ $weights[ rand @weights ] ][1]->($check);
	slow_turn();
	nudge_idle();
	$turns++;
	$first = memory() if !defined $first && time() - $began > $seconds / 4;
	sleep $pause if $pause;
}

# A body broken off is let go when the worker has noticed.
my $last;
wait_for(sub { $last = memory(); $last - $first < 20_000 });
@dawdling = ();
open(my $file, '>', $stop) or die;
close $file;
my ($served, $failed, $worst) = split ' ', (join('', <$report>) || '0 1 0');
waitpid($bystander, 0);
unlink $stop;

note("$turns turns, $slow_served slow requests, $served of a bystander, who waited $worst ms at most");
is("@wrong[0 .. ($#wrong < 4 ? $#wrong : 4)]", '', 'what is right is answered rightly');
cmp_ok($slow_served, '>', 0, 'slow clients are answered');
is($slow_failed, 0, 'every one of them');
cmp_ok($served, '>', 5 * $seconds, 'a bystander is served');
is($failed, 0, 'each time');
cmp_ok($worst, '<', 3000 + 10_000 * $alone, 'and soon');
is(join(' ', sort(worker_pids())), "@workers", 'by the same workers all the time');
cmp_ok($last - $first, '<', 20_000, "their memory stays ($first kB, then $last kB)");

my $answered = 0;
foreach my $c (@half)
{
	syswrite $c->{socket}, substr($gets[0], $c->{at});
	$answered++ if (receive($c->{socket})->{status} || 0) == 200;
}
is($answered, scalar(@half), 'who sent half a request then may send the rest now');
$answered = 0;
foreach my $s (@idle)
{
	$answered++ if (ask($gets[1], $s)->{status} || 0) == 200;
}
is($answered - $nudge_failed, scalar(@idle), 'and who only waited is still there');
@idle = ();
ok(wait_for(sub { memory() < $last * 0.7 }), 'what they held is given back (' . memory() . ' kB)') if $idle_wanted == 5000;

done_testing();
