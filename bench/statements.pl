# Statements for one side of a comparison (bench/sides.sh), for the standard
# input of postgres --single: a statement a line.
#
#   perl bench/statements.pl SIDE CASE ITEMS COUNT RUN [COPYFILE]
#
# SIDE is ours or plain.  ITEMS is the number of items both sides began with.
# RUN tells runs on the same tables apart.  For "copy" the rows go to COPYFILE.
use strict;
use warnings;
use Digest::MD5 'md5_hex';

my ($side, $case, $items, $count, $run, $copy_file) = @ARGV;
my $users = $items / 100;
my $ours = $side eq 'ours';

sub pk { return sprintf 'USER#%07d', $_[0] % $users }
sub sk { return sprintf 'ORDER#%09d', $_[0] / $users }

sub key
{
	my ($i) = @_;
	return sprintf '{"PK":"%s","SK":"%s"}', pk($i), sk($i);
}

sub item
{
	my ($i, $visits) = @_;
	return sprintf '{"PK":"%s","SK":"%s","GSI1PK":"DAY#%07d","GSI1SK":"TIME#%09d","GSI2PK":"MAIL#%09d","GSI2SK":"%s",'
	  . '"status":"PENDING","total":109.97,"visits":%d,"version":1,"tags":["new","vip"],'
	  . '"address":{"city":"Berlin","zip":"10115"},"note":"a word on the order"}',
	  pk($i), sk($i), $i * 1299709 % $items / 25, $i, $i, substr(md5_hex($i), 0, 8), $visits // 1;
}

# The number of an item there is, and of a new one: the same for both sides, and
# others in each run.  An update that repeats one of before would be cheaper.
my $state = 12345 + 7919 * $run;
my $new = 0;

sub any
{
	$state = ($state * 1103515245 + 12345) % 2**31;
	return ($state >> 8) % $items;
}

sub new_one
{
	return any() % $users + $users * (100 + $run * 1000000 + $new++);
}

# A call of the prepared statement "s": its arguments as SQL literals.
sub execute
{
	my ($name, @arguments) = @_;
	return "EXECUTE $name(" . join(', ', map { "'$_'" } @arguments) . ")";
}

my $upsert = 'INSERT INTO plain VALUES ($1, $2, $3) ON CONFLICT (pk, sk) DO UPDATE SET item = EXCLUDED.item';
my $add = q{UPDATE plain SET item = jsonb_set(item, '{visits}',
	to_jsonb(coalesce((item ->> 'visits')::numeric, 0) + $3)) WHERE pk = $1 AND sk = $2};

