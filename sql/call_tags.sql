-- TagResource: what tags are written in
\t on
\a
SELECT dynamo.create_table('CallTags', 'pk');
CREATE FUNCTION pg_temp.tag(key text, value text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(dynamo.try_call('TagResource', jsonb_build_object('ResourceArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/CallTags',
		'Tags', jsonb_build_array(jsonb_build_object('Key', key, 'Value', value)))::json) ->> 'message', 'done') $$;
-- letters, digits and spaces of any script
SELECT text, pg_temp.tag('k' || text, text) FROM unnest(ARRAY['aZ09 +-=._:/@', 'é', 'Ж', '中文', '한국', 'עברית', 'ﬁ', '٣', '²', '𝒜', '𠀀', U&'\00A0', U&'\3000']) text;
-- no punctuation, no symbols: emoji are some; no marks, no control characters
SELECT text, pg_temp.tag(text, 'v'), pg_temp.tag('k', text) FROM unnest(ARRAY['!', '#', '"', E'\t', '¡', '–', '€', '™', '❤', '😀', 'a😀b', '→', '𝄞', U&'e\0301', U&'\200B', U&'\FFFF']) text;
-- lengths count characters
SELECT n, pg_temp.tag(repeat('é', n), ''), pg_temp.tag('k', repeat('é', 2 * n)) = 'done' FROM unnest(ARRAY[128, 129]) n;
SELECT dynamo.drop_table('CallTags');
