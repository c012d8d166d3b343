import type { RequestContext } from '@vendure/core';
import { DataSource, EntitySchema, type EntitySchemaColumnOptions, type ObjectLiteral } from 'typeorm';
import type { AdapterContext, RunMode } from '../../src/core/adapter/context';
import type { Change, StatementProgram, TableLoader } from '../../src/core/adapter/loader';
import { noNetwork } from '../../src/core/adapter/outbound';
import { noResources } from '../../src/core/adapter/no-resources';
import { systemClock } from '../../src/core/concurrency/clock';
import type { JsonObject } from '../../src/core/value/json';
import { parseWith } from '../../src/core/schema/issues';
import type { VendurePlatform } from '../../src/platform/context';
import { databaseOf } from '../../src/database/open-database';
import type { Request } from '../../src/database/statement';
import { batchOf } from './record';

export const TEXT: EntitySchemaColumnOptions = { type: 'varchar' };

/** The columns of a shop table that a test needs; id, createdAt and updatedAt are added. */
export interface MemoryTable {
    readonly entity: new () => ObjectLiteral;
    readonly columns: Readonly<Record<string, EntitySchemaColumnOptions>>;
}

/** The effects of a batch. */
export interface MemoryLoad {
    /** For each record. */
    readonly does: ReadonlyArray<Change['action']>;
    readonly locks: readonly string[];
    readonly statements: number;
}

/** A few tables of a shop in memory, on SQLite: enough to test a loader alone. The contract of loaders has a complete shop. */
export interface MemoryShop {
    open(
        loader: TableLoader,
        config: JsonObject,
        mode?: RunMode,
    ): Promise<(records: readonly JsonObject[]) => Promise<MemoryLoad>>;
    rows(entity: MemoryTable['entity']): Promise<readonly ObjectLiteral[]>;
    close(): Promise<void>;
}

export async function memoryShop(tables: readonly MemoryTable[]): Promise<MemoryShop> {
    const dataSource = await new DataSource({
        type: 'better-sqlite3',
        database: ':memory:',
        synchronize: true,
        entities: tables.map(schemaOf),
    }).initialize();
    const database = databaseOf(dataSource);
    // A loader of a plain table reads neither the user nor a service.
    const platform = { ctx: {} as RequestContext, dataSource, database } as VendurePlatform;
    return {
        rows: entity => dataSource.getRepository(entity).find({ order: { id: 'ASC' } }),
        close: () => dataSource.destroy(),
        async open(loader, config, mode = 'live') {
            const parsed = parseWith(loader.config, config);
            if (!parsed.ok) throw new Error(parsed.issues.map(issue => issue.message).join('; '));
            const session = await loader.open(parsed.value, contextOf(platform, mode));
            return async records => {
                const batch = batchOf(...records);
                const locks = session.locks(batch);
                const prepared = await session.prepare?.(batch);
                const count = { statements: 0 };
                const does = await database.transaction(
                    function* () {
                        const { changes, apply } = yield* counted(session.plan(batch, prepared), count);
                        if (mode === 'live') yield* counted(apply(), count);
                        return changes.map(({ action }) => action);
                    },
                    { locks },
                );
                return { does, locks, statements: count.statements };
            };
        },
    };
}

/** The columns of Vendure's base entity; the type of the id is set when a server starts. */
function schemaOf({ entity, columns }: MemoryTable): EntitySchema {
    return new EntitySchema({
        name: entity.name,
        target: entity,
        columns: {
            id: { type: Number, primary: true, generated: 'increment' },
            createdAt: { type: Date, createDate: true },
            updatedAt: { type: Date, updateDate: true },
            ...columns,
        },
    });
}

function contextOf(platform: VendurePlatform, mode: RunMode): AdapterContext {
    const silent = (): void => undefined;
    return {
        stepKey: 'load',
        mode,
        signal: new AbortController().signal,
        log: { debug: silent, info: silent, warn: silent, error: silent },
        clock: systemClock,
        platform,
        outbound: noNetwork,
        ...noResources,
    };
}

function* counted<T>(statementProgram: StatementProgram<T>, count: { statements: number }): StatementProgram<T> {
    let step = statementProgram.next();
    while (!step.done) {
        if ((step.value as Request).type === 'query') count.statements++;
        step = statementProgram.next(yield step.value);
    }
    return step.value;
}
