# Who: the owner of a table, with a CHECK and a trigger; and whoever reads the
# server's log, or the answer that a client of another role gets.
# Wants: items that were refused.  PostgreSQL tells "Failing row contains", and
# an internal error goes to the log, and is sent again by SDKs.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_authentication = trust\ndynamo.http_workers = 1");
sql(q{CREATE EXTENSION dynamo; SELECT dynamo.create_table('Shop', 'pk');
	ALTER TABLE dynamo_data."Shop" ADD CONSTRAINT cheap CHECK ((item->>'price')::int < 10);
	CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN IF new.item->>'pk' = 'raise' THEN RAISE 'no %', new.item; END IF; RETURN new; END $$;
	CREATE TRIGGER refuse BEFORE INSERT ON dynamo_data."Shop" FOR EACH ROW EXECUTE FUNCTION public.refuse()});
ok(wait_for(sub { connection() && (call('ListTables', '{}')->{status} // 0) == 200 }), 'served');

sub put { return call('PutItem', qq({"TableName":"Shop","Item":{"pk":{"S":"$_[0]"},"price":{"$_[1]":"$_[2]"},"secret":{"S":"hidden word"}}})) }
my $answer = put('check', 'N', 99);
is($answer->{status}, 400, 'a CHECK refuses: the request is not to be sent again');
like($answer->{body}, qr/ValidationException.*onstraint cheap/, 'and told which');
is(put('raise', 'N', 1)->{status}, 400, 'so does RAISE');
is(put('cast', 'S', 'hidden word')->{status}, 400, 'and an expression that fails');
unlike($_->{body}, qr/hidden/, 'the answer shows nothing of the item') for $answer, put('raise', 'N', 1), put('cast', 'S', 'hidden word');
is(put('good', 'N', 1)->{status}, 200, 'others are written');

# At the commit, after the answer was made, and in an index.
sql(q{CREATE FUNCTION public.refuse_late() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN IF new.item->>'pk' LIKE 'late%' THEN RAISE 'no %', new.item; END IF; RETURN NULL; END $$;
	CREATE CONSTRAINT TRIGGER late AFTER INSERT ON dynamo_data."Shop" DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION public.refuse_late();
	CREATE UNIQUE INDEX once ON dynamo_data."Shop" ((item->>'secret'))});
my $put = '{"Put":{"TableName":"Shop","Item":{"pk":{"S":"%s"},"price":{"N":"1"},"secret":{"S":"another hidden word"}}}}';
foreach my $refused ([ 'at the commit', put('late', 'N', 1) ], [ 'in an index', put('twice', 'N', 1) ],
	[ 'in a transaction', call('TransactWriteItems', sprintf "{\"TransactItems\":[$put]}", 'late2') ],
	[ 'in a batch', call('BatchWriteItem', '{"RequestItems":{"Shop":[{"PutRequest":{"Item":{"pk":{"S":"late3"},"price":{"N":"1"}}}}]}}') ],
	[ 'a statement', call('ExecuteStatement', q({"Statement":"INSERT INTO \"Shop\" VALUE {'pk':'late4','price':1,'secret':'hidden word'}"})) ])
{
	my ($where, $got) = @$refused;
	is($got->{status}, 400, "refused $where");
	like($got->{body}, qr/ValidationException/, '... for good');
	unlike($got->{body}, qr/hidden/, '... and the item is not shown');
}
ok(!log_has(qr/hidden word|Failing row/), 'nor does the log');

done_testing();
