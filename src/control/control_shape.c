/*-------------------------------------------------------------------------
 *
 * control_shape.c
 *	  Shapes of the requests about tables.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"

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
static const char *const disassociation_modes[] = {"WAIT_FOR_REPLICATION", NULL};
static const char *const consistencies[] = {"EVENTUAL", "STRONG", NULL};
static const char *const settings_modes[] = {
	"ENABLED", "DISABLED", "ENABLED_WITH_OVERRIDES", NULL
};

const WireShape control_table_name_shape = {
	.kind = WIRE_STRING, .pattern = true, .table = true,.length_first = true,
	.names = WIRE_NAMES_RESOURCE, WIRE_BETWEEN(3, 255)
};
static const WireShape key_name_shape = {
	.kind = WIRE_STRING, .attribute = true, WIRE_BETWEEN(1, 255)
};
static const WireShape attribute_type_shape = {
	.kind = WIRE_STRING, .choices = attribute_types
};
static const WireShape key_type_shape = {.kind = WIRE_STRING, .choices = key_types};
static const WireShape billing_mode_shape = {
	.kind = WIRE_STRING, .choices = billing_modes
};
static const char *const search_types[] = {"HASH", "INLINE_FILTER", NULL};
static const WireShape search_type_shape = {
	.kind = WIRE_STRING, .choices = search_types
};
static const char *const distances[] = {
	"COSINE", "DOT_PRODUCT", "EUCLIDEAN", NULL
};
static const WireShape distance_shape = {
	.kind = WIRE_STRING, .choices = distances
};
static const WireShape dimensions_shape = {.kind = WIRE_LONG, WIRE_MIN(1)};
static const WireShape units_shape = {.kind = WIRE_LONG, WIRE_MIN(1)};
static const WireShape stream_view_shape = {
	.kind = WIRE_STRING, .choices = stream_views
};
static const WireShape key_id_shape = {.kind = WIRE_STRING, WIRE_MIN(1)};
static const WireShape encryption_type_shape = {
	.kind = WIRE_STRING, .choices = encryption_types
};
static const WireShape projection_type_shape = {
	.kind = WIRE_STRING, .choices = projection_types
};
static const WireShape non_key_attributes_shape = {
	.kind = WIRE_LIST, .element = &key_name_shape, WIRE_BETWEEN(1, 20)
};

WIRE_STRUCT_SHAPE(attribute_definition, "AttributeDefinition",
				  CONTROL_REQUIRED("AttributeType", attribute_type_shape),
				  CONTROL_REQUIRED("AttributeName", key_name_shape));
static const WireShape attributes_shape = {
	.kind = WIRE_LIST, .element = &attribute_definition
};

WIRE_STRUCT_SHAPE(key_element, "KeySchemaElement",
				  CONTROL_REQUIRED("AttributeName", key_name_shape),
				  CONTROL_REQUIRED("KeyType", key_type_shape));
static const WireShape key_schema_shape = {
	.kind = WIRE_LIST, .element = &key_element, WIRE_BETWEEN(1, 2)
};
static const WireShape long_key_schema_shape = {
	.kind = WIRE_LIST, .element = &key_element, WIRE_MIN(1)
};

WIRE_STRUCT_SHAPE(throughput_shape, "ProvisionedThroughput",
				  CONTROL_REQUIRED("WriteCapacityUnits", units_shape),
				  CONTROL_REQUIRED("ReadCapacityUnits", units_shape));
WIRE_STRUCT_SHAPE(on_demand_shape, "OnDemandThroughput",
				  CONTROL_MEMBER("MaxReadRequestUnits", wire_long_shape),
				  CONTROL_MEMBER("MaxWriteRequestUnits", wire_long_shape));
WIRE_STRUCT_SHAPE(warm_shape, "WarmThroughput",
				  CONTROL_MEMBER("ReadUnitsPerSecond", wire_long_shape),
				  CONTROL_MEMBER("WriteUnitsPerSecond", wire_long_shape));
WIRE_STRUCT_SHAPE(projection_shape, "Projection",
				  CONTROL_MEMBER("ProjectionType", projection_type_shape),
				  CONTROL_MEMBER("NonKeyAttributes", non_key_attributes_shape));
WIRE_STRUCT_SHAPE(stream_shape, "StreamSpecification",
				  CONTROL_REQUIRED("StreamEnabled", wire_boolean_shape),
				  CONTROL_MEMBER("StreamViewType", stream_view_shape));
WIRE_STRUCT_SHAPE(encryption_shape, "SSESpecification",
				  CONTROL_MEMBER("Enabled", wire_boolean_shape),
				  CONTROL_MEMBER("SSEType", encryption_type_shape),
				  CONTROL_MEMBER("KMSMasterKeyId", key_id_shape));
WIRE_STRUCT_SHAPE(tag_shape, "Tag",
				  CONTROL_MEMBER("Key", wire_string_shape),
				  CONTROL_MEMBER("Value", wire_string_shape));
static const WireShape tags_shape = {.kind = WIRE_LIST, .element = &tag_shape};
static const WireShape tag_keys_shape = {
	.kind = WIRE_LIST, .element = &wire_string_shape
};

/* One of GlobalSecondaryIndexes, or GlobalSecondaryIndexUpdates' Create. */
static const WireField global_index_fields[] = {
	WIRE_REQUIRED("IndexName", wire_name_shape, ControlIndexRequest, name),
	WIRE_REQUIRED("KeySchema", long_key_schema_shape, ControlIndexRequest, key_schema),
	WIRE_REQUIRED("Projection", projection_shape, ControlIndexRequest, projection),
	WIRE_FIELD("ProvisionedThroughput", throughput_shape, ControlIndexRequest, throughput),
	WIRE_FIELD("OnDemandThroughput", on_demand_shape, ControlIndexRequest, on_demand),
	WIRE_FIELD("WarmThroughput", warm_shape, ControlIndexRequest, warm),
	WIRE_FIELDS_END
};
const WireShape control_index_shape = {
	.kind = WIRE_STRUCT, .name = "GlobalSecondaryIndex",
	.fields = global_index_fields
};
static const WireShape create_index = {
	.kind = WIRE_STRUCT, .name = "CreateGlobalSecondaryIndexAction",
	.fields = global_index_fields
};
static const WireShape global_indexes_shape = {
	.kind = WIRE_LIST, .element = &control_index_shape
};

