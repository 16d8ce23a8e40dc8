# The archive of a release, and what it says of itself.
#
# The same commit gives the same bytes under any clock, mask, locale and user's
# settings of git.  It holds all that a build needs and nothing that was not
# committed.  META.json follows PGXN's specification, and has the version of the
# extension.
use strict;
use warnings;
use Cwd qw(abs_path);
use Digest::SHA;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;

my $top = abs_path(dirname(__FILE__) . '/../..');
my $dir = tempdir(CLEANUP => 1);
my $clone = "$dir/clone";
delete @ENV{grep { /^GIT_/ } keys %ENV};
@ENV{qw(GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL)} = ('a', 'a@example', 'a', 'a@example');
@ENV{qw(HOME GIT_CONFIG_NOSYSTEM GIT_AUTHOR_DATE GIT_COMMITTER_DATE)} = ($dir, 1, ('2026-11-01T12:00:00Z') x 2);

sub sh
{
	my ($command) = @_;
	my $out = `($command) 2>&1`;
	return wantarray ? ($out, $? >> 8) : $out;
}

sub slurp
{
	my ($file) = @_;
	open my $in, '<:raw', $file or die "$file: $!";
	return do { local $/; <$in> };
}

# -- META.json

my ($version) = slurp("$top/dynamo.control") =~ /^default_version = '(.*)'$/m;
my $meta = eval { JSON::PP->new->utf8->decode(slurp("$top/META.json")) };
ok($meta, 'META.json is JSON') or diag($@);
my $release = $meta->{version};
like($release, qr/^\Q$version\E\.\d+$/, 'it has a release of the version of dynamo.control');
is($meta->{provides}{dynamo}{version}, $release, 'for what it provides, too');
like($meta->{provides}{dynamo}{file}, qr/^dynamo--[\d.]+\.sql$/, 'whose objects begin with that file');
ok(-f "$top/$_", "$_ is there") foreach map { @{$_}{qw(file docfile)} } values %{ $meta->{provides} };
is($meta->{license}, 'postgresql', 'the license is that of LICENSE');
like(slurp("$top/LICENSE"), qr/^PostgreSQL License\n\nCopyright \(c\) \d{4}, the dynamo authors\n/, 'which says so');

# PGXN Meta Spec 1.0.0.
my $semver = qr/\A(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[A-Za-z][0-9A-Za-z-]*)?\z/;
my $term = qr/\A[^\s\/\\[:cntrl:]]{2,}\z/;
my %known = map { $_ => 1 } qw(name abstract description version maintainer license release_status provides prereqs
  generated_by meta-spec tags resources no_index);
is_deeply([ grep { !$known{$_} && !/^x_/i } keys %$meta ], [], 'it has members of the specification');
is_deeply([ grep { !defined $meta->{$_} } qw(name version abstract maintainer license provides meta-spec) ], [], 'and those that must be there');
like($meta->{name}, $term, 'a name');
like($meta->{version}, $semver, 'a semantic version');
like($meta->{release_status}, qr/\A(?:stable|testing|unstable)\z/, 'a status');
is_deeply($meta->{'meta-spec'}, { version => '1.0.0', url => 'https://pgxn.org/meta/spec.txt' }, 'the specification');
is_deeply([ grep { !length || ref } ref $meta->{maintainer} ? @{ $meta->{maintainer} } : $meta->{maintainer} ], [], 'maintainers');
is_deeply([ grep { ref || !length || length > 255 || m{[/\\[:cntrl:]]} } @{ $meta->{tags} } ], [], 'tags');
foreach my $name (keys %{ $meta->{provides} })
{
	like($name, $term, "$name is a name");
	like($meta->{provides}{$name}{version}, $semver, 'with a semantic version');
}
foreach my $phase (keys %{ $meta->{prereqs} })
{
	like($phase, qr/\A(?:configure|build|test|runtime|develop)\z/, "needed in phase $phase");
	foreach my $kind (keys %{ $meta->{prereqs}{$phase} })
	{
		like($kind, qr/\A(?:requires|recommends|suggests|conflicts)\z/, "$kind");
		like($_, $semver, 'from a semantic version on') foreach values %{ $meta->{prereqs}{$phase}{$kind} };
	}
}

# -- the archive

SKIP:
{
	skip 'git is not installed', 1 if system('command -v git >/dev/null 2>&1') != 0;
	system("$top/test/run", 'copy', $clone) == 0 or die 'could not copy the tree';
	my ($said, $status) = sh("$clone/packaging/dist --without-console");
	isnt($status, 0, 'what is no clone gives no archive');
	like($said, qr/is no clone/, 'and says why');
	mkdir "$clone/.ci";
	sh("cd $clone && touch .ci/run && git init -q -b main && git add -A -f . && git commit -q -m tree") eq '' or die 'no clone';

	my $first = sh("umask 022; $clone/packaging/dist --without-console $dir/one");
	is($first, "$dir/one/dynamo-$release.tar.gz\n", 'an archive');
	# Another day, user and place.
	sh("git clone -q $clone $dir/other && git -C $dir/other config tar.umask 0077 && git -C $dir/other config core.autocrlf true");
	sh("find $dir/other -name .git -prune -o -type f -exec touch -d 2020-01-01 {} +; git -C $dir/other status");
	sh("umask 077; TZ=Asia/Tokyo LC_ALL=C.UTF-8 $dir/other/packaging/dist --without-console $dir/two");
	ok(slurp("$dir/one/dynamo-$release.tar.gz") eq slurp("$dir/two/dynamo-$release.tar.gz"), 'the same, byte for byte, made elsewhere');
	is(slurp("$dir/one/dynamo-$release.tar.gz.sha256"),
		Digest::SHA->new(256)->addfile("$dir/one/dynamo-$release.tar.gz", 'b')->hexdigest . "  dynamo-$release.tar.gz\n", 'with its hash beside it');

	my @names = split /\n/, sh("tar -tzf $dir/one/dynamo-$release.tar.gz");
	my @files = grep { !m{/\z} } @names;
	my @committed = map { "dynamo-$release/$_" } grep { !m{^\.ci/} } split /\n/, sh("git -C $clone ls-files");
	cmp_ok(scalar @committed, '>', 1000, 'there are files');
	is_deeply([ sort @files ], [ sort @committed ], 'it has what is committed, and nothing else');
	is_deeply([ grep { !m{\Adynamo-\Q$release\E/} } @names ], [], 'in one folder');
	is(sh("tar -xzf $dir/one/dynamo-$release.tar.gz -C $dir && $dir/dynamo-$release/test/run copy $dir/copy"), '', 'of which "make test" makes its copies');
	my %modes;
	$modes{ (split)[1] . ' ' . (split)[0] }++ foreach split /\n/, sh("tar --numeric-owner -tvzf $dir/one/dynamo-$release.tar.gz | awk '{ print \$1, \$2 }'");
	is_deeply([ sort keys %modes ], [ '0/0 -rw-r--r--', '0/0 -rwxr-xr-x', '0/0 drwxr-xr-x' ], 'owners and modes say nothing of a machine');

	sh("echo >>$clone/README.md");
	($said, $status) = sh("$clone/packaging/dist --without-console $dir/three");
	isnt($status, 0, 'what is not committed is not packed');
	like($said, qr/not committed/, 'and that is said');
	ok(!glob("$dir/three/*"), 'and nothing is left');
}

done_testing();
