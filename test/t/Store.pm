# A store that speaks S3, for tests: moto's, behind a proxy (store/server.py).
package Store;

use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use IO::Socket::INET;
use JSON::PP;
use Test::More;
use lib dirname(__FILE__);
use AtEnd;
use Server;

our @EXPORT = qw(want_store has_store start_store store_key store_secret store fault store_log
  create_bucket certificates answer_names names);

my $here = dirname(abs_path(__FILE__));
my $top = abs_path("$here/../..");
my $home = "$top/tmp/store";
my $dir = tempdir(CLEANUP => 1);
my %port;

# Made anew each time.
my ($key, $secret) = map { join '', map { ('A' .. 'Z', 0 .. 9)[rand 36] } 1 .. $_ } 20, 40;
sub store_key { return $key }
sub store_secret { return "$secret/+" }

# Is there a store to be had?  What was said if not.
sub has_store
{
	my ($said) = @_;
	mkdir $home;
	my $out = `cd '$home' && '$top/test/clients/venv' '$here/store/requirements.txt'`;
	$$said = $out if $said;
	return $? == 0;
}

# Skip the whole test where there is none.
sub want_store
{
	my $said;
	has_store(\$said) or plan skip_all => "no moto from a registry: $said";
	return;
}

# Start one; the name is the test's for it.  With a certificate and its key: by TLS.
sub start_store
{
	my ($name, @tls) = @_;
	my $port = `'$top/test/free-port'` + 0;
	local $ENV{STORE_KEY} = store_key();
	local $ENV{STORE_SECRET} = store_secret();
	pipe(my $out, my $in) or die;
	my $pid = open(my $store, '|-') // die;
	if ($pid == 0)
	{
		open STDOUT, '>&', $in or die;
		exec "$home/venv/bin/python", "$here/store/server.py", $port, @tls;
	}
	close $in;
	$port{$name} = $port;
	at_end(sub { kill 'KILL', $pid; return 1 });
	my $ready = <$out> // '';
	$ready =~ /ready/ or die "the store did not start: $ready";
	$port{"$name handle"} = $store;
	return $port;
}

# Ask the first store's proxy for something: what it answers.
sub store
{
	my ($method, $path, $body, $name) = @_;
	my $port = $port{ $name // 'main' };
	my $connection = IO::Socket::INET->new("127.0.0.1:$port") or die "$!";
	$body //= '';
	print $connection "$method /-/$path HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
	my $answer = do { local $/; <$connection> } // '';
	$answer =~ /^HTTP\/1.1 200/ or die "$method $path: $answer";
	return $answer =~ /\r\n\r\n(.*)\z/s ? $1 : '';
}

# The next requests that match are dealt with so.
sub fault
{
	my (%fault) = @_;
	store('DELETE', 'fault');
	store('POST', 'fault', encode_json(\%fault)) if %fault;
	return;
}

# What it was asked since the last time.
sub store_log { return split /\n/, store('GET', 'log') }

# A bucket of the database, with credentials for everybody who may use it.
sub create_bucket
{
	my ($bucket, %options) = @_;
	my $endpoint = delete $options{endpoint} // "http://127.0.0.1:$port{main}";
	my $more = join '', map { ", $_ => $options{$_}" } sort keys %options;
	return sql("SELECT dynamo.create_bucket('$bucket', '$endpoint'$more); CREATE USER MAPPING FOR PUBLIC SERVER \"$bucket\" OPTIONS (access_key_id '"
		  . store_key() . "', secret_access_key '" . store_secret() . "')");
}

# What a server's environment needs so that a file answers for DNS (store/names.c):
# LD_PRELOAD and NAMES.  The file has what "names" was last given.
sub answer_names
{
	chmod 0755, $dir;
	system('cc', '-shared', '-fPIC', '-o', "$dir/names.so", "$here/store/names.c", '-ldl') == 0 or die 'no compiler';
	return { library => "$dir/names.so", file => "$dir/names" };
}

sub names
{
	my @names = @_;
	open my $out, '>', "$dir/names.new" or die;
	print $out "$names[$_] $names[$_ + 1]\n" foreach map { 2 * $_ } 0 .. $#names / 2;
	close $out;
	rename "$dir/names.new", "$dir/names" or die;
	return;
}

# A certificate for 127.0.0.1 and localhost, its key, and who has signed it.
sub certificates
{
	my @lines = ('basicConstraints=CA:FALSE', 'subjectAltName=IP:127.0.0.1,DNS:localhost');
	open my $extensions, '>', "$dir/extensions" or die;
	print $extensions join("\n", @lines), "\n";
	close $extensions;
	system("cd '$dir' && exec 2>/dev/null &&
		openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem &&
		openssl req -newkey rsa:2048 -nodes -subj /CN=store -keyout store.key -out store.csr &&
		openssl x509 -req -in store.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions -out store.pem &&
		chmod 755 . && chmod 644 ca.pem") == 0 or die 'no certificates';
	return map { "$dir/$_" } qw(store.pem store.key ca.pem);
}

1;
