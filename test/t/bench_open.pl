# bench/open: what it measures is measured as it says (the tests of its load
# generator), and it runs through with tiny sizes, on this server alone.
#
# Takes long.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;

my $top = abs_path(dirname(__FILE__) . '/../..');
my $dir = tempdir(CLEANUP => 1);
local %ENV = (%ENV, GOTOOLCHAIN => 'local', GOFLAGS => '-mod=readonly -buildvcs=false', RECORDS => 200, CONNECTIONS => 4,
	SIDES => 'dynamo');

my ($version) = (`go version 2>/dev/null` // '') =~ /go1\.(\d+)/;
plan skip_all => 'there is no Go of 1.24 or newer' if !$version || $version < 24;
plan skip_all => 'its modules could not be fetched' if system("cd $top/bench/load && timeout 300 go mod download >$dir/log 2>&1") != 0;

is(system("cd $top/bench/load && go vet . >$dir/log 2>&1 && go test -count=1 . >$dir/log 2>&1"), 0, 'the tests of the load generator')
  or diag(`cat $dir/log`);

# Its lines, without what stands around the cells of tables.
sub bench
{
	my ($workloads, @arguments) = @_;
	local $ENV{WORKLOADS} = $workloads;
	my @lines = map { chomp; [map { s/^\s+|\s+$//gr } split /\|/] } qx{cd $top && timeout 1200 bench/open @arguments 2>$dir/log};
	is($?, 0, "bench/open @arguments") or diag(`cat $dir/log`);
	return @lines;
}

# Time decides nothing: how many there were, and how fast, may be anything.  Only a
# closed loop always sends something.
my @lines = bench('D shop', 1);
my @runs = grep { ($_->[4] // '') eq 'dynamo' } @lines;
is(join(' ', map { "$_->[1]:$_->[2]" } @runs), 'D:max D:50 D:80 D:95 shop:max shop:50 shop:80 shop:95', 'a row for each load');
is((grep { $_->[10] !~ /^0(, \d+ not sent)?$/ } @runs)[0], undef, 'no errors: keys are there, and signatures are right') or diag(explain(\@runs));
is((grep { $_->[5] !~ /^([\d.]+)( \(behind\))?$/ || ($_->[2] eq 'max' && !($1 > 0)) || !($_->[6] > 0) || $_->[6] > $_->[7] || $_->[7] > $_->[8] } @runs)[0],
	undef, 'something was answered, and p50, p99 and p99.9 grow') or diag(explain(\@runs));
my @workers = grep { @$_ == 8 && $_->[3] =~ /^\d+$/ } @lines;
is(scalar @workers, 8, 'and a row for the workers');
is((grep { $_->[3] < 2 || $_->[5] == 0 || $_->[4] > $_->[5] || !($_->[7] > 0) } @workers)[0], undef,
	'with the requests and the memory of each of them') or diag(explain(\@workers));

@lines = bench('F', 'hour', 2);
my @turns = grep { ($_->[2] // '') eq 'F' } @lines;
is(join(' ', map { $_->[1] } @turns), '1 2', 'for long: a row for each turn');
is((grep { !($_->[9] > 0) || $_->[9] > $_->[10] } @turns)[0], undef, 'with the memory of the workers, and of all') or diag(explain(\@turns));

done_testing();
