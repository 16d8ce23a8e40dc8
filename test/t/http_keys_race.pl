# A key is read while keys change: each change has workers forget all that they know of
# keys, at whatever moment of a request they hear of it.
use strict;
use warnings;
use File::Basename qw(dirname);
use POSIX qw(WNOHANG);
use Test::More;
use lib dirname(__FILE__);
use HttpClient;

start_server('dynamo.http_workers = 1');
my $made = tenant('clerk');
is(call_as($made, 'ListTables', '{}')->{status}, 200, 'a key');
my $changes = fork() // die;
if ($changes == 0)
{
	sql("SELECT dynamo.update_access_key('$made->{key}', comment => 'x');" x 2000);
	POSIX::_exit(0);
}
my %seen;
do { my $answer = eval { call_as($made, 'ListTables', '{}') }; $seen{ $answer->{status} // 0 }++ } until waitpid($changes, WNOHANG);
is(join(' ', keys %seen), 200, 'serves while it changes');
ok(!log_has(qr/terminated by signal|TRAP/), 'and no worker has crashed');
done_testing();
