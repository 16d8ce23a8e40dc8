# Who: a database owner.
# Owns: a database in an encoding of his choice, and client_encoding.  Wants:
# keys that differ to be equal, or equal ones to differ, or text in an item that
# is not UTF-8 and breaks whoever reads it.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('dynamo.http_metrics = loopback');
foreach my $encoding (qw(SQL_ASCII LATIN1 EUC_JP))
{
	my $database = lc $encoding;
	sql("CREATE DATABASE $database ENCODING '$encoding' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
	my $made = sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Tab', 'pk') IS NOT NULL}, $database);
	my $put = sql(q{SELECT dynamo.put_item('Tab', E'{"pk": "a\\\\u00e9"}'); SELECT count(*) FROM dynamo.scan('Tab')}, $database);
	my $call = sql(q{SELECT dynamo.call('PutItem', '{"TableName":"Tab","Item":{"pk":{"S":"a"}}}')}, $database);
	ok($made =~ /ERROR/ || $put =~ /ERROR|^\s*1$/, "$encoding: refused, or one item is one item");
	unlike("$made$put$call", qr/XX\d{3}|lost connection|server closed/, "$encoding: no internal error");
}

sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Tab', 'pk'); GRANT USAGE ON SCHEMA dynamo TO PUBLIC});

# Roles and databases are known in all databases, whatever their encodings: a name may be
# no UTF-8 here.  That of a role stands in a refusal, and an SDK reads nothing of an answer
# that is no UTF-8, nor does Prometheus.
sql(qq{SET client_encoding = latin1; CREATE ROLE "j\xfcrgen" LOGIN IN ROLE pg_read_all_stats}, 'latin1');
my ($key, $secret) = split ' ', sql(q{SELECT * FROM dynamo.create_access_key((SELECT max(oid) FROM pg_authid)::regrole)});
my $role = { key => $key, secret => $secret };
my $refused;
ok(wait_for(sub { ($refused = call_as($role, 'Scan', '{"TableName":"Tab"}'))->{status} }), 'a role of another encoding asks');
like($refused->{body}, qr{"Message":"User: arn:aws:iam::000000000000:user/j\xc3\xbcrgen is not authorized}, 'and is refused in UTF-8');
sql(qq{SET client_encoding = latin1; CREATE DATABASE "m\xfcller" ENCODING 'UTF8' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'}, 'latin1');
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Tab', 'pk'), dynamo.enable_recovery('Tab', 7)}, "m\xfcller");
ok(wait_for(sub { (ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")->{body} // '') =~ /database="m\xc3\xbcller"/ }), 'metrics have its database in UTF-8');
ok(wait_for(sub { (call_as($role, 'Dynamo_20261201.ListWorkers', '{}')->{body} // '') =~ /"m\xc3\xbcller"/ }), 'so has what the console shows of processes');
like(sql(qq{SET client_encoding = latin1;
	SELECT dynamo.put_item('Tab', '{"pk": "\xe9"}');
	SELECT count(*) FROM dynamo.get_item('Tab', E'{"pk": "\\\\u00e9"}')}), qr/^\s*1\z/,
	'a key from a client in Latin-1 is the key in UTF-8');
like(sql(qq{SET client_encoding = utf8; SELECT dynamo.put_item('Tab', '{"pk": "\xe9"}')}),
	qr/invalid byte sequence/, 'bytes that are no UTF-8 are refused');
sql(q{SELECT dynamo.put_item('Tab', U&'{"pk": "\0065\0301"}')});
is(sql(q{SELECT count(*) FROM dynamo.scan('Tab')}), 2, 'letters composed in two ways are two keys');
like(sql(q{SELECT dynamo.put_item('Tab', '{"pk": "\ud800"}')}), qr/ERROR/, 'half a surrogate pair is refused');
is(sql(q{SELECT dynamo.call('PutItem', '{"TableName":"Tab","Item":{"pk":{"S":"a\u0000b"}}}');
	SELECT dynamo.call('GetItem', '{"TableName":"Tab","Key":{"pk":{"S":"a"}}}')}), "{}\n{}", 'a NUL ends no key');

done_testing();
