# Who: a role that may call the functions of its types.
# Owns: the bytes it sends.  Wants: to store, in binary, an item or key that text
# input refuses, or to lead a reader out of its memory.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('');
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Tab', 'pk')});

# A binary COPY of one column.
sub copy
{
	my ($column, $bytes) = @_;
	my $file = directory() . '/rows';
	open(my $out, '>:raw', $file) or die;
	print $out "PGCOPY\n\xff\r\n\0", pack('NNnN', 0, 0, 1, length $bytes), $bytes, pack('n', 0xffff);
	close $out;
	chmod 0644, $file;
	return sql(qq{CREATE TEMP TABLE t (v dynamo.$column); \\copy t FROM '$file' (FORMAT binary)});
}

my %bad = (
	item => {
		'nothing' => '', 'another version' => "\x03\x04", 'reserved bits' => "\x11\x00",
		'an offset beyond the end' => "\x01\x04\xff\x01a\x01x", 'offsets that fall' => "\x01\x08\x05\x02\x01a\x01x\x01b\x01",
		'a name that is empty' => "\x01\x04\x02\x00\x01", 'names out of order' => "\x01\x08\x03\x06\x01b\x01\x01a\x01",
		'a type of none' => "\x01\x04\x03\x01a\x63", 'a string that is no UTF-8' => "\x01\x04\x04\x01a\x01\xff",
		'a number of no digits' => "\x01\x04\x04\x01a\x02\xc1", 'an empty set' => "\x01\x04\x04\x01a\x06\x00" },
	partition_key => { 'nothing' => '', 'a short hash' => "\0\0\0", 'a wrong hash' => ("\0" x 4) . "\x01a" });
foreach my $type (sort keys %bad)
{
	foreach my $name (sort keys %{ $bad{$type} })
	{
		like(copy($type, $bad{$type}{$name}), qr/ERROR/, "$type: $name is refused");
	}
}

# Every byte of a good item changed in turn: refused, or an item that can be
# written and read again.
my $good = pack 'H*', sql(q{SELECT encode(dynamo_internal.item_send('{"a": {"N": "5"}, "t": {"SS": ["x", "yz"]}, "l": {"L": [{"N": "1"}, {"M": {"m": {"NULL": true}}}]}}'), 'hex')});
my ($read, $refused) = (0, 0);
my $script = "CREATE TEMP TABLE t (v dynamo.item);\n";
my $file = directory() . '/rows';
my $n = 0;
foreach my $i (0 .. length($good) - 1)
{
	foreach my $byte (0, 1, 127, 128, 255)
	{
		my $bytes = $good;
		substr($bytes, $i, 1) = chr $byte;
		open(my $out, '>:raw', "$file$n") or die;
		print $out "PGCOPY\n\xff\r\n\0", pack('NNnN', 0, 0, 1, length $bytes), $bytes, pack('n', 0xffff);
		close $out;
		chmod 0644, "$file$n";
		$script .= "\\copy t FROM '$file$n' (FORMAT binary)\n";
		$n++;
	}
}
my $copied = sql($script . 'SELECT count(*), bool_and(v::text::dynamo.item = v), count(DISTINCT v ->> 0::text) >= 0 FROM t');
like($copied, qr/^ERROR|psql.*ERROR/, 'of ' . $n . ' changes some are refused');
like($copied, qr/(?:^|\n)\d+ t t\z/, 'and what is taken comes back as it is');
is(sql('SELECT 1'), 1, 'the server is alive');

done_testing();
