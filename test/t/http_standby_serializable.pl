# A hot standby answers where transactions are serializable by default: PostgreSQL has
# no such transaction there, and refuses it to sessions.  The launcher could not read
# which databases there are, and nothing was served.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;
use Standby;

my $PATIENCE = 120;
my $dir = abs_path(dirname(__FILE__));
start_server("dynamo.http_workers = 1\nmax_wal_senders = 4\nmax_worker_processes = 16\nautovacuum = off\n");
chomp(my $standby_http = `$dir/../free-port`);
my $alice = tenant('alice');
sql(q{SET ROLE alice; SELECT dynamo.create_table('Shop', 'id'), dynamo.put_item('Shop', '{"id": "a"}')});
start_standby("dynamo.http_port=$standby_http", 'default_transaction_isolation=serializable');
use_port($standby_http);
my $get = '{"TableName":"Shop","Key":{"id":{"S":"a"}}}';
ok(wait_for(sub { (call_as($alice, 'GetItem', $get)->{body} // '') =~ /"S":"a"/ }, $PATIENCE), 'a standby answers what reads');
like(call_as($alice, 'PutItem', '{"TableName":"Shop","Item":{"id":{"S":"b"}}}')->{body}, qr/ValidationException.*This server is a standby/, 'and refuses what writes');
unlike(standby_log(), qr/cannot use serializable mode/, 'nothing of ours asks for such a transaction');

done_testing();
