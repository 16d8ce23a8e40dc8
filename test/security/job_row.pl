# Attacker: mallory, who may make tables, and has backups of them made.  She cancels
# these in a transaction that she leaves open.
# Wants: that all processes that work on jobs wait for her, and nobody's job is done.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Handle;
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 0\ndynamo.job_workers = 0");
my ($mallory, $victim) = map { tenant($_) } qw(mallory victim);
sql(q{
	SET ROLE mallory; SELECT dynamo.create_table(t, 'id') FROM unnest('{Bait1,Bait2,Bait3}'::text[]) AS t;
	RESET ROLE; SET ROLE victim; SELECT dynamo.create_table('Own', 'id')});

sub backup
{
	my ($who, $table) = @_;
	return call_as($who, 'CreateBackup', qq({"TableName":"$table","BackupName":"kept"}))->{status};
}

is(backup($mallory, "Bait$_"), 200, "a backup of hers, $_") for 1 .. 3;
my $open = in_transaction(q{SET ROLE mallory; BEGIN; SELECT dynamo.cancel_job(job) FROM dynamo.jobs});
set('dynamo.job_workers', 2);
sleep 5;    # time for both to meet her jobs
is(backup($victim, 'Own'), 200, 'a backup of somebody else');
ok(wait_for(sub { sql(q{SELECT status FROM dynamo.jobs WHERE table_name = 'Own'}) eq 'COMPLETED' }), 'which is made');
is(sql(q{SELECT DISTINCT status FROM dynamo.jobs WHERE table_name LIKE 'Bait%'}), 'IN_PROGRESS', 'while hers wait for her');
print $open "COMMIT;\n";
close $open;
ok(wait_for(sub { sql(q{SELECT count(*) FROM dynamo.jobs WHERE table_name LIKE 'Bait%' AND status = 'CANCELLED'}) eq '3' }),
	'they are cancelled when she lets go');

done_testing();
