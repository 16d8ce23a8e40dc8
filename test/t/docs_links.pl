# Links in the documents lead somewhere.
#
# Each relative link of each Markdown file names a file of the tree and, behind a
# "#", a heading of it as GitHub makes anchors; so does each path in backquotes
# that looks like a document, and each source that a comment of another one names.  Rooms'
# READMEs name all their files.  The README of all stays short, and leads to every page; to
# those of the reference, which "make reference" writes, their index does.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Spec::Functions qw(abs2rel catfile);
use Test::More;

my $top = abs_path(dirname(__FILE__) . '/../..');
chdir $top or die;
my @files = sort grep { !m{^tmp/} && -e } map { chomp; s{^\./}{}r } `find . -name '*.md' -not -path './tmp/*' -not -path '*/node_modules/*'`;
cmp_ok(scalar @files, '>', 30, 'there are documents');

my %text = map { $_ => slurp($_) } @files;
my %anchors = map { $_ => anchors($text{$_}) } @files;

sub slurp
{
	my ($file) = @_;
	open my $in, '<:encoding(UTF-8)', $file or die "$file: $!";
	return do { local $/; <$in> };
}

# Without what is code: blocks keep their lines.
sub prose
{
	my ($text) = @_;
	$text =~ s/^( *)```.*?^\1```$/"\n" x ($& =~ tr{\n}{\n})/gmse;
	$text =~ s/`[^`\n]*`/`code`/g;
	return $text;
}

# What GitHub makes of headings.
sub anchors
{
	my ($text) = @_;
	my (%seen, %all);
	$text =~ s/^( *)```.*?^\1```$//gms;
	while ($text =~ /^#+ +(.*?) *$/gm)
	{
		my $anchor = lc $1;
		$anchor =~ s/\[([^\]]*)\]\([^)]*\)/$1/g;
		$anchor =~ s/[^\w\- ]//g;
		$anchor =~ s/ /-/g;
		$all{ $seen{$anchor}++ ? $anchor . '-' . ($seen{$anchor} - 1) : $anchor } = 1;
	}
	return \%all;
}

my (@broken, @lost);
my $links = 0;
foreach my $file (@files)
{
	my $prose = prose($text{$file});
	while ($prose =~ /\]\(\s*([^)\s]+)[^)]*\)/g)
	{
		my $link = $1;
		next if $link =~ /^(?:https?|mailto):/;
		$links++;
		my ($path, $anchor) = $link =~ /^([^#]*)(?:#(.*))?$/;
		my $to = $path eq '' ? $file : abs2rel(abs_path(catfile(dirname($file), $path)) // "$top/$path", $top);
		if (!-e $to) { push @broken, "$file: $link" }
		elsif (defined $anchor && !($anchors{$to} || {})->{$anchor}) { push @lost, "$file: $link" }
	}
}
cmp_ok($links, '>', 100, 'which have links');
is_deeply(\@broken, [], 'each leads to a file');
is_deeply(\@lost, [], 'and to a heading, where it names one');

# Documents that are named without a link.
my @named;
foreach my $file (@files)
{
	while ($text{$file} =~ /`((?:docs|test|src|bench)\/[\w\/.-]+\.(?:md|pl|c|h|sql|sh|py))`/g)
	{
		push @named, "$file: $1" if !-e $1 && !-e catfile(dirname($file), $1) && $file ne 'CHANGELOG.md';
	}
}
is_deeply(\@named, [], 'files that are named are there');

# The README of a room names each of its files; and a file that a comment names is there.
my @sources = grep { !/_(?:gram|scan)\.[ch]$/ } sort glob 'src/*/*.[chly]';
my %known = map { m{([^/]+)$} => 1 } @sources;
my $rooms = join '|', map { m{^src/(\w+)$} } grep { -d } glob 'src/*';
my (@unnamed, @gone);
foreach my $file (@sources, grep { m{^src/} } @files)
{
	my $content = $text{$file} // slurp($file);
	my ($room, $name) = $file =~ m{^(src/\w+)/([^/]+)$};
	if ($room && $name =~ /\.[cly]$/)
	{
		my $readmes = join '', map { $text{$_} } grep { m{^\Q$room\E/README} } @files;
		push @unnamed, $file if $readmes !~ /\b\Q$name\E/;
	}
	while ($content =~ m{(?<![\w./])\.\./(\w+/[\w.]+\.(?:[chly]|md))\b}g)
	{
		push @gone, "$file: $1" if $room && !-e "src/$1";
	}
	while ($content =~ /\b((?:$rooms)_\w+\.[chly])\b/g)
	{
		push @gone, "$file: $1" if !$known{$1} && $1 !~ /_(?:gram|scan)\.[ch]$/;
	}
}
cmp_ok(scalar @sources, '>', 300, 'there are sources');
is_deeply(\@unnamed, [], 'the README of a room names each of its files');
is_deeply(\@gone, [], 'files that comments name are there');

my @readme = split /\n/, $text{'README.md'};
cmp_ok(scalar @readme, '<=', 200, 'the README has 200 lines at most');
my @unlinked = grep { my $page = $_; $text{'README.md'} !~ /\]\(\Q$page\E[#)]/ } grep { m{^docs/(?!reference/.)} } @files;
is_deeply(\@unlinked, [], 'and leads to every page');
my $index = 'docs/reference/README.md';
like($text{'README.md'}, qr/\]\(\Q$index\E\)/, 'to the reference, too');
@unlinked = grep { my ($page) = m{^docs/reference/(.+)}; $_ ne $index && $text{$index} !~ /\]\(\Q$page\E\)/ } grep { m{^docs/reference/} } @files;
is_deeply(\@unlinked, [], 'whose index leads to all its pages');

done_testing();
