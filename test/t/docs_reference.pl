# docs/reference is what the database says of itself: "make reference" changes nothing.  And what
# there is has a place in the pages that people read first.
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

# Who looks for a function, a table or a view by what it is for finds it on a page.
my $told = join '', map { open my $in, '<', "$top/docs/$_" or die "$_: $!"; local $/; <$in> } qw(sql.md monitoring.md);
my @names = split /\n/, sql(q{
	SELECT proname FROM pg_proc WHERE pronamespace = 'dynamo'::regnamespace
	UNION SELECT relname FROM pg_class WHERE relnamespace = 'dynamo'::regnamespace AND relkind IN ('r', 'v')});
cmp_ok(scalar @names, '>', 100, 'there are functions, tables and views');
is_deeply([ grep { $told !~ /(?:`|\bCALL |\bdynamo\.)\Q$_\E[`(]/ } @names ], [], 'docs/sql.md tells what each is for, or docs/monitoring.md');
done_testing();
