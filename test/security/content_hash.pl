# Attacker: somebody between the client and the server, or a client that wants
# its log to say something else than what it did.
# Wants: a request whose X-Amz-Content-Sha256 is the hash of another body than
# the one that is executed.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server('dynamo.http_workers = 1');
sql('CREATE EXTENSION dynamo');
my $key = new_key('postgres');
wait_for(sub { connection() }) or die 'nothing is served';

# "signed" is what the signature takes for the hash of the body.
sub status
{
	my ($body, $claimed, $signed) = @_;
	my $head = signed_head('ListTables', $body, %$key, sign => $signed,
		more => { 'X-Amz-Content-Sha256' => $claimed });
	return call('ListTables', $body, $head)->{status};
}
my ($one, $other) = ('{}', '{"Limit":1}');
is(status($one, sha256_hex($one), $one), 200, 'the hash of the body');
is(status($one, sha256_hex($other), $one), 400, 'the body is signed, another claimed');
is(status($one, sha256_hex($other), $other), 400, 'another body is signed and claimed');
is(status($one, sha256_hex($one), $other), 400, 'another body is signed');
is(status($one, uc sha256_hex($one), $one), 400, 'no hash as they are written');
is(status($one, '', $one), 200, 'the body is signed, and nothing claimed');
is(status($one, '', $other), 400, 'another body is signed, and nothing claimed');
done_testing();
