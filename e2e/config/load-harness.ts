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
import type { RunMode } from '../../src/core/adapter/context';
import type { Loader } from '../../src/core/adapter/loader';
import type { JsonObject } from '../../src/core/value/json';
import type { VendurePlatform } from '../../src/platform/context';
import { databaseOf } from '../../src/database/open-database';
import { openLoaderTestRun, type LoaderTestRun } from '../../src/testing/loader-test-run';

export { testRunContext as adapterContext } from '../../src/testing/loader-test-run';

/** The result of one batch. */
export interface Loaded extends Pick<LoaderTestRun, 'changes' | 'effects'> {
    /** One word for each record: C(reated), U(pdated), D(eleted), = (unchanged) or the message of the reject. */
    readonly verdicts: readonly string[];
    /** How many statements the plan and its application sent. */
    readonly statements: number;
    /** The text of those statements. */
    readonly texts: readonly string[];
}

export interface LoadOptions {
    readonly mode?: RunMode;
    /** The platform of the run; one context represents one run. */
    readonly platform?: VendurePlatform;
}

/** The platform of a run of the superadmin in a channel. */
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

const VERDICTS = { create: 'C', update: 'U', delete: 'D', unchanged: '=' } as const;

/** Loads batches with one loader in the same way as the load step: lock, plan, apply, commit. */
export async function openLoad(
    loader: Loader,
    config: JsonObject,
    options: LoadOptions & { readonly platform: VendurePlatform },
) {
    const load = await openLoaderTestRun({ loader, config, ...options });
    return async (records: readonly JsonObject[]): Promise<Loaded> => {
        const { changes, effects, planned, written } = await load(records);
        const outcomes = changes.map(change =>
            change.action === 'reject' ? change.error.message : VERDICTS[change.action],
        );
        const texts = [...planned, ...written];
        return { changes, effects, verdicts: outcomes, texts, statements: texts.length };
    };
}