WIRE_STRUCT_SHAPE(local_index, "LocalSecondaryIndex",
				  CONTROL_REQUIRED("IndexName", wire_name_shape),
				  CONTROL_REQUIRED("KeySchema", key_schema_shape),
				  CONTROL_REQUIRED("Projection", projection_shape));
static const WireShape local_indexes_shape = {
	.kind = WIRE_LIST, .element = &local_index
};

WIRE_STRUCT_SHAPE(update_index, "UpdateGlobalSecondaryIndexAction",
				  CONTROL_REQUIRED("IndexName", wire_name_shape),
				  CONTROL_MEMBER("ProvisionedThroughput", throughput_shape),
				  CONTROL_MEMBER("OnDemandThroughput", on_demand_shape),
				  CONTROL_MEMBER("WarmThroughput", warm_shape));
WIRE_STRUCT_SHAPE(delete_index, "DeleteGlobalSecondaryIndexAction",
				  CONTROL_REQUIRED("IndexName", wire_name_shape));
WIRE_STRUCT_SHAPE(index_update, "GlobalSecondaryIndexUpdate",
				  CONTROL_MEMBER("Update", update_index),
				  CONTROL_MEMBER("Create", create_index),
				  CONTROL_MEMBER("Delete", delete_index));
static const WireShape index_updates_shape = {
	.kind = WIRE_LIST, .element = &index_update
};

