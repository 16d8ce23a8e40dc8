/*-------------------------------------------------------------------------
 *
 * store_xml.c
 *	  Documents of stores, as they come.
 *
 * Whoever answers in a store's place may send anything: what is kept is the text
 * of one element and the names of those around it, all of limited size.
 * Documents with a DTD, which could have entities that grow, are refused.
 *
 * The parser's memory is its own; no error of ours passes through it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <expat.h>

#include "store/store.h"
#include "utils/memutils.h"

#define MAX_DEPTH	8
#define MAX_NAME	64
#define MAX_TEXT	(4 * 1024)	/* a key has 1,024 bytes */

struct StoreXml
{
	MemoryContext context;		/* all that is its own */
	XML_Parser	parser;			/* NULL: there is none */
	StoreElement element;
	void	   *arg;
	int			depth;
	bool		leaf;			/* the element at hand has no others in it */
	char		names[MAX_DEPTH + 1][MAX_NAME]; /* [0]: "" */
	char		text[MAX_TEXT + 1];
	size_t		len;
	MemoryContextCallback callback;
};

static void free_parser(void *xml);
static void begin_element(void *xml, const XML_Char *name,
						  const XML_Char **attributes);
static void end_element(void *xml, const XML_Char *name);
static void add_text(void *xml, const XML_Char *text, int len);
static void refuse_dtd(void *xml, const XML_Char *name, const XML_Char *system,
					   const XML_Char *public, int internal);

/*
 * It belongs to the current context.
 */
StoreXml *
store_xml_begin(StoreElement element, void *arg)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo store document",
												  ALLOCSET_SMALL_SIZES);
	StoreXml   *xml = MemoryContextAllocZero(context, sizeof(StoreXml));

	xml->context = context;
	xml->element = element;
	xml->arg = arg;
	xml->callback.func = free_parser;
	xml->callback.arg = xml;
	MemoryContextRegisterResetCallback(context, &xml->callback);
	xml->parser = XML_ParserCreate("UTF-8");
	if (xml->parser == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	XML_SetUserData(xml->parser, xml);
	XML_SetElementHandler(xml->parser, begin_element, end_element);
	XML_SetCharacterDataHandler(xml->parser, add_text);
	XML_SetStartDoctypeDeclHandler(xml->parser, refuse_dtd);
	return xml;
}

static void
free_parser(void *arg)
{
	StoreXml   *xml = arg;

	if (xml->parser != NULL)
		XML_ParserFree(xml->parser);
}

/*
 * False: it is no such document, or reading it has been ended.
 */
bool
store_xml_add(StoreXml *xml, const char *text, size_t len, bool last)
{
	return XML_Parse(xml->parser, text, len, last) == XML_STATUS_OK;
}

/*
 * Free it.
 */
void
store_xml_end(StoreXml *xml)
{
	MemoryContextDelete(xml->context);
}

static void
begin_element(void *arg, const XML_Char *name, const XML_Char **attributes)
{
	StoreXml   *xml = arg;

	if (xml->depth == MAX_DEPTH || strlen(name) >= MAX_NAME)
	{
		(void) XML_StopParser(xml->parser, XML_FALSE);
		return;
	}
	strcpy(xml->names[++xml->depth], name);
	xml->leaf = true;
	xml->len = 0;
}

static void
end_element(void *arg, const XML_Char *name)
{
	StoreXml   *xml = arg;
	const char *parent;

	if (xml->depth == 0)
		return;					/* it was stopped */
	parent = xml->names[xml->depth - 1];
	xml->text[xml->len] = '\0';
	if (!xml->element(xml->arg, parent, name, xml->leaf ? xml->text : NULL))
		(void) XML_StopParser(xml->parser, XML_FALSE);
	xml->leaf = false;
	xml->depth--;
}

static void
add_text(void *arg, const XML_Char *text, int len)
{
	StoreXml   *xml = arg;

	if (!xml->leaf)
		return;
	if (xml->len + len > MAX_TEXT)
	{
		(void) XML_StopParser(xml->parser, XML_FALSE);
		return;
	}
	memcpy(xml->text + xml->len, text, len);
	xml->len += len;
}

static void
refuse_dtd(void *arg, const XML_Char *name, const XML_Char *system,
		   const XML_Char *public, int internal)
{
	(void) XML_StopParser(((StoreXml *) arg)->parser, XML_FALSE);
}
