# Of measurements that were made in rounds.  To be sourced.

# The middle of the numbers of a list; with a second list, of the quotients of
# the first by the second, round by round.  A round in which the second side did
# nothing at all does not count; "-" if there is no other.
#
#   middle FORMAT LIST [LIST]
middle() {
	perl -e '
my ($format, @lists) = @ARGV;
my ($x, $y) = map { [ split " " ] } @lists;
my @all = sort { $a <=> $b } map { $y ? $x->[$_] / $y->[$_] : $x->[$_] } grep { !$y || $y->[$_] > 0 } 0 .. $#$x;
printf @all ? $format : "-", $all[@all / 2];' "$@"
}
