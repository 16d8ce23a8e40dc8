-- Where the past comes along: by ALTER EXTENSION and by pg_upgrade, not by a dump.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
SELECT 'past', item FROM dynamo.scan('Past', as_of => (SELECT at FROM public.moment)) ORDER BY item ->> 'id';
