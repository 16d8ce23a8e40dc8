# "make installcheck" as CONTRIBUTING.md says: all regression files on a server with
# PostgreSQL's own settings, which preloads dynamo with the settings named there, for
# a superuser of another name, in another encoding than the server's, over TLS where
# the server has it, as Debian's do.  They leave nothing behind.
#
# Takes long.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use File::Temp qw(tempdir);
use Test::More;
use lib dirname(__FILE__);
use Server;

my $top = abs_path(dirname(__FILE__) . '/../..');
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES)};

sub content
{
	my ($file) = @_;
	open(my $handle, '<', $file) or die "$file: $!";
	local $/;
	return scalar <$handle>;
}

# What a file that ends early asks for, the server that runs this one has.
is(`psql -X -A -t -c 'SHOW wal_level' -c 'SHOW shared_preload_libraries'`, "logical\n\n",
	'on the server of test/run every file goes on to its end');

my ($settings) = content("$top/CONTRIBUTING.md") =~ /^`make installcheck`.*?^```ini\n(.*?)^```/ms;
like($settings, qr/^dynamo\.\w+ = 0$/m, 'CONTRIBUTING.md names settings');

# Temporary files of the server, and our own
my $tmp = tempdir('installcheckXXXXXX', DIR => abs_path("$top/tmp"), CLEANUP => 1);
mkdir "$tmp/$_" or die foreach qw(server results);
chmod 0755, $tmp;
chmod 01777, "$tmp/server";
{
	local $ENV{TMPDIR} = "$tmp/server";
	start_server(<<"EOT");
wal_level = replica
max_prepared_transactions = 0
fsync = off
shared_preload_libraries = 'dynamo'
listen_addresses = 'localhost'
$settings
EOT
}
psql("CREATE DATABASE ascii TEMPLATE template0 ENCODING SQL_ASCII LOCALE 'C'",
	'ALTER DATABASE template0 RENAME TO utf8', 'ALTER DATABASE ascii RENAME TO template0',
	'CREATE ROLE somebody SUPERUSER LOGIN');

# What this server is built with decides whether there is TLS.
my $client = 'PGHOST=localhost PGUSER=somebody';
if (sql('SHOW ssl_library') ne '')
{
	my $data = directory() . '/data';
	as_server_user('sh', '-c', "umask 077; openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout $data/server.key -out $data/server.crt 2>/dev/null")
	  or die 'no certificate was made';
	set('ssl', 'on');
	$client .= ' PGSSLMODE=require';
	wait_for(sub { run("$client psql -X -A -t -c 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'") eq 't' }) or die 'there is no TLS';
}

# All that a server has beyond databases.
sub kept
{
	opendir(my $handle, directory()) or die;
	return join("\n", sort(readdir $handle), sql(<<'EOT'));
SELECT rolname FROM pg_roles ORDER BY 1;
SELECT slot_name FROM pg_replication_slots;
SELECT name, setting FROM pg_file_settings WHERE sourcefile ~ 'auto.conf$';
EOT
}

my $before = kept();
my ($out, $status) = run("$client make -s -C $top EXTRA_REGRESS_OPTS=--outputdir=$tmp/results installcheck");
is($status, 0, 'every file passes') or diag($out, -e "$tmp/results/regression.diffs" ? content("$tmp/results/regression.diffs") : '');

my @sql = map { basename($_, '.sql') } glob "$top/sql/*.sql";
is_deeply([ map { basename($_, '.out') } glob "$tmp/results/results/*.out" ], \@sql, 'and none is left out');
is_deeply([ grep { content("$tmp/results/results/$_.out") =~ /^\\quit\n\z/m } @sql ],
	[ map { basename($_, '_1.out') } glob "$top/expected/*_1.out" ],
	'those that end early are those with another expected output');
is(kept(), $before, 'no role, slot, setting or file of them is left');
is_deeply([ glob "$tmp/server/{*,.[!.]*}" ], [], 'nor a temporary one');

done_testing();
