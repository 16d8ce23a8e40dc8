# A standby of the test's server: a copy of it that follows it, on a port of its own.
# It ends with the test.
package Standby;

use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use AtEnd;
use Server;

our @EXPORT = qw(start_standby copy_server run_standby standby_port standby_control standby_log there follows);

my $free_port = abs_path(dirname(__FILE__) . '/../free-port');
my $port;

sub place { return directory() . '/standby' }

# Copy the server and start the copy, with these settings, each "name=value".
sub start_standby
{
	my (@settings) = @_;
	copy_server();
	run_standby(@settings);
	return;
}

sub copy_server
{
	as_server_user('pg_basebackup', '-D', place(), '-R', '-c', 'fast', '-X', 'stream') or die 'no base backup';
	return;
}

# Start what was copied.
sub run_standby
{
	my (@settings) = @_;
	chomp($port = `$free_port`);
	at_end(sub { return !-e place() . '/postmaster.pid' || standby_control('-m', 'fast', 'stop') });
	standby_control('-l', place() . '/log', '-o', join(' ', "-p $port", map { "-c $_" } @settings), 'start')
	  or die 'the standby does not start';
	return;
}

sub standby_port { return $port }

# pg_ctl, with "promote" or "stop".
sub standby_control
{
	my (@command) = @_;
	return as_server_user('pg_ctl', '-D', place(), '-w', '-s', @command);
}

sub standby_log { return scalar run('cat ' . place() . '/log') }

# SQL at the standby, as sql() prints it; errors without their place.
sub there
{
	my ($sql) = @_;
	my $script = place() . '.sql';
	open my $file, '>', $script or die;
	print $file $sql;
	close $file;
	return scalar run("PGPORT=$port psql -X -q -A -t -F' ' -v VERBOSITY=terse < $script");
}

# Does it get to have all that the server has by now?
sub follows
{
	my $end = sql('SELECT pg_current_wal_insert_lsn()');
	return wait_for(sub { there(qq{SELECT pg_last_wal_replay_lsn() >= '$end'}) eq 't' });
}

1;
