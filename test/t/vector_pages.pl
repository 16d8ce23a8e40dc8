#!/usr/bin/env perl
# The pages of a vector index, damaged in the files of a stopped server: check_table tells
# what, and whatever bytes there are, searches, writes and VACUUM end with an answer or an
# error. And an index that UpdateTable adds over HTTP is built while writes go on.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

my $random = 11;

# A generator of our own, the same everywhere.
sub chance
{
	my ($n) = @_;
	$random = ($random * 1103515245 + 12345) % 2**31;
	return int($random / 65536) % $n;
}

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1\ndynamo.ttl_interval = 0\n"
	  . "ignore_checksum_failure = on\nclient_min_messages = error\nautovacuum = off\n"
	  . "log_min_messages = log\n");    # errors about damage are expected, and asked for below
sql('CREATE EXTENSION dynamo');
wait_for(sub { connection() }, 120) or die 'HTTP is not served';

sub request
{
	my ($operation, $body) = @_;
	my $r = call($operation, $body);
	return ($r->{status} // '') . " $r->{body}";
}

my $index = '"IndexName": "Near", "VectorAttribute": {"AttributeName": "v"}, "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "KEYS_ONLY"}';

sub table
{
	my ($name, $vectors) = @_;
	psql(qq{SELECT dynamo.call('CreateTable', '{"TableName": "$name", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "tenant", "AttributeType": "S"}, {"AttributeName": "id", "AttributeType": "N"}],
		"KeySchema": [{"AttributeName": "tenant", "KeyType": "HASH"}, {"AttributeName": "id", "KeyType": "RANGE"}]$vectors}')});
	return;
}

sub hashed
{
	my ($name, $dimensions) = @_;
	table($name, qq{, "VectorIndexes": [{$index, "Dimensions": $dimensions, "SearchSchema": [{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}]}]});
	return;
}

# $count items of a tenant each, from $first on
sub items
{
	my ($name, $dimensions, $first, $count) = @_;
	return sql(qq{INSERT INTO dynamo_data."$name" (item) SELECT jsonb_build_object('tenant', 't' || i % 5, 'id', i,
		'v', (SELECT jsonb_agg((i * 7 + d * 13) % 31) FROM generate_series(1, $dimensions) AS d))::text::dynamo.item FROM generate_series($first, $first + $count - 1) AS i});
}

sub check
{
	my ($name) = @_;
	return sql(qq{SELECT CASE WHEN relation = dynamo.relation('$name') THEN 'table' ELSE 'index' END,
			coalesce(line::text, '-') || ':', problem
		FROM dynamo.check_table('$name') ORDER BY 1 DESC, line, problem});
}

#
# An index that is built while there is a writer, found CREATING and searched meanwhile
#
table('Late', '');
items('Late', 3, 1, 200);
my $writer = in_transaction(q{BEGIN; SELECT dynamo.put_item('Late', '{"tenant": "t1", "id": 1000, "v": [99, 99, 99]}')});
like(request('UpdateTable', qq({"TableName": "Late", "VectorIndexUpdates": [{"Create": {$index, "Dimensions": 3}}]})),
	qr/^200 .*"IndexStatus":"CREATING","Backfilling":false/, 'an index is added');
like(request('DescribeTable', '{"TableName": "Late"}'), qr/"IndexStatus":"CREATING","Backfilling":true/, 'it is being built');
my $search = '{"TableName": "Late", "IndexName": "Near", "TopK": 1, "SearchVector": [{"N": "1"}, {"N": "1"}, {"N": "1"}]}';
like(request('SearchVectors', $search), qr/^200 \{"SearchResults":\[\{"Item"/, 'searched meanwhile');
like(request('PutItem', '{"TableName": "Late", "Item": {"tenant": {"S": "t1"}, "id": {"N": "1001"}, "v": {"L": [{"N": "98"}, {"N": "98"}, {"N": "98"}]}}}'), qr/^200/, 'written meanwhile');
like(request('DeleteTable', '{"TableName": "Late"}'), qr/^400 .*indexes are being created/, 'the table cannot be deleted meanwhile');
print $writer "COMMIT;\n";
close $writer;
ok(wait_for(sub { request('DescribeTable', '{"TableName": "Late"}') =~ /"IndexStatus":"ACTIVE"/ }, 120), 'at last it is built');
is(sql(q{SELECT string_agg(item->>'id', ' ') FROM dynamo.search_vectors('Late', 'Near', '[99, 99, 99]', 2)}), '1000 1001', 'with what was written meanwhile');
like(sql(q{EXPLAIN (ANALYZE, COSTS OFF) SELECT * FROM dynamo.search_vectors('Late', 'Near', '[99, 99, 99]', 2)}), qr/Items Read: \d\d?\b.*Vectors Compared: 202/s, 'a search reads it');
is(check('Late'), '', 'and it is sound');
like(request('UpdateTable', '{"TableName": "Late", "VectorIndexUpdates": [{"Delete": {"IndexName": "Near"}}]}'), qr/^200 .*"DELETING"/, 'it is deleted');
ok(wait_for(sub { sql(q{SELECT to_regclass('dynamo_data."Late/Near"') IS NULL}) eq 't' }, 120), 'and its relation goes');

#
# Damage that is known: block 0 is the meta page, 1 the directory, 2 a group of three
# entries, whose slots begin at byte 44 and have 12 bytes each; 339 of them.
#
my $group = 2 * 8192;
my $slots = $group + 44;
my $elements = $slots + 12 * 339;
my @cases = (
	[ 'Element', sub { substr($_[0], $elements + 12, 4) = pack('f', 77) }, 'index 2: entry is not what its row makes' ],
	[ 'Tag', sub { substr($_[0], $slots + 8, 4) = pack('V', 5) }, 'index 1: entry is not what its row makes' ],
	[ 'Place', sub { substr($_[0], $slots, 6) = pack('vvv', 0, 0, 200) }, qr/^index 1: row has no entry\nindex -: entries lead to 2 rows, but 3 belong into the index$/ ],
	[ 'Count', sub { substr($_[0], $group + 40, 2) = pack('v', 2) }, 'index -: group of vectors counts its entries wrongly (page 2)' ],
	[ 'First', sub { substr($_[0], $group + 42, 2) = pack('v', 9) }, 'index -: group of vectors has a free slot before the first (page 2)' ],
	[ 'Chain', sub { substr($_[0], $group + 24, 4) = pack('V', 2) }, 'index -: group of vectors leads to a later one (page 2)' ],
	[ 'Both', sub { substr($_[0], $slots, 6) = pack('vvv', 0, 0, 200); substr($_[0], $group + 24, 4) = pack('V', 2) },
		'index -: entries lead to 2 rows, but 3 belong into the index' . "\n"
		  . 'index -: group of vectors leads to a later one (page 2)' . "\n"
		  . 'index -: page 2 of index "Both/Near" is not what others say it is' ],
	[ 'Bucket', sub { substr($_[0], $group + 32, 4) = pack('V', 1) }, 'index -: group of vectors is in the wrong bucket (page 2)' ],
	[ 'Loose', sub { substr($_[0], 8192 + 24, 8) = pack('VV', 0xffffffff, 0xffffffff) }, 'index -: some groups of vectors are in no bucket (page 0)' ],
	[ 'Kind', sub { substr($_[0], $group + 8184, 2) = pack('v', 2) }, qr/^index -: page 2 of index "Kind\/Near" is not what others say it is$/ ],
	[ 'Zeros', sub { substr($_[0], $group, 8192) = "\0" x 8192 }, qr/^index -: page 2 of index "Zeros\/Near" is not what others say it is$/ ],
	[ 'Meta', sub { substr($_[0], 24 + 8, 2) = pack('v', 4) }, qr/^index -: page 0 of index "Meta\/Near" is not what others say it is$/ ]);
foreach my $case (@cases)
{
	hashed($case->[0], 3);
	items($case->[0], 3, 1, 3);
	is(check($case->[0]), '', "$case->[0]: sound");
}

# Of several pages a group, and damaged at random
my %random = map { ("Random$_" => $_ % 2 ? 40 : 1100) } 1 .. 6;
foreach my $name (sort keys %random)
{
	hashed($name, $random{$name});
	items($name, $random{$name}, 1, 300);
	is(check($name), '', "$name: sound");
}

my %file = map { my $name = $_; $name => directory() . '/data/' . sql(qq{SELECT pg_relation_filepath('dynamo_data."$name/Near"')}) } (map { $_->[0] } @cases), keys %random;
sql('CHECKPOINT');
server('halt');
sub patch
{
	my ($name, $change) = @_;
	open my $file, '+<:raw', $file{$name} or die "$file{$name}: $!";
	my $bytes = do { local $/; <$file> };
	$change->($bytes);
	seek $file, 0, 0;
	print $file $bytes;
	close $file or die;
	return;
}
patch($_->[0], $_->[1]) foreach @cases;
foreach my $name (sort keys %random)
{
	patch($name, sub {
		for (my $page = 0; $page < length $_[0]; $page += 8192)
		{
			# The first bytes, that say most, more often; not the page's own header
			substr($_[0], $page + 24 + chance(chance(2) ? 60 : 8192 - 24), 1) = chr chance(256) for 1 .. (chance(3) ? 2 : 0);
		}
	});
}
server('restart');

foreach my $case (@cases)
{
	my ($name, undef, $problem) = @$case;
	if (ref $problem) { like(check($name), $problem, "$name: told"); }
	else { is(check($name), $problem, "$name: told"); }
	like(sql(qq{SELECT count(*) BETWEEN 0 AND 3 FROM dynamo.search_vectors('$name', 'Near', '[1, 2, 3]', 3, 'tenant = :t', '{":t": "t1"}')}),
		qr/^t$|is not what others say it is/, "$name: a search ends");
}
foreach my $name (sort keys %random)
{
	my $vector = '[' . join(',', (1) x $random{$name}) . ']';
	my %told;
	foreach my $turn (1 .. 3)
	{
		$told{check($name) =~ /\S/ ? 'problems' : 'none'}++;
		foreach my $tenant (0 .. 4)
		{
			$told{ sql(qq{SELECT 'found' FROM dynamo.search_vectors('$name', 'Near', '$vector', 100, 'tenant = :t', '{":t": "t$tenant"}') LIMIT 1}) }++;
		}
		$told{ items($name, $random{$name}, 1000 * $turn, 5) }++;
		$told{ sql(qq{DELETE FROM dynamo_data."$name" WHERE sk < 50 * $turn}) }++;
		$told{ sql(qq{VACUUM dynamo_data."$name"}) }++;
	}
	my @other = grep { !/^(?:problems|none|found|)$|is not what others say it is|could not read block \d+ in file|invalid page in block/ } keys %told;
	is(join("\n", @other), '', "$name: whatever it is, all ends");
	sql(qq{REINDEX INDEX dynamo_data."$name/Near"});
	is(check($name), '', "$name: REINDEX makes it anew");
}
ok(wait_for(sub { sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'}) eq '1' }), 'the server is well');
is(run('grep -cE "PANIC|terminated by signal|TRAP" ' . directory() . '/log || true'), '0', 'and was all the time');
done_testing();
