# Of measurements that were made in rounds.  To be sourced.

# What lies at a share of the sorted numbers of a list; with a second list, of the
# quotients of the first by the second, round by round.  A round in which the
# second side did nothing at all does not count; "-" if there is no other.
#
#   at_share SHARE FORMAT LIST [LIST]
at_share() {
	perl -e '
my ($share, $format, @lists) = @ARGV;
my ($x, $y) = map { [ split " " ] } @lists;
my @all = sort { $a <=> $b } map { $y ? $x->[$_] / $y->[$_] : $x->[$_] } grep { !$y || $y->[$_] > 0 } 0 .. $#$x;
printf @all ? $format : "-", $all[@all * $share];' "$@"
}

# The middle.
middle() {
	at_share 0.5 "$@"
}

# Between what the middle half lies: the first and the third quartile.
middle_half() {
	echo "$(at_share 0.25 "$@") to $(at_share 0.75 "$@")"
}
