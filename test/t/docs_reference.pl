# docs/reference is what the database says of itself: "make reference" changes nothing.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server();
sql('CREATE EXTENSION dynamo');
my $top = dirname(__FILE__) . '/../..';
my $made = tempdir(CLEANUP => 1);
my %at = environment();
local @ENV{ keys %at } = values %at;
is(system("$top/test/docs/reference", $made), 0, 'the pages are written');
my @differ = `diff -r $top/docs/reference $made 2>&1`;
is(scalar @differ, 0, 'and are those of the tree') or diag(@differ[0 .. ($#differ < 30 ? $#differ : 30)], '"make reference" writes them');
my @pages = (glob("$made/functions/*.md"), glob("$made/operations/*.md"));
cmp_ok(scalar @pages, '>', 120, 'one for each function and each operation');
done_testing();
