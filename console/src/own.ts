// Operations of ours, which AWS has not: their targets begin with Dynamo_20261201.
import { DescribeLimitsCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { dynamodb } from './client';
import type { Item, Json } from './values';

const SERVICE = 'Dynamo_20261201.';

interface Sent {
	headers: Record<string, string>;
	body: string;
}

interface Got {
	statusCode: number;
	body: BodyInit;
}

/**
 * An item as it was at a moment, in milliseconds since 1970.  The SDK does not
 * know the operation; its answer is GetItem's, so is the request but for a member,
 * and what is changed here is signed after that.
 */
export async function getItemAsOf(table: string, key: Item, at: number): Promise<Item | undefined> {
	const command = new GetItemCommand({ TableName: table, Key: key });
	command.middlewareStack.add(
		(next) => async (args) => {
			const request = args.request as Sent;
			request.headers['x-amz-target'] = SERVICE + 'GetItemAsOf';
			request.body = JSON.stringify({ ...JSON.parse(request.body), AsOf: at / 1000 });
			return next(args);
		},
		{ step: 'build', priority: 'high' },
	);
	return (await dynamodb.send(command)).Item;
}

/**
 * The answer of an operation whose members the SDK does not know: it signs and sends
 * the request, and reads errors; what succeeds is read here.
 */
async function ask<T>(operation: string, input: object): Promise<T> {
	const command = new DescribeLimitsCommand({});
	let answer = '{}';
	command.middlewareStack.add(
		(next) => async (args) => {
			const request = args.request as Sent;
			request.headers['x-amz-target'] = SERVICE + operation;
			request.body = JSON.stringify(input);
			return next(args);
		},
		{ step: 'build', priority: 'high' },
	);
	command.middlewareStack.add(
		(next) => async (args) => {
			const result = await next(args);
			const response = result.response as Got;
			if (response.statusCode === 200) {
				answer = await new Response(response.body).text();
				response.body = new Blob(['{}']);
			}
			return result;
		},
		{ step: 'deserialize', priority: 'low' },
	);
	await dynamodb.send(command);
	return JSON.parse(answer) as T;
}

export interface Latency {
	Milliseconds?: number; // none: longer than all that have one
	Requests: number;
}

export interface OperationStatistics {
	Operation: string;
	Requests: number;
	Successes: number;
	UserErrors: number;
	ConditionFailures: number;
	Conflicts: number;
	Throttles: number;
	SystemErrors: number;
	ItemsReturned: number;
	ReadUnits: number;
	WriteUnits?: number;
	Latencies: Latency[];
}

export interface Statistics {
	TableName: string;
	Since?: number;
	Operations: OperationStatistics[];
	Indexes: { IndexName: string; Reads: number; ItemsReturned: number; ReadUnits: number; WriteUnits?: number }[];
}

/** What each node of a cluster answers; the first is the one that was asked. */
export interface Nodes<T> {
	answers: T[];
	silent: string[]; // nodes that do not answer
}

/** Of a distributed table and all nodes, or of what the node that is asked has counted. */
async function askNodes<T>(operation: string, input: object, all: boolean): Promise<Nodes<T>> {
	const own = await ask<T & { OtherNodes?: { Node: string; Answer?: T }[] }>(operation, { ...input, AllNodes: all });
	const others = own.OtherNodes ?? [];
	return { answers: [own, ...others.flatMap((n) => n.Answer ?? [])], silent: others.filter((n) => !n.Answer).map((n) => n.Node) };
}

export const describeStatistics = (table: string, all: boolean) => askNodes<Statistics>('DescribeStatistics', { TableName: table }, all);

export interface HotKey {
	Event: 'accessed' | 'throttled';
	PartitionKey: Json;
	SortKey?: Json;
	Requests: number;
	Error: number;
}

/** The sums of what each node has counted of a key. */
export async function describeHotKeys(table: string, index?: string): Promise<HotKey[]> {
	const sums = new Map<string, HotKey>();
	for (const { Keys } of (await askNodes<{ Keys: HotKey[] }>('DescribeHotKeys', { TableName: table, IndexName: index }, true)).answers)
		for (const k of Keys) {
			const name = JSON.stringify([k.Event, k.PartitionKey, k.SortKey]);
			const before = sums.get(name);
			sums.set(name, { ...k, Requests: k.Requests + (before?.Requests ?? 0), Error: k.Error + (before?.Error ?? 0) });
		}
	return [...sums.values()];
}

export interface Job {
	JobId: string;
	Kind: string;
	Status: string;
	TableName: string;
	Owner: string;
	CreationDateTime: number;
	StartDateTime?: number;
	EndDateTime?: number;
	FailureCode?: string;
	FailureMessage?: string;
	ProcessedItems?: number;
	ProcessedBytes?: number;
	TotalBytes?: number;
}

export interface JobsPage {
	Jobs: Job[];
	NextToken?: string;
}

/** A page of jobs, the newest first; "before" is the NextToken of the page before. */
export const listJobs = (before?: string) => ask<JobsPage>('ListJobs', { Limit: 50, NextToken: before });

export interface Mapping {
	Mapping: number;
	TableName: string;
	FunctionName: string;
	Owner: string;
	Enabled: boolean;
	FilterCriteria?: Json;
	Handled: number;
	Discarded: number;
	LastProcessingResult?: string;
	RetryDateTime?: number;
	LagSeconds?: number;
}

export const listMappings = async () => (await ask<{ EventSourceMappings: Mapping[] }>('ListEventSourceMappings', {})).EventSourceMappings;

/** Stops a mapping, or has it go on, and try again what has failed. */
export const updateMapping = async (mapping: number, enabled: boolean) => (await ask<{ EventSourceMapping: Mapping }>('UpdateEventSourceMapping', { Mapping: mapping, Enabled: enabled })).EventSourceMapping;

export interface Worker {
	ProcessId?: number;
	Kind?: string;
	Database?: string;
	Service?: string;
	State: string;
	SinceDateTime?: number;
	Waiting?: number;
	Activity?: string;
}

export const listWorkers = async () => (await ask<{ Workers: Worker[] }>('ListWorkers', {})).Workers;

/** Which records a FilterCriteria of an event source mapping lets through. */
export const getFilterMatches = async (criteria: string, records: object[]) => (await ask<{ Matches: boolean[] }>('GetFilterMatches', { FilterCriteria: criteria, Records: JSON.stringify(records) })).Matches;

export interface Step {
	Action: string;
	TableName: string;
	IndexName?: string;
	Access: string;
	Condition?: string;
	Backward: boolean;
	ItemsRead?: number;
	ItemsReturned?: number;
	ReadUnits?: number;
	SlowReason?: string;
}

/** What a request would do, without doing it. */
export const describePlan = async (operation: string, request: object) => (await ask<{ Steps: Step[] }>('DescribePlan', { Operation: operation, Request: JSON.stringify(request) })).Steps;
