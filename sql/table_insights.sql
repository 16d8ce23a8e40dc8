-- Contributor Insights: switched on and off for tables and global indexes,
-- kept, described and listed.  (What is counted: test/t/stat_keys.pl.)
SELECT dynamo.call('CreateTable', '{"TableName":"Insight","BillingMode":"PAY_PER_REQUEST",
	"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],
	"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
	"GlobalSecondaryIndexes":[{"IndexName":"ByG","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}],
	"LocalSecondaryIndexes":[{"IndexName":"Local","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"g","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}]}') IS NOT NULL AS made;
-- Times are as they are.
CREATE FUNCTION insights(operation text, request json) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(dynamo.try_call(operation, request)::text, '"LastUpdateDateTime":[0-9.]+', '"LastUpdateDateTime":0'), '-\d{13}"', '-0"', 'g') $$;
SELECT insights('DescribeContributorInsights', '{"TableName":"Insight"}');
SELECT insights('ListContributorInsights', '{}');
-- Off, where they never were on: nothing has changed.
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight","ContributorInsightsAction":"DISABLE"}');
SELECT insights('DescribeContributorInsights', '{"TableName":"Insight"}');
-- On: both modes, the first by default.
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight","ContributorInsightsAction":"ENABLE"}');
SELECT insights('DescribeContributorInsights', '{"TableName":"Insight"}');
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight","ContributorInsightsAction":"ENABLE","ContributorInsightsMode":"THROTTLED_KEYS"}');
SELECT insights('DescribeContributorInsights', '{"TableName":"Insight"}');
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight","IndexName":"ByG","ContributorInsightsAction":"ENABLE"}');
SELECT insights('DescribeContributorInsights', '{"TableName":"Insight","IndexName":"ByG"}');
SELECT insights('ListContributorInsights', '{}');
SELECT insights('ListContributorInsights', '{"TableName":"Insight","MaxResults":1}');
SELECT insights('ListContributorInsights', '{"MaxResults":1,"NextToken":"Insight,"}');
-- A table whose name goes on behind another's comes after that one's indexes.
SELECT dynamo.create_table('Insight-too', 'pk') IS NOT NULL AS made;
SELECT count(insights('UpdateContributorInsights', '{"TableName":"Insight-too","ContributorInsightsAction":"ENABLE"}')) AS done;
SELECT dynamo.call('ListContributorInsights', '{"MaxResults":1,"NextToken":"Insight,"}') ->> 'NextToken' AS token;
SELECT dynamo.call('ListContributorInsights', '{"MaxResults":1,"NextToken":"Insight,ByG"}') #>> '{ContributorInsightsSummaries,0,TableName}' AS name;
SELECT dynamo.drop_table('Insight-too');
-- On again in the same mode changes nothing, not even the time; without a mode it is the default.
CREATE TEMP TABLE before AS SELECT dynamo.call('DescribeContributorInsights', '{"TableName":"Insight"}')::text AS answer;
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight","ContributorInsightsAction":"ENABLE","ContributorInsightsMode":"THROTTLED_KEYS"}');
SELECT dynamo.call('DescribeContributorInsights', '{"TableName":"Insight"}')::text = answer AS same FROM before;
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight","ContributorInsightsAction":"ENABLE"}');
-- The table's description has nothing of it.
SELECT dynamo.call('DescribeTable', '{"TableName":"Insight"}')::text ~ 'Insights' AS shown;
-- Off.
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight","ContributorInsightsAction":"DISABLE"}');
SELECT insights('DescribeContributorInsights', '{"TableName":"Insight"}');
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight","ContributorInsightsAction":"DISABLE"}');
SELECT insights('ListContributorInsights', '{"TableName":"Insight"}');
-- What is refused.
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight"}');
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight","ContributorInsightsAction":"ON"}');
SELECT insights('UpdateContributorInsights', '{"ContributorInsightsAction":"ENABLE"}');
SELECT insights('UpdateContributorInsights', '{"TableName":"Nothing","ContributorInsightsAction":"ENABLE"}');
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight","IndexName":"Local","ContributorInsightsAction":"ENABLE"}');
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight","IndexName":"None","ContributorInsightsAction":"ENABLE"}');
SELECT insights('ListContributorInsights', '{"MaxResults":101}');
SELECT insights('DescribeContributorInsights', '{"TableName":"Insight","IndexName":"ab"}');
SELECT insights('UpdateContributorInsights', '{"TableName":"Nothing","IndexName":"","ContributorInsightsAction":"ENABLE"}');
SELECT insights('DescribeContributorInsights', '{"TableName":"Insight","IndexName":"a b"}');
-- Only its owner changes it; strangers do not see it in the list.
SET client_min_messages = warning;
CREATE ROLE insight_user;
SET client_min_messages = notice;
GRANT EXECUTE ON FUNCTION insights TO insight_user;
SET ROLE insight_user;
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight","ContributorInsightsAction":"ENABLE"}');
SELECT insights('ListContributorInsights', '{}');
SELECT * FROM dynamo.stat_keys('Insight');
RESET ROLE;
GRANT SELECT ON dynamo_data."Insight" TO insight_user;
SET ROLE insight_user;
SELECT insights('UpdateContributorInsights', '{"TableName":"Insight","ContributorInsightsAction":"ENABLE"}');
SELECT insights('ListContributorInsights', '{}');
SELECT count(*) FROM dynamo.stat_keys('Insight');
RESET ROLE;
-- With policies on its rows a role does not see the keys of all.
ALTER TABLE dynamo_data."Insight" ENABLE ROW LEVEL SECURITY;
SET ROLE insight_user;
SELECT * FROM dynamo.stat_keys('Insight');
RESET ROLE;
SELECT dynamo.drop_table('Insight');
DROP FUNCTION insights;
DROP ROLE insight_user;
