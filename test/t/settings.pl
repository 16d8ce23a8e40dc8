# docs/settings.md names all settings and their defaults, and no others; a name that
# is misspelt is refused, so that no line of postgresql.conf is without effect in silence.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server(<<'END');
shared_preload_libraries = dynamo
dynamo.htp_port = 8000
END

# Settings of this server, with their defaults as a number of the unit or a text.
my %defaults = map { split /=/, $_, 2 } split /\n/, sql(q{
	SELECT name || '=' || CASE WHEN unit IS NULL THEN boot_val
		ELSE (boot_val::bigint * CASE unit WHEN 's' THEN 1000 WHEN 'kB' THEN 1024 ELSE 1 END)::text END
	FROM pg_settings WHERE name LIKE 'dynamo.%'});
delete $defaults{'dynamo.region_clock_offset'};		# for tests
my ($release) = map { /^   "version": "(.*)"/ } do { open my $meta, '<', dirname(__FILE__) . '/../../META.json' or die; <$meta> };
is($defaults{'dynamo.version'}, $release, 'it tells its release');
$defaults{'dynamo.version'} = '';

# A default as docs have it: "`on`", "60 s", "0 (off)", "64 MB".
sub plain
{
	my ($text) = @_;
	my %units = (ms => 1, s => 1000, kB => 1024, MB => 1024 * 1024);
	$text =~ s/\s*\(.*\)//;
	$text =~ s/`//g;
	return $text =~ /^(\d+) (\w+)$/ ? $1 * $units{$2} : $text;
}

my %documented;
open my $page, '<', dirname(__FILE__) . '/../../docs/settings.md' or die;
while (<$page>)
{
	my (undef, $names, $default) = split /\s*\|\s*/;
	next unless ($names // '') =~ /`dynamo\./;
	my @names = $names =~ /`(dynamo\.\w+)`/g;
	my @values = split /, /, $default;
	@documented{@names} = map { plain($_) } @values ? @values : map { '' } @names;
	$documented{$_} //= '' for @names;
}
close $page;
is_deeply(\%documented, \%defaults, 'docs have all settings, and their defaults');

ok(log_has(qr/invalid configuration parameter name "dynamo\.htp_port"/), 'the log warns of a misspelt one');
like(sql('SET dynamo.htp_port = 8000'), qr/invalid configuration parameter name "dynamo\.htp_port"/, 'SET refuses it');
is(sql('SHOW dynamo.http_port'), 0, 'and it set nothing');
done_testing();
