# Access keys of one's own making, their end, their comment and their last use.
#
# An id and a secret that are given have a form, and a secret that could be
# guessed is a superuser's to choose.  A key ends when it says, in every worker.
# The view for rotation shows no secret, and to nobody the keys of others.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server('dynamo.http_workers = 2');
my $made = tenant('clerk');
sql('CREATE ROLE lead LOGIN; GRANT clerk TO lead; CREATE ROLE other LOGIN;'
	  . 'GRANT EXECUTE ON FUNCTION dynamo.create_access_key, dynamo.update_access_key, dynamo.drop_access_key TO lead, other');

sub status { return call_as($_[0], 'ListTables', '{}')->{status} }

# What may be given.
is(sql(q{SELECT * FROM dynamo.create_access_key('clerk', id => 'key', secret => 'secret')}), 'key secret', 'an id and a secret');
is(status({ key => 'key', secret => 'secret' }), 200, 'which sign requests');
like(sql(q{SELECT * FROM dynamo.create_access_key('clerk', id => 'key')}), qr/ERROR:  access key "key" already exists/, 'an id is one key');
like(sql(q{SELECT * FROM dynamo.create_access_key('clerk', id => 'own_id')}), qr{^own_id [A-Za-z0-9+/]{40}$}, 'an id alone');
like(sql(q{SELECT * FROM dynamo.create_access_key('clerk', secret => 'own')}), qr/^AKIA[A-Z2-7]{16} own$/, 'a secret alone');
my $long = 'i' x 128;
is(sql("SELECT * FROM dynamo.create_access_key('clerk', id => '$long', secret => '" . 's' x 128 . q{')}), "$long " . 's' x 128, 'the longest');
is(status({ key => $long, secret => 's' x 128 }), 200, 'signs requests, too');
foreach my $id ('', 'ab', 'i' x 129, 'a/b', 'a b', 'a,b', 'a-b', "a\x{c3}\x{a9}b", 'a=b')
{
	like(sql("SELECT * FROM dynamo.create_access_key('clerk', id => '$id')"), qr/ERROR:  invalid access key ID "/, "no id: $id");
}
foreach my $secret ('', 's' x 129, 'a b', "a\tb", "a\x{c3}\x{a9}")
{
	like(sql("SELECT * FROM dynamo.create_access_key('clerk', secret => '$secret')"), qr/ERROR:  invalid secret access key/, "no secret: $secret");
}
like(sql(q{SELECT * FROM dynamo.create_access_key(NULL)}), qr/ERROR:  role_name must not be null/, 'no role');
like(sql(q{SELECT * FROM dynamo.create_access_key('clerk', comment => repeat('x', 257))}), qr/ERROR:  comment must have at most 256 characters/,
	'a long comment');

# Who may.
like(sql(q{SET ROLE lead; SELECT * FROM dynamo.create_access_key('clerk', id => 'ours', secret => 'nineteen-characters')}),
	qr/ERROR:  permission denied to choose a secret access key of less than 20 characters/, 'a short secret is for superusers');
is(sql(q{SET ROLE lead; SELECT * FROM dynamo.create_access_key('clerk', id => 'ours', secret => 'all-of-20-characters')}),
	'ours all-of-20-characters', 'a longer one for members of the role');
like(sql(q{SET ROLE other; SELECT * FROM dynamo.create_access_key('clerk', id => 'theirs')}),
	qr/permission denied to manage access keys of role "clerk"/, 'no key for others');
like(sql(q{SET ROLE other; SELECT dynamo.update_access_key('ours', comment => 'mine')}),
	qr/permission denied to manage access keys of role "clerk"/, 'nor a change');
like(sql(q{SELECT dynamo.update_access_key('none', comment => 'x')}), qr/ERROR:  access key "none" does not exist/, 'nor of none');
like(sql(q{SELECT dynamo.update_access_key(NULL, comment => 'x')}), qr/ERROR:  access_key_id must not be null/, 'nor of null');

# A key ends.
my $ours = { key => 'ours', secret => 'all-of-20-characters' };
is(status($ours), 200, 'a key without an end');
is(sql(q{SET ROLE lead; SELECT dynamo.update_access_key('ours', expires_at => now())}), '', 'gets one');
is(status($ours), 400, 'and is refused') foreach 1 .. 4;
like(call_as($ours, 'ListTables', '{}')->{body}, qr/UnrecognizedClientException.*The security token included in the request is invalid/,
	'as one that is not known');
is(sql(q{SELECT dynamo.update_access_key('ours', comment => 'till 7')}), '', 'a comment');
is(status($ours), 400, 'gives it no life');
is(sql(q{SELECT dynamo.update_access_key('ours', expires_at => now() + '1 day')}), '', 'a later end');
is(status($ours), 200, 'does');
is(sql(q{SELECT dynamo.update_access_key('ours', expires_at => 'infinity')}), '', 'none');
is(status($ours), 200, 'does');
is(sql(q{SELECT comment, expires_at FROM dynamo.access_keys WHERE access_key_id = 'ours'}), 'till 7 infinity', 'each was changed alone');
is(sql(q{SELECT dynamo.update_access_key('ours', comment => ''); SELECT comment IS NULL FROM dynamo.access_keys WHERE access_key_id = 'ours'}),
	"\nt", 'an empty comment is none');
sql(q{SELECT * FROM dynamo.create_access_key('clerk', id => 'past', secret => 'past', expires_at => '2020-01-01')});
is(status({ key => 'past', secret => 'past' }), 400, 'a key whose end has passed');

# The view: no secrets, and no keys of others.
sql(q{SELECT dynamo.create_access_key('other', id => 'others', comment => 'of another')});
is(sql('SELECT string_agg(attname, \' \' ORDER BY attnum) FROM pg_attribute WHERE attrelid = \'dynamo.stat_access_keys\'::regclass AND attnum > 0'),
	'access_key_id role comment created_at expires_at last_used_at', 'what is shown');
my $seen = "SELECT string_agg(access_key_id, ' ' ORDER BY access_key_id) FROM dynamo.stat_access_keys WHERE access_key_id ~ '^(ours|others)\$'";
is(sql("SET ROLE other; $seen"), 'others', 'each role sees its own');
is(sql("SET ROLE lead; $seen"), 'ours', 'and those of roles it is a member of');
is(sql("GRANT pg_read_all_stats TO lead; SET ROLE lead; $seen"), 'others ours', 'pg_read_all_stats sees all');

# The last use, to an hour: written once, whoever of the workers was asked.
my $use = q{SELECT last_used_at > now() - interval '10 minutes' FROM dynamo.stat_access_keys WHERE access_key_id = '%s'};
my $row = q{SELECT xmin FROM dynamo_internal.access_key_uses WHERE access_key_id = '%s'};
my $fresh = new_key('clerk');
is(sql(sprintf $use, $fresh->{key}), '', 'a key that was not used');
is(call_as({ %$fresh, secret => 'wrong' }, 'ListTables', '{}')->{status}, 400, 'somebody does not know its secret');
is(status($fresh), 200, 'it is used');
ok(wait_for(sub { sql(sprintf $use, $fresh->{key}) eq 't' }), 'and that is seen');
my $written = sql(sprintf $row, $fresh->{key});
is(status($fresh), 200, 'again') foreach 1 .. 8;
sql(q{SELECT dynamo.update_access_key('ours', comment => 'all forget')});
is(status($fresh), 200, 'and again') foreach 1 .. 8;
is(sql(sprintf $row, $fresh->{key}), $written, 'which is not written again');
sql(q{UPDATE dynamo_internal.access_key_uses SET last_used_at = now() - interval '1 hour'; SELECT dynamo.update_access_key('ours', comment => 'forget')});
is(status($fresh), 200, 'an hour later');
ok(wait_for(sub { sql(sprintf $use, $fresh->{key}) eq 't' }), 'it is');

# Nobody waits for that.
sql(q{UPDATE dynamo_internal.access_key_uses SET last_used_at = now() - interval '1 hour'; SELECT dynamo.update_access_key('ours', comment => 'once more')});
my $holder = session('BEGIN; LOCK TABLE dynamo_internal.access_key_uses IN ACCESS EXCLUSIVE MODE');
my $held = q{SELECT count(*) FROM pg_locks WHERE granted AND mode = 'AccessExclusiveLock'
	AND relation = 'dynamo_internal.access_key_uses'::regclass};
ok(wait_for(sub { sql($held) eq '1' }), 'the record is locked');
is(status($fresh), 200, 'a request while the record cannot be written') foreach 1 .. 4;
is(sql(q{SELECT count(*) FROM pg_locks WHERE NOT granted}), '0', 'nobody waits for it');
close $holder;

# A key of the same id is another one.
sql("SELECT dynamo.drop_access_key('key'); SELECT dynamo.create_access_key('clerk', id => 'key', secret => 'secret')");
is(sql(q{SELECT last_used_at IS NULL FROM dynamo.stat_access_keys WHERE access_key_id = 'key'}), 't', 'a new key has not been used');
ok(wait_for(sub { sql(q{DELETE FROM dynamo.access_keys WHERE access_key_id = 'past'; SELECT count(*) FROM dynamo_internal.access_key_uses u
	WHERE NOT EXISTS (SELECT FROM dynamo.access_keys k WHERE k.access_key_id = u.access_key_id)}) eq '0' }), 'nothing stays of keys that are gone');

done_testing();
