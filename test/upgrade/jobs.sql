-- What ended the job that is half done is gone; a job that nobody has begun.
DROP TRIGGER leave ON dynamo_data."Half";
DROP FUNCTION public.leave;
SELECT dynamo.import_table('Imported', 'files', 'id', input_format => 'CSV', prefix => 'items') IS NOT NULL;
