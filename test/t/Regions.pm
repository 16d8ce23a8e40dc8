# Regions for tests: databases of the server that the test has started, each of
# which knows all others.
package Regions;
use strict;
use warnings;
use Exporter qw(import);
use Server;

our @EXPORT = qw(make_regions await_sql await_turn settle digest);

# A database for each name, with the extension, and servers of the others.
sub make_regions
{
	my @names = @_;
	my %environment = environment();
	foreach my $name (@names)
	{
		sql("CREATE DATABASE $name");
		sql("CREATE EXTENSION dynamo; SELECT dynamo.create_region('$name')", $name);
	}
	foreach my $name (@names)
	{
		foreach my $peer (grep { $_ ne $name } @names)
		{
			sql(qq{CREATE SERVER region_$peer FOREIGN DATA WRAPPER dynamo_region OPTIONS (host '$environment{PGHOST}', port '$environment{PGPORT}', dbname '$peer');
				CREATE USER MAPPING FOR PUBLIC SERVER region_$peer OPTIONS (user 'postgres');
				SELECT dynamo.create_region('$peer', 'region_$peer')}, $name);
		}
	}
	return;
}

# What a query answers once that is so, or what it does after some minutes.
sub await_sql
{
	my ($query, $wanted, $database) = @_;
	my $got;
	wait_for(sub { $got = sql($query, $database); return ref $wanted ? $got =~ $wanted : $got eq $wanted }, 300);
	return $got;
}

# The background has looked for what the replicas of a database lack: a turn that finds
# that the last one has failed notes that it has not.  The first one of a process only
# asks how far they are.
sub await_turn
{
	my ($database) = @_;
	my $failures;
	foreach my $turn (1, 2)
	{
		sql('UPDATE dynamo_internal.replicas SET failures = 1', $database);
		$failures = await_sql('SELECT max(failures) FROM dynamo_internal.replicas', '0', $database);
	}
	return $failures;
}

# All that is written is everywhere: each region has sent what it has written to
# each other one.
sub settle
{
	my ($table, @names) = @_;
	foreach my $name (@names)
	{
		foreach my $peer (grep { $_ ne $name } @names)
		{
			await_sql(qq{SELECT count(*) FROM dynamo_internal.item_versions v, dynamo_internal.global_tables g, dynamo_internal.replicas r
				WHERE g.relation = 'dynamo_data."$table"'::regclass AND r.relation = g.relation AND r.region_name = '$peer'
					AND v.global_id = g.global_id AND v.region_id = g.region_id AND v.number > r.position}, '0', $name);
		}
	}
	return;
}

# Of the items of a table and their versions.
sub digest
{
	my ($table, $name) = @_;
	return sql(qq{SELECT md5((SELECT string_agg(item::text, ',' ORDER BY item::text) FROM dynamo_data."$table")), (SELECT count(*) FROM dynamo_data."$table"),
			md5(string_agg(v.keys::text || v.time || ' ' || v.region_id || v.deleted, ',' ORDER BY v.keys::text)), count(*) FILTER (WHERE NOT deleted)
		FROM dynamo_internal.item_versions v JOIN dynamo_internal.global_tables g ON g.global_id = v.global_id AND g.relation = 'dynamo_data."$table"'::regclass}, $name);
}

1;
