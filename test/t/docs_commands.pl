# The commands in the documents work.
#
# Each page is a story: its blocks are run in their order, on a server with the extension
# and nothing else. Where a page begins in the middle, a comment says what there is:
#
#   <!-- setup
#   SELECT dynamo.create_table('Shop', 'PK', 'SK');
#   -->
#
# What is run is said by the first line of a block:
#
#   ```sql              must succeed; if a block ```text follows at once, it prints that
#   ```sql fails        must fail, and prints what follows
#   ```text example     is not compared
#   ```python, ```sh    must succeed; port 8000 is the server's. The AWS CLI and boto3
#                       are those of test/clients, skipped where they are not installed
#   ```sh skip: reason  is not run, for a reason
#   ```sql store        the same, and has a store that speaks S3, at port 9000 and with
#                       AKIA... and ... as its credentials; skipped where none is to be had
#   ```sql publication  is run by another test, which %ELSEWHERE names
#
# Other languages are data. Examples of docs/reference are run by regression tests.
#
# Takes long.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;
use Store;

my %ELSEWHERE = (
	'package' => 'test/package/run',
	testcontainers => 'test/ci/run', reset => 'test/ci/run', template => 'test/ci/run', github => 'test/ci/run',
	driver => 'test/clients/drivers/run',
	publication => 'test/t/publication.pl',
	standby => 'test/t/docs_standby.pl',
	moving => 'test/t/moving.pl',
	cluster => 'test/distributed/run',
	graph => 'test/t/vector_graph.pl',
	upgrade => 'test/upgrade/run');
my %RUN = map { $_ => 1 } qw(sql sh python js java);

my $top = abs_path(dirname(__FILE__) . '/../..');
chdir $top or die;
my $scratch = tempdir(CLEANUP => 1);
my $python = $ENV{BOTO_PYTHON} // (-x 'tmp/clients/boto/venv/bin/python' ? "$top/tmp/clients/boto/venv/bin/python" : 'python3');
my $has_boto = system("$python -c 'import boto3' 2>/dev/null") == 0;
my $cli = (grep { -x "$_/aws" } dirname($python) . '/../../../cli/venv/bin', split /:/, $ENV{PATH})[0];

start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 0\ntimezone = UTC\ndatestyle = ISO\n");
my $port = port();
my $store = has_store() ? start_store('main') : undef;
store('PUT', 'bucket/archive') if $store;
my $buckets = directory() . '/buckets';

# The blocks of a page: [line, language, rest of the first line, content, last line].
sub blocks
{
	my ($file) = @_;
	my (@blocks, $end);
	open my $in, "<:encoding(UTF-8)", "$top/$file" or die "$file: $!";
	while (<$in>)
	{
		if ($end)
		{
			if (/$end/) { undef $end; $blocks[-1][4] = $. }
			else { $blocks[-1][3] .= $_ }
		}
		elsif (/^( *)```(\w+)(?: +(.*?))?\s*$/) { push @blocks, [ $., $2, $3 // '', '' ]; $end = qr/^ *```\s*$/ }
		elsif (/^<!-- setup$/) { push @blocks, [ $., 'setup', '', '' ]; $end = qr/^-->$/ }
	}
	die "$file: a block has no end" if $end;
	return @blocks;
}

# Output of psql, but for the widths of columns and the number of rows.
sub plain
{
	my ($text) = @_;
	$text =~ s/\brows=(\d+)\.00\b/rows=$1/g;    # as of PostgreSQL 18
	my @lines = grep { !/^\s*[-+]*\s*$/ && !/^\s*QUERY PLAN\s*$/ && !/^\s*\(\d+ rows?\)\s*$/ } split /\n/, $text;
	s/\s+/ /g, s/^ | $//g, s/ ?\| ?/|/g foreach @lines;
	return join "\n", @lines;
}

sub write_file
{
	my ($name, $text) = @_;
	open my $out, '>:encoding(UTF-8)', "$scratch/$name" or die;
	print $out $text;
	close $out;
	return "$scratch/$name";
}