# What to prepare, and a call of it: for ours, for plain.
my %cases = (
	nothing => [
		[ 's(text) AS SELECT $1', sub { execute('s', pk(any())) } ],
		[ 's(text) AS SELECT $1', sub { execute('s', pk(any())) } ],
	],
	get => [
		[ q{s(dynamo.item) AS SELECT item FROM dynamo.get_item('Shop', $1)}, sub { execute('s', key(any())) } ],
		[ 's(text, text) AS SELECT item FROM plain WHERE pk = $1 AND sk = $2', sub { my $i = any(); execute('s', pk($i), sk($i)) } ],
	],
	'get-bare' => [
		[ q{s(text, text) AS SELECT item FROM dynamo.get_item('Shop', $1, $2)}, sub { my $i = any(); execute('s', pk($i), sk($i)) } ],
		'get',
	],
	'get-sql' => [
		[ 's(text, text) AS SELECT item FROM dynamo_data."Shop" WHERE pk = $1 AND sk = $2', sub { my $i = any(); execute('s', pk($i), sk($i)) } ],
		'get',
	],
	'put-new' => [
		[ q{s(dynamo.item) AS SELECT dynamo.put_item('Shop', $1)}, sub { execute('s', item(new_one())) } ],
		[ "s(text, text, jsonb) AS $upsert", sub { my $i = new_one(); execute('s', pk($i), sk($i), item($i)) } ],
	],
	overwrite => [
		[ q{s(dynamo.item) AS SELECT dynamo.put_item('Shop', $1)}, sub { execute('s', item(any(), $run)) } ],
		[ "s(text, text, jsonb) AS $upsert", sub { my $i = any(); execute('s', pk($i), sk($i), item($i, $run)) } ],
	],
	add => [
		[ q{s(dynamo.item, dynamo.item) AS SELECT dynamo.update_item('Shop', $1, 'ADD visits :n', $2)},
			sub { execute('s', key(any()), '{":n":1}') } ],
		[ "s(text, text, numeric) AS $add", sub { my $i = any(); execute('s', pk($i), sk($i), 1) } ],
	],
	'set-if' => [
		[ q{s(dynamo.item, dynamo.item) AS SELECT dynamo.update_item('Shop', $1, 'SET #s = :s', $2, 'version = :v', '{"#s":"status"}')},
			sub { execute('s', key(any()), qq({":s":"SHIPPED$run",":v":1})) } ],
		[ q{s(text, text, jsonb, numeric) AS UPDATE plain SET item = jsonb_set(item, '{status}', $3)
			WHERE pk = $1 AND sk = $2 AND (item ->> 'version')::numeric = $4},
			sub { my $i = any(); execute('s', pk($i), sk($i), qq("SHIPPED$run"), 1) } ],
	],
	hot => [
		[ q{s(dynamo.item, dynamo.item) AS SELECT dynamo.update_item('Shop', $1, 'ADD visits :n', $2)},
			sub { execute('s', key(7), '{":n":1}') } ],
		[ "s(text, text, numeric) AS $add", sub { execute('s', pk(7), sk(7), 1) } ],
	],
	query => [
		[ q{s(dynamo.item) AS SELECT item FROM dynamo.query('Shop', 'PK = :pk', $1)}, sub { execute('s', '{":pk":"' . pk(any()) . '"}') } ],
		[ 's(text) AS SELECT item FROM plain WHERE pk = $1 ORDER BY sk', sub { execute('s', pk(any())) } ],
	],
	gsi => [
		[ q{s(dynamo.item) AS SELECT item FROM dynamo.query('Shop', 'GSI1PK = :pk', $1, index_name => 'GSI1')},
			sub { execute('s', sprintf '{":pk":"DAY#%07d"}', any() / 25) } ],
		[ q{s(text) AS SELECT item FROM plain WHERE item ->> 'GSI1PK' = $1 ORDER BY item ->> 'GSI1SK'},
			sub { execute('s', sprintf 'DAY#%07d', any() / 25) } ],
	],
	transaction => [
		[ 's(json) AS SELECT * FROM dynamo.transact_write($1)', \&transact_write ],
		[ q{s(text, text, jsonb, text, text, jsonb, text, text, numeric, text, text, jsonb) AS WITH
			a AS (INSERT INTO plain VALUES ($1, $2, $3)),
			b AS (INSERT INTO plain VALUES ($4, $5, $6) ON CONFLICT (pk, sk) DO UPDATE SET item = EXCLUDED.item),
			c AS (UPDATE plain SET item = jsonb_set(item, '{visits}', to_jsonb((item ->> 'visits')::numeric + $9))
				WHERE pk = $7 AND sk = $8 AND (item ->> 'visits')::numeric > 0 RETURNING 1),
			d AS (UPDATE plain SET item = jsonb_set(item, '{status}', $12)
				WHERE pk = $10 AND sk = $11 AND (item ->> 'version')::numeric = 1 RETURNING 1)
			SELECT 1 / (((SELECT count(*) FROM c) + (SELECT count(*) FROM d)) / 2)},
			sub { execute('s', map { @$_ } four()) } ],
	],
	'transaction-begin' => [
		'transaction',
		[   [ 'a(text, text, jsonb) AS INSERT INTO plain VALUES ($1, $2, $3)',
				"b(text, text, jsonb) AS $upsert",
				q{c(text, text, numeric) AS UPDATE plain SET item = jsonb_set(item, '{visits}', to_jsonb((item ->> 'visits')::numeric + $3))
					WHERE pk = $1 AND sk = $2 AND (item ->> 'visits')::numeric > 0},
				q{d(text, text, jsonb) AS UPDATE plain SET item = jsonb_set(item, '{status}', $3)
					WHERE pk = $1 AND sk = $2 AND (item ->> 'version')::numeric = 1} ],
			sub { my @f = four(); ('BEGIN', (map { execute($_, @{ shift @f }) } qw(a b c d)), 'COMMIT') } ],
	],
	insert => [
		[ 's(dynamo.item) AS INSERT INTO dynamo_data."Shop" (item) VALUES ($1)', sub { execute('s', item(new_one())) } ],
		[ 's(text, text, jsonb) AS INSERT INTO plain VALUES ($1, $2, $3)', sub { my $i = new_one(); execute('s', pk($i), sk($i), item($i)) } ],
	],
);

# The arguments of a transaction's four actions.
sub four
{
	my ($order, $line, $counter, $state) = (new_one(), new_one(), any(), any());
	return ([ pk($order), sk($order), item($order) ], [ pk($line), sk($line), item($line) ],
		[ pk($counter), sk($counter), 2 ], [ pk($state), sk($state), qq("SHIPPED$run") ]);
}

sub transact_write
{
	my ($order, $line, $counter, $state) = four();
	return execute('s', '[{"Put":{"TableName":"Shop","Item":' . $order->[2] . ',"ConditionExpression":"attribute_not_exists(PK)"}},'
		. '{"Put":{"TableName":"Shop","Item":' . $line->[2] . '}},'
		. qq({"Update":{"TableName":"Shop","Key":{"PK":"$counter->[0]","SK":"$counter->[1]"},"UpdateExpression":"SET visits = visits + :n",)
		. '"ConditionExpression":"visits > :zero","ExpressionAttributeValues":{":n":2,":zero":0}}},'
		. qq({"Update":{"TableName":"Shop","Key":{"PK":"$state->[0]","SK":"$state->[1]"},"UpdateExpression":"SET #s = :s",)
		. '"ConditionExpression":"version = :v","ExpressionAttributeNames":{"#s":"status"},'
		. qq("ExpressionAttributeValues":{":s":$state->[2],":v":1}}}]));
}

sub copy
{
	open my $file, '>', $copy_file or die "$copy_file: $!\n";
	foreach (1 .. $count)
	{
		my $i = new_one();
		print $file $ours ? item($i) . "\n" : join("\t", pk($i), sk($i), item($i)) . "\n";
	}
	close $file;
	my $to = $ours ? 'dynamo_data."Shop" (item)' : 'plain';
	print "COPY $to FROM '$copy_file'\n" if $count > 0;
}

if ($case eq 'copy')
{
	copy();
	exit;
}
my $entry = $cases{$case} or die "there is no case $case\n";
my $what = $entry->[ $ours ? 0 : 1 ];
$what = $cases{$what}[ $ours ? 0 : 1 ] if !ref $what;
my ($prepare, $call) = @$what;
print "PREPARE " . s/\s+/ /gr . "\n" foreach ref $prepare ? @$prepare : $prepare;
foreach (1 .. $count)
{
	print "$_\n" foreach $call->();
}
