# What a build does: in another folder than that of the sources, as packagers
# build, all of them; and a library that is not there is named as a package.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use Test::More;

my $top = abs_path(dirname(__FILE__) . '/../..');
my $config = $ENV{PG_CONFIG} // 'pg_config';
my $dir = tempdir(CLEANUP => 1);
my $source = "$dir/source";
my $build = "$dir/build";
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES)};

system("$top/test/run", 'copy', $source) == 0 or die 'could not copy the tree';
mkdir $build;

# What make would do in the folder of the build.
sub commands
{
	my ($target) = @_;
	my $commands = `cd $build && make -n -f $source/Makefile PG_CONFIG=$config $target 2>&1`;
	$commands =~ s/\\\n/ /g;
	return $commands;
}
my $commands = commands('all');
my ($link) = $commands =~ /^(.* -shared .*)$/m;
my @objects = map { s{^\Q$source\E/}{}r =~ s/\.[cyl]$/.o/r } glob("$source/src/*/*.c $source/src/*/*.[yl]");
cmp_ok(scalar @objects, '>', 200, 'there are sources');
is((grep { ($link // '') !~ / \Q$_\E / } @objects)[0], undef, 'all of them are linked in another folder');
is((grep { $commands !~ m{ -o \Q$_\E } } @objects)[0], undef, 'and compiled');

# Compiled there in earnest: one, and the parser it is made from.
is(system("cd $build && make -s -f $source/Makefile PG_CONFIG=$config src/expr/expr_gram.o src/item/item_md5.o >$dir/log 2>&1"), 0,
	'the parser is made and compiled there') or diag(`cat $dir/log`);
ok(-s "$build/src/expr/expr_gram.o" && !-e "$source/src/expr/expr_gram.o", 'and nothing beside the sources');

# Linked there in earnest.  Of the other objects we take those of the tree's own
# build, as far as it has them, and make takes them for newer than their sources.
foreach my $object (grep { -e "$top/$_" && !-e "$build/$_" && -d dirname("$build/$_") } @objects)
{
	copy("$top/$object", "$build/$object") or die "$object: $!";
}
is(system("cd $build && make -s -j2 -f $source/Makefile PG_CONFIG=$config >$dir/log 2>&1"), 0,
	'the module is linked there') or diag(`tail -n 20 $dir/log`);
my %defined = map { $_ => 1 } `nm -D --defined-only $build/dynamo.so` =~ /^\w+ T (\w+)$/mg;
my @functions = `cat $source/dynamo--*.sql` =~ /'MODULE_PATHNAME',\s*'(\w+)'/g;
cmp_ok(scalar @functions, '>', 100, 'SQL has functions of the module');
is((grep { !$defined{$_} } qw(Pg_magic_func _PG_init), @functions)[0], undef, 'and it has all of them');
ok(!-e "$source/dynamo.so", 'and is not beside the sources');

# A compiler that does not find two of the libraries.
mkdir "$dir/bin";
open(my $cc, '>', "$dir/bin/cc") or die;
print $cc "#!/bin/sh\n! grep -qE 'zstd|microhttpd'\n";
close $cc;
chmod 0755, "$dir/bin/cc";
{
	local $ENV{PATH} = "$dir/bin:$ENV{PATH}";
	my $said = `cd $build && make -f $source/Makefile PG_CONFIG=$config 2>&1`;
	isnt($?, 0, 'without a library there is no build');
	like($said, qr/apt-get install libmicrohttpd-dev libzstd-dev$/m, 'and the packages are named');
	unlike($said, qr/No such file/, 'before the compiler is run');
}

done_testing();
