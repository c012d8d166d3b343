import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import type { StateScope, StoredStateEntry } from '../../core/progress/state-entries';
import type { StatePage, StateStore } from '../../core/ports/ports';
import { type Sql, join, name, select, sql } from '../../database/statement';
import { insertRows } from '../../database/write';
import { type RunIdentity, type StoreEnv, runScope, targetOf } from './store-env';

/** The scope of the checkpoints that outlive their run. */
export const PIPELINE = '';

/**
 * What the steps of a pipeline remember: checkpoint rows of the pipeline's own scope, or of the run's, which go with it. A dry run finds
 * the former, and what it remembers itself has the run's scope: it must not change what the next run does, but its own batches have to find it.
 */
export class StateEntries implements StateStore {
    constructor(
        private readonly env: StoreEnv,
        private readonly identity: StateIdentity,
    ) {}

    async recall(
        stepKey: string,
        keys: readonly string[],
        scope: StateScope = 'pipeline',
    ): Promise<ReadonlyMap<string, JsonValue>> {
        if (keys.length === 0) return new Map();
        const rows = await this.env.database.run(() => this.rows(stepKey, keys, this.scopesOf(scope)));
        const found = new Map<string, JsonValue>();
        for (const { scope: of, key, value } of rows)
            if (of !== PIPELINE || !found.has(key)) found.set(key, JSON.parse(value) as JsonValue);
        return found;
    }

    async keys(stepKey: string, beginning: string, { behind: after, limit }: StatePage): Promise<readonly string[]> {
        const { checkpoints } = this.env.tables;
        const key = checkpoints.column('key');
        const rows = await this.env.database.run(() =>
            select<{ key: string }>(sql`
                SELECT ${key} AS ${name('key')} FROM ${checkpoints.name}
                WHERE ${checkpoints.column('pipelineId')} = ${this.identity.pipelineId} AND ${checkpoints.column('scope')} = ${PIPELINE}
                AND ${checkpoints.column('stepKey')} = ${stepKey} AND ${key} > ${after} AND ${key} LIKE ${`${beginning}%`}
                ORDER BY ${key} LIMIT ${limit}`),
        );
        return rows.map(row => row.key);
    }

    private scopesOf(scope: StateScope): readonly string[] {
        const { runId, dryRun } = this.identity;
        if (scope === 'run') return [runScope(runId)];
        return dryRun ? [PIPELINE, runScope(runId)] : [PIPELINE];
    }

    private *rows(
        stepKey: string,
        keys: readonly string[],
        scopes: readonly string[],
    ): StatementProgram<ReadonlyArray<{ readonly scope: string; readonly key: string; readonly value: string }>> {
        const {
            tables: { checkpoints },
            database: { dialect },
        } = this.env;
        const { pipelineId } = this.identity;
        const columns = join(
            ['scope', 'key', 'value'].map(property => sql`${checkpoints.column(property)} AS ${name(property)}`),
        );
        return yield* select(sql`
            SELECT ${columns} FROM ${checkpoints.name}
            WHERE ${checkpoints.column('pipelineId')} = ${pipelineId} AND ${dialect.oneOf(checkpoints.column('scope'), scopes)}
            AND ${checkpoints.column('stepKey')} = ${stepKey} AND ${dialect.oneOf(checkpoints.column('key'), keys)}`);
    }
}

/** For whom something is remembered. */
interface StateIdentity extends Pick<RunIdentity, 'pipelineId' | 'runId'> {
    readonly dryRun: boolean;
}

/** Writes state entries, and overwrites existing ones. Must be called under the fence. */
export function* writeStateEntries(
    env: StoreEnv,
    { pipelineId, runId, dryRun }: StateIdentity,
    stateEntries: readonly StoredStateEntry[],
): StatementProgram<void> {
    // In one order for all, so that two runs of a pipeline wait for each other at most, and never both.
    const rows = [...stateEntries]
        .sort((a, b) => (a.stepKey + a.key < b.stepKey + b.key ? -1 : 1))
        .map(({ stepKey, key, value, scope }) => ({
            pipelineId,
            scope: dryRun || scope === 'run' ? runScope(runId) : PIPELINE,
            stepKey,
            key,
            value,
        }));
    yield* insertRows(targetOf(env, 'checkpoints'), rows, overwriting(env));
}

/** The end of an INSERT of checkpoints that puts the new value in place of the old one. */
export function overwriting({ tables: { checkpoints }, database: { dialect } }: StoreEnv): Sql {
    const value = checkpoints.column('value');
    const updatedAt = checkpoints.column('updatedAt');
    const key = join(['pipelineId', 'scope', 'stepKey', 'key'].map(property => checkpoints.column(property)));
    return dialect.kind === 'mysql'
        ? sql` ON DUPLICATE KEY UPDATE ${value} = VALUES(${value}), ${updatedAt} = ${dialect.now}`
        : sql` ON CONFLICT (${key}) DO UPDATE SET ${value} = excluded.${value}, ${updatedAt} = ${dialect.now}`;
}
