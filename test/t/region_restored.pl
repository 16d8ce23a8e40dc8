# A region whose database is put back to an older state of itself, as by a copy of its
# files, and goes on: its numbers come again for other changes. What was written in it
# meanwhile comes back from the others, what they have written comes again, and what
# it writes from then on arrives. A server that was only killed exchanges nothing anew.
# Takes long.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use AtEnd;
use Regions;
use Server;

my $conf = "shared_preload_libraries = dynamo\ndynamo.http_port = 0\nmax_worker_processes = 16\n";
my $command = abs_path(dirname(__FILE__) . '/../server');
my $second = "second$$";

# Region eu is a server of its own; us and ap are databases of the other.
start_server($conf);
my $place = dirname(directory()) . "/$second";
at_end(sub { return system($command, 'stop', $second) == 0 });
{
	local $ENV{SERVER_CONF} = $conf;
	system($command, 'start', $second) == 0 or die 'no second server';
}
my %here = environment();
my %there = map { split /=/, $_, 2 } grep { /^PG/ } split /\n/, `eval "\$('$command' env $second)"; env`;

sub at { my ($name) = @_; return $name eq 'eu' ? \%there : \%here }

sub ask
{
	my ($sql, $name) = @_;
	my $at = at($name);
	return sql($sql, "'host=$at->{PGHOST} port=$at->{PGPORT} dbname=$name'");
}

sub await
{
	my ($query, $wanted, $name) = @_;
	my $got;
	wait_for(sub { $got = ask($query, $name); return ref $wanted ? $got =~ $wanted : $got eq $wanted }, 180);
	return $got;
}

my @names = qw(us eu ap);
foreach my $name (@names)
{
	my $at = at($name);
	sql("CREATE DATABASE $name", "'host=$at->{PGHOST} port=$at->{PGPORT} dbname=postgres'");
	ask("CREATE EXTENSION dynamo; SELECT dynamo.create_region('$name')", $name);
	foreach my $peer (grep { $_ ne $name } @names)
	{
		my $to = at($peer);
		ask(qq{CREATE SERVER region_$peer FOREIGN DATA WRAPPER dynamo_region OPTIONS (host '$to->{PGHOST}', port '$to->{PGPORT}', dbname '$peer');
			CREATE USER MAPPING FOR PUBLIC SERVER region_$peer OPTIONS (user 'postgres');
			SELECT dynamo.create_region('$peer', 'region_$peer')}, $name);
	}
}

# Items and versions, of which there must be as many as that.
sub state_of
{
	my ($name) = @_;
	return ask(q{SELECT (SELECT count(*) || ' ' || md5(string_agg(item::text, ',' ORDER BY item::text)) FROM dynamo_data."Shop"),
			md5(string_agg(v.keys::text || v.time || ' ' || v.region_id || v.deleted, ',' ORDER BY v.keys::text)), count(*)
		FROM dynamo_internal.item_versions v JOIN dynamo_internal.global_tables g USING (global_id) WHERE g.relation = 'dynamo_data."Shop"'::regclass}, $name);
}

sub equal
{
	my ($count, $what) = @_;
	my @got;
	wait_for(sub { @got = map { state_of($_) } @names; return $got[0] =~ /^$count / && $got[0] eq $got[1] && $got[1] eq $got[2] }, 180);
	like($got[0], qr/^$count /, "$what: $count items");
	is($got[$_], $got[0], "... and the same in $names[$_]") foreach 1, 2;
	return;
}

sub put
{
	my ($name, $prefix, $n) = @_;
	is(ask(qq{SELECT count(dynamo.put_item('Shop', jsonb_build_object('id', '$prefix' || i, 'by', '$name')::dynamo.item)) FROM generate_series(1, $n) AS i}, $name), '0', "$n items in $name");
	return;
}

ask(q{SELECT dynamo.create_table('Shop', 'id')}, 'us');
put('us', 'first', 50);
foreach my $peer (qw(eu ap))
{
	is(ask("SELECT dynamo_internal.add_replica('Shop', '$peer')", 'us'), '', "a replica in $peer is asked for");
	is(await("SELECT status FROM dynamo.replicas WHERE region_name = '$peer'", 'ACTIVE', 'us'), 'ACTIVE', '... and there');
}
put('eu', 'second', 10);
put('ap', 'third', 10);
equal(70, 'three regions');

# Killed, and no more.
my $incarnations = q{SELECT string_agg(region_name || incarnation, ' ' ORDER BY region_name) FROM dynamo_internal.replicas_received};
my %before = map { $_ => ask($incarnations, $_) } @names;
put('eu', 'killed', 30);
system($command, 'crash', $second) == 0 or die;
put('us', 'alone', 5);
system($command, 'restart', $second) == 0 or die;
put('eu', 'again', 5);
equal(110, 'after a crash');
is(ask($incarnations, $_), $before{$_}, "... nothing has begun anew in $_") foreach @names;

# A copy of the files, which is older than what has been sent.
system($command, 'halt', $second) == 0 or die;
as_server_user('cp', '-a', "$place/data", "$place/copy") or die;
system($command, 'restart', $second) == 0 or die;
put('eu', 'gone', 40);
put('us', 'first', 5);
ask(q{SELECT dynamo.delete_item('Shop', 'second1'), dynamo.delete_item('Shop', 'third1')}, 'eu');
put('us', 'more', 7);
equal(155, 'before');
system($command, 'halt', $second) == 0 or die;
rename("$place/data", "$place/lost") && rename("$place/copy", "$place/data") or die;
system($command, 'restart', $second) == 0 or die;
put('eu', 'new', 500);
equal(655, 'after the copy was put back');
put('eu', 'later', 20);
put('us', 'later_us', 20);
equal(695, 'and it goes on');

done_testing();
