/*-------------------------------------------------------------------------
 *
 * wire_fill.c
 *	  Requests into structs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "wire/wire.h"

/*
 * Put the members of a checked object where the fields of its shape say.
 * "request" was zeroed; what is absent stays so.
 */
void
wire_fill(const WireShape *shape, const json_t *object, void *request)
{
	json_t	  **values = wire_members(shape, object);

	for (int i = 0; shape->fields[i].name; i++)
	{
		const WireField *field = &shape->fields[i];
		json_t	   *value = values[i];
		void	   *place = (char *) request + field->offset;

		if (value == NULL)
			continue;
		switch (field->shape->kind)
		{
			case WIRE_STRING:
				if (field->shape->choices)
					*(int *) place = 1 + wire_choice(field->shape,
													 json_string_value(value));
				else
					*(const char **) place = wire_json_text(value);
				break;
			case WIRE_BOOLEAN:
				{
					bool		flag = json_is_true(value);

					if (json_is_string(value))
						(void) wire_json_boolean(json_string_value(value), &flag);
					*(WireBoolean *) place = flag ? WIRE_TRUE : WIRE_FALSE;
				}
				break;
			case WIRE_INTEGER:
			case WIRE_LONG:
				((WireInteger *) place)->given = true;
				((WireInteger *) place)->value = wire_json_integer(value);
				break;
			case WIRE_NUMBER:
			case WIRE_VALUE:
			case WIRE_LIST:
			case WIRE_MAP:
			case WIRE_STRUCT:
				*(json_t **) place = value;
				break;
			case WIRE_UNSERVED: /* an empty list */
				break;
		}
	}
}

/*
 * The members of an object in the order of the shape's fields, NULL for those
 * that are absent or null.
 */
json_t	  **
wire_members(const WireShape *shape, const json_t *object)
{
	const char *key;
	json_t	   *member;
	json_t	  **values;
	int			nfields = 0;

	while (shape->fields[nfields].name)
		nfields++;
	values = palloc0(sizeof(json_t *) * nfields);
	json_object_foreach((json_t *) object, key, member)
	{
		for (int i = 0; i < nfields && !json_is_null(member); i++)
		{
			const char *name = shape->fields[i].name;

			if (name[0] != key[0] || strcmp(name, key) != 0)
				continue;
			values[i] = member;
			break;
		}
	}
	return values;
}

/*
 * The place of a text among those of an enumeration, -1 if it is none of them.
 */
int
wire_choice(const WireShape *shape, const char *text)
{
	for (int i = 0; shape->choices[i]; i++)
	{
		if (strcmp(shape->choices[i], text) == 0)
			return i;
	}
	return -1;
}
