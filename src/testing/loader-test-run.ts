import type { AdapterContext, RunMode, StepLog } from '../core/adapter/context';
import { noNetwork } from '../core/adapter/outbound';
import {
    type Change,
    type Effect,
    type Loader,
    loaderFor,
    type Outcome,
    type RemoteSession,
    type StatementProgram,
    type ServiceSession,
    type TableSession,
} from '../core/adapter/loader';
import { noResources } from '../core/adapter/no-resources';
import { systemClock } from '../core/concurrency/clock';
import type { JsonObject } from '../core/value/json';
import type { Batch } from '../core/data/record';
import { isFlowError } from '../core/errors/flow-error';
import { prepared } from '../core/steps/load-tables';
import { parseWith } from '../core/schema/issues';
import type { VendurePlatform } from '../platform/context';
import { servedByServices } from '../platform/service-kinds';
import { type Dialect, render } from '../database/dialect';
import type { Request } from '../database/statement';
import { deepFrozen } from './frozen';

/** What one batch did, or would have done in a dry run. */
export interface LoaderTestRun {
    readonly changes: readonly Change[];
    readonly effects: readonly Effect[];
    readonly locks: readonly string[];
    /** The SQL that was sent to plan, and to write what was planned. */
    readonly planned: readonly string[];
    readonly written: readonly string[];
}

/** A load step of a run. */
interface TestLoadStep {
    readonly loader: Loader;
    /** As a user writes it. */
    readonly config?: object;
    readonly mode?: RunMode;
    /** Of the run; one context stands for one run. */
    readonly platform: VendurePlatform;
    /** The input of the loader in addition to the platform: connections, the network … */
    readonly surroundings?: Partial<AdapterContext>;
}

const silent = (): void => undefined;
const log: StepLog = { debug: silent, info: silent, warn: silent, error: silent };

/** The context of an adapter in a run that has only the platform. */
export function testRunContext(platform: VendurePlatform, mode: RunMode = 'live'): AdapterContext {
    return {
        stepKey: 'load',
        mode,
        signal: new AbortController().signal,
        log,
        clock: systemClock,
        platform,
        outbound: noNetwork,
        ...noResources,
    };
}

/** Loads batches with one loader as the load step does: lock, plan, apply, commit; in another mode than `live` it plans only. */
export async function openLoaderTestRun({
    loader,
    config = {},
    mode = 'live',
    platform,
    surroundings: context = {},
}: TestLoadStep): Promise<(records: readonly JsonObject[]) => Promise<LoaderTestRun>> {
    const parsed = parseWith(loader.config, config);
    if (!parsed.ok) throw new TypeError(parsed.issues.map(({ message }) => message).join('; '));
    const load = await loadOf(loaderFor(loader, parsed.value), parsed.value, {
        ...testRunContext(platform, mode),
        ...context,
    });
    return records =>
        load(
            records.map((data, seq) => ({ data: deepFrozen(data), origin: { seq } })),
            { platform, isLive: mode === 'live' },
        );
}

interface Trying {
    readonly platform: VendurePlatform;
    readonly isLive: boolean;
}

type Load = (batch: Batch, trying: Trying) => Promise<LoaderTestRun>;

async function loadOf(loader: Loader, config: Readonly<Record<string, unknown>>, cx: AdapterContext): Promise<Load> {
    switch (loader.through) {
        case 'tables': {
            const session = await loader.open(config, cx);
            return (batch, trying) => loadTables(session, batch, trying);
        }
        case 'services': {
            const session = await loader.open(config, cx);
            return (batch, trying) => loadServed(session, batch, trying);
        }
        case 'remote': {
            const session = await loader.open(config, cx);
            return (batch, trying) => loadRemote(session, batch, trying);
        }
    }
}

const NOTHING_SENT = { effects: [], planned: [], written: [] };

async function loadServed(session: ServiceSession, batch: Batch, { platform, isLive }: Trying): Promise<LoaderTestRun> {
    const changes: Change[] = [];
    const locks = batch.flatMap(record => session.locks(record));
    for (const record of batch) {
        const change = isLive
            ? platform.database
                  .managed(
                      tx =>
                          servedByServices(platform.ctx, tx, async ctx => {
                              const made = await session.loadOne(ctx, record);
                              if (made.action === 'reject') throw made.error;
                              return made;
                          }),
                      { locks: session.locks(record) },
                  )
                  .catch(async (error: unknown) => {
                      await session.undone?.();
                      throw error;
                  })
            : session.dryRun(record);
        changes.push(await change.catch(rejected));
    }
    return { ...NOTHING_SENT, changes, locks };
}

async function loadRemote(session: RemoteSession, batch: Batch, { isLive }: Trying): Promise<LoaderTestRun> {
    const changes = await Promise.all(
        batch.map(record => new Promise<Change>(resolve => resolve(session.dryRun(record))).catch(rejected)),
    );
    const going = changes.flatMap(({ action }, i) => (action === 'reject' || action === 'unchanged' ? [] : [i]));
    const size = session.batchSize ?? batch.length;
    const outcomes: Outcome[] = [];
    for (let from = 0; isLive && from < going.length; from += size) {
        const part = going.slice(from, from + size);
        const ids = part.map(i => `delivery-${i}`);
        outcomes.push(
            ...(await session.deliver(
                part.map(i => batch[i]!),
                ids,
            )),
        );
    }
    outcomes.forEach((outcome, i) => {
        if (!outcome.ok) changes[going[i]!] = rejected(outcome.error);
    });
    return { ...NOTHING_SENT, changes, locks: [] };
}

function rejected(error: unknown): Change {
    if (!isFlowError(error) || error.treat !== 'record') throw error;
    return { action: 'reject', key: undefined, error };
}

async function loadTables(
    session: TableSession,
    batch: Batch,
    { platform: { database }, isLive }: Trying,
): Promise<LoaderTestRun> {
    const locks = session.locks(batch);
    const work = function* (ready: unknown): StatementProgram<LoaderTestRun> {
        const [planned, written]: [string[], string[]] = [[], []];
        const plan = yield* recorded(session.plan(batch, ready), { dialect: database.dialect, log: planned });
        const effects = isLive ? yield* recorded(plan.apply(), { dialect: database.dialect, log: written }) : [];
        return { changes: plan.changes, effects, locks, planned, written };
    };
    return prepared(session, batch, ready =>
        isLive
            ? database.transaction(() => work(ready), { locks, goesAhead: true, byKeys: true })
            : database.run(() => work(ready)),
    );
}

/** Runs a script as it is and notes each statement before it is sent. */
function* recorded<T>(
    statementProgram: StatementProgram<T>,
    { dialect, log }: { readonly dialect: Dialect; readonly log: string[] },
): StatementProgram<T> {
    let step = statementProgram.next();
    while (!step.done) {
        const request = step.value as Request;
        // Reading the result of a posted statement, or waiting for it, sends no statement.
        if (request.type !== 'answer' && request.type !== 'settle')
            log.push(request.type === 'query' ? render(request.sql, dialect).text : request.type);
        let answer: unknown;
        try {
            answer = yield request;
        } catch (error) {
            step = statementProgram.throw(error);
            continue;
        }
        step = statementProgram.next(answer);
    }
    return step.value;
}
