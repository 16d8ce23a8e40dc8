# What tests of clients need is named with its size before it is installed, and
# may stay missing.  The commands that would install something are replaced.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;

my $setup = abs_path(dirname(__FILE__) . '/../setup');
my $dir = tempdir(CLEANUP => 1);

# Functions of the shell come before commands: neither Maven nor a compiler of
# Java is found, and apt-get knows sizes but installs nothing.
my %functions = (
	command => 'case $2 in mvn | javac) return 1 ;; esac; builtin command "$@"',
	sudo => 'shift; "$@"',
	env => "echo installed >>$dir/order; return 1",
	'apt-get' => 'case $* in *--assume-no*) echo "After this operation, 1 GB of additional disk space will be used.";'
	  . " echo named >>$dir/order; return 1 ;; esac");

# What a command prints where these stand for the real ones.  There is no shell
# between, which could drop them.
sub with_functions
{
	my @command = @_;
	local %ENV = (%ENV, map { ("BASH_FUNC_$_%%" => "() { $functions{$_}\n}") } keys %functions);
	open my $kept, '>&', \*STDERR or die;
	open STDERR, '>', "$dir/said" or die;
	open my $out, '-|', @command or die;
	my $answer = do { local $/; <$out> } // '';
	close $out;
	open STDERR, '>&', $kept or die;
	return $answer;
}

sub slurp
{
	my ($name) = @_;
	open my $file, '<', $name or return '';
	return do { local $/; <$file> };
}

is(with_functions('bash', '-c', 'type -t command sudo env apt-get'), "function\n" x 4, 'the commands are replaced')
  or BAIL_OUT('nothing may be installed');
my $out = with_functions($setup, 'clients');
my $said = slurp("$dir/said");
is($?, 0, 'what only some tests need may stay missing');
like($out, qr{\A/\S+/pg_config\n\z}, 'the server is found') or diag $said;
like($said, qr/^For the tests of clients these will be installed: .*default-jdk-headless maven/m, 'what is missing is named');
like($said, qr/^After this operation, 1 GB of additional disk space/m, 'with its size');
like($said, qr/^without maven some tests will be skipped$/m, 'and what goes without it');
like(slurp("$dir/order"), qr/\Anamed\n(installed\n){2,}\z/, 'it is named before it is installed');

done_testing();
