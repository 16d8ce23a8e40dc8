# The statements that bench/instructions, bench/plain and bench/growth run, for
# both sides (bench/sides.sh), and the items these work on.
#
#   perl bench/cases.pl wire SIDE CASE ITEMS COUNT RUN
#       a line each for bench/wire.py: PREPARE, then COUNT times EXECUTE.  RUN
#       tells runs on the same tables apart
#   perl bench/cases.pl pgbench SIDE CASE ITEMS
#       a script for pgbench -M prepared
#   perl bench/cases.pl rows SIDE ITEMS COUNT RUN
#       rows for COPY, new ones
#   perl bench/cases.pl functions
#       SQL functions that make item number i of so many: pk_of, sk_of, item_of
#
# SIDE is ours or plain.  ITEMS is the number of items both sides began with.
use strict;
use warnings;

# Values of a record, with its numbers in them (numbers()).  <a.item> is a value
# of another record.  A blank keeps pgbench from taking ":109" for a variable.
my %values = (
	pk    => 'USER#<u>',
	sk    => 'ORDER#<o>',
	day   => 'DAY#<g>',
	key   => '{"PK":"USER#<u>","SK":"ORDER#<o>"}',
	of_pk => '{":pk":"USER#<u>"}',
	of_day => '{":pk":"DAY#<g>"}',
	item  => '{"PK":"USER#<u>","SK":"ORDER#<o>","GSI1PK":"DAY#<g>","GSI1SK":"TIME#<i>","GSI2PK":"MAIL#<i>",'
	  . '"GSI2SK":"TIME#<i>","status":"PENDING","total": 109.97,"visits":<v>,"version": 1,"tags":["new","vip"],'
	  . '"address":{"city":"Berlin","zip":"10115"},"note":"a few words on the order"}',
	n       => '<v>',
	of_n    => '{":n":<v>}',
	state   => '"STATE<v>"',
	of_state => '{":s":"STATE<v>",":v": 1}',
	one     => '<w>',
	actions => '[{"Put":{"TableName":"Shop","Item":<a.item>,"ConditionExpression":"attribute_not_exists(PK)"}},'
	  . '{"Put":{"TableName":"Shop","Item":<b.item>}},'
	  . '{"Update":{"TableName":"Shop","Key":<c.key>,"UpdateExpression":"SET visits = visits + :n",'
	  . '"ConditionExpression":"visits > :z","ExpressionAttributeValues":{":n":<c.v>,":z": 0}}},'
	  . '{"Update":{"TableName":"Shop","Key":<d.key>,"UpdateExpression":"SET #s = :s","ConditionExpression":"version = :v",'
	  . '"ExpressionAttributeNames":{"#s":"status"},"ExpressionAttributeValues":<d.of_state>}}]',
);

my $upsert = 'INSERT INTO plain VALUES ({x.pk::text}, {x.sk::text}, {x.item::jsonb})'
  . ' ON CONFLICT (pk, sk) DO UPDATE SET item = EXCLUDED.item';
my $add = q[UPDATE plain SET item = jsonb_set(item, '{visits}',]
  . q[ to_jsonb(coalesce((item ->> 'visits')::numeric, 0) + {x.n::numeric})) WHERE pk = {x.pk::text} AND sk = {x.sk::text}];
