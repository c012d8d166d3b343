import { deliveredSequentially } from '../adapter/delivery-part';
import { logEvent } from '../adapter/log-event';
import type { AdapterContext, StepLog } from '../adapter/context';
import type { Change, Delivered, Outcome, RemoteSession } from '../adapter/loader';
import { requestedOperation, identityText, OPERATION_FIELD } from '../adapter/record-operation';
import { inHalves, type ListOutcome } from '../adapter/split-delivery';
import type { Sink, SinkOperation, SinkSession } from '../adapter/sink';
import { messageOf, sinkFailure } from '../adapter/sink-failure';
import type { Batch, FlowRecord } from '../data/record';
import { flowError, type FlowError, isFlowError } from '../errors/flow-error';
import { recordInvalid } from '../errors/record-invalid';
import type { JsonObject } from '../value/json';
import { show } from '../value/show';
import { remoteLoading } from './load-remote';
import type { Step } from './step';
import { targetStep } from './target';

/** A sink and its parsed configuration. */
export function sinkStep(key: string, sink: Sink, config: Readonly<Record<string, unknown>>): Step {
    const step = targetStep(key, {
        code: sink.code,
        fields: undefined,
        effects: [],
        isRemote: true,
        open: async ({ adapter, run }) => {
            const judge = judgeOf(sink.code, adapter.signal);
            const session = await judged(judge, () => sink.open(config, { ...adapter, run }));
            const remote = remoteSession(session, adapter, sink.code);
            return {
                loading: remoteLoading(remote, adapter.signal),
                isOrdered: true,
                ...(session.keeps && { keeps: keepsOf(session, judge) }),
                ...(remote.finish && { finish: (delivered: Delivered) => remote.finish!(delivered) }),
            };
        },
    });
    const { defaultOperation = 'UPSERT' } = config as { readonly defaultOperation?: SinkOperation };
    return { ...step, defaults: { [OPERATION_FIELD]: defaultOperation } };
}

function keepsOf(session: SinkSession, judge: Judge): (record: FlowRecord) => boolean {
    return ({ data }) => {
        try {
            return session.keeps!(data);
        } catch (thrown) {
            throw judge(thrown, false);
        }
    };
}

/** Calls a sink's session like everything remote. `code` is the sink's. */
export function remoteSession(
    session: SinkSession,
    { signal, log }: Pick<AdapterContext, 'signal' | 'log'>,
    code: string,
): RemoteSession {
    const line = new OneAtATime();
    const replaced = new ReplacedRecords(log);
    const judge = judgeOf(code, signal);
    const { batchSize } = session;
    return {
        ...(batchSize !== undefined && { batchSize }),
        dryRun: record => orRecordError(() => changeOf(session, record, data => session.shown?.(data) ?? data)),
        live: record => orRecordError(() => plannedOf(session, record)),
        deliver: (batch, ids) =>
            line.through(async () => {
                // The wait for another batch may have been aborted.
                signal.throwIfAborted();
                return judged(judge, async () => {
                    const parallelBranches = stretchesOf(session, batch, ids);
                    if (!session.keepsAll) replaced.warn(session, parallelBranches);
                    return deliveredSequentially(parallelBranches, parallelBranch =>
                        called(session, parallelBranch, { code, judge }),
                    );
                });
            }),
        ...(session.finish && {
            finish: (all: Delivered) => judged(judge, async () => session.finish!(all)),
        }),
    };
}

/** What an exception of a sink means; `hasRecords` says whether it was delivering or deleting. */
type Judge = (thrown: unknown, hasRecords: boolean) => FlowError;

/** Throws the reason of a run that has stopped, because that causes the failure. */
function judgeOf(code: string, signal: AbortSignal): Judge {
    return (thrown, hasRecords) => {
        signal.throwIfAborted();
        return sinkFailure(thrown, { code, hasRecords });
    };
}

async function judged<T>(judge: Judge, work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (thrown) {
        throw judge(thrown, false);
    }
}

/** An exception that a sink throws while it checks one record is an error of that record. */
function orRecordError(look: () => Change): Change {
    try {
        return look();
    } catch (thrown) {
        throw isFlowError(thrown)
            ? thrown
            : flowError('TARGET_REFUSED', { problem: messageOf(thrown) }, { cause: thrown });
    }
}

/** The operation that the record requests from the target. Throws a record error for an unknown operation. */
function operationOf({ defaultOperation = 'UPSERT' }: SinkSession, data: JsonObject): SinkOperation {
    // This runs for every record, and most records do not name an operation.
    return data[OPERATION_FIELD] === undefined
        ? defaultOperation
        : (requestedOperation(data).operation ?? defaultOperation);
}

/** A record without its operation field. */
function plain(record: FlowRecord): FlowRecord {
    return record.data[OPERATION_FIELD] === undefined
        ? record
        : { ...record, data: requestedOperation(record.data).data };
}

/** Shared objects for all records of all runs, for callers that do not read the change. */
const DELIVERED: Change = { action: 'update', key: '', before: {}, after: {} };
const REMOVED: Change = { action: 'delete', key: '', before: {} };