/* ReplicaUpdates and what goes with them. */
static const WireShape disassociation_mode_shape = {
	.kind = WIRE_STRING, .choices = disassociation_modes
};
static const WireShape consistency_shape = {
	.kind = WIRE_STRING, .choices = consistencies
};
static const WireShape settings_mode_shape = {
	.kind = WIRE_STRING, .choices = settings_modes
};

WIRE_STRUCT_SHAPE(provisioned_override, "ProvisionedThroughputOverride",
				  CONTROL_MEMBER("ReadCapacityUnits", units_shape));
WIRE_STRUCT_SHAPE(on_demand_override, "OnDemandThroughputOverride",
				  CONTROL_MEMBER("MaxReadRequestUnits", wire_long_shape));
WIRE_STRUCT_SHAPE(index_override, "ReplicaGlobalSecondaryIndex",
				  CONTROL_REQUIRED("IndexName", wire_name_shape),
				  CONTROL_MEMBER("ProvisionedThroughputOverride", provisioned_override),
				  CONTROL_MEMBER("OnDemandThroughputOverride", on_demand_override));
static const WireShape index_overrides = {
	.kind = WIRE_LIST, .element = &index_override, WIRE_MIN(1)
};

/* What Create and Update have in common, which is all. */
#define REPLICA_MEMBERS \
	CONTROL_REQUIRED("RegionName", wire_string_shape), \
	CONTROL_MEMBER("KMSMasterKeyId", key_id_shape), \
	CONTROL_MEMBER("ProvisionedThroughputOverride", provisioned_override), \
	CONTROL_MEMBER("OnDemandThroughputOverride", on_demand_override), \
	CONTROL_MEMBER("GlobalSecondaryIndexes", index_overrides), \
	CONTROL_MEMBER("TableClassOverride", wire_string_shape)

WIRE_STRUCT_SHAPE(create_replica, "CreateReplicationGroupMemberAction",
				  REPLICA_MEMBERS);
WIRE_STRUCT_SHAPE(update_replica, "UpdateReplicationGroupMemberAction",
				  REPLICA_MEMBERS);
WIRE_STRUCT_SHAPE(delete_replica, "DeleteReplicationGroupMemberAction",
				  CONTROL_REQUIRED("RegionName", wire_string_shape));
WIRE_STRUCT_SHAPE(disassociate_replica, "DisassociateReplicationGroupMemberAction",
				  CONTROL_REQUIRED("RegionName", wire_string_shape),
				  CONTROL_REQUIRED("DisassociationMode", disassociation_mode_shape));
WIRE_STRUCT_SHAPE(replica_update, "ReplicationGroupUpdate",
				  CONTROL_MEMBER("Create", create_replica),
				  CONTROL_MEMBER("Update", update_replica),
				  CONTROL_MEMBER("Delete", delete_replica),
				  CONTROL_MEMBER("Disassociate", disassociate_replica));
static const WireShape replicas_shape = {
	.kind = WIRE_LIST, .element = &replica_update, WIRE_MIN(1)
};

WIRE_STRUCT_SHAPE(create_witness, "CreateGlobalTableWitnessGroupMemberAction",
				  CONTROL_REQUIRED("RegionName", wire_string_shape));
WIRE_STRUCT_SHAPE(delete_witness, "DeleteGlobalTableWitnessGroupMemberAction",
				  CONTROL_REQUIRED("RegionName", wire_string_shape));
WIRE_STRUCT_SHAPE(witness_update, "GlobalTableWitnessGroupUpdate",
				  CONTROL_MEMBER("Create", create_witness),
				  CONTROL_MEMBER("Delete", delete_witness));
static const WireShape witnesses_shape = {
	.kind = WIRE_LIST, .element = &witness_update, WIRE_BETWEEN(1, 1)
};

/* One of VectorIndexes, or VectorIndexUpdates' Create. */
WIRE_STRUCT_SHAPE(vector_attribute, "VectorAttribute",
				  CONTROL_REQUIRED("AttributeName", key_name_shape));
WIRE_STRUCT_SHAPE(search_element, "SearchSchemaElement",
				  CONTROL_REQUIRED("AttributeName", key_name_shape),
				  CONTROL_REQUIRED("SearchSchemaElementType", search_type_shape));
