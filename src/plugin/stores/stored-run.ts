import type { StatementProgram } from '../../core/adapter/loader';
import type { InputSource } from '../../core/pipeline/input-source';
import type { JsonObject } from '../../core/value/json';
import { join, name, select, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import type { ReplayedPart } from '../entities/run';
import type { RunIdentity, StoreEnv } from './store-env';

/** A run in the form of its row. */
export interface StoredRun extends RunIdentity {
    /** Null for a dry run of the working copy, which carries its definition. */
    readonly revisionId: Id | null;
    readonly definition: JsonObject | null;
    readonly startedByUserId: Id | null;
    readonly triggerKey: string;
    readonly triggerType: string;
    /** The records that it was given; null where its sources read. */
    readonly seed: readonly JsonObject[] | null;
    readonly sourceReference: InputSource | null;
    /** The records that a replay repeats, by the steps that have rejected them. */
    readonly replay: readonly ReplayedPart[] | null;
    readonly dryRun: boolean;
    readonly attempt: number;
    /** When it was stored. A file that existed then exists for the whole run. */
    readonly createdAt: Date;
    /** The run's first start; what `now` means in it. */
    readonly startedAt: Date;
    readonly isCancelRequested: boolean;
}

/** Reads the row of a run. */
export function* readStoredRun({ tables: { runs } }: StoreEnv, identity: RunIdentity): StatementProgram<StoredRun> {
    const properties = [
        'revisionId',
        'definition',
        'startedByUserId',
        'triggerKey',
        'triggerType',
        'seed',
        'sourceReference',
        'replay',
        'dryRun',
        'attempt',
        'createdAt',
        'startedAt',
        'cancelRequestedAt',
    ];
    const columns = join(properties.map(property => sql`${runs.column(property)} AS ${name(property)}`));
    const [row] = yield* select<Record<string, unknown>>(
        sql`SELECT ${columns} FROM ${runs.name} WHERE ${runs.column('id')} = ${identity.runId}`,
    );
    const { cancelRequestedAt, ...rest } = Object.fromEntries(
        properties.map(property => [property, runs.fromColumn(property, row?.[property])]),
    );
    return {
        ...identity,
        ...(rest as unknown as Omit<StoredRun, Exclude<keyof RunIdentity, 'dryRun'> | 'isCancelRequested'>),
        isCancelRequested: cancelRequestedAt != null,
    };
}
