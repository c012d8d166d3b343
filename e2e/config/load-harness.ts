import type { INestApplication } from '@nestjs/common';
import {
    type Channel,
    Injector,
    type LanguageCode,
    type RequestContext,
    RequestContextService,
    TransactionalConnection,
    User,
} from '@vendure/core';
import { ModuleRef } from '@nestjs/core';
import type { z } from 'zod';
import type { AdapterContext, RunMode } from '../../src/core/adapter/context';
import type { Change, Effect, Loader, LoadSession, Script } from '../../src/core/adapter/loader';
import { noNetwork } from '../../src/core/adapter/http';
import { noResources } from '../../src/core/adapter/no-resources';
import { systemClock } from '../../src/core/data/clock';
import type { JsonObject } from '../../src/core/data/json';
import type { Batch } from '../../src/core/data/record';
import type { VendurePlatform } from '../../src/platform/context';
import type { Database } from '../../src/platform/sql/database';
import { databaseOf } from '../../src/platform/sql/open-database';

/** What one batch did. */
export interface Loaded {
    /** One word for each record: C(reated), U(pdated), D(eleted), = (unchanged) or the message of the reject. */
    readonly verdicts: readonly string[];
    readonly changes: readonly Change[];
    readonly effects: readonly Effect[];
    /** How many statements the plan and its application sent. */
    readonly statements: number;
}

export interface LoadOptions {
    readonly mode?: RunMode;
    /** Of the run; one context stands for one run. */
    readonly platform?: VendurePlatform;
}

/** The platform as a run of the superadmin in a channel has it. */
export async function platformOf(
    app: INestApplication,
    channel?: Channel | string,
    languageCode?: LanguageCode,
): Promise<VendurePlatform> {
    const injector = new Injector(app.get(ModuleRef));
    const dataSource = app.get(TransactionalConnection).rawConnection;
    const user = await dataSource
        .getRepository(User)
        .findOneOrFail({ where: { identifier: 'superadmin' }, relations: { roles: { channels: true } } });
    const ctx: RequestContext = await app.get(RequestContextService).create({
        apiType: 'admin',
        user,
        ...(channel === undefined ? {} : { channelOrToken: channel }),
        ...(languageCode === undefined ? {} : { languageCode }),
    });
    return { ctx, injector, dataSource, database: databaseOf(dataSource) };
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** What an adapter is handed by a run. */
export function adapterContext(platform: VendurePlatform, mode: RunMode = 'live'): AdapterContext {
    return {
        stepKey: 'load',
        mode,
        signal: new AbortController().signal,
        log: silent,
        clock: systemClock,
        platform,
        http: noNetwork,
        ...noResources,
    };
}

const VERDICTS = { create: 'C', update: 'U', delete: 'D', unchanged: '=' } as const;

/** Loads batches with one loader as the load step does: lock, plan, apply, commit. */
export async function openLoad(
    loader: Loader,
    config: JsonObject,
    { mode = 'live', platform }: LoadOptions & { readonly platform: VendurePlatform },
) {
    const parsed = loader.config.parse(config) as z.output<Loader['config']>;
    const session = await loader.open(parsed, adapterContext(platform, mode));
    return (records: readonly JsonObject[]): Promise<Loaded> => load(session, platform.database, { records, mode });
}

async function load(
    session: LoadSession,
    database: Database,
    { records, mode }: { records: readonly JsonObject[]; mode: RunMode },
): Promise<Loaded> {
    const batch: Batch = records.map((data, seq) => ({ data, origin: { seq } }));
    let statements = 0;
    const work = function* (): Script<Omit<Loaded, 'statements' | 'verdicts'>> {
        const plan = yield* session.plan(batch);
        return { changes: plan.changes, effects: mode === 'live' ? yield* plan.apply() : [] };
    };
    const counted = function* (): Script<Omit<Loaded, 'statements' | 'verdicts'>> {
        statements = 0;
        const script = work();
        let step = script.next();
        while (!step.done) {
            statements += 1;
            let answer: unknown;
            try {
                answer = yield step.value;
            } catch (error) {
                step = script.throw(error);
                continue;
            }
            step = script.next(answer);
        }
        return step.value;
    };
    const done =
        mode === 'live'
            ? await database.transaction(counted, { locks: session.locks(batch) })
            : await database.run(counted);
    const verdicts = done.changes.map(change =>
        change.action === 'reject' ? change.error.message : VERDICTS[change.action],
    );
    return { ...done, verdicts, statements };
}