my $get = 'SELECT item FROM plain WHERE pk = {x.pk::text} AND sk = {x.sk::text}';
my $put = q[SELECT dynamo.put_item('Shop', {x.item::dynamo.item})];
my $add_item = q[SELECT dynamo.update_item('Shop', {x.key::dynamo.item}, 'ADD visits :n', {x.of_n::dynamo.item})];
my $transact = 'SELECT * FROM dynamo.transact_write({a.actions::text})';
my $insert_a = 'INSERT INTO plain VALUES ({a.pk::text}, {a.sk::text}, {a.item::jsonb})';
my $upsert_b = $upsert =~ s/\{x/{b/gr;
my $update_c = q[UPDATE plain SET item = jsonb_set(item, '{visits}', to_jsonb((item ->> 'visits')::numeric + {c.n::numeric}))]
  . q[ WHERE pk = {c.pk::text} AND sk = {c.sk::text} AND (item ->> 'visits')::numeric > 0];
my $update_d = q[UPDATE plain SET item = jsonb_set(item, '{status}', {d.state::jsonb})]
  . q[ WHERE pk = {d.pk::text} AND sk = {d.sk::text} AND (item ->> 'version')::numeric = 1];

# The records that a case works on, old ones, each old one in its turn, new ones, or an
# old one that is not c, and its statements.
my %cases = (
	nothing => { x => 'old', ours => ['SELECT {x.pk::text}'], plain => ['SELECT {x.pk::text}'] },
	get => { x => 'old', ours => [q[SELECT item FROM dynamo.get_item('Shop', {x.key::dynamo.item})]], plain => [$get] },
	'get-bare' => { x => 'old', ours => [q[SELECT item FROM dynamo.get_item('Shop', {x.pk::text}, {x.sk::text})]], plain => [$get] },
	'get-sql' => { x => 'old', ours => ['SELECT item FROM dynamo_data."Shop" WHERE pk = {x.pk::text} AND sk = {x.sk::text}'], plain => [$get] },
	'put-new'   => { x => 'new', ours => [$put], plain => [$upsert] },
	overwrite => { x => 'old', ours => [$put], plain => [$upsert] },
	'overwrite-each' => { x => 'each', ours => [$put], plain => [$upsert] },
	add       => { x => 'old', ours => [$add_item], plain => [$add] },
	'set-if'  => {
		x => 'old',
		ours => [q[SELECT dynamo.update_item('Shop', {x.key::dynamo.item}, 'SET #s = :s', {x.of_state::dynamo.item},]
			. q[ 'version = :v', '{"#s":"status"}')]],
		plain => [q[UPDATE plain SET item = jsonb_set(item, '{status}', {x.state::jsonb})]
			. q[ WHERE pk = {x.pk::text} AND sk = {x.sk::text} AND (item ->> 'version')::numeric = {x.one::numeric}]],
	},
	hot   => { x => 'one', ours => [$add_item], plain => [$add] },
	query => {
		x => 'old',
		ours  => [q[SELECT item FROM dynamo.query('Shop', 'PK = :pk', {x.of_pk::dynamo.item})]],
		plain => ['SELECT item FROM plain WHERE pk = {x.pk::text} ORDER BY sk'],
	},
	'query-10' => {
		x => 'old',
		ours  => [q[SELECT item FROM dynamo.query('Shop', 'PK = :pk', {x.of_pk::dynamo.item}, scan_index_forward => false) LIMIT 10]],
		plain => ['SELECT item FROM plain WHERE pk = {x.pk::text} ORDER BY sk DESC LIMIT 10'],
	},
	gsi => {
		x => 'old',
		ours  => [q[SELECT item FROM dynamo.query('Shop', 'GSI1PK = :pk', {x.of_day::dynamo.item}, index_name => 'GSI1')]],
		plain => [q[SELECT item FROM plain WHERE item ->> 'GSI1PK' = {x.day::text} ORDER BY item ->> 'GSI1SK']],
	},
	transaction => {
		a => 'new', b => 'new', c => 'old', d => 'other',
		ours  => [$transact],
		plain => ["WITH a AS ($insert_a), b AS ($upsert_b), c AS ($update_c RETURNING 1), d AS ($update_d RETURNING 1)"
			. ' SELECT 1 / (((SELECT count(*) FROM c) + (SELECT count(*) FROM d)) / 2)'],
	},
	'transaction-begin' => {
		a => 'new', b => 'new', c => 'old', d => 'other',
		ours  => [$transact],
		plain => [ 'BEGIN', $insert_a, $upsert_b, $update_c, $update_d, 'COMMIT' ],
	},
	insert => {
		x => 'new',
		ours  => ['INSERT INTO dynamo_data."Shop" (item) VALUES ({x.item::dynamo.item})'],
		plain => ['INSERT INTO plain VALUES ({x.pk::text}, {x.sk::text}, {x.item::jsonb})'],
	},
);

my ($mode, $side, $case, $items, $count, $run) = @ARGV;

# The value of a record as a string with numbers in it, <x.u>.
sub value
{
	my ($record, $name) = @_;
	my $text = $values{$name} // die "there is no value $name\n";
	$text =~ s/<(\w)>/<$record.$1>/g;
	$text =~ s/<(\w)\.(\w\w+)>/value($1, $2)/ge;
	return $text;
}

# Numbers of a record, in fixed width.  Item i has place o in collection u, and g
# is its key in GSI1.  New items belong to other collections and have other keys
# in the index, so that a Query finds as many as ever.  v is what an update
# stores: other values in each run, for an update that changes nothing is cheaper;
# w is 1.
my ($seed, $made) = (0, 0);

sub random
{
	$seed = ($seed * 1103515245 + 12345) % 2**31;
	return ($seed >> 8) % $_[0];
}

sub numbers
{
	my ($record, $age) = @_;
	my $users = $items / 100;
	my $i = $age eq 'one' ? 7 : $age eq 'each' ? $made++ * 7919 % $items : random($items);
	my $new = $age eq 'new';
	my ($u, $o, $g) = ($i % $users, int($i / $users), int($i * 1299709 % $items / 25));
	($u, $g, $o, $i) = ($u + $users, $g + $items / 25, 100 + $run * 1000000 + $made, $items + $run * 1000000 + $made++) if $new;
	return ("$record.u" => 10000000 + $u, "$record.o" => 1000000000 + $o, "$record.g" => 10000000 + $g,
		"$record.i" => 1000000000 + $i, "$record.v" => 1 + $run, "$record.w" => 1);
}

sub filled
{
	my ($text, %numbers) = @_;
	return $text =~ s/<(\w\.\w)>/$numbers{$1}/gr;
}

my $placeholder = qr/\{(\w)\.(\w+)::([\w.]+)\}/;

sub wire
{
	my $statements = $cases{$case}{$side};
	my $n = 0;
	foreach my $sql (@$statements)
	{
		my @types;
		my $text = $sql =~ s/$placeholder/push @types, $3; '$' . @types/ger;
		print "PREPARE s$n(" . join(', ', @types) . ") AS $text\n" if @types;
		$n++;
	}
	foreach (1 .. $count)
	{
		my %numbers = map { numbers($_, $cases{$case}{$_}) } grep { /^\w$/ } sort keys %{ $cases{$case} };
		$n = 0;
		foreach my $sql (@$statements)
		{
			my @arguments;
			push @arguments, "'" . filled(value($1, $2), %numbers) . "'" while $sql =~ /$placeholder/g;
			print @arguments ? "EXECUTE s$n(" . join(', ', @arguments) . ")\n" : "$sql\n";
			$n++;
		}
	}
}

# In pgbench ":name" is a variable, in strings, too; so ours are cut there, and
# the server puts them together when it plans.
sub cut
{
	return $_[0] =~ s/(?<!:):(?=\w)/:' || '/gr;
}

# A value as a concatenation of strings and variables of pgbench.
sub concatenated
{
	my $text = cut("'" . shift() . "'");
	$text =~ s/<(\w)\.(\w)>/' || :$1$2 || '/g;
	return $text =~ s/'' \|\| | \|\| ''//gr;
}

# What \set makes the numbers of a record from.
sub variables
{
	my ($x, $age) = @_;
	my ($users, $groups, $last) = ($items / 100, $items / 25, $items - 1);
	my @both = (v => 'random(1, 1000000)', w => 1);
	return (u => "10000000 + $users + random(0, $users - 1)", g => "10000000 + $groups + random(0, $groups - 1)",
		o => 'random(2000000000, 9999999999)', i => 'random(2000000000, 9999999999)', @both) if $age eq 'new';
	my $n = $age eq 'one' ? 7 : $age eq 'other' ? "(:cn + random(1, $last)) % $items" : "random(0, $last)";
	return (n => $n, u => "10000000 + :${x}n % $users", o => "1000000000 + :${x}n / $users",
		g => "10000000 + :${x}n * 1299709 % $items / 25", i => "1000000000 + :${x}n", @both);
}

sub pgbench
{
	my $script = join '', map { s/($placeholder)|([^{]+)/$1 ? '(' . concatenated(value($2, $3)) . ")::$4" : cut($5)/ger . ";\n" }
	  @{ $cases{$case}{$side} };
	foreach my $x (grep { /^\w$/ } sort keys %{ $cases{$case} })
	{
		my @variables = variables($x, $cases{$case}{$x});
		while (my ($name, $expression) = splice @variables, 0, 2)
		{
			print "\\set $x$name $expression\n" if $name eq 'n' || $script =~ /:$x$name\b/;
		}
	}
	print $script;
}

sub rows
{
	foreach (1 .. $count)
	{
		my %numbers = numbers('x', 'new');
		my @columns = map { filled(value('x', $_), %numbers) } $side eq 'ours' ? 'item' : qw(pk sk item);
		print join("\t", @columns) . "\n";
	}
}

# A value of item number i of so many, as an expression of SQL.
sub expression
{
	my %of = (
		u => "10000000 + i % (items / 100)", o => "1000000000 + i / (items / 100)", v => 1,
		g => "10000000 + i * 1299709 % items / 25", i => "1000000000 + i");
	my $text = value('x', shift);
	$text =~ s/<x\.(\w)>/' || ($of{$1}) || '/g;
	return "'$text'";
}

if ($mode eq 'rows')
{
	($case, $items, $count, $run) = ('', @ARGV[2 .. 4]);
	$seed = 12345 + 7919 * $run;
	rows();
}
elsif ($mode eq 'functions')
{
	printf "CREATE FUNCTION %s_of(i bigint, items bigint) RETURNS text LANGUAGE sql IMMUTABLE AS \$\$ SELECT %s \$\$;\n", $_, expression($_)
	  foreach qw(pk sk item);
}
else
{
	$cases{$case} or die "there is no case $case\n";
	$run //= 0;
	$seed = 12345 + 7919 * $run;
	$mode eq 'wire' ? wire() : pgbench();
}
