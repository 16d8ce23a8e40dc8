/*-------------------------------------------------------------------------
 *
 * api_table_shape.c
 *	  Shapes of the requests about tables.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_table.h"

/* Enumerations, in the order in which the service prints them. */
static const char *const attribute_types[] = {"B", "N", "S", NULL};
static const char *const key_types[] = {"HASH", "RANGE", NULL};
static const char *const billing_modes[] = {
	"PROVISIONED", "PAY_PER_REQUEST", NULL
};
static const char *const projection_types[] = {
	"ALL", "INCLUDE", "KEYS_ONLY", NULL
};
static const char *const stream_views[] = {
	"OLD_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES", "NEW_IMAGE", NULL
};
static const char *const encryption_types[] = {"AES256", "KMS", NULL};

/* Inner structures are read member by member: nothing is filled. */
#define MEMBER(json_name, field_shape) \
	{.name = json_name, .shape = &field_shape}
#define REQUIRED_MEMBER(json_name, field_shape) \
	{.name = json_name, .shape = &field_shape, .required = true}

const ApiShape api_control_name_shape = {
	.kind = API_STRING, .pattern = true, .table = true, API_BETWEEN(3, 255)
};
static const ApiShape key_name_shape = {
	.kind = API_STRING, .attribute = true, API_BETWEEN(1, 255)
};
static const ApiShape attribute_type_shape = {
	.kind = API_STRING, .choices = attribute_types
};
static const ApiShape key_type_shape = {.kind = API_STRING, .choices = key_types};
static const ApiShape billing_mode_shape = {
	.kind = API_STRING, .choices = billing_modes
};
static const ApiShape units_shape = {.kind = API_LONG, API_MIN(1)};
static const ApiShape stream_view_shape = {
	.kind = API_STRING, .choices = stream_views
};
static const ApiShape encryption_type_shape = {
	.kind = API_STRING, .choices = encryption_types
};
static const ApiShape projection_type_shape = {
	.kind = API_STRING, .choices = projection_types
};
static const ApiShape non_key_attributes_shape = {
	.kind = API_LIST, .element = &key_name_shape, API_BETWEEN(1, 20)
};

API_STRUCT_SHAPE(attribute_definition, "AttributeDefinition",
				 REQUIRED_MEMBER("AttributeName", key_name_shape),
				 REQUIRED_MEMBER("AttributeType", attribute_type_shape));
static const ApiShape attributes_shape = {
	.kind = API_LIST, .element = &attribute_definition
};

API_STRUCT_SHAPE(key_element, "KeySchemaElement",
				 REQUIRED_MEMBER("AttributeName", key_name_shape),
				 REQUIRED_MEMBER("KeyType", key_type_shape));
static const ApiShape key_schema_shape = {
	.kind = API_LIST, .element = &key_element, API_BETWEEN(1, 2)
};
static const ApiShape long_key_schema_shape = {
	.kind = API_LIST, .element = &key_element, API_MIN(1)
};

API_STRUCT_SHAPE(throughput_shape, "ProvisionedThroughput",
				 REQUIRED_MEMBER("WriteCapacityUnits", units_shape),
				 REQUIRED_MEMBER("ReadCapacityUnits", units_shape));
API_STRUCT_SHAPE(on_demand_shape, "OnDemandThroughput",
				 MEMBER("MaxReadRequestUnits", api_long_shape),
				 MEMBER("MaxWriteRequestUnits", api_long_shape));
API_STRUCT_SHAPE(warm_shape, "WarmThroughput",
				 MEMBER("ReadUnitsPerSecond", units_shape),
				 MEMBER("WriteUnitsPerSecond", units_shape));
API_STRUCT_SHAPE(projection_shape, "Projection",
				 MEMBER("ProjectionType", projection_type_shape),
				 MEMBER("NonKeyAttributes", non_key_attributes_shape));
API_STRUCT_SHAPE(stream_shape, "StreamSpecification",
				 REQUIRED_MEMBER("StreamEnabled", api_boolean_shape),
				 MEMBER("StreamViewType", stream_view_shape));
API_STRUCT_SHAPE(encryption_shape, "SSESpecification",
				 MEMBER("Enabled", api_boolean_shape),
				 MEMBER("SSEType", encryption_type_shape),
				 MEMBER("KMSMasterKeyId", api_string_shape));
API_STRUCT_SHAPE(tag_shape, "Tag",
				 MEMBER("Key", api_string_shape),
				 MEMBER("Value", api_string_shape));
static const ApiShape tags_shape = {.kind = API_LIST, .element = &tag_shape};
static const ApiShape tag_keys_shape = {
	.kind = API_LIST, .element = &api_string_shape
};

