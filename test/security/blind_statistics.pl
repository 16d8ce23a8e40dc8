# Who: a role that may write to a table but not read it.
# Owns: nothing.  Wants: to learn whether an item was there, and its size, from
# statistics: does deleting it leave a record in the stream, how many units does
# that take?
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('dynamo.http_port = 0');
my $large = 'x' x 5_000;
sql(qq{CREATE EXTENSION dynamo;
	CREATE ROLE writer LOGIN; CREATE ROLE reader LOGIN;
	SELECT dynamo.create_table('Blind', 'pk');
	SELECT dynamo.create_index('Blind', 'ByN', 'n');
	SELECT dynamo.enable_stream('Blind'); SELECT dynamo.enable_ttl('Blind', 't');
	SELECT dynamo.put_item('Blind', '{"pk": "there", "n": "a", "f": "$large"}');
	GRANT INSERT, UPDATE, DELETE ON dynamo_data."Blind" TO writer;
	GRANT SELECT, DELETE ON dynamo_data."Blind" TO reader});

my %seen = (
	stat_tables => q{requests, write_units, ttl_deletions, stream_records},
	stat_table_operations => q{operation, write_units},
	stat_operations => q{operation, write_units},
	stat_indexes => q{index_name, write_units},
	stat_streams => q{last_number, horizon});
sub seen
{
	my ($role, $view) = @_;
	return sql(qq{SET ROLE $role; SELECT $seen{$view} FROM dynamo.$view WHERE } .
		($view eq 'stat_operations' ? q{operation = 'DeleteItem'} : $view eq 'stat_table_operations' ? q{table_name = 'Blind' AND operation = 'DeleteItem'} : q{table_name = 'Blind'}));
}
sub gone { return sql(qq{SET ROLE writer; SELECT dynamo.delete_item('Blind', '{"pk": "$_[0]"}')}) }

gone('missing');
my %before = map { $_ => seen('writer', $_) } keys %seen;
gone('missing');
my %missing = map { $_ => seen('writer', $_) } keys %seen;
gone('there');
my %there = map { $_ => seen('writer', $_) } keys %seen;
like($there{stat_tables}, qr/^\d+ *$/, 'requests are counted, and nothing else is told');
foreach my $view (sort keys %seen)
{
	my @same = map { $_->{$view} =~ s{^\d+}{N}r } \%before, \%missing, \%there;
	is($same[2], $same[1], "$view: an item or none, it is the same");
	is($same[1], $same[0], "$view: and as before");
}
like(seen('reader', 'stat_tables'), qr/^\d+ [1-9]\d* 0 2$/, 'who may read knows all of it');
isnt(seen('reader', $_), '', "$_: too") for qw(stat_indexes stat_streams);

# Nor what is at work in other databases, by the function behind the view that he may not read.
ok(wait_for(sub { sql('SELECT count(*) > 0 FROM dynamo.stat_workers WHERE database IS NOT NULL') eq 't' }), 'a superuser sees processes');
is(sql(q{SET ROLE writer; SELECT count(*) FROM dynamo_internal.stat_workers()
	WHERE kind IS NOT NULL OR database IS NOT NULL OR since IS NOT NULL OR waiting IS NOT NULL}), '0', 'he does not see what they work on');

done_testing();