# Begin a page: no table, no role of others', an empty bucket.
sub begin
{
	sql(<<'SQL');
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS dynamo CASCADE;
SELECT format('DROP SCHEMA IF EXISTS %I CASCADE', nspname) FROM pg_namespace WHERE nspname !~ '^(pg_|information)' \gexec
CREATE SCHEMA public;
SELECT format('DROP OWNED BY %I; DROP ROLE %1$I', rolname) FROM pg_roles WHERE oid >= 16384 \gexec
CREATE EXTENSION dynamo;
SQL
	as_server_user('rm', '-rf', $buckets);
	as_server_user('mkdir', '-p', map { "$buckets/$_" } qw(exports from-aws to-aws)) or die;
	sql("ALTER SYSTEM RESET ALL; ALTER SYSTEM SET dynamo.bucket_directory = '$buckets'");
	sql("ALTER SYSTEM SET dynamo.bucket_endpoints = 'http://127.0.0.1:$store'") if $store;
	sql('SELECT pg_reload_conf()');
	return;
}

# What they see of AWS: our port, and a key of a role that may do much.
sub for_clients
{
	my ($text) = @_;
	my ($id, $secret) = split ' ', sql(q{SELECT * FROM dynamo.create_access_key('postgres')});
	$text =~ s/localhost:8000/localhost:$port/g;
	$text =~ s/AKIA\.\.\. AWS_SECRET_ACCESS_KEY=\.\.\./$id AWS_SECRET_ACCESS_KEY=$secret/;
	return ($text, "AWS_ACCESS_KEY_ID=$id AWS_SECRET_ACCESS_KEY=$secret AWS_DEFAULT_REGION=us-east-1 "
		  . "AWS_ENDPOINT_URL=http://localhost:$port AWS_PAGER= AWS_EC2_METADATA_DISABLED=true "
		  . 'AWS_CONFIG_FILE=/dev/null NO_PROXY=localhost no_proxy=localhost');
}

my %count = (run => 0, skipped => 0, elsewhere => 0);
my @pages = ('README.md', sort glob 'docs/*.md');
foreach my $page (@pages)
{
	my @blocks = blocks($page);
	next if !grep { $RUN{ $_->[1] } && $_->[2] !~ /^skip: / } @blocks;
	begin();
	while (my $block = shift @blocks)
	{
		my ($line, $language, $rest, $content, $last) = @$block;
		my $name = "$page:$line";
		next if !$RUN{$language} && $language ne 'setup';
		if ($rest =~ /^skip: \S+ \S+/) { $count{skipped}++; next }
		if ($rest =~ /^(\w+)/ && $ELSEWHERE{$1})
		{
			$count{elsewhere}++;
			next if -e "$top/$ELSEWHERE{$1}";
			fail("$name: $ELSEWHERE{$1} is there");
			next;
		}
		if ($rest eq 'store')
		{
			if (!$store)
			{
				SKIP: { skip "$name: no moto from a registry", 1 }
				next;
			}
			$content =~ s/127\.0\.0\.1:9000/127.0.0.1:$store/g;
			$content =~ s/'AKIA\.\.\.'/"'" . store_key() . "'"/e;
			$content =~ s/'\.\.\.'/"'" . store_secret() . "'"/e;
			$rest = '';
		}
		if ($rest !~ /^(?:fails)?$/) { fail("$name: what is \"$rest\"?"); next }
		$count{run}++;

		my ($out, $status);
		if ($language eq 'sql' || $language eq 'setup')
		{
			my $file = write_file('sql', ($language eq 'setup' ? "SET client_min_messages = warning;\n" : '') . $content);
			($out, $status) = run("psql -X -q -v ON_ERROR_STOP=1 -f $file");
		}
		else
		{
			my ($text, $environment) = for_clients($content);
			my $lacks = $language eq 'python' ? !$has_boto && 'boto3' : $language eq 'sh' ? $text =~ /\baws / && !$cli && 'the AWS CLI' : 'a test';
			if ($lacks)
			{
				SKIP: { skip "$name: $lacks is not installed", 1 }
				next;
			}
			my $file = write_file($language, $text);
			my $by = $language eq 'python' ? $python : 'bash -e';
			my $path = $cli ? "PATH=$cli:\$PATH" : '';
			($out, $status) = run("$path $environment timeout 600 $by $file");
		}
		my $fails = $rest eq 'fails';
		ok($fails ? $status != 0 : $status == 0, "$name: $language" . ($fails ? ' fails' : '')) or diag($out);
		if (@blocks && $blocks[0][1] eq 'text' && $blocks[0][2] eq '' && $blocks[0][0] <= $last + 2)
		{
			$out =~ s/^psql:[^ ]+:\d+: //gm;
			is(plain($out), plain($blocks[0][3]), "$page:$blocks[0][0]: what it prints");
		}
	}
}
diag(join ', ', map { "$count{$_} $_" } sort keys %count);
cmp_ok($count{run}, '>', 60, 'blocks are run');
done_testing();
