# Attacker: whoever answers in a store's place, be it the store.
# Wants: to break the server by what he answers, or to have it wait or work for ever.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use Server;
use Store;

want_store();
my $port = start_store('main');
start_server("dynamo.http_port = 0\ndynamo.ttl_interval = 0\ndynamo.bucket_timeout = 10s\ndynamo.bucket_endpoints = 'http://127.0.0.1:$port'\n");
sql('CREATE EXTENSION dynamo');
store('PUT', 'bucket/shop');
store('PUT', 'object/shop/a.json', qq({"Item":{"id":{"S":"1"}}}\n));
create_bucket('shop');

# What the bucket tells, if the store answers a listing so.
sub listed
{
	my (%fault) = @_;
	fault(match => 'list-type', times => 1_000_000, %fault);
	my $said = sql("SET client_min_messages = error; SET statement_timeout = '600s'; SELECT count(*) FROM dynamo.bucket_items('shop')");
	fault();
	return $said;
}
sub page { my ($content, $more) = @_; return (do => 'status', status => 200, body => "<ListBucketResult>@{[$more // '']}$content</ListBucketResult>") }
my $nothing = qr/ERROR:  store of bucket "shop" does not tell what files it has/;

is(sql("SELECT count(*) FROM dynamo.bucket_items('shop')"), '1', 'a bucket');

# More entries than were asked for, which have nothing in them
foreach my $n (1000, 1001, 1002, 20000)
{
	my $said = listed(page('<Contents/>' x $n));
	like($said, $n <= 1000 ? qr/^\d+\z|ERROR:/ : $nothing, "$n empty entries");
}
like(listed(page('<Contents><Key>a.json</Key></Contents>' x 1001)), $nothing, '1001 entries');
like(listed(page('<Upload/>' x 20000)), qr/^0\z/, 'entries of another kind');
like(listed(page('<a>' x 9)), $nothing, 'depth');
like(listed(page("<Contents><Key>@{['k' x 5000]}</Key></Contents>")), $nothing, 'a long key');
like(listed(page("<Contents><Key>a.json</Key><Size>$_</Size></Contents>")), $nothing, "a file of $_ bytes") foreach qw(-1 9223372036854775807 99999999999999999999 -99999999999999999999);
like(listed(page("<Contents><Key>$_</Key></Contents>", '<EncodingType>url</EncodingType>')), qr/^0\z/, "a key like $_ is passed over") foreach qw(%ff%fe %c3%28 .. %2e%2e/a /a a%0ab);

# Pages without end: nothing in them, folders, odd names; by one token, by others
my $more = '<IsTruncated>true</IsTruncated><NextContinuationToken>t{n}</NextContinuationToken>';
like(listed(page('', $more)), $nothing, 'pages of nothing');
like(listed(page('<Contents><Key>folder/</Key></Contents>', $more =~ s/\{n\}//r)), $nothing, 'the same token again');
foreach my $key ('folder/', 'a//b', 'a.json')
{
	like(listed(page("<Contents><Key>$key</Key></Contents>" x 1000, $more)), qr/ERROR:  too many files in bucket "shop"/, "pages of $key");
}

# Heads and trailers without end: no more is taken than what a socket holds
foreach my $what (qw(heads trailers))
{
	my @sent;
	store_log();
	like(listed(do => $what), qr/ERROR:  could not reach the store of bucket "shop"/, "$what go on for ever");
	wait_for(sub { return push @sent, map { /^SENT (\d+)/ ? $1 : () } store_log() });
	is(scalar(grep { $_ > 32 * 1024 * 1024 } @sent), 0, '... and are not read for ever');
}
is(sql("SELECT count(*) FROM dynamo.bucket_items('shop')"), '1', 'and the bucket is of use again');
ok(!log_has(qr/was terminated by signal|server process .* exited/), 'no process has ended');

done_testing();
