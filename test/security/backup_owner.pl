# Attacker: the owner of tables with point-in-time recovery, and of the
# relations that DeleteTable leaves of them, with a key for HTTP.
# Wants: to crash the server, by a trigger that restores a table; to keep
# maintenance from dropping the backups of others; to have it drop a table of
# somebody else; to learn of what others restore a table; to have them restore
# his; to fill a tablespace that his database has nothing to do with.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

my $PATIENCE = 120;

start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 0");
sql(q{
	CREATE EXTENSION dynamo;
	CREATE ROLE mallory LOGIN;
	CREATE ROLE victim LOGIN;
	GRANT USAGE, CREATE ON SCHEMA dynamo_data TO mallory, victim;
	CREATE SCHEMA tower AUTHORIZATION mallory;
	GRANT USAGE, CREATE ON SCHEMA tower TO victim;
});

# A request of his own runs a trigger that restores a table.
sql(q{
	SET ROLE mallory;
	SELECT dynamo.create_table(name, 'id') FROM unnest('{Bait,Source}'::text[]) name;
	SELECT dynamo.put_item('Source', '{"id": "x"}');
	SELECT dynamo.create_backup('Source', 'of_source');
	CREATE FUNCTION tower.restore() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM dynamo.restore_table('Restored', backup_arn => dynamo.call('ListBackups', '{}') #>> '{BackupSummaries,0,BackupArn}');
		RETURN new;
	END $$;
	CREATE TRIGGER restore AFTER INSERT ON dynamo_data."Bait" FOR EACH ROW EXECUTE FUNCTION tower.restore();
});
my $mallory = new_key('mallory');
wait_for(sub { connection() }) or die 'nothing is served';
my $answer = call_as($mallory, 'PutItem', '{"TableName":"Bait","Item":{"id":{"S":"a"}}}');
is("$answer->{status} $answer->{body}", '200 {}', 'a table is restored by a trigger of a request');
ok(wait_for(sub { sql(q{SELECT to_regclass('dynamo_data."Restored"')}) ne '' }, $PATIENCE), 'by a background process');
is(sql(q{SELECT item FROM dynamo_data."Restored"}), '{"id":{"S":"x"}}', 'with its items');
ok(!log_has(qr/was terminated by signal/), 'and no process crashes');

# Backups whose time is over: one that a view of his needs, one that he has
# given to somebody else, who keeps it elsewhere, and one of a victim.
sub delete_table
{
	my ($role, $table) = @_;
	sql(qq{
		SET ROLE $role;
		SELECT dynamo.create_table('$table', 'id');
		SELECT dynamo.enable_recovery('$table');
		SELECT dynamo.put_item('$table', '{"id": "$table", "by": "$role"}');
		SELECT dynamo.drop_table('$table');
	});
	return sql(qq{SELECT relation::oid FROM dynamo.backups WHERE table_name = '$table'});
}
my ($held, $given, $victims) = (delete_table('mallory', 'Held'), delete_table('mallory', 'Given'), delete_table('victim', 'Kept'));
sql(qq{
	SET ROLE mallory;
	DO \$\$BEGIN
		EXECUTE format('CREATE VIEW tower.hold AS SELECT * FROM %s', $held\::regclass);
		EXECUTE format('ALTER TABLE %s SET SCHEMA tower', $given\::regclass);
	END\$\$;
});
sql(qq{DO \$\$BEGIN EXECUTE format('ALTER TABLE %s OWNER TO victim', $given\::regclass); END\$\$});
sql('UPDATE dynamo.backups SET expires_at = now() WHERE expires_at IS NOT NULL');
set('dynamo.ttl_interval', '1s');
ok(wait_for(sub { sql(qq{SELECT count(*) FROM pg_class WHERE oid = $victims}) eq '0' }, $PATIENCE),
	'the backup of another goes when its time is over');
is(sql(qq{SELECT count(*) FROM pg_class WHERE oid = $given}), 1, 'a relation that is no backup any more stays');
is(sql(q{SELECT string_agg(table_name, ' ' ORDER BY table_name) FROM dynamo.backups WHERE expires_at IS NOT NULL}), 'Held',
	'and is forgotten');
ok(log_has(qr/cannot drop table dynamo_backup.*because other objects depend on it/), 'the log tells of the one that is held');
sql('DROP VIEW tower.hold');
ok(wait_for(sub { sql(qq{SELECT count(*) FROM pg_class WHERE oid = $held}) eq '0' }, $PATIENCE), 'which goes as soon as it can');

# Who restores a table does not say of what to those who ask for its name.
sql(q{SET ROLE victim; SELECT dynamo.create_table('Secret', 'id'); SELECT dynamo.create_backup('Secret', 'secret')});
set('dynamo.job_workers', '0');
my $victim = new_key('victim');
sub restore_arn { return sql(qq{SELECT format('{"TargetTableName":"Wanted","BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/%s/backup/%s"}',
	table_name, backup_id) FROM dynamo.backups WHERE table_name = '$_[0]'}) }
is(call_as($victim, 'RestoreTableFromBackup', restore_arn('Secret'))->{status}, 200, 'a restore is asked for');
like(call_as($victim, 'RestoreTableFromBackup', restore_arn('Source') =~ s/Source/Secret/r)->{body}, qr/BackupNotFound/, 'of a backup by another name');
my $refusal = call_as($mallory, 'RestoreTableFromBackup', restore_arn('Source'))->{body};
like($refusal, qr/TableInUse.*Table is being used: Wanted/, 'another one of that name is refused');
unlike($refusal, qr/Secret/, 'and not told of what it is made');
set('dynamo.job_workers', '2');

# A deleted table of the same name does not stand in for the victim's own.
sub drop_kept
{
	my ($role, $grant) = @_;
	delete_table($role, 'Twice');
	sql(qq{SET ROLE $role; DO \$\$BEGIN EXECUTE (SELECT format('GRANT SELECT ON %s TO PUBLIC', relation)
		FROM dynamo.backups JOIN pg_class c ON c.oid = relation WHERE table_name = 'Twice' AND c.relowner = '$role'::regrole); END\$\$});
	return;
}
drop_kept($_) for qw(victim mallory);
sql(q{SET ROLE victim; SELECT dynamo.restore_table('Back', 'Twice')});
is(sql(q{SELECT count(*) FROM dynamo.backups JOIN pg_class c ON c.oid = relation WHERE table_name = 'Twice'}), '2', 'two were deleted');
is(sql(q{SELECT item->>'by' FROM dynamo_data."Back"}), 'victim', 'each role gets its own back');

# A backup lies where its database does.
sql("SET allow_in_place_tablespaces = on; CREATE TABLESPACE apart LOCATION ''");
sql('CREATE DATABASE own TABLESPACE apart');
sql(q{
	CREATE EXTENSION dynamo;
	GRANT USAGE, CREATE ON SCHEMA dynamo_data TO mallory;
	SET ROLE mallory;
	SELECT dynamo.create_table('Source', 'id');
	SELECT dynamo.create_backup('Source', 'of_source');
}, 'own');
is(sql(q{SELECT reltablespace FROM pg_class WHERE relnamespace = 'dynamo_backup'::regnamespace AND relkind = 'r'}, 'own'), '0',
	'a backup lies in the tablespace of its database');

ok(!log_has(qr/TRAP|was terminated by signal/), 'no process crashes');
done_testing();
