import type { Change, Outcome, RemoteSession } from '../adapter/loader';
import type { Sink, SinkOperation, SinkSession } from '../adapter/sink';
import type { Batch, FlowRecord } from '../data/record';
import { asFlowError, flowError } from '../errors/flow-error';
import { recordInvalid, valueInvalid } from '../errors/record-invalid';
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

/** CREATE and UPDATE are what UPSERT is (spec 4, section 7). */
const OPERATIONS: Readonly<Record<string, SinkOperation>> = {
    CREATE: 'UPSERT',
    UPDATE: 'UPSERT',
    UPSERT: 'UPSERT',
    DELETE: 'DELETE',
};

const FIELD = '__operation';

/** Throws a record error for an operation that there is not. */
function askedOf({ defaultOperation = 'UPSERT' }: SinkSession, { data }: FlowRecord): Asked {
    if (!Object.hasOwn(data, FIELD)) return { operation: defaultOperation, data };
    const { [FIELD]: given, ...rest } = data;
    const operation = typeof given === 'string' && Object.hasOwn(OPERATIONS, given) ? OPERATIONS[given] : undefined;
    if (operation) return { operation, data: rest };
    throw valueInvalid(FIELD, given, `allowed: ${Object.keys(OPERATIONS).join(', ')}`);
}

function changeOf(session: SinkSession, record: FlowRecord): Change {
    const { operation, data } = askedOf(session, record);
    const key = identityOf(session, data);
    if (operation === 'UPSERT') {
        session.check?.(data);
        return { action: 'update', key: key ?? '', before: {}, after: data };
    }
    if (!session.remove) throw recordInvalid(FIELD, 'is DELETE, but this target forgets no records; allowed: UPSERT');
    if (key === undefined)
        throw recordInvalid(FIELD, 'is DELETE, and the record has nothing that the target knows it by');
    return { action: 'delete', key, before: {} };
}

/** Ids stay the texts that they are. */
function identityOf(session: SinkSession, data: JsonObject): string | undefined {
    const identity = session.identity ? session.identity(data) : data['id'];
    if (typeof identity === 'number') return String(identity);
    return typeof identity === 'string' && identity !== '' ? identity : undefined;
}

/** A stretch of records of one operation. */
interface Stretch {
    readonly operation: SinkOperation;
    readonly batch: FlowRecord[];
    readonly ids: string[];
}

/** What comes first is done first: a record that is removed and comes again stays. */
async function delivered(session: SinkSession, batch: Batch, ids: readonly string[]): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const stretch of stretchesOf(session, batch, ids)) {
        try {
            outcomes.push(...(await called(session, stretch)));
        } catch (thrown) {
            const error = asFlowError(thrown);
            if (outcomes.length === 0 || error.treat === 'record') throw thrown;
            // What is known of those before stays known.
            return batch.map((_, i) => outcomes[i] ?? { ok: false, error });
        }
    }
    return outcomes;
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