/* One of GlobalSecondaryIndexes, or GlobalSecondaryIndexUpdates' Create. */
static const ApiField global_index_fields[] = {
	API_REQUIRED("IndexName", api_name_shape, ApiIndexRequest, name),
	API_REQUIRED("KeySchema", long_key_schema_shape, ApiIndexRequest, key_schema),
	API_REQUIRED("Projection", projection_shape, ApiIndexRequest, projection),
	API_FIELD("ProvisionedThroughput", throughput_shape, ApiIndexRequest, throughput),
	API_FIELD("OnDemandThroughput", on_demand_shape, ApiIndexRequest, on_demand),
	API_FIELD("WarmThroughput", warm_shape, ApiIndexRequest, warm),
	API_FIELDS_END
};
const ApiShape api_index_shape = {
	.kind = API_STRUCT, .name = "GlobalSecondaryIndex",
	.fields = global_index_fields
};
static const ApiShape create_index = {
	.kind = API_STRUCT, .name = "CreateGlobalSecondaryIndexAction",
	.fields = global_index_fields
};
static const ApiShape global_indexes_shape = {
	.kind = API_LIST, .element = &api_index_shape
};

API_STRUCT_SHAPE(local_index, "LocalSecondaryIndex",
				 REQUIRED_MEMBER("IndexName", api_name_shape),
				 REQUIRED_MEMBER("KeySchema", key_schema_shape),
				 REQUIRED_MEMBER("Projection", projection_shape));
static const ApiShape local_indexes_shape = {
	.kind = API_LIST, .element = &local_index
};

API_STRUCT_SHAPE(update_index, "UpdateGlobalSecondaryIndexAction",
				 REQUIRED_MEMBER("IndexName", api_name_shape),
				 MEMBER("ProvisionedThroughput", throughput_shape),
				 MEMBER("OnDemandThroughput", on_demand_shape),
				 MEMBER("WarmThroughput", warm_shape));
API_STRUCT_SHAPE(delete_index, "DeleteGlobalSecondaryIndexAction",
				 REQUIRED_MEMBER("IndexName", api_name_shape));
API_STRUCT_SHAPE(index_update, "GlobalSecondaryIndexUpdate",
				 MEMBER("Update", update_index),
				 MEMBER("Create", create_index),
				 MEMBER("Delete", delete_index));
static const ApiShape index_updates_shape = {
	.kind = API_LIST, .element = &index_update
};

/* What there is none of here. */
API_STRUCT_SHAPE(create_replica, "CreateReplicationGroupMemberAction",
				 REQUIRED_MEMBER("RegionName", api_string_shape));
API_STRUCT_SHAPE(update_replica, "UpdateReplicationGroupMemberAction",
				 REQUIRED_MEMBER("RegionName", api_string_shape));
API_STRUCT_SHAPE(delete_replica, "DeleteReplicationGroupMemberAction",
				 REQUIRED_MEMBER("RegionName", api_string_shape));
API_STRUCT_SHAPE(replica_update, "ReplicationGroupUpdate",
				 MEMBER("Create", create_replica),
				 MEMBER("Update", update_replica),
				 MEMBER("Delete", delete_replica));
static const ApiShape replicas_shape = {
	.kind = API_LIST, .element = &replica_update, API_MIN(1)
};
API_STRUCT_SHAPE(witness_update, "GlobalTableWitnessGroupUpdate", API_FIELDS_END);
static const ApiShape witnesses_shape = {
	.kind = API_LIST, .element = &witness_update
};
API_STRUCT_SHAPE(vector_index, "VectorIndex", API_FIELDS_END);
static const ApiShape vectors_shape = {
	.kind = API_LIST, .element = &vector_index
};
API_STRUCT_SHAPE(vector_update, "VectorIndexUpdate", API_FIELDS_END);
static const ApiShape vector_updates_shape = {
	.kind = API_LIST, .element = &vector_update
};

