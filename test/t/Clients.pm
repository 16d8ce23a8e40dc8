# Clients of a test's server, each a psql in a process of its own, which go on until the
# server ends.
package Clients;

use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use IO::Handle;
use POSIX qw(_exit);
use lib dirname(__FILE__);
use Server;

our @EXPORT = qw(client lines);

# A client in a process of its own: it sends what this makes of 1, 2 and so on, for ever.
sub client
{
	my ($name, $make) = @_;
	my $pid = fork() // die;
	return $pid if $pid;
	local %ENV = (%ENV, environment());
	open STDERR, '>', directory() . "/$name.errors";
	open my $in, '|-', "psql -XAqt -v VERBOSITY=terse > " . directory() . "/$name" or _exit(1);
	$in->autoflush(1);
	local $SIG{PIPE} = sub { _exit(0) };
	print $in $make->($_) foreach 1 .. 1_000_000;
	_exit(0);
}

# The lines that a client has got; one cut short left out.
sub lines
{
	my ($name) = @_;
	open my $in, '<', directory() . "/$name" or return;
	my $text = do { local $/; <$in> };
	return $text =~ /(.*)\n/g;
}

1;