static const WireShape search_schema_shape = {
	.kind = WIRE_LIST, .element = &search_element, WIRE_MIN(1)
};
static const WireField vector_index_fields[] = {
	WIRE_REQUIRED("IndexName", wire_name_shape, ControlVectorRequest, name),
	WIRE_REQUIRED("VectorAttribute", vector_attribute, ControlVectorRequest, attribute),
	WIRE_FIELD("SearchSchema", search_schema_shape, ControlVectorRequest, search_schema),
	WIRE_REQUIRED("Projection", projection_shape, ControlVectorRequest, projection),
	WIRE_REQUIRED("Dimensions", dimensions_shape, ControlVectorRequest, dimensions),
	WIRE_REQUIRED("DistanceFunction", distance_shape, ControlVectorRequest, distance),
	WIRE_FIELDS_END
};
const WireShape control_vector_shape = {
	.kind = WIRE_STRUCT, .name = "VectorIndex", .fields = vector_index_fields
};
static const WireShape create_vector = {
	.kind = WIRE_STRUCT, .name = "CreateVectorIndexAction",
	.fields = vector_index_fields
};
static const WireShape vectors_shape = {
	.kind = WIRE_LIST, .element = &control_vector_shape
};
WIRE_STRUCT_SHAPE(delete_vector, "DeleteVectorIndexAction",
				  CONTROL_REQUIRED("IndexName", wire_name_shape));
WIRE_STRUCT_SHAPE(vector_update, "VectorIndexUpdate",
				  CONTROL_MEMBER("Create", create_vector),
				  CONTROL_MEMBER("Delete", delete_vector));
static const WireShape vector_updates_shape = {
	.kind = WIRE_LIST, .element = &vector_update
};

/* What CreateTable does beside is an action, as it is by itself. */
static const WireShape create_tags_shape = {
	.kind = WIRE_LIST, .element = &tag_shape, .action = "TagResource"
};
static const WireShape create_policy_shape = {
	.kind = WIRE_STRING, .action = "PutResourcePolicy"
};

static const WireField create_table_fields[] = {
	WIRE_REQUIRED("AttributeDefinitions", attributes_shape, ControlCreateTable, attributes),
	WIRE_FIELD("TableName", control_table_name_shape, ControlCreateTable, table_name),
	WIRE_FIELD("BillingMode", billing_mode_shape, ControlCreateTable, billing_mode),
	WIRE_FIELD("ProvisionedThroughput", throughput_shape, ControlCreateTable, throughput),
	WIRE_REQUIRED("KeySchema", key_schema_shape, ControlCreateTable, key_schema),
	WIRE_FIELD("GlobalSecondaryIndexes", global_indexes_shape, ControlCreateTable, global_indexes),
	WIRE_FIELD("LocalSecondaryIndexes", local_indexes_shape, ControlCreateTable, local_indexes),
	WIRE_FIELD("StreamSpecification", stream_shape, ControlCreateTable, stream),
	WIRE_FIELD("SSESpecification", encryption_shape, ControlCreateTable, encryption),
	WIRE_FIELD("Tags", create_tags_shape, ControlCreateTable, tags),
	WIRE_FIELD("TableClass", wire_string_shape, ControlCreateTable, table_class),
	WIRE_FIELD("DeletionProtectionEnabled", wire_boolean_shape, ControlCreateTable, protection),
	WIRE_FIELD("OnDemandThroughput", on_demand_shape, ControlCreateTable, on_demand),
	WIRE_FIELD("WarmThroughput", warm_shape, ControlCreateTable, warm),
	WIRE_FIELD("ResourcePolicy", create_policy_shape, ControlCreateTable, policy),
	WIRE_FIELD("VectorIndexes", vectors_shape, ControlCreateTable, vectors),
	WIRE_REFUSED("GlobalTableSourceArn"),
	WIRE_REFUSED("GlobalTableSettingsReplicationMode"),
	WIRE_FIELDS_END
};
const WireShape control_create_table_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(ControlCreateTable), .name = "CreateTableInput",
	.fields = create_table_fields
};

