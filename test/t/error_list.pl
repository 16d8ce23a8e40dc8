#!/usr/bin/env perl
# docs/errors.md lists every SQLSTATE that the source raises, and no other.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;

my $top = dirname(__FILE__) . '/../..';

sub slurp
{
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!";
	local $/;
	return scalar <$in>;
}

my $listed = slurp("$top/docs/errors.md");
my (@dynamo, @postgres);
push @dynamo, "$1 $2" while $listed =~ /^\| (ND\d{3}) \| (\w+) \| \S/gm;
push @postgres, "$1 $2" while $listed =~ /^\| (\w{5}) (\w+) \| \S/gm;

# DynamoDB's: one for each row of the table of exceptions, in its order.
my $n = 0;
my ($rows) = slurp("$top/src/base/base_error.c") =~ /exception_types\[.*?\] = \{(.*?)\};/s;
my @exceptions = map { sprintf 'ND%03d %s', ++$n, $_ } $rows =~ /"(\w+)"/g;
cmp_ok(scalar @exceptions, '>', 20, 'exceptions are found in the source');
is_deeply(\@dynamo, \@exceptions, 'the exceptions of DynamoDB');

# PostgreSQL's: codes that an errcode() of the source names.
my %state;
chomp(my $include = `\${PG_CONFIG:-pg_config} --includedir-server`);
my $codes = slurp("$include/utils/errcodes.h");
$state{$1} = "$2$3$4$5$6"
  while $codes =~ /#define (ERRCODE_\w+) MAKE_SQLSTATE\('(.)','(.)','(.)','(.)','(.)'\)/g;
my %raised;
foreach my $file (glob "$top/src/*/*.[chyl]")
{
	foreach my $call (slurp($file) =~ /\berrcode\(((?:[^()]|\([^()]*\))*)\)/g)
	{
		$raised{ $state{$1} } = 1 while $call =~ /\b(ERRCODE_\w+)/g;
	}
}
cmp_ok(scalar keys %raised, '>', 15, 'errcode() is found in the source');
is_deeply([ map { /^(\w+)/ } @postgres ], [ sort map { /^(\w+)/ } @postgres ], "PostgreSQL's are sorted");
my %has = map { /^(\w+)/ => 1 } @postgres;
is(join(' ', grep { !$has{$_} } sort keys %raised), '', 'none that the source raises is missing');
is(join(' ', grep { !$raised{$_} } sort keys %has), '', 'nor is there one that it does not raise');
done_testing();
