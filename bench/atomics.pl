# Atomic instructions a request, from two files of callgrind of which the second
# has COUNT requests more (--dump-instr=yes --compress-pos=no
# --compress-strings=no): rows of a table, by function and its callers
# (--separate-callers).  Those of x86: with a lock prefix, or an exchange with
# memory.
#
#   perl bench/atomics.pl ONCE TWICE COUNT
use strict;
use warnings;

my ($once, $twice, $count) = @ARGV;
my %atomics;

# The addresses of atomic instructions in an object.
sub atomics_of
{
	my $object = shift;
	return $atomics{$object} //= do {
		my %found;
		if (-f $object)
		{
			open my $code, '-|', 'objdump', '-d', '--no-show-raw-insn', $object or die "objdump: $!\n";
			while (<$code>)
			{
				$found{ hex $1 } = 1 if /^\s*([0-9a-f]+):\s+(?:lock |xchg .*\()/;
			}
			close $code or die "objdump failed on $object\n";
		}
		\%found;
	};
}

# How often each ran, by object and function.  After a line "calls=" comes one
# with what the call took, which is no instruction of this function.
sub executed
{
	my $file = shift;
	my ($object, $function, $call, %executed) = ('', '');
	open my $lines, '<', $file or die "$file: $!\n";
	while (<$lines>)
	{
		if (/^ob=(.*)/) { $object = $1 }
		elsif (/^fn=(.*)/) { $function = $1 }
		elsif (/^calls=/) { $call = 1 }
		elsif (/^0x([0-9a-f]+) \S+ (\d+)/)
		{
			$executed{"$object\t$function"} += $2 if !$call && atomics_of($object)->{ hex $1 };
			$call = 0;
		}
	}
	close $lines;
	return \%executed;
}

my ($first, $second) = map { executed($_) } $once, $twice;
my %each = map { $_ => ($second->{$_} - ($first->{$_} // 0)) / $count } keys %$second;
my $all = 0;
foreach (sort { $each{$b} <=> $each{$a} || $a cmp $b } keys %each)
{
	my ($object, $function) = split /\t/;
	$all += $each{$_};
	next if $each{$_} < 0.05;
	$object =~ s{.*/}{};
	$function =~ s/'/, /g;
	printf "| %s | %s | %.1f |\n", $object, $function, $each{$_};
}
printf "| | all | %.1f |\n", $all;
