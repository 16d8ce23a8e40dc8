# Money in the table "Bank" of a cluster, which clients at all nodes move between keys
# "id" of two nodes while a program looks whether any of it is lost, or seen half.
package Money;

use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use POSIX ();
use Test::More;
use Time::HiRes qw(time);
use lib dirname(__FILE__), dirname(__FILE__) . '/../t';
use Cluster qw(ask_node);

our @EXPORT = qw(transact put_action delete_action move_action move_money counted_move begin_clients end_clients client_faults);

# The letters of a client that are there at a time.
my $kept = 5;

# A transaction, and actions of one.
sub transact { my ($node, @items) = @_; return ask_node($node, 'TransactWriteItems', { TransactItems => \@items }) }
sub put_action { my ($id, $n) = @_; return { Put => { TableName => 'Bank', Item => { id => { S => $id }, n => { N => "$n" } } } } }
sub delete_action { my ($id) = @_; return { Delete => { TableName => 'Bank', Key => { id => { S => $id } } } } }
sub move_action { my ($id, $n) = @_; return { Update => { TableName => 'Bank', Key => { id => { S => $id } }, UpdateExpression => 'ADD n :n', ExpressionAttributeValues => { ':n' => { N => "$n" } } } } }

# A client's step: at a node, from one key to another.  Its status.
sub move_money
{
	my ($node, $from, $to) = @_;
	return transact($node, move_action($from, -7), move_action($to, 7))->{status};
}

# The same of a client that in the same transaction counts its transactions, on three
# keys, and keeps the last of its letters.  Files of the folder, named by the prefix and
# the node, tell when each transaction began, and when its answer was there.
sub counted_move
{
	my ($folder, $prefix, $transact) = @_;
	my $n = 1;
	my $log;
	return sub {
		my ($node, $from, $to) = @_;
		my $name = "$prefix$node";
		unless ($log)
		{
			open $log, '>', "$folder/$name" or die;
			$log->autoflush(1);
		}
		print $log "begin $n ", time, "\n";
		my $status = $transact->($node, move_action($from, -7), move_action($to, 7), (map { put_action("count$name-$_", $n) } 1 .. 3), put_action("letter$name-$n", $n), delete_action("letter$name-" . ($n - $kept)))->{status};
		return $status if $status != 200;
		print $log "end $n ", time, "\n";
		$n++;
		return $status;
	};
}

# A client at each node takes such steps between keys of nodes 1 and 2 until it is told
# to end, or dies with us.  Each has been served once.  Their processes.
sub begin_clients
{
	my ($of, $step) = @_;
	my @clients = map {
		my $node = $_;
		pipe my $read, my $write or die;
		my $client = fork() // die;
		if ($client == 0)
		{
			close $read;
			my ($stop, $done, $wrong) = (0, 0, 0);
			local $SIG{TERM} = sub { $stop = 1 };
			my $parent = getppid();
			srand $node;
			until ($stop || getppid() != $parent)
			{
				my @pair = map { $of->{$_}[ rand @{ $of->{$_} } ] } 1, 2;
				@pair = reverse @pair if rand() < 0.5;
				my $status = $step->($node, @pair);
				syswrite $write, '.' if $status == 200 && $done++ == 0;
				$wrong++ if $status !~ /\A(?:0|200|400|500|503)\z/;
			}
			diag "client at node $node: $done";
			POSIX::_exit($wrong ? 1 : $done ? 0 : 2);
		}
		close $write;
		[ $client, $read ];
	} 0 .. 2;
	foreach my $client (@clients)
	{
		my $byte;
		is(sysread($client->[1], $byte, 1), 1, 'money goes from node to node');
	}
	return map { $_->[0] } @clients;
}

sub end_clients
{
	my @clients = @_;
	kill 'TERM', @clients;
	foreach my $client (@clients)
	{
		waitpid $client, 0;
		is($? >> 8, 0, 'a client was served, or told that it was not');
	}
	return;
}

# What a counting client had written for certain by a time, and at most.
sub written
{
	my ($file, $sure, $most) = @_;
	my ($low, $high) = (0, 0);
	open my $log, '<', $file or die;
	while (my $line = <$log>)
	{
		my ($what, $n, $when) = split ' ', $line;
		$low = $n if $what eq 'end' && $when < $sure;
		$high = $n if $what eq 'begin' && $when <= $most;
	}
	return ($low, $high);
}

# What is wrong with what items have of a counting client, if they are those of a moment
# between two times; and what it had written for certain, and at most.
sub client_faults
{
	my ($folder, $name, $item, $sure, $most) = @_;
	my ($low, $high) = written("$folder/$name", $sure, $most);
	my ($n, @others) = map { $item->{"count$name-$_"} // 0 } 1 .. 3;
	my $letters = join ' ', sort { $a <=> $b } map { /^letter\Q$name\E-(\d+)$/ } keys %$item;
	my @faults;
	push @faults, "counts $n @others" if grep { $_ != $n } @others;
	push @faults, "$n is not between $low and $high" if $n < $low || $n > $high;
	push @faults, "letters $letters of $n" if $letters ne join ' ', grep { $_ > 0 } $n - $kept + 1 .. $n;
	return ([ map { "client $name: $_" } @faults ], $low, $high);
}

1;
