import type { AdapterContext, RunMode, StepLog } from '../core/adapter/context';
import { noNetwork } from '../core/adapter/http';
import type { Change, Effect, Loader, LoadSession, Script } from '../core/adapter/loader';
import { noResources } from '../core/adapter/no-resources';
import { systemClock } from '../core/data/clock';
import type { JsonObject } from '../core/data/json';
import type { Batch } from '../core/data/record';
import { parseWith } from '../core/schema/issues';
import type { VendurePlatform } from '../platform/context';
import type { Database } from '../platform/sql/database';
import { type Dialect, render } from '../platform/sql/dialect';
import type { Request } from '../platform/sql/statement';
import { deepFrozen } from './frozen';

/** What one batch did, or would have done in a dry run. */
export interface TrialLoad {
    readonly changes: readonly Change[];
    readonly effects: readonly Effect[];
    readonly locks: readonly string[];
    /** The SQL that was sent to plan, and to write what was planned. */
    readonly planned: readonly string[];
    readonly written: readonly string[];
}

/** A load step of a run. */
export interface TrialStep {
    readonly loader: Loader;
    /** As a user writes it. */
    readonly config?: object;
    readonly mode?: RunMode;
    /** Of the run; one context stands for one run. */
    readonly platform: VendurePlatform;
    /** What the loader is given beside the platform: connections, the network … */
    readonly surroundings?: Partial<AdapterContext>;
}

const silent = (): void => undefined;
const log: StepLog = { debug: silent, info: silent, warn: silent, error: silent };

/** What an adapter is handed by a run, with nothing behind it but the platform. */
export function trialContext(platform: VendurePlatform, mode: RunMode = 'live'): AdapterContext {
    return {
        stepKey: 'load',
        mode,
        signal: new AbortController().signal,
        log,
        clock: systemClock,
        platform,
        http: noNetwork,
        ...noResources,
    };
}

/** Loads batches with one loader as the load step does: lock, plan, apply, commit; in another mode than `live` it plans only. */
export async function openTrial({
    loader,
    config = {},
    mode = 'live',
    platform,
    surroundings = {},
}: TrialStep): Promise<(records: readonly JsonObject[]) => Promise<TrialLoad>> {
    const parsed = parseWith(loader.config, config);
    if (!parsed.ok) throw new TypeError(parsed.issues.map(({ message }) => message).join('; '));
    const session = await loader.open(parsed.value, { ...trialContext(platform, mode), ...surroundings });
    return records => load(session, platform.database, { records, isLive: mode === 'live' });
}

async function load(
    session: LoadSession,
    database: Database,
    { records, isLive }: { readonly records: readonly JsonObject[]; readonly isLive: boolean },
): Promise<TrialLoad> {
    const batch: Batch = records.map((data, seq) => ({ data: deepFrozen(data), origin: { seq } }));
    const locks = session.locks(batch);
    const work = function* (): Script<TrialLoad> {
        const [planned, written]: [string[], string[]] = [[], []];
        const plan = yield* overheard(session.plan(batch), { dialect: database.dialect, heard: planned });
        const effects = isLive ? yield* overheard(plan.apply(), { dialect: database.dialect, heard: written }) : [];
        return { changes: plan.changes, effects, locks, planned, written };
    };
    return isLive ? database.transaction(work, { locks }) : database.run(work);
}

/** Runs a script as it is and notes each statement before it is sent. */
function* overheard<T>(
    script: Script<T>,
    { dialect, heard }: { readonly dialect: Dialect; readonly heard: string[] },
): Script<T> {
    let step = script.next();
    while (!step.done) {
        const request = step.value as Request;
        heard.push(request.type === 'query' ? render(request.sql, dialect).text : request.type);
        let answer: unknown;
        try {
            answer = yield request;
        } catch (error) {
            step = script.throw(error);
            continue;
        }
        step = script.next(answer);
    }
    return step.value;
}
