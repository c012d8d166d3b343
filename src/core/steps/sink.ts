import { deliveredInTurn } from '../adapter/delivery-part';
import type { Change, Delivered, Outcome, RemoteSession } from '../adapter/loader';
import { askedOperation, identityText, OPERATION_FIELD } from '../adapter/record-operation';
import type { Sink, SinkOperation, SinkSession } from '../adapter/sink';
import type { Batch, FlowRecord } from '../data/record';
import { flowError } from '../errors/flow-error';
import { recordInvalid } from '../errors/record-invalid';
import type { JsonObject } from '../value/json';
import { remoteLoading } from './load-remote';
import type { Step } from './step';
import { targetStep } from './target';

/** A sink and its parsed configuration (spec 3, "Sink step"). */
export function sinkStep(key: string, sink: Sink, config: Readonly<Record<string, unknown>>): Step {
    const step = targetStep(key, {
        code: sink.code,
        fields: undefined,
        effects: [],
        isRemote: true,
        open: async ({ adapter, run }) => {
            const session = await sink.open(config, { ...adapter, run });
            const remote = remoteSession(session, adapter.signal);
            return {
                loading: remoteLoading(remote, adapter.signal),
                isOrdered: true,
                ...(session.keeps && { keeps: ({ data }: FlowRecord) => session.keeps!(data) }),
                ...(remote.finish && { finish: (delivered: Delivered) => remote.finish!(delivered) }),
            };
        },
    });
    const { defaultOperation = 'UPSERT' } = config as { readonly defaultOperation?: SinkOperation };
    return { ...step, defaults: { [OPERATION_FIELD]: defaultOperation } };
}

/** A sink's session as everything remote is called. */
export function remoteSession(session: SinkSession, signal: AbortSignal): RemoteSession {
    const line = new OneAtATime();
    const { batchSize } = session;
    return {
        ...(batchSize !== undefined && { batchSize }),
        dryRun: record => changeOf(session, record, data => session.shown?.(data) ?? data),
        live: record => plannedOf(session, record),
        deliver: (batch, ids) =>
            line.through(() => {
                // Another batch may have been waited for.
                signal.throwIfAborted();
                return delivered(session, batch, ids);
            }),
        ...(session.finish && { finish: (all: Delivered) => session.finish!(all) }),
    };
}

/** What is asked of the target. Throws a record error for an operation that there is not. */
function operationOf({ defaultOperation = 'UPSERT' }: SinkSession, data: JsonObject): SinkOperation {
    // Asked of every record, and most say nothing.
    return data[OPERATION_FIELD] === undefined
        ? defaultOperation
        : (askedOperation(data).operation ?? defaultOperation);
}

/** A record without what asks for something. */
function plain(record: FlowRecord): FlowRecord {
    return record.data[OPERATION_FIELD] === undefined ? record : { ...record, data: askedOperation(record.data).data };
}

/** Where nobody looks at what it says: one object each, for all records of all runs. */
const DELIVERED: Change = { action: 'update', key: '', before: {}, after: {} };
const REMOVED: Change = { action: 'delete', key: '', before: {} };

function changeOf(session: SinkSession, record: FlowRecord, shown: (data: JsonObject) => JsonObject): Change {
    const operation = operationOf(session, record.data);
    const { data } = plain(record);
    if (operation === 'DELETE') return { action: 'delete', key: removedKey(session, data), before: {} };
    session.check?.(data);
    return { action: 'update', key: identityOf(session, data) ?? '', before: {}, after: shown(data) };
}

/** As `changeOf`, of what is going to be done and not looked at. */
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

/** A stretch of records of one operation, that may go in one call. */
interface Stretch {
    readonly operation: SinkOperation;
    readonly batch: FlowRecord[];
    readonly ids: string[];
    /** What the target knows them by, where one may not come twice. */
    readonly known: Set<string>;
}

/** What comes first is done first: a record that is removed and comes again stays. */
function delivered(session: SinkSession, batch: Batch, ids: readonly string[]): Promise<readonly Outcome[]> {
    return deliveredInTurn(stretchesOf(session, batch, ids), stretch => called(session, stretch));
}

async function called(session: SinkSession, { operation, batch, ids }: Stretch): Promise<readonly Outcome[]> {
    const outcomes =
        operation === 'UPSERT'
            ? await session.deliver(batch, ids)
            : await session.remove!(
                  batch.map(({ data }) => identityOf(session, data)!),
                  ids,
                  batch,
              );
    if (outcomes.length === batch.length) return outcomes;
    throw flowError('BUG', { problem: `a sink told ${outcomes.length} outcomes of ${batch.length} records` });
}

function stretchesOf(session: SinkSession, batch: Batch, ids: readonly string[]): readonly Stretch[] {
    const stretches: Stretch[] = [];
    let last: Stretch | undefined;
    for (let i = 0; i < batch.length; i++) {
        const operation = operationOf(session, batch[i]!.data);
        const record = plain(batch[i]!);
        const identity = session.takesWhole ? undefined : identityOf(session, record.data);
        if (last?.operation !== operation || (identity !== undefined && last.known.has(identity)))
            stretches.push((last = { operation, batch: [], ids: [], known: new Set() }));
        if (identity !== undefined) last.known.add(identity);
        last.batch.push(record);
        last.ids.push(ids[i]!);
    }
    return stretches;
}

/** Lets one work at a time, in the order in which they came, whatever becomes of the others. */
class OneAtATime {
    private last: Promise<unknown> = Promise.resolve();

    through<T>(work: () => Promise<T>): Promise<T> {
        const turn = this.last.then(work);
        this.last = turn.catch(() => undefined);
        return turn;
    }
}