/* What ImportTable says of the table that it makes, which has no ARN yet. */
static const WireShape imported_name_shape = {
	.kind = WIRE_STRING, .pattern = true,.length_first = true,
	.names = WIRE_NAMES_RESOURCE, WIRE_BETWEEN(3, 255)
};
static const WireField table_parameters_fields[] = {
	WIRE_REQUIRED("AttributeDefinitions", attributes_shape, ControlCreateTable, attributes),
	WIRE_REQUIRED("TableName", imported_name_shape, ControlCreateTable, table_name),
	WIRE_FIELD("BillingMode", billing_mode_shape, ControlCreateTable, billing_mode),
	WIRE_FIELD("ProvisionedThroughput", throughput_shape, ControlCreateTable, throughput),
	WIRE_REQUIRED("KeySchema", key_schema_shape, ControlCreateTable, key_schema),
	WIRE_FIELD("GlobalSecondaryIndexes", global_indexes_shape, ControlCreateTable, global_indexes),
	WIRE_FIELD("SSESpecification", encryption_shape, ControlCreateTable, encryption),
	WIRE_FIELD("OnDemandThroughput", on_demand_shape, ControlCreateTable, on_demand),
	WIRE_FIELD("VectorIndexes", vectors_shape, ControlCreateTable, vectors),
	WIRE_FIELDS_END
};
const WireShape control_table_parameters_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(ControlCreateTable),
	.name = "TableCreationParameters", .fields = table_parameters_fields
};

static const WireField update_table_fields[] = {
	WIRE_FIELD("AttributeDefinitions", attributes_shape, ControlUpdateTable, attributes),
	WIRE_FIELD("TableName", control_table_name_shape, ControlUpdateTable, table_name),
	WIRE_FIELD("BillingMode", billing_mode_shape, ControlUpdateTable, billing_mode),
	WIRE_FIELD("ProvisionedThroughput", throughput_shape, ControlUpdateTable, throughput),
	WIRE_FIELD("GlobalSecondaryIndexUpdates", index_updates_shape, ControlUpdateTable, index_updates),
	WIRE_FIELD("StreamSpecification", stream_shape, ControlUpdateTable, stream),
	WIRE_FIELD("SSESpecification", encryption_shape, ControlUpdateTable, encryption),
	WIRE_FIELD("ReplicaUpdates", replicas_shape, ControlUpdateTable, replicas),
	WIRE_FIELD("TableClass", wire_string_shape, ControlUpdateTable, table_class),
	WIRE_FIELD("DeletionProtectionEnabled", wire_boolean_shape, ControlUpdateTable, protection),
	WIRE_FIELD("OnDemandThroughput", on_demand_shape, ControlUpdateTable, on_demand),
	WIRE_FIELD("WarmThroughput", warm_shape, ControlUpdateTable, warm),
	WIRE_FIELD("VectorIndexUpdates", vector_updates_shape, ControlUpdateTable, vector_updates),
	WIRE_FIELD("GlobalTableWitnessUpdates", witnesses_shape, ControlUpdateTable, witnesses),
	WIRE_FIELD("MultiRegionConsistency", consistency_shape, ControlUpdateTable, consistency),
	WIRE_FIELD("GlobalTableSettingsReplicationMode", settings_mode_shape, ControlUpdateTable, settings_mode),
	WIRE_FIELD("DisassociationProtectionEnabled", wire_boolean_shape, ControlUpdateTable, membership_protection),
	WIRE_FIELDS_END
};
const WireShape control_update_table_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(ControlUpdateTable), .name = "UpdateTableInput",
	.fields = update_table_fields
};

