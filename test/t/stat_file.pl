# The file in which statistics outlive a restart, changed by somebody who knows how
# its checksum is made: what it says is believed only as far as it makes sense, and
# never more than there is room for.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\ndynamo.stat_max_tables = 3\n");
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('One', 'id'), dynamo.create_table('Two', 'id'), dynamo.create_table('Three', 'id')});

my $file = directory() . '/data/pg_stat/dynamo.stat';
my $requests = q{SELECT table_name, requests, read_units, write_units, p50_ms FROM dynamo.stat_table_operations ORDER BY 1, 2, 3, 4};

sub crc32c
{
	my $crc = 0xffffffff;
	foreach my $byte (unpack 'C*', $_[0])
	{
		$crc ^= $byte;
		$crc = $crc & 1 ? ($crc >> 1) ^ 0x82f63b78 : $crc >> 1 foreach 1 .. 8;
	}
	return pack 'V', $crc ^ 0xffffffff;
}

# A clean restart, with the file's bytes changed in between, and its checksum right.
sub restart_with
{
	my ($change, $setting) = @_;
	sql(qq{SELECT * FROM dynamo.get_item('$_', 'a')}) foreach qw(One Two Three);
	sql("ALTER SYSTEM SET $setting") if $setting;
	my $before = sql($requests);
	server('halt') or die 'it does not end';
	open my $in, '<:raw', $file or die;
	my $bytes = do { local $/; <$in> };
	close $in;
	die 'not its checksum' unless substr($bytes, -4) eq crc32c(substr $bytes, 0, -4);
	$bytes = $change->(substr $bytes, 0, -4);
	open my $out, '>:raw', $file or die;
	print $out $bytes, crc32c($bytes);
	close $out;
	server('restart') or die 'it does not start';
	return $before;
}

sub refuses
{
	my ($name, $offset, $format, $value) = @_;
	restart_with(sub { my $bytes = shift; my $new = pack $format, $value;
		substr($bytes, $offset, length $new) = $new; return $bytes });
	ok(reported(qr/file "pg_stat\/dynamo.stat" is not what this version of dynamo has written/), "$name: said in the log");
	is(sql($requests), '', "$name: begins anew");
	return;
}

is(restart_with(sub { $_[0] }), sql($requests), 'unchanged it is believed');

# Of the header, and of the first entry, which is that of no table.
refuses('another program', 0, 'V', 0);
refuses('another version', 4, 'V', 99);
refuses('other operations', 8, 'V', 0);
refuses('another histogram', 12, 'V', 1);
refuses('a time that there is not', 24 + 32, 'q<', 2**63 - 1);
refuses('more operations than there are', 24 + 24, 'V', 97);
refuses('an operation that there is not', 24 + 56, 'V', 96);
restart_with(sub { my $bytes = shift; substr($bytes, 16, 4) = pack('V', 1 + unpack 'V', substr $bytes, 16, 4); return $bytes });
ok(reported(qr/is not what this version of dynamo has written/), 'more tables than it has: said in the log');
restart_with(sub { $_[0] . 'x' });
ok(reported(qr/is not what this version of dynamo has written/), 'one byte more: said in the log');

# As many indexes of an entry as it says, each as a table has it.
sub indexes
{
	my ($n) = @_;
	return sub
	{
		my $bytes = shift;
		substr($bytes, 24 + 20, 4) = pack 'V', $n;
		substr($bytes, 24 + 56, 0) = pack('V x4 Q<4', 1, 0, 0, 0, 0) x $n;
		return $bytes;
	};
}
my $taken = restart_with(indexes(25));
is(sql($requests), $taken, 'as many indexes as a table may have');
restart_with(indexes(26));
ok(reported(qr/is not what this version of dynamo has written/), 'one more: said in the log');
is(sql($requests), '', '... begins anew');

# Less room than there was.
my $before = restart_with(sub { $_[0] }, 'dynamo.stat_max_tables = 1');
my $after = sql($requests);
isnt($after, $before, 'less room than there was');
is(scalar(grep { index($before, $_) < 0 } split /\n/, $after), 0, '... has some of it, as it was');
restart_with(sub { $_[0] }, 'dynamo.stat_max_tables = 0');
like(sql($requests), qr/^\S+ NOTICE:  no statistics are kept/, 'no room');
done_testing();
