# The cluster that test/distributed/run has started, for programs in Perl.
package Cluster;

use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Temp;
use JSON::PP;
use lib dirname(__FILE__) . '/../t';
use Calls qw(begin_session);
use HttpClient qw(call use_port wait_for);

our @EXPORT = qw(node session_at session_of logged log_ends configure authenticate at answer repeated keyed_roles ports halt restart shard_of keys_of);
our @EXPORT_OK = qw(decoded ask_node);

my $here = abs_path(dirname(__FILE__));
my $server = "$here/../server";
my @ports;

# SQL on a node; what it prints.
sub node
{
	my ($node, $sql, $database) = @_;
	my $file = File::Temp->new();
	print $file $sql;
	close $file;
	my $where = $database ? "-d $database" : '';
	my $out = `'$server' psql citus$node $where -q -A -t -F' ' -f '$file' 2>&1`;
	$out =~ s/\s+\z//;
	return $out;
}

# A session on a node in which this has been begun.  It ends when it is closed.
sub session_at
{
	my ($node, $sql) = @_;
	open my $session, '|-', "'$server' psql citus$node -q >/dev/null 2>&1" or die;
	$session->autoflush(1);
	print $session "$sql\n";
	return $session;
}

# A session on a node, to which the protocol is spoken (Calls.pm).
sub session_of
{
	my ($node) = @_;
	my %env = `'$server' env citus$node` =~ /(\w+)=(\S+)/g;
	return begin_session(\%env, split ' ', node($node, 'SELECT current_user, current_database()'));
}

# What the servers have logged so far, or since their logs ended there.
sub logged
{
	my (@ends) = @_;
	my $all = '';
	foreach my $node (0 .. 2)
	{
		open my $file, '<', "$here/../../tmp/citus$node/log" or die;
		seek $file, $ends[$node] // 0, 0;
		local $/;
		$all .= <$file> // '';
	}
	return $all;
}
sub log_ends { return map { -s "$here/../../tmp/citus$_/log" } 0 .. 2 }

# Change a setting of all nodes; DEFAULT: as it was.
sub configure
{
	my ($setting, $value) = @_;
	node($_, "ALTER SYSTEM SET $setting = $value") for 0 .. 2;
	node($_, 'SELECT pg_reload_conf()') for 0 .. 2;
	return;
}

# Requests are signed like that.
sub authenticate
{
	my ($how) = @_;
	configure('dynamo.http_authentication', $how);
	return;
}

# The ports for HTTP of all nodes.
sub ports
{
	@ports = map { node($_, 'SHOW dynamo.http_port') } 0 .. 2 unless @ports;
	return @ports;
}

# The answer of a node to a request.
sub at
{
	my ($node, $operation, $json, $head) = @_;
	use_port((ports())[$node]);
	return call($operation, $json, $head);
}

# Its status and its body.
sub answer { my $r = at(@_); return ($r->{status} // '') . ' ' . ($r->{body} // '') }

# An answer as a structure: "status", 0 if there was none, "text", and the members of its body.
sub decoded
{
	my ($answer) = @_;
	my $body = eval { decode_json($answer->{body} // '') } // {};
	return { status => $answer->{status} // 0, text => $answer->{body} // '', %$body };
}
sub ask_node { my ($node, $operation, $request) = @_; return decoded(at($node, $operation, encode_json($request))) }

# Each process of a node may keep a connection to one that was killed, which it
# notices when it uses that: once it answers 503 then, and SDKs repeat the request.
sub repeated
{
	my @request = @_;
	my $answer;
	wait_for(sub { ($answer = answer(@request)) !~ /^503/ }, 60);
	return $answer;
}

# So many roles at all nodes, named by a prefix and a number, with these privileges on a
# table; each has a key, by which call_as() and send_as() sign.
sub keyed_roles
{
	my ($prefix, $number, $privileges, $table) = @_;
	node($_, qq{SET citus.enable_ddl_propagation = off;
		SELECT format('CREATE ROLE ${prefix}_%s LOGIN', i), format('GRANT USAGE ON SCHEMA dynamo_data TO ${prefix}_%s', i)
		FROM generate_series(1, $number) i \\gexec}) for 0 .. 2;
	node(0, qq{SELECT format('GRANT $privileges ON dynamo_data."$table" TO %I', rolname) FROM pg_roles WHERE rolname LIKE '$prefix\\_%' \\gexec});
	return map { my ($id, $secret) = split ' '; { key => $id, secret => $secret } }
	  split /\n/, node(0, qq{SELECT k.* FROM generate_series(1, $number) i, dynamo.create_access_key(('${prefix}_' || i)::regrole) k});
}

# A node is killed, or comes back.
sub halt { my ($node) = @_; return system("'$server' halt citus$node") == 0 }
sub restart { my ($node) = @_; return system("'$server' restart citus$node") == 0 }

# The node and the relation that have a partition key of a table.
sub shard_of
{
	my ($table, $key) = @_;
	return split ' ', node(0, qq{SELECT groupid, shard_name(logicalrelid, shardid)
		FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
		WHERE shardid = get_shard_id_for_distribution_column('dynamo_data."$table"', '$key')});
}

# Of the partition keys "id" of a table, those of a node.
sub keys_of
{
	my ($node, $table) = @_;
	return split /\n/, node(0, qq{SELECT item ->> 'id' FROM dynamo_data."$table"
		WHERE get_shard_id_for_distribution_column('dynamo_data."$table"', pk) IN (
			SELECT shardid FROM pg_dist_placement WHERE groupid = $node)
		ORDER BY 1});
}

1;