/* What both restores take besides their source. */
#define OVERRIDES \
	WIRE_FIELD("BillingModeOverride", billing_mode_shape, ControlRestore, billing_mode), \
	WIRE_FIELD("GlobalSecondaryIndexOverride", global_indexes_shape, ControlRestore, global_indexes), \
	WIRE_FIELD("LocalSecondaryIndexOverride", local_indexes_shape, ControlRestore, local_indexes), \
	WIRE_FIELD("ProvisionedThroughputOverride", throughput_shape, ControlRestore, throughput), \
	WIRE_FIELD("OnDemandThroughputOverride", on_demand_shape, ControlRestore, on_demand), \
	WIRE_FIELD("SSESpecificationOverride", encryption_shape, ControlRestore, encryption), \
	WIRE_FIELD("VectorIndexOverride", vectors_shape, ControlRestore, vectors)

const WireShape control_table_arn_shape = {
	.kind = WIRE_STRING, .names = WIRE_NAMES_RESOURCE, WIRE_BETWEEN(1, 1024)
};
static const WireShape old_target_shape = {
	.kind = WIRE_STRING, .pattern = true, .names = WIRE_NAMES_RESOURCE,
	.empty = true, WIRE_BETWEEN(DYNAMO_MIN_NAME, DYNAMO_MAX_NAME)
};

WIRE_REQUEST_SHAPE(control_restore_from_backup_shape, ControlRestore, "RestoreTableFromBackupInput",
				   WIRE_REQUIRED("TargetTableName", old_target_shape, ControlRestore, target),
				   OVERRIDES,
				   WIRE_REQUIRED("BackupArn", control_backup_arn_shape, ControlRestore, backup));
WIRE_REQUEST_SHAPE(control_restore_to_time_shape, ControlRestore, "RestoreTableToPointInTimeInput",
				   WIRE_REQUIRED("TargetTableName", wire_bare_table_shape, ControlRestore, target),
				   OVERRIDES,
				   WIRE_FIELD("SourceTableName", wire_bare_table_shape, ControlRestore, source),
				   WIRE_FIELD("SourceTableArn", control_table_arn_shape, ControlRestore, source_arn),
				   WIRE_FIELD("UseLatestRestorableTime", wire_boolean_shape, ControlRestore, latest),
				   WIRE_FIELD("RestoreDateTime", wire_time_shape, ControlRestore, time));

const WireShape control_resource_arn_shape = {
	.kind = WIRE_STRING, .names = WIRE_NAMES_RESOURCE, WIRE_BETWEEN(1, 1283)
};
const WireShape control_backup_arn_shape = {
	.kind = WIRE_STRING, .names = WIRE_NAMES_RESOURCE, .empty = true,
	WIRE_BETWEEN(37, 1024)
};
const WireShape control_job_arn_shape = {
	.kind = WIRE_STRING, .names = WIRE_NAMES_RESOURCE, WIRE_BETWEEN(37, 1024)
};

static const WireField tag_resource_fields[] = {
	WIRE_REQUIRED("ResourceArn", control_resource_arn_shape, ControlTagRequest, arn),
	WIRE_REQUIRED("Tags", tags_shape, ControlTagRequest, tags),
	WIRE_FIELDS_END
};
const WireShape control_tag_resource_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(ControlTagRequest), .name = "TagResourceInput",
	.fields = tag_resource_fields
};
static const WireField untag_resource_fields[] = {
	WIRE_REQUIRED("ResourceArn", control_resource_arn_shape, ControlTagRequest, arn),
	WIRE_REQUIRED("TagKeys", tag_keys_shape, ControlTagRequest, keys),
	WIRE_FIELDS_END
};
const WireShape control_untag_resource_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(ControlTagRequest), .name = "UntagResourceInput",
	.fields = untag_resource_fields
};
static const WireField list_tags_fields[] = {
	WIRE_REQUIRED("ResourceArn", control_resource_arn_shape, ControlTagRequest, arn),
	WIRE_FIELD("NextToken", wire_string_shape, ControlTagRequest, next_token),
	WIRE_FIELDS_END
};
const WireShape control_list_tags_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(ControlTagRequest), .name = "ListTagsOfResourceInput",
	.fields = list_tags_fields
};
