# Forty-eight days of a table whose recovery reaches back 35, and then 2, as a
# clock tells them that the test sets: each half day the table is rewritten.
# The journal goes piece by piece, and its size stays bounded.  What is left is
# enough for every day of the period, and no earlier one is promised.  Then the
# clock is set back.
#
# Needs libfaketime (apt-get install libfaketime).
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

my ($library) = grep { -e } glob '/usr/lib/*/faketime/libfaketime.so.1 /usr/lib*/faketime/libfaketime.so.1';
plan skip_all => 'libfaketime is not installed (apt-get install libfaketime)' unless $library;

my $DAYS = 48;
my $clock = '/tmp/dynamo_clock.' . $$;

# So many days from now, for every process that asks from now on.
sub set_clock
{
	my ($days) = @_;
	open my $out, '>', "$clock.new" or die;
	printf $out "%+.1fd\n", $days;
	close $out;
	chmod 0644, "$clock.new";
	rename "$clock.new", $clock or die;
	return;
}

set_clock(0);
{
	# The clock of timeouts goes on as it is.  The library is for the server alone: it keeps
	# a file in /dev/shm for a process' number and user, and fails a program that changes its
	# user, as those that start servers do, or meets a file that another user left.
	local $ENV{SERVER_ENVIRONMENT} =
	  "LD_PRELOAD=$library FAKETIME_TIMESTAMP_FILE=$clock FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1";
	start_server("dynamo.ttl_interval = 0\nautovacuum = off\n");
}

sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Days', 'id', 'n', 'S', 'N');
	SELECT dynamo.put_item('Days', jsonb_build_object('id', 'x', 'n', i, 'day', -1, 'filler', repeat('x', 500))::dynamo.item) FROM generate_series(1, 50) i;
	SELECT dynamo.enable_recovery('Days');
	CREATE TABLE point (day numeric, at timestamptz);
	CREATE FUNCTION size() RETURNS bigint LANGUAGE sql AS $$
		SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
		WHERE relnamespace = 'dynamo_internal'::regnamespace AND relname ~ '^journal_\d+$'
	$$;
	CREATE FUNCTION past(moment timestamptz) RETURNS text LANGUAGE sql AS
		$$SELECT concat(count(*), ' of ', string_agg(DISTINCT item->>'day', ' ')) FROM dynamo.scan('Days', as_of => moment)$$;
});

# What a day does.
sub live
{
	my ($day) = @_;
	set_clock($day);
	return sql(qq{
		SELECT dynamo.put_item('Days', (item::jsonb || '{"day": $day}')::dynamo.item) FROM dynamo.scan('Days') \\g /dev/null
		INSERT INTO point VALUES ($day, dynamo.mark_recovery());
		SELECT dynamo.trim_recovery();
	});
}

my (%trimmed, $greatest);
for (my $day = 0.5; $day <= $DAYS; $day += 0.5)
{
	my $pieces = live($day);
	$trimmed{$day} = $pieces if $pieces ne '0';
	my $size = sql('SELECT size()');
	$greatest = $size if $day <= 38 && $size > ($greatest // 0);
	last if $pieces !~ /^\d+$/;
}
is_deeply([ grep { $_ < 36 } keys %trimmed ], [], 'nothing goes within 36 days');
cmp_ok(scalar(keys %trimmed), '>=', 4, 'later a piece goes every other day');
is(join(' ', sort { $a <=> $b } values %trimmed), join(' ', (1) x keys %trimmed), 'one at a time');
cmp_ok(sql('SELECT size()'), '<=', $greatest * 1.15, 'the journal has not grown since day 38');
is(sql(q{SELECT round(extract(epoch FROM latest - earliest) / 86400) FROM dynamo.recovery_window('Days')}), '35', 'the window is 35 days long');
is(sql(q{SELECT count(*), count(*) FILTER (WHERE past(at) <> '50 of ' || day) FROM point, dynamo.recovery_window('Days') WHERE at > earliest}), '70 0',
	'each half day of it can be read');
like(sql(q{SELECT past(at) FROM point, dynamo.recovery_window('Days') WHERE at < earliest - interval '1 s' ORDER BY day DESC LIMIT 1}),
	qr/ERROR:  RestoreDateTime .* must be within/, 'no day before');

# A shorter period takes effect at once, a longer one does not bring back what went.
sql(q{SELECT dynamo.enable_recovery('Days', 2)});
cmp_ok(live($DAYS + 0.5), '>=', 15, 'a shorter period lets pieces go');
cmp_ok(sql('SELECT size()'), '<', $greatest / 4, 'and disk');
sql(q{SELECT dynamo.enable_recovery('Days', 35)});
is(sql(q{SELECT round(extract(epoch FROM latest - earliest) / 86400) FROM dynamo.recovery_window('Days')}), '2', 'a longer one grows with time');
is(sql(q{SELECT count(*), count(*) FILTER (WHERE past(at) <> '50 of ' || day) FROM point, dynamo.recovery_window('Days') WHERE at > earliest}), '4 0',
	'what is left can be read');

# The clock is set back: days come twice, and the window begins anew.
live($DAYS - 10);
ok(log_has(qr/the clock was set back/), 'the log tells that the clock was set back');
is(sql(q{SELECT count(*) FROM point, dynamo.recovery_window('Days') WHERE at BETWEEN earliest AND latest}), '0', 'the window begins anew');
live($DAYS - 9.5);
is(sql(q{SELECT past(max(at)) FROM point, dynamo.recovery_window('Days') WHERE at BETWEEN earliest AND latest}), '50 of ' . ($DAYS - 9.5), 'and grows');
unlink $clock;
done_testing();
