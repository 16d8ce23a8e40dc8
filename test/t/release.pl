# A release is refused while something says another version, or that it is none; when
# all is ready the commit is tagged and the archive made.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;

plan skip_all => 'git is not installed' if system('command -v git >/dev/null 2>&1') != 0;

my $top = abs_path(dirname(__FILE__) . '/../..');
my $dir = tempdir(CLEANUP => 1);
my $tree = "$dir/tree";
delete @ENV{grep { /^GIT_/ } keys %ENV};
@ENV{qw(GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL HOME GIT_CONFIG_NOSYSTEM)} =
  ('a', 'a@example', 'a', 'a@example', $dir, 1);
system("$top/test/run", 'copy', $tree) == 0 or die 'could not copy the tree';

sub sh
{
	my ($command) = @_;
	my $out = `(cd $tree && $command) 2>&1`;
	return wantarray ? ($out, $? >> 8) : $out;
}

# Change a file.
sub edit
{
	my ($file, $from, $to) = @_;
	open my $in, '<', "$tree/$file" or die "$file: $!";
	my $text = do { local $/; <$in> };
	$text =~ s/$from/$to/ or die "$file has no $from";
	open my $out, '>', "$tree/$file" or die;
	print $out $text;
	close $out;
	return;
}

sub refused
{
	my ($text, $name) = @_;
	sh('git add -A -f . && git commit -q --allow-empty -m x');
	my ($said, $status) = sh('packaging/release --tested');
	isnt($status, 0, "$name: refused");
	like($said, $text, 'and said');
	return;
}

my ($version) = sh('cat dynamo.control') =~ /default_version = '(.*)'/;
my ($release) = sh('cat META.json') =~ /^   "version": "(.*)"/m;
sh('git init -q -b main');

# As a release would have it, whatever stands in the tree today.
edit('META.json', '"release_status": "\w+"', '"release_status": "stable"');
edit('CHANGELOG.md', '## \S+ \(.*\)', "## $release (2026-12-01)");
edit('debian/changelog', 'UNRELEASED|unstable', 'unstable');
sh('git add -A -f . && git commit -q -m ready && git tag ready');

my ($said, $status) = sh('packaging/release --check');
is("$said$status", '0', 'all is ready');
my @wrong = (
	[ 'META.json', "\"$release\"", '"9.9.0"', qr/META\.json says "9\.9\.0", which is no release of version \Q$version\E/ ],
	[ 'META.json', '"stable"', '"unstable"', qr/META\.json says "unstable", not "stable"/ ],
	[ 'CHANGELOG.md', '\(2026-12-01\)', '(unreleased)', qr/CHANGELOG\.md does not begin/ ],
	[ 'debian/changelog', "\\($release-", '(9.9-', qr/debian\/changelog says "9\.9"/ ],
	[ 'debian/changelog', '\) unstable;', ') UNRELEASED;', qr/says UNRELEASED/ ],
	[ 'packaging/dynamo.spec', "(Version: *)$release", '${\\ "Version: 9.9"}', qr/dynamo\.spec says/ ],
);
foreach (@wrong)
{
	my ($file, $from, $to, $text) = @$_;
	edit($file, $from, $to);
	refused($text, "$file: $from");
	sh('git reset -q --hard ready');
}
sh('rm dynamo--*.sql');
refused(qr/there is no script that makes version \Q$version\E/, 'no script');
sh('git reset -q --hard ready');
edit('dynamo.control', "'$version'", "'0.8'");
sh('git commit -q -a -m before && git tag v0.8.3 && git revert --no-edit HEAD');
refused(qr/there is no dynamo--0\.8--\Q$version\E\.sql, by which.*\n.*does not install/, 'no way from the release before');
sh("git tag -d v0.8.3 && git reset -q --hard ready && git tag v$release");
refused(qr/there is a release \Q$release\E/, 'twice');
sh("git tag -d v$release && echo >>README.md");
($said, $status) = sh('packaging/release --tested');
isnt($status, 0, 'what is not committed: refused');
sh('git reset -q --hard ready');
is(sh('git tag -l "v*"'), '', 'none of these has made a tag');

($said, $status) = sh('packaging/release --tested');
is($status, 0, 'a release') or diag($said);
is(sh('git tag -l "v*"'), "v$release\n", 'is tagged');
is(sh("git rev-parse v$release^{commit}"), sh('git rev-parse ready'), 'at this commit');
ok(-s "$tree/tmp/dist/dynamo-$release.tar.gz", 'and has an archive');

# Another of the same version, which mends C alone, needs no script.
edit('META.json', "\"$release\"", "\"$version.77\"") foreach 1, 2;
edit('CHANGELOG.md', "## \Q$release\E", "## $version.77");
edit('debian/changelog', "\\($release-", "($version.77-");
edit('packaging/dynamo.spec', $release, "$version.77");
sh('git commit -q -a -m mended');
is(sh('packaging/release --check'), '', 'one that mends it needs no script');

done_testing();
