# The dashboard and the alerts of docs/monitoring ask for what there is: each metric
# and label is on the page of a running server, or of the few that others print, and
# each statement of SQL runs.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP;
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

my $docs = dirname(__FILE__) . '/../../docs';

# Of Prometheus itself, postgres_exporter and CloudNativePG.
my %foreign = map { $_ => 1 } qw(up pg_replication_lag_seconds cnpg_pg_replication_lag);

# Labels that Prometheus adds.
my %added = map { $_ => 1 } qw(instance job);

sub slurp
{
	my ($file) = @_;
	open my $in, '<:raw', $file or die "$file: $!";
	return do { local $/; <$in> };
}

start_server("dynamo.http_workers = 2\ndynamo.http_metrics = loopback");
my $app = tenant('app');
sql(q{SET ROLE app; SELECT dynamo.create_table('Shop', 'id');
	SELECT dynamo.create_index('Shop', 'ByN', 'n', partition_key_type => 'N');
	SELECT dynamo.enable_stream('Shop');
	SELECT dynamo.call('UpdateContributorInsights', '{"TableName": "Shop", "ContributorInsightsAction": "ENABLE"}');
	SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "Shop", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}')});
sql(q{CREATE SERVER nowhere FOREIGN DATA WRAPPER dynamo_region OPTIONS (host '/nowhere');
	SELECT dynamo.create_region('there', 'nowhere'), dynamo_internal.add_replica('Shop', 'there')});
call_as($app, 'PutItem', '{"TableName":"Shop","Item":{"id":{"S":"a"},"n":{"N":"1"}}}');

# What is printed: a metric, or series of a histogram, with their labels.
my %printed;
ok(wait_for(sub {
	%printed = ();
	foreach (split /\n/, ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")->{body})
	{
		my ($name, $labels) = /^(\w+)(?:\{(.*)\})? \S+$/ or next;
		$printed{$name}{$_} = 1 foreach '', ($labels // '') =~ /(\w+)="(?:[^"\\]|\\.)*"/g;
	}
	return $printed{dynamo_recovery_lag_seconds} && $printed{dynamo_stream_lag_records};
}), 'a server with something to tell');

# Names of metrics in an expression, and labels that are matched or grouped by.
sub unknown
{
	my ($expr) = @_;
	my @bad;
	my (%metrics, %labels);
	(my $bare = $expr) =~ s/"[^"]*"/""/g;
	$labels{$_} = 1 foreach map { split /\s*,\s*/ } $bare =~ /\bby\s*\(([^)]*)\)/g;
	$bare =~ s/\bby\s*\([^)]*\)//g;
	while ($bare =~ /\b([a-z]\w+)\s*\{([^}]*)\}/g)
	{
		$metrics{$1} = 1;
		$labels{$_} = 1 foreach $2 =~ /(\w+)\s*(?:=~|!=|!~|=)/g;
	}
	$bare =~ s/\{[^}]*\}//g;
	$bare =~ s/\[[^\]]*\]//g;
	$metrics{$_} = 1 foreach grep { /_|^up$/ } $bare =~ /\b([a-z]\w+)\b(?!\s*\()/g;
	my @names = keys %metrics;
	push @bad, "no metric in: $expr" if !@names;
	foreach my $name (@names)
	{
		push @bad, "metric $name" if !$printed{$name} && !$foreign{$name};
	}
	foreach my $label (keys %labels)
	{
		push @bad, "label $label in $expr" if !$added{$label} && grep { $printed{$_} && !$printed{$_}{$label} } @names;
	}
	return @bad;
}
is_deeply([ unknown('sum by (colour) (rate(dynamo_nothing_total{shape="a"}[5m])) > 0') ], [ 'metric dynamo_nothing_total' ], 'a name that is not there is found');
is_deeply([ unknown('rate(dynamo_requests_total{shape="a"}[5m])') ], [ 'label shape in rate(dynamo_requests_total{shape="a"}[5m])' ], 'and a label');

my $board = JSON::PP->new->utf8->decode(slurp("$docs/monitoring/grafana.json"));
my @panels = grep { $_->{targets} } @{ $board->{panels} };
cmp_ok(scalar @panels, '>', 15, 'a dashboard');
my %seen;
is_deeply([ grep { $seen{ $_->{id} }++ } @{ $board->{panels} } ], [], 'whose panels have numbers of their own');
my (@unknown, $statements, %asked);
foreach my $panel (@panels)
{
	foreach my $target (@{ $panel->{targets} })
	{
		if ($target->{rawSql})
		{
			$statements++;
			unlike(sql($target->{rawSql}), qr/ERROR/, "$panel->{title}: its statement runs");
		}
		else
		{
			push @unknown, map { "$panel->{title}: $_" } unknown($target->{expr});
			$asked{$_} = 1 foreach $target->{expr} =~ /\b(dynamo_\w+)/g;
		}
	}
}
is_deeply(\@unknown, [], 'each panel asks for what there is');
cmp_ok($statements, '>=', 3, 'some by SQL');
my $hot = (grep { $_->{title} eq 'Hot keys' } @panels)[0]{targets}[0]{rawSql} =~ s/t\.table_name, k\.\*/count(*) > 0/r =~ s/ORDER BY.*//r;
is(sql($hot), 't', 'hot keys are shown');
sql(q{SET ROLE app; SELECT dynamo.create_table('Closed', 'id'); SELECT dynamo.put_item('Closed', '{"id": "a"}');
	RESET ROLE; CREATE ROLE watcher; GRANT pg_monitor TO watcher; GRANT SELECT ON dynamo_data."Shop" TO watcher});
is(sql("SET ROLE watcher; $hot"), 't', 'also to who may read some of the tables');

my $rules = slurp("$docs/monitoring/rules.yml");
$rules =~ s/expr: >-\n((?: {10,}.*\n)+)/'expr: ' . join(' ', split(m{\n\s*}, $1)) . "\n"/ge;
my @rules = $rules =~ /^ *expr: *(.*)$/mg;
cmp_ok(scalar @rules, '>=', 14, 'alerts');
is_deeply([ map { unknown($_) } @rules ], [], 'each asks for what there is');
$asked{$_} = 1 foreach map { /\b(dynamo_\w+)/g } @rules;

my $page = slurp("$docs/monitoring.md");
my @examples = $page =~ /^```promql\n(.*?)^```/msg;
is_deeply([ map { unknown($_) } map { split /\n\n/ } map { s/^#.*\n//mgr } @examples ], [], 'and so do the examples of the page');
is_deeply([ grep { !$printed{$_} && !$printed{"${_}_count"} } grep { /^dynamo_/ } map { /`(\w+)`/g } $page =~ /^\| (`dynamo_\w+.*?) \|/mg ], [], 'what the page lists is printed');
is_deeply([ grep { !/_(?:sum|count)$|returned_items|index_consumed/ && !$asked{$_} } sort keys %printed ], [], 'and all of it is on the dashboard or in an alert');

done_testing();
