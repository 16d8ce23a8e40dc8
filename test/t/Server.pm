# A private server for a test: started, asked, and ended with it.
package Server;

use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use Scalar::Util qw(weaken);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__);
use AtEnd;

our @EXPORT = qw(start_server server environment as_server_user directory reported log_has
  run sql psql session in_transaction set wait_for);

my $top = abs_path(dirname(__FILE__) . '/../..');
my $server = "$top/test/server";
my $dir = tempdir(CLEANUP => 1);
my $name;
my %environment;
my @sessions;
my $transactions = 0;

# A test that dies leaves its variables before END: a session that goes on for ever
# would be waited for.
$SIG{__DIE__} = sub {
	return if $^S;
	kill 'TERM', map { $_->{pid} } grep { $_->{handle} && defined fileno $_->{handle} } @sessions;
};

# Start it with these lines in postgresql.conf.
sub start_server
{
	my ($conf) = @_;
	$name = "test$$";
	at_end(\&stop_server);
	{
		local $ENV{SERVER_CONF} = $conf // '';
		server('start') or die 'could not start a server';
	}
	%environment = map { split /=/, $_, 2 }
	  grep { /^(?:PG|PATH=)/ } split /\n/, `eval "\$('$server' env $name)"; env`;
	return;
}

sub stop_server
{
	# What must never stand in a log.  (Signal 9 is sent by tests.)
	my $log = directory() . '/log';
	my $bad = `grep -E 'PANIC:|TRAP:|was terminated by signal|inconsistent page|XX[0-9]{3}:|WARNING: .*(leak|resource was not closed)' $log | grep -v 'signal 9'`;
	print STDERR "# in the server's log: $bad" if $bad;
	return server('stop') && !$bad;
}

# test/server with a command for this server: "crash", "restart".
sub server
{
	my ($command) = @_;
	return system($server, $command, $name) == 0;
}

# Where the server's log is, and its data, by a path that its user can go: tmp is
# a link where the tree is below a closed folder.
sub directory { return abs_path("$top/tmp") . "/$name" }

# The variables that lead a client to the server.
sub environment { return %environment }

# Run a command as the user whom the server runs as.
sub as_server_user
{
	my @command = @_;
	my ($uid, $gid) = (stat directory() . '/data')[4, 5];
	local %ENV = (%ENV, %environment);
	unshift @command, 'setpriv', "--reuid=$uid", "--regid=$gid", '--clear-groups'
	  if $> == 0;
	chdir '/';
	return system(@command) == 0;
}

# Does this come to the log, after what the last call has found there?
my $log_read = 0;
sub reported
{
	my ($pattern) = @_;
	return wait_for(sub {
		open(my $log, '<', directory() . '/log') or return 0;
		seek $log, $log_read, 0;
		my $text = do { local $/; <$log> } // '';
		return 0 unless $text =~ /$pattern/;
		$log_read += $+[0];
		return 1;
	}, 300);
}

# Is this in the log by now?
sub log_has
{
	my ($pattern) = @_;
	open(my $log, '<', directory() . '/log') or return 0;
	my $text = do { local $/; <$log> } // '';
	return $text =~ $pattern;
}

# A command of the shell with the server's environment; its output, trimmed,
# and in a list its exit status, too.
sub run
{
	my ($command) = @_;
	local %ENV = (%ENV, %environment);
	my $out = `exec 2>&1; $command`;
	$out =~ s/\s+\z//;
	return wantarray ? ($out, $? >> 8) : $out;
}

# SQL, unaligned; blank-separated columns, errors among them.
sub sql
{
	my ($sql, $database) = @_;
	$database ||= 'postgres';
	open(my $file, '>', "$dir/sql") or die;
	print $file $sql;
	close $file;
	return scalar run("psql -X -q -A -t -F' ' -d $database -f $dir/sql");
}

# Statements of one session, none of which may fail; what they print.
sub psql
{
	my @sql = @_;
	local %ENV = (%ENV, %environment);
	open my $out, '-|', qw(psql -XAqt -v ON_ERROR_STOP=1), map { ('-c', $_) } @sql
	  or die;
	my $result = do { local $/; <$out> } // '';
	close $out or die "psql failed on: @sql";
	$result =~ s/\n\z//;
	return $result;
}

# A session that stays until the handle is closed, and begins with this.
sub session
{
	my ($sql, $role, $database) = @_;
	local %ENV = (%ENV, %environment, PGUSER => $role // 'postgres');
	$database //= 'postgres';
	my $pid = open my $session, '|-', "exec psql -X -q -d $database >/dev/null 2>&1" or die;
	push @sessions, { pid => $pid, handle => $session };
	weaken($sessions[-1]{handle});
	$session->autoflush(1);
	print $session "$sql;\n";
	return $session;
}

# A session that stays in the transaction that it begins with, when it has done all of
# this.  It is idle in its transaction between statements, too.
sub in_transaction
{
	my ($sql, @as) = @_;
	my $done = 'done ' . ++$transactions;
	my $session = session("$sql;\nSELECT '$done'", @as);
	wait_for(sub { sql(qq{SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND query = 'SELECT ''$done'';'}) eq '1' })
	  or die 'no transaction';
	return $session;
}

# A setting, in force for processes that begin now.
sub set
{
	my ($setting, $value) = @_;
	sql("ALTER SYSTEM SET $setting = '$value'; SELECT pg_reload_conf()");
	wait_for(sub { sql("SHOW $setting") eq $value }, 300) or die "$setting is not $value";
	return;
}

# Is the condition true within a while?  Where nobody asks for the answer it has to
# be: a wait in vain that nobody hears of is a test that is slow and proves less.
sub wait_for
{
	my ($condition, $seconds) = @_;
	my $asked = defined wantarray;
	my $end = time() + ($seconds || 300);
	my $pause = 0.02;		# longer and longer: to ask costs a process
	while (time() < $end)
	{
		return 1 if $condition->();
		sleep $pause;
		$pause *= 1.3 if $pause < 0.25;
	}
	die sprintf("line %d of %s waited in vain\n", (caller)[2, 1]) unless $asked;
	return 0;
}

1;