static const ApiField create_table_fields[] = {
	API_REQUIRED("AttributeDefinitions", attributes_shape, ApiCreateTable, attributes),
	API_FIELD("TableName", api_control_name_shape, ApiCreateTable, table_name),
	API_FIELD("BillingMode", billing_mode_shape, ApiCreateTable, billing_mode),
	API_FIELD("ProvisionedThroughput", throughput_shape, ApiCreateTable, throughput),
	API_REQUIRED("KeySchema", key_schema_shape, ApiCreateTable, key_schema),
	API_FIELD("GlobalSecondaryIndexes", global_indexes_shape, ApiCreateTable, global_indexes),
	API_FIELD("LocalSecondaryIndexes", local_indexes_shape, ApiCreateTable, local_indexes),
	API_FIELD("StreamSpecification", stream_shape, ApiCreateTable, stream),
	API_FIELD("SSESpecification", encryption_shape, ApiCreateTable, encryption),
	API_FIELD("Tags", tags_shape, ApiCreateTable, tags),
	API_FIELD("TableClass", api_string_shape, ApiCreateTable, table_class),
	API_FIELD("DeletionProtectionEnabled", api_boolean_shape, ApiCreateTable, protection),
	API_FIELD("OnDemandThroughput", on_demand_shape, ApiCreateTable, on_demand),
	API_FIELD("WarmThroughput", warm_shape, ApiCreateTable, warm),
	API_FIELD("ResourcePolicy", api_string_shape, ApiCreateTable, policy),
	API_FIELD("VectorIndexes", vectors_shape, ApiCreateTable, vectors),
	API_FIELD("GlobalTableSourceArn", api_string_shape, ApiCreateTable, source),
	API_FIELD("GlobalTableSettingsReplicationMode", api_string_shape, ApiCreateTable, replication_mode),
	API_FIELDS_END
};
const ApiShape api_create_table_shape = {
	.kind = API_STRUCT, .name = "CreateTableInput",
	.fields = create_table_fields
};

static const ApiField update_table_fields[] = {
	API_FIELD("AttributeDefinitions", attributes_shape, ApiUpdateTable, attributes),
	API_FIELD("TableName", api_control_name_shape, ApiUpdateTable, table_name),
	API_FIELD("BillingMode", billing_mode_shape, ApiUpdateTable, billing_mode),
	API_FIELD("ProvisionedThroughput", throughput_shape, ApiUpdateTable, throughput),
	API_FIELD("GlobalSecondaryIndexUpdates", index_updates_shape, ApiUpdateTable, index_updates),
	API_FIELD("StreamSpecification", stream_shape, ApiUpdateTable, stream),
	API_FIELD("SSESpecification", encryption_shape, ApiUpdateTable, encryption),
	API_FIELD("ReplicaUpdates", replicas_shape, ApiUpdateTable, replicas),
	API_FIELD("TableClass", api_string_shape, ApiUpdateTable, table_class),
	API_FIELD("DeletionProtectionEnabled", api_boolean_shape, ApiUpdateTable, protection),
	API_FIELD("OnDemandThroughput", on_demand_shape, ApiUpdateTable, on_demand),
	API_FIELD("WarmThroughput", warm_shape, ApiUpdateTable, warm),
	API_FIELD("VectorIndexUpdates", vector_updates_shape, ApiUpdateTable, vectors),
	API_FIELD("GlobalTableWitnessUpdates", witnesses_shape, ApiUpdateTable, witnesses),
	API_FIELD("MultiRegionConsistency", api_string_shape, ApiUpdateTable, consistency),
	API_FIELD("GlobalTableSettingsReplicationMode", api_string_shape, ApiUpdateTable, replication_mode),
	API_FIELDS_END
};
const ApiShape api_update_table_shape = {
	.kind = API_STRUCT, .name = "UpdateTableInput",
	.fields = update_table_fields
};

const ApiShape api_resource_arn_shape = {
	.kind = API_STRING, API_BETWEEN(1, 1283)
};

static const ApiField tag_resource_fields[] = {
	API_REQUIRED("ResourceArn", api_resource_arn_shape, ApiTagRequest, arn),
	API_REQUIRED("Tags", tags_shape, ApiTagRequest, tags),
	API_FIELDS_END
};
const ApiShape api_tag_resource_shape = {
	.kind = API_STRUCT, .name = "TagResourceInput",
	.fields = tag_resource_fields
};
static const ApiField untag_resource_fields[] = {
	API_REQUIRED("ResourceArn", api_resource_arn_shape, ApiTagRequest, arn),
	API_REQUIRED("TagKeys", tag_keys_shape, ApiTagRequest, keys),
	API_FIELDS_END
};
const ApiShape api_untag_resource_shape = {
	.kind = API_STRUCT, .name = "UntagResourceInput",
	.fields = untag_resource_fields
};
static const ApiField list_tags_fields[] = {
	API_REQUIRED("ResourceArn", api_resource_arn_shape, ApiTagRequest, arn),
	API_FIELD("NextToken", api_string_shape, ApiTagRequest, next_token),
	API_FIELDS_END
};
const ApiShape api_list_tags_shape = {
	.kind = API_STRUCT, .name = "ListTagsOfResourceInput",
	.fields = list_tags_fields
};
