/*-------------------------------------------------------------------------
 *
 * policy_session.c
 *	  Condition keys that say who asks, from where, and when.
 *
 * Each is found out once a request, when a condition asks for it first.  A
 * session over a Unix-domain socket has no address.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "common/ip.h"
#include "pgstat.h"
#include "policy/policy_internal.h"
#include "utils/backend_status.h"
#include "utils/timestamp.h"

static char **region_setting;
static char **account_setting;

static char *value_of(const PolicyRequest *request, PolicyKey key);
static char *client_address(void);
static char *format_time(pg_time_t time);

/*
 * What ARNs are made of.
 */
void
policy_init(char **region, char **account)
{
	region_setting = region;
	account_setting = account;
}

const char *
policy_account_id(void)
{
	return *account_setting;
}

/*
 * The values of a session's key: one, or none.
 */
const PolicyValues *
policy_session_values(const PolicyRequest *request, PolicyKey key)
{
	static const PolicyValues none = {0};
	PolicyValues *values =
		unconstify(PolicyValues *, &request->session[key - POLICY_USERNAME]);

	if (values->texts == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(request->context);
		char	   *text = value_of(request, key);

		if (text != NULL)
			values->texts = palloc(sizeof(PolicyText));
		MemoryContextSwitchTo(caller);
		if (text == NULL)
			return &none;
		values->texts[0].data = text;
		values->texts[0].len = strlen(text);
		values->n = 1;
	}
	return values;
}

const char *
policy_client_address(void)
{
	return client_address();
}

bool
policy_client_secure(DynamoTransport transport)
{
	if (transport == DYNAMO_TRANSPORT_SESSION)
		return MyBEEntry != NULL && MyBEEntry->st_ssl;
	return transport == DYNAMO_TRANSPORT_SECURE;
}

/*
 * The request is of another client than the session's.
 */
void
policy_set_client(PolicyRequest *request, const char *address, bool secure)
{
	const char *texts[] = {address, secure ? "true" : "false"};
	PolicyKey	keys[] = {POLICY_SOURCE_IP, POLICY_SECURE_TRANSPORT};

	for (int i = 0; i < lengthof(keys); i++)
	{
		PolicyValues *values = &request->session[keys[i] - POLICY_USERNAME];

		values->texts = palloc0(sizeof(PolicyText));
		values->n = texts[i] ? 1 : 0;
		values->texts[0].data = texts[i];
		values->texts[0].len = texts[i] ? strlen(texts[i]) : 0;
	}
}

static char *
value_of(const PolicyRequest *request, PolicyKey key)
{
	switch (key)
	{
		case POLICY_USERNAME:
			return pstrdup(request->name);
		case POLICY_USER_ID:
			return psprintf("%u", request->role);
		case POLICY_PRINCIPAL_ARN:
			return psprintf("arn:aws:iam::%s:user/%s", *account_setting,
							request->name);
		case POLICY_PRINCIPAL_ACCOUNT:
		case POLICY_RESOURCE_ACCOUNT:
			return pstrdup(*account_setting);
		case POLICY_PRINCIPAL_TYPE:
			return pstrdup("User");
		case POLICY_SOURCE_IP:
			return client_address();
		case POLICY_CURRENT_TIME:
			return format_time(timestamptz_to_time_t(GetCurrentTimestamp()));
		case POLICY_EPOCH_TIME:
			return psprintf(INT64_FORMAT,
							(int64) timestamptz_to_time_t(GetCurrentTimestamp()));
		case POLICY_SECURE_TRANSPORT:
			return pstrdup(policy_client_secure(request->transport) ?
						   "true" : "false");
		case POLICY_REQUESTED_REGION:
			return pstrdup(*region_setting);
		default:
			return NULL;
	}
}

/*
 * A session shows its client's address, and so does a worker of the HTTP
 * server while a request runs.
 */
static char *
client_address(void)
{
	char		host[NI_MAXHOST];
	SockAddr	address;
	char	   *zone;

	if (MyBEEntry == NULL)
		return NULL;
	address = MyBEEntry->st_clientaddr;
	if ((address.addr.ss_family != AF_INET &&
		 address.addr.ss_family != AF_INET6) ||
		pg_getnameinfo_all(&address.addr, address.salen, host, sizeof(host),
						   NULL, 0, NI_NUMERICHOST) != 0)
		return NULL;
	zone = strchr(host, '%');
	if (zone)
		*zone = '\0';
	return pstrdup(host);
}

static char *
format_time(pg_time_t time)
{
	char		text[32];
	struct pg_tm *tm = pg_gmtime(&time);

	pg_strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", tm);
	return pstrdup(text);
}
