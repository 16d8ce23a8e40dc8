# What holds a worker: a trigger that catches cancels, and a pipe to read from.
package Trap;

use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use POSIX qw(mkfifo O_NONBLOCK O_WRONLY);
use lib dirname(__FILE__) . '/../t';
use AtEnd;
use Server qw(directory);

our @EXPORT = qw($CLINGS make_pipe let_go);

# Makes public.clings(), for a trigger; whoever runs it needs CREATE there.
our $CLINGS = q{
	CREATE FUNCTION public.clings() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		LOOP
			BEGIN
				PERFORM pg_sleep(100);
			EXCEPTION WHEN query_canceled THEN
				NULL;
			END;
		END LOOP;
	END $$;
};

# A pipe that nobody writes to: who reads from it looks for no interrupts.
my $pipe;
sub make_pipe
{
	$pipe = directory() . '/data/pipe';
	mkfifo($pipe, 0666) or die "mkfifo: $!";
	chmod 0666, $pipe;
	at_end(\&let_go);
	return;
}

# Let go of all who read.  A server that waits for them would never stop.
sub let_go
{
	my $out;
	close $out if sysopen($out, $pipe, O_WRONLY | O_NONBLOCK);
	return 1;
}

1;
