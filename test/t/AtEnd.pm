# What has to be done when a test ends, be it by a signal: servers are no
# children of the test and would stay.
package AtEnd;

use strict;
use warnings;
use Exporter qw(import);

our @EXPORT = qw(at_end);

my $test = $$;
my @todo;

$SIG{$_} = sub { exit 1 } foreach qw(HUP INT PIPE TERM);

# Call this in the end, what was asked for last first.  It says whether all is
# well; if not, the test fails.
sub at_end
{
	my ($what) = @_;
	unshift @todo, $what;
	return;
}

END
{
	# Not in the end of a process that the test has forked.
	if ($$ == $test)
	{
		my $status = $?;
		foreach my $what (@todo)
		{
			$status ||= 1 unless $what->();
		}
		$? = $status;
	}
}

1;
