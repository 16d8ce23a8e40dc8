# A clock that a test sets, for a server that is started with it.
package Clock;

use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);

our @EXPORT = qw(set_clock with_clock clock_command);

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my $library = "$dir/clock.so";
system('cc', '-shared', '-fPIC', '-O1', '-o', $library, dirname(__FILE__) . '/clock.c') == 0 or die 'the clock does not compile';
set_clock(0);

# So many seconds from now, for all that were started with it.
sub set_clock
{
	my ($seconds) = @_;
	open my $file, '+>>', "$dir/offset" or die;
	truncate $file, 8 or die;
	chmod 0644, "$dir/offset";
	open my $out, '+<', "$dir/offset" or die;
	syswrite $out, pack('q', $seconds * 1_000_000) or die;
	return;
}

# The same as a command of the shell, for the middle of a session.
sub clock_command
{
	my ($seconds) = @_;
	open my $file, '>', "$dir/offset$seconds" or die;
	syswrite $file, pack('q', $seconds * 1_000_000) or die;
	return "dd if=$dir/offset$seconds of=$dir/offset conv=notrunc status=none";
}

# Start something whose clock it is.
sub with_clock
{
	my ($code) = @_;
	local @ENV{qw(LD_PRELOAD DYNAMO_TEST_CLOCK)} = ($library, "$dir/offset");
	return $code->();
}

1;
