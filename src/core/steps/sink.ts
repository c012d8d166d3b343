import { deliveredInTurn } from '../adapter/delivery-part';
import type { Change, Outcome, RemoteSession } from '../adapter/loader';
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
    return targetStep(key, {
        code: sink.code,
        fields: undefined,
        effects: [],
        isRemote: true,
        open: async ({ adapter, run }) => {
            const session = await sink.open(config, { ...adapter, run });
            const remote = remoteSession(session, adapter.signal);
            return {
                loading: remoteLoading(remote, adapter.signal),
                ...(remote.finish && { finish: () => remote.finish!() }),
            };
        },
    });
}

/** A sink's session as everything remote is called. */
export function remoteSession(session: SinkSession, signal: AbortSignal): RemoteSession {
    const line = new OneAtATime();
    const { batchSize } = session;
    return {
        ...(batchSize !== undefined && { batchSize }),
        dryRun: record => changeOf(session, record),
        deliver: (batch, ids) =>
            line.through(() => {
                // Another batch may have been waited for.
                signal.throwIfAborted();
                return delivered(session, batch, ids);
            }),
        ...(session.finish && { finish: () => session.finish!() }),
    };
}

/** What is asked of the target: record by record, without what asks for it. */
interface Asked {
    readonly operation: SinkOperation;
    readonly data: JsonObject;
}

/** Throws a record error for an operation that there is not. */
function askedOf({ defaultOperation = 'UPSERT' }: SinkSession, { data: given }: FlowRecord): Asked {
    const { operation = defaultOperation, data } = askedOperation(given);
    return { operation, data };
}

function changeOf(session: SinkSession, record: FlowRecord): Change {
    const { operation, data } = askedOf(session, record);
    const key = identityOf(session, data);
    if (operation === 'UPSERT') {
        session.check?.(data);
        return { action: 'update', key: key ?? '', before: {}, after: data };
    }
    if (!session.remove)
        throw recordInvalid(OPERATION_FIELD, 'is DELETE, but this target forgets no records; allowed: UPSERT');
    if (key === undefined)
        throw recordInvalid(OPERATION_FIELD, 'is DELETE, and the record has nothing that the target knows it by');
    return { action: 'delete', key, before: {} };
}

function identityOf(session: SinkSession, data: JsonObject): string | undefined {
    return identityText(session.identity ? session.identity(data) : data['id']);
}

/** A stretch of records of one operation. */
interface Stretch {
    readonly operation: SinkOperation;
    readonly batch: FlowRecord[];
    readonly ids: string[];
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
              );
    if (outcomes.length === batch.length) return outcomes;
    throw flowError('BUG', { problem: `a sink told ${outcomes.length} outcomes of ${batch.length} records` });
}

function stretchesOf(session: SinkSession, batch: Batch, ids: readonly string[]): readonly Stretch[] {
    const stretches: Stretch[] = [];
    for (const [i, record] of batch.entries()) {
        const { operation, data } = askedOf(session, record);
        const last = stretches.at(-1);
        const stretch: Stretch = last?.operation === operation ? last : { operation, batch: [], ids: [] };
        if (stretch !== last) stretches.push(stretch);
        stretch.batch.push(data === record.data ? record : { ...record, data });
        stretch.ids.push(ids[i]!);
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