function changeOf(session: SinkSession, record: FlowRecord, shown: (data: JsonObject) => JsonObject): Change {
    const operation = operationOf(session, record.data);
    const { data } = plain(record);
    if (operation === 'DELETE') return { action: 'delete', key: removedKey(session, data), before: {} };
    session.check?.(data);
    return { action: 'update', key: identityOf(session, data) ?? '', before: {}, after: shown(data) };
}

/** Like `changeOf`, for a change that is executed and not shown. */
function plannedOf(session: SinkSession, record: FlowRecord): Change {
    const operation = operationOf(session, record.data);
    const { data } = plain(record);
    if (operation === 'DELETE') {
        removedKey(session, data);
        return REMOVED;
    }
    session.check?.(data);
    return DELIVERED;
}

/** Throws a record error for a record that cannot be removed. */
function removedKey(session: SinkSession, data: JsonObject): string {
    if (!session.remove)
        throw recordInvalid(OPERATION_FIELD, 'is DELETE, but this target forgets no records; allowed: UPSERT');
    const key = identityOf(session, data);
    if (key !== undefined) return key;
    throw recordInvalid(OPERATION_FIELD, 'is DELETE, and the record has nothing that the target knows it by');
}

function identityOf(session: SinkSession, data: JsonObject): string | undefined {
    return identityText(session.identity ? session.identity(data) : data['id']);
}

/** Consecutive records with the same operation, which may be sent in one call. */
interface Stretch {
    readonly operation: SinkOperation;
    readonly batch: FlowRecord[];
    readonly ids: string[];
    /** Their identities, if an identity may not occur twice. */
    readonly known: Set<string>;
}

/** Calls once, or as often as necessary to find the records that fail. */
function called(
    session: SinkSession,
    { operation, batch, ids }: Stretch,
    { code, judge }: { readonly code: string; readonly judge: Judge },
): Promise<readonly Outcome[]> {
    const call = (part: Batch, partIds: readonly string[]): Promise<readonly Outcome[]> =>
        operation === 'UPSERT'
            ? session.deliver(part, partIds)
            : session.remove!(
                  part.map(({ data }) => identityOf(session, data)!),
                  partIds,
                  part,
              );
    const send = async (places: readonly number[]): Promise<ListOutcome> => {
        const isWhole = places.length === batch.length;
        try {
            const outcomes = await (isWhole
                ? call(batch, ids)
                : call(
                      places.map(i => batch[i]!),
                      places.map(i => ids[i]!),
                  ));
            if (Array.isArray(outcomes) && outcomes.length === places.length) return outcomes;
            const told = Array.isArray(outcomes) ? outcomes.length : 'none';
            throw flowError('SINK_RESULT_INVALID', {
                code,
                problem: `reports results of ${told} of ${places.length} records`,
            });
        } catch (thrown) {
            const error = judge(thrown, true);
            if (error.treat === 'record') return error;
            throw error;
        }
    };
    return inHalves([...batch.keys()], send);
}

/** Keeps the order of the batch: a record that is removed and then delivered again stays. */
function stretchesOf(session: SinkSession, batch: Batch, ids: readonly string[]): readonly Stretch[] {
    const parallelBranches: Stretch[] = [];
    let last: Stretch | undefined;
    for (let i = 0; i < batch.length; i++) {
        const operation = operationOf(session, batch[i]!.data);
        const record = plain(batch[i]!);
        const identity = session.takesWhole ? undefined : identityOf(session, record.data);
        if (last?.operation !== operation || (identity !== undefined && last.known.has(identity)))
            parallelBranches.push((last = { operation, batch: [], ids: [], known: new Set() }));
        if (identity !== undefined) last.known.add(identity);
        last.batch.push(record);
        last.ids.push(ids[i]!);
    }
    return parallelBranches;
}

/** Warns, once in a slice of a run, of records of one batch that replace one another in the target. */
class ReplacedRecords {
    private isTold = false;

    constructor(private readonly log: StepLog) {}

    warn(session: SinkSession, parallelBranches: readonly Stretch[]): void {
        if (this.isTold) return;
        const identity = replacedIn(session, parallelBranches);
        if (identity === undefined) return;
        this.isTold = true;
        logEvent(this.log, 'RECORDS_REPLACED', { identity: show(identity) });
    }
}

/** The first identity that occurs twice and is not removed in between. */
function replacedIn(session: SinkSession, parallelBranches: readonly Stretch[]): string | undefined {
    const written = new Set<string>();
    for (const { operation, batch } of parallelBranches)
        for (const { data } of batch) {
            const identity = identityOf(session, data);
            if (identity === undefined) continue;
            if (operation === 'DELETE') written.delete(identity);
            else if (written.has(identity)) return identity;
            else written.add(identity);
        }
    return undefined;
}

/** Executes one work at a time, in the order of arrival, whether or not others fail. */
class OneAtATime {
    private last: Promise<unknown> = Promise.resolve();

    through<T>(work: () => Promise<T>): Promise<T> {
        const turn = this.last.then(work);
        this.last = turn.catch(() => undefined);
        return turn;
    }
}
