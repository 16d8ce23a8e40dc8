# A test that a signal ends leaves no server behind.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;

my $here = dirname(__FILE__);
my $tmp = "$here/../../tmp";

# Not so a process that is dead and waits for somebody to ask for its status.
sub runs
{
	my ($pid) = @_;
	return defined readlink "/proc/$pid/cwd";
}

foreach my $signal (qw(HUP INT PIPE TERM))
{
	# It forks, too: what it has forked does not stop its server.
	my $pid = open(my $out, '-|', $^X, "-I$here", '-MHttpClient', '-e', <<'EOT') or die;
start_server('');
my $child = fork;
exit 0 if defined $child && $child == 0;
waitpid $child, 0;
print STDOUT run('cat "$PGHOST"/data/postmaster.pid 2>/dev/null || echo none') =~ /^(\d+)/ ? "$1\n" : "none\n";
close STDOUT;
sleep 60;
EOT
	chomp(my $postmaster = <$out> // '');
	ok(runs($postmaster), 'a test has started a server');
	kill $signal, $pid;
	close $out;
	ok(!runs($postmaster), "$signal: it does not run any more");
	ok(!-e "$tmp/http$pid", 'and has left nothing');
}

done_testing();
