import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { column, EMPTY, name, raw, select, type Sql, sql } from '../../database/statement';
import type { Table } from '../../database/table';
import type { Id } from '../../database/write';
import { type ErrorTable, pageOf, type RecordErrorSelection, selected } from './selection';

/** An open record that may be replayed, without its content, which may be large. */
export interface Candidate {
    readonly id: Id;
    readonly pipelineId: Id;
    readonly stepKey: string;
    readonly code: string;
    readonly place: string | null;
    /** The revision that rejected it, if it is requested and the run still exists. */
    readonly revisionId: Id | null;
    readonly chars: number;
}

/** Which records to find. */
interface CandidateErrors {
    readonly selection: RecordErrorSelection;
    readonly limit: number;
    /** Set to find the revisions that rejected the records. */
    readonly runs?: Table;
}

/** Open records of a selection, pipeline by pipeline, in the order in which they were rejected. */
export function* candidates(
    from: ErrorTable,
    { selection, limit, runs }: CandidateErrors,
): StatementProgram<readonly Candidate[]> {
    const { table, dialect } = from;
    const of = (property: string): Sql => column('e', table.column(property).name);
    const length = raw(dialect.kind === 'sqlite' ? 'LENGTH' : 'CHAR_LENGTH');
    const revision = runs ? column('r', runs.column('revisionId').name) : sql`NULL`;
    const joined = runs
        ? sql` LEFT JOIN ${runs.name} ${name('r')} ON ${column('r', runs.column('id').name)} = ${of('runId')}`
        : EMPTY;
    const properties = ['id', 'pipelineId', 'stepKey', 'code', 'place'] as const;
    const [id, pipelineId, stepKey, code, place] = properties.map(
        property => sql`${of(property)} AS ${name(property)}`,
    );
    const rows = yield* select<Omit<Candidate, 'chars'> & { readonly chars: number | string }>(sql`
        SELECT ${id!}, ${pipelineId!}, ${stepKey!}, ${code!}, ${place!}, ${revision} AS ${name('revisionId')}, ${length}(${of('payload')}) AS ${name('chars')}
        FROM ${table.name} ${name('e')}${joined} WHERE ${selected(from, 'e', { ...selection, states: ['OPEN'] })}
        ORDER BY ${of('pipelineId')}, ${of('id')}${pageOf(limit, 0)}`);
    return rows.map(({ chars, ...row }) => ({ ...row, chars: Number(chars) }));
}

/** The number of rows of a selection. */
export function* countOf(from: ErrorTable, selection: RecordErrorSelection): StatementProgram<number> {
    const [row] = yield* select<{ count: number | string }>(sql`
        SELECT COUNT(*) AS ${name('count')} FROM ${from.table.name} ${name('e')} WHERE ${selected(from, 'e', selection)}`);
    return Number(row?.count ?? 0);
}

/** The content of those of these rows that are open. */
export function* openPayloads(from: ErrorTable, ids: readonly Id[]): StatementProgram<ReadonlyMap<string, JsonObject>> {
    const { table } = from;
    const of = (property: string): Sql => column('e', table.column(property).name);
    const rows = yield* select<{ id: Id; payload: unknown }>(sql`
        SELECT ${of('id')} AS ${name('id')}, ${of('payload')} AS ${name('payload')} FROM ${table.name} ${name('e')}
        WHERE ${selected(from, 'e', { ids, states: ['OPEN'] })}`);
    return new Map(rows.map(({ id, payload }) => [String(id), table.fromColumn('payload', payload) as JsonObject]));
}

/** The most records, and the most characters of records, of one run. Below the limits of a start, so that changes may make the records larger. */
const MOST_RECORDS = 2_000;
const MOST_CHARS = 4_000_000;

/** Records of one pipeline that go into one run of one of its revisions. */
export interface Load {
    readonly pipelineId: Id;
    readonly revisionId: Id | null;
    readonly records: readonly Candidate[];
}

/** Divides the records into runs. */
export function loadsOf(all: readonly Candidate[]): readonly Load[] {
    const open = new Map<string, { records: Candidate[]; chars: number }>();
    const loads: Load[] = [];
    for (const candidate of all) {
        const { pipelineId, revisionId, chars } = candidate;
        const key = `${pipelineId} ${revisionId}`;
        let load = open.get(key);
        if (!load || load.records.length === MOST_RECORDS || load.chars + chars > MOST_CHARS) {
            load = { records: [], chars: 0 };
            open.set(key, load);
            loads.push({ pipelineId, revisionId, records: load.records });
        }
        load.records.push(candidate);
        load.chars += chars;
    }
    return loads;
}
