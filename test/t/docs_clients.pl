# docs/clients.md names the clients that the tests run, in the versions that they run.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More tests => 1;

my $top = abs_path(dirname(__FILE__) . '/../..');
is(`'$top/test/clients/table' --check 2>&1`, '', 'each is there, in its version; test/clients/table writes it');
