/*-------------------------------------------------------------------------
 *
 * http_tls.c
 *	  Certificates of HTTPS.
 *
 * The credentials that libmicrohttpd gives a connection have no certificate.
 * Each connection is given the certificate of the time when it began instead,
 * so that a reload takes a new one while the library runs and connections
 * with the old one go on; the last of them frees it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <gnutls/gnutls.h>
#include <gnutls/abstract.h>
#include <unistd.h>

#include "http/http_internal.h"
#include "utils/memutils.h"

/* TLS 1.2 with forward secrecy, or 1.3. */
#define PRIORITIES \
	"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:%SERVER_PRECEDENCE"

struct HttpCertificate
{
	gnutls_certificate_credentials_t credentials;
	int			users;			/* connections, and "current" */
};

/* What new connections are given. */
static HttpCertificate *current;

static bool load_credentials(gnutls_certificate_credentials_t *credentials);
static int	no_certificate(gnutls_session_t session,
						   const gnutls_datum_t *authorities, int nauthorities,
						   const gnutls_pk_algorithm_t *algorithms,
						   int nalgorithms, gnutls_pcert_st **chain,
						   unsigned int *chain_length,
						   gnutls_privkey_t *key);
static int	message_passed(gnutls_session_t session, unsigned int type,
						   unsigned int when, unsigned int incoming,
						   const gnutls_datum_t *message);
static gnutls_session_t session_of(struct MHD_Connection *connection);

/*
 * Could workers serve what the settings ask for?  Reports why not.
 */
bool
http_tls_ready(void)
{
	gnutls_certificate_credentials_t credentials;

	if (!served_tls_wanted())
		return true;
	if (!load_credentials(&credentials))
		return false;
	gnutls_certificate_free_credentials(credentials);
	return true;
}

/*
 * Take the certificate and the key in the files for the connections to come.
 * False, reported: they cannot be used; what was there before stays.
 */
bool
http_tls_load(void)
{
	HttpCertificate *certificate =
		MemoryContextAllocZero(TopMemoryContext, sizeof(HttpCertificate));

	if (!load_credentials(&certificate->credentials))
	{
		pfree(certificate);
		return false;
	}
	certificate->users = 1;
	if (current != NULL)
		http_tls_release(current);
	current = certificate;
	return true;
}

/*
 * Options for the library's start.
 */
struct MHD_OptionItem *
http_tls_options(void)
{
	static struct MHD_OptionItem options[] = {
		{MHD_OPTION_HTTPS_PRIORITIES, 0, (void *) PRIORITIES},
		{MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *) no_certificate},
		{MHD_OPTION_END, 0, NULL}
	};

	return options;
}

/*
 * Give a new connection its certificate.  Called from within the library.
 */
void
http_tls_attach(HttpConnection *connection)
{
	gnutls_session_t session = session_of(connection->connection);

	gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE,
						   current->credentials);
	gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_FINISHED,
									   GNUTLS_HOOK_POST, message_passed);
	connection->certificate = current;
	current->users++;
}

/*
 * One user less.
 */
void
http_tls_release(HttpCertificate *certificate)
{
	if (--certificate->users > 0)
		return;
	gnutls_certificate_free_credentials(certificate->credentials);
	pfree(certificate);
}

/*
 * Does the handshake wait until something can be sent?
 */
bool
http_tls_is_sending(HttpConnection *connection)
{
	return gnutls_record_get_direction(session_of(connection->connection)) != 0;
}

/*
 * Send a text, as much as the socket takes at once.
 */
void
http_tls_send(HttpConnection *connection, const char *text)
{
	(void) gnutls_record_send(session_of(connection->connection), text,
							  strlen(text));
}

/*
 * Credentials from the files of the settings.  The rules for the key's file
 * are those for ssl_key_file.
 */
static bool
load_credentials(gnutls_certificate_credentials_t *credentials)
{
	int			rc;

	if (http_tls_cert_file[0] == '\0' || http_tls_key_file[0] == '\0')
	{
		ereport(LOG,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("\"%s\" and \"%s\" must be set together",
						"dynamo.http_tls_cert_file",
						"dynamo.http_tls_key_file")));
		return false;
	}
	if (access(http_tls_cert_file, R_OK) != 0)
	{
		ereport(LOG,
				(errcode_for_file_access(),
				 errmsg("could not access certificate file \"%s\": %m",
						http_tls_cert_file)));
		return false;
	}
	if (!check_ssl_key_file_permissions(http_tls_key_file, false))
		return false;

	rc = gnutls_certificate_allocate_credentials(credentials);
	if (rc == GNUTLS_E_SUCCESS)
	{
		rc = gnutls_certificate_set_x509_key_file2(*credentials,
												   http_tls_cert_file,
												   http_tls_key_file,
												   GNUTLS_X509_FMT_PEM,
												   NULL, 0);
		if (rc >= 0)
			return true;
		gnutls_certificate_free_credentials(*credentials);
	}
	ereport(LOG,
			(errcode(ERRCODE_CONFIG_FILE_ERROR),
			 errmsg("could not load certificate file \"%s\" with private key file \"%s\": %s",
					http_tls_cert_file, http_tls_key_file,
					gnutls_strerror(rc))));
	return false;
}

/*
 * What the library's own credentials have.
 */
static int
no_certificate(gnutls_session_t session,
			   const gnutls_datum_t *authorities, int nauthorities,
			   const gnutls_pk_algorithm_t *algorithms, int nalgorithms,
			   gnutls_pcert_st **chain, unsigned int *chain_length,
			   gnutls_privkey_t *key)
{
	return -1;
}

/*
 * A Finished message was sent or received.  With the second the handshake is
 * over.
 */
static int
message_passed(gnutls_session_t session, unsigned int type, unsigned int when,
			   unsigned int incoming, const gnutls_datum_t *message)
{
	HttpConnection *connection =
		http_connection(gnutls_session_get_ptr(session));

	if (incoming)
		connection->finish_received = true;
	else
		connection->finish_sent = true;
	return 0;
}

static gnutls_session_t
session_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info;

	info = MHD_get_connection_info(connection,
								   MHD_CONNECTION_INFO_GNUTLS_SESSION);
	return info->tls_session;
}
