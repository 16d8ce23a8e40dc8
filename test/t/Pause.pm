# Jobs that stand still in the middle, on a server with "dynamo_test.pause = job"
# that is built with assertions: behind a step that was done, or an export's file.
# They wait for a prepared transaction, which crashes leave as it is.
package Pause;

use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Server qw(sql wait_for);

our @EXPORT = qw(hold_jobs stands_still take_a_step let_jobs_go);

my $hold = q{BEGIN; SELECT pg_advisory_xact_lock(1); PREPARE TRANSACTION 'hold'};
my $let_go = q{ROLLBACK PREPARED 'hold'};

# The next jobs are to stand still.
sub hold_jobs { return sql($hold) }

# Does one, within a while?
sub stands_still
{
	my ($seconds) = @_;
	return wait_for(sub { sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) eq '1' }, $seconds);
}

# It does one more step, and stands still again, unless that was its last.
sub take_a_step { return sql("$let_go; $hold") }

sub let_jobs_go { return sql($let_go) }

1;
