import type { DataSource } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { RUN_STATUSES, isTerminal } from '../../core/progress/state';
import type { Database } from '../../database/database';
import { join, name, select, send, type Sql, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { type Id, insertRows } from '../../database/write';
import { FlowExportPart } from '../entities/export-part';
import { FlowPipelineRun } from '../entities/run';

const OPEN = RUN_STATUSES.filter(status => !isTerminal(status));

/** The step to which parts belong. */
interface PartsOf {
    readonly runId: Id;
    readonly stepKey: string;
}

/** A part without its content. */
export interface PartRow {
    readonly partKey: string;
    readonly records: number;
    readonly columns: readonly string[];
    readonly blobKey: string;
}

/** The rows of the parts of exports. Each statement is atomic. */
export class ExportParts {
    private readonly parts: Table;
    private readonly runs: Table;

    constructor(
        dataSource: DataSource,
        private readonly database: Database,
    ) {
        this.parts = tableOf(dataSource, FlowExportPart);
        this.runs = tableOf(dataSource, FlowPipelineRun);
    }

    /** Adds a part after the others, or replaces the one with its key. Returns the blob that is no longer needed. */
    put(of: PartsOf, part: PartRow): Promise<string | undefined> {
        const { parts, database } = this;
        const { partKey, records, columns, blobKey } = part;
        const target = { table: parts, dialect: database.dialect };
        const putting = function* (this: ExportParts): StatementProgram<string | undefined> {
            const own = sql`${this.ofStep(of)} AND ${parts.column('partKey')} = ${partKey}`;
            const [before] = yield* select<{ blobKey: string }>(
                sql`SELECT ${parts.column('blobKey')} AS ${name('blobKey')} FROM ${parts.name} WHERE ${own}`,
            );
            if (before) {
                const set = join(
                    Object.entries({ records, columns, blobKey }).map(
                        ([property, value]) => sql`${parts.column(property)} = ${parts.toColumn(property, value)}`,
                    ),
                );
                yield* send(sql`UPDATE ${parts.name} SET ${set} WHERE ${own}`);
                return before.blobKey;
            }
            const [last] = yield* select<{ n: number | string | null }>(
                sql`SELECT MAX(${parts.column('number')}) AS n FROM ${parts.name} WHERE ${this.ofStep(of)}`,
            );
            const number = Number(last?.n ?? 0) + 1;
            yield* insertRows(target, [{ ...of, partKey, number, records, columns, blobKey }]);
            return undefined;
        };
        // A worker that has lost the run may still be writing.
        return database.transaction(putting.bind(this), { locks: [`flow-export:${of.runId}/${of.stepKey}`] });
    }

    /** All parts of a step, in order. */
    async all(of: PartsOf): Promise<readonly PartRow[]> {
        const { parts, database } = this;
        const rows = await database.run(() =>
            select<Omit<PartRow, 'columns'> & { readonly columns: string }>(sql`
                SELECT ${this.columns()} FROM ${parts.name} WHERE ${this.ofStep(of)} ORDER BY ${parts.column('number')}`),
        );
        return rows.map(row => ({ ...row, columns: JSON.parse(row.columns) as string[] }));
    }

    async remove(of: PartsOf, partKeys: readonly string[]): Promise<void> {
        const { parts, database } = this;
        await database.run(() =>
            send(
                sql`DELETE FROM ${parts.name} WHERE ${this.ofStep(of)} AND ${database.dialect.oneOf(parts.column('partKey'), partKeys)}`,
            ),
        );
    }

    /** Removes all parts of a step. Contents that are not discarded are cleaned up later. */
    async removeAll(of: PartsOf): Promise<void> {
        await this.database.run(() => send(sql`DELETE FROM ${this.parts.name} WHERE ${this.ofStep(of)}`));
    }

    /** Some parts of runs that have ended or were deleted. */
    left(limit: number): Promise<ReadonlyArray<PartsOf & Pick<PartRow, 'partKey' | 'blobKey'>>> {
        const { parts, runs, database } = this;
        const columns = join(
            ['runId', 'stepKey', 'partKey', 'blobKey'].map(
                property => sql`${parts.column(property)} AS ${name(property)}`,
            ),
        );
        return database.run(() =>
            select(sql`
                SELECT ${columns} FROM ${parts.name} WHERE NOT EXISTS (
                SELECT 1 FROM ${runs.name} WHERE ${runs.name}.${runs.column('id')} = ${parts.name}.${parts.column('runId')}
                AND ${runs.name}.${runs.column('status')} IN (${join(OPEN)})) LIMIT ${limit}`),
        );
    }

    /** Which of these keys belong to a part. */
    async known(keys: readonly string[]): Promise<readonly string[]> {
        const { parts, database } = this;
        const key = parts.column('blobKey');
        const rows = await database.run(() =>
            select<{ key: string }>(
                sql`SELECT ${key} AS ${name('key')} FROM ${parts.name} WHERE ${database.dialect.oneOf(key, keys)}`,
            ),
        );
        return rows.map(row => row.key);
    }

    private columns(): Sql {
        const { parts } = this;
        return join(
            ['partKey', 'records', 'columns', 'blobKey'].map(
                property => sql`${parts.column(property)} AS ${name(property)}`,
            ),
        );
    }

    private ofStep({ runId, stepKey }: PartsOf): Sql {
        const { parts } = this;
        return sql`${parts.column('runId')} = ${runId} AND ${parts.column('stepKey')} = ${stepKey}`;
    }
}
