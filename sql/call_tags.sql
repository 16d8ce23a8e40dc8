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
-- what comes with the prefix aws: belongs to others, however it is written; of keys that are removed, too
SELECT dynamo.create_table('CallTags', 'pk');
CREATE FUNCTION pg_temp.asked(operation text, more jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(answer ->> 'message', answer::text) FROM dynamo.try_call(operation, ('{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/CallTags"}' || more)::json) answer $$;
SELECT key, pg_temp.tag(key, 'v'), pg_temp.asked('UntagResource', jsonb_build_object('TagKeys', jsonb_build_array(key))) FROM unnest('{aws:x,AWS:x,Aws:,aws,xaws:}'::text[]) key;
-- what is missing or empty, and duplicates
SELECT tags, pg_temp.asked('TagResource', jsonb_build_object('Tags', tags)) FROM unnest(ARRAY['[]', '[{}]', '[{"Key": "a"}]', '[{"Value": "a"}]', '[{"Key": "", "Value": "a"}]', '[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "1"}, {"Key": "a", "Value": "2"}]']::jsonb[]) tags;
SELECT keys, pg_temp.asked('UntagResource', jsonb_build_object('TagKeys', keys)) FROM unnest(ARRAY['[]', '[""]', '["none"]']::jsonb[]) keys;
-- 50 tags and 10,240 bytes, all or nothing
SELECT count, pg_temp.asked('TagResource', jsonb_build_object('Tags', (SELECT jsonb_agg(jsonb_build_object('Key', 'k' || n, 'Value', repeat('v', length))) FROM generate_series(1, count) n)))
FROM (VALUES (51, 1), (45, 256), (50, 1)) v(count, length);
SELECT pg_temp.tag('one more', ''), pg_temp.tag('k1', 'other');
SELECT pg_temp.asked('UntagResource', jsonb_build_object('TagKeys', (SELECT jsonb_agg('k' || n) FROM generate_series(1, count) n))) FROM unnest('{51,50}'::int[]) count;
SELECT pg_temp.asked('ListTagsOfResource', '{}');
SELECT dynamo.drop_table('CallTags');
