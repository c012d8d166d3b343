import { Injectable } from '@nestjs/common';
import { type RequestContext, TransactionalConnection } from '@vendure/core';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { readCsv } from '../../io/formats/csv';
import { decoded, ENCODINGS } from '../../io/formats/decode';
import { sniffMarks } from '../../io/formats/delimiter';
import { LOCATION_COLUMN, REASON_COLUMN, unescapedFormula } from '../../io/formats/formula-escape';
import { FlowRecordError } from '../entities/record-error';
import { Files } from '../files/files';
import { cellOf, lineOf } from '../files/rejects-lines';
import { PublicIds } from '../../platform/public-ids';
import { RunStores } from '../runs/run-stores';
import { MAX_RETRIED } from './retries';
import { narrowed, type RecordErrorSelection } from './selection';

/** The column with the id of the row's record error. */
export const RECORD = 'Flow: record error';
const STEP = 'Flow: step';
const ADDED: ReadonlySet<string> = new Set([RECORD, REASON_COLUMN, LOCATION_COLUMN, STEP]);

const PAGE = 500;
const MOST_COLUMNS = 10_000;
const SAMPLE_CHARS = 64 * 1024;
/** The most issues, and the most changes, that are listed one by one. */
const SHOWN = 50;

/** A row that cannot be used. */
interface CorrectionIssue {
    readonly row: number;
    readonly message: string;
}

/** The content of a corrected file. */
export interface CorrectedRecords {
    /** The records of the file by the ids of their errors, including unchanged ones. */
    readonly payloads: ReadonlyMap<string, JsonObject>;
    readonly rows: number;
    readonly corrected: number;
    readonly unchanged: number;
    readonly faults: readonly CorrectionIssue[];
    readonly faultsTotal: number;
    readonly examples: ReadonlyArray<{
        readonly error: FlowRecordError;
        readonly before: JsonObject;
        readonly after: JsonObject;
    }>;
}

interface Row {
    readonly number: number;
    readonly cells: JsonObject;
}

/** Writes rejected records as CSV, in the state in which they reached the step that rejected them, and reads the corrected file. */
@Injectable()
export class RecordCsv {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly stores: RunStores,
        private readonly files: Files,
        private readonly ids: PublicIds,
    ) {}

    /** The lines of the file, the oldest record first. Throws INPUT_INVALID if the records have no common table. */
    async *lines(ctx: RequestContext, selection: RecordErrorSelection): AsyncGenerator<string, void, void> {
        const columns = new Set<string>();
        for await (const { payload } of this.rows(ctx, selection)) {
            for (const name of Object.keys(payload)) if (!ADDED.has(name)) columns.add(name);
            if (columns.size > MOST_COLUMNS)
                throw flowError('INPUT_INVALID', {
                    problem: `The rejected records have more than ${MOST_COLUMNS} different fields, which make no table`,
                });
        }
        const names = [...columns];
        // Spreadsheet programs recognise UTF-8 by the byte order mark.
        yield '\ufeff';
        yield lineOf([...ADDED, ...names.map(cellOf)], ',');
        for await (const { id, message, place, stepKey, payload } of this.rows(ctx, selection)) {
            const own = names.map(name => (Object.hasOwn(payload, name) ? cellOf(payload[name]) : ''));
            yield lineOf([this.ids.encode(id), cellOf(message), cellOf(place), cellOf(stepKey), ...own], ',');
        }
    }

    /** Throws FILE_NOT_FOUND, FILE_EXPIRED, SOURCE_MALFORMED, and INPUT_INVALID if it is not such a file. */
    async read(ctx: RequestContext, fileId: string | number, signal: AbortSignal): Promise<CorrectedRecords> {
        const read = new Corrections();
        let page: Row[] = [];
        const flush = async (): Promise<void> => {
            const due = page;
            page = [];
            if (due.length > 0) read.add(due, await this.known(ctx, due));
        };
        for await (const row of this.rowsOf(ctx, fileId, signal)) {
            if (++read.rows > MAX_RETRIED)
                throw flowError('INPUT_INVALID', {
                    problem: `The file has more than ${MAX_RETRIED} rows, which is as many as are replayed at a time`,
                });
            page.push(row);
            if (page.length === PAGE) await flush();
        }
        await flush();
        return read.told();
    }

    private async *rowsOf(
        ctx: RequestContext,
        fileId: string | number,
        signal: AbortSignal,
    ): AsyncGenerator<Row, void, void> {
        const file = await this.files.existing(ctx, fileId);
        if (file.format !== 'csv')
            throw flowError('INPUT_INVALID', {
                problem: `The file is of the format ${show(file.format)}; allowed: csv`,
            });
        const source = this.files.source(file);
        const encoding = ENCODINGS.find(known => known === file.encoding);
        const open = (): AsyncIterable<string> => decoded(source.open(signal), encoding);
        const { delimiter } = sniffMarks(await beginningOf(open()));
        let isHeader = true;
        const rowsAre = () => (cells: readonly string[]) => {
            const own = cells.map(cell => unescapedFormula(isHeader ? cell.trim() : cell));
            isHeader = false;
            return own;
        };
        let number = 1;
        for await (const { records, faults: issues } of readCsv(open(), {
            delimiter,
            hasHeader: true,
            rowsAre,
            pageSize: PAGE,
        })) {
            if (issues[0]) throw flowError('INPUT_INVALID', { problem: issues[0].problem });
            for (const cells of records) {
                if (!Object.hasOwn(cells, RECORD))
                    throw flowError('INPUT_INVALID', {
                        problem: `The file has no column "${RECORD}"; allowed: a download of record errors, with all of its columns`,
                    });
                yield { number: ++number, cells };
            }
        }
    }

    private async known(ctx: RequestContext, rows: readonly Row[]): Promise<ReadonlyMap<string, FlowRecordError>> {
        const ids = rows.flatMap(({ cells }) => this.ids.decode(String(cells[RECORD])) ?? []);
        const query = this.connection.getRepository(ctx, FlowRecordError).createQueryBuilder('error');
        query.where({ channelId: ctx.channelId });
        const selection = { ids, states: ['OPEN', 'REPLAYED', 'LOADED', 'REJECTED', 'IGNORED'] as const };
        const found = await narrowed(query, this.stores.env.tables.errors, selection).getMany();
        return new Map(found.map(error => [this.ids.encode(error.id), error]));
    }

    private async *rows(
        ctx: RequestContext,
        selection: RecordErrorSelection,
    ): AsyncGenerator<FlowRecordError, void, void> {
        const { errors } = this.stores.env.tables;
        for (let last: FlowRecordError['id'] | undefined; ;) {
            const query = this.connection.getRepository(ctx, FlowRecordError).createQueryBuilder('error');
            query.where({ channelId: ctx.channelId });
            narrowed(query, errors, selection);
            if (last !== undefined) query.andWhere('error.id > :last', { last });
            const page = await query.orderBy('error.id').take(PAGE).getMany();
            yield* page;
            if (page.length < PAGE) return;
            last = page.at(-1)!.id;
        }
    }
}

/** Collects the results of a file's rows. */
class Corrections {
    rows = 0;
    private readonly payloads = new Map<string, JsonObject>();
    private corrected = 0;
    private readonly issues: CorrectionIssue[] = [];
    private faultsTotal = 0;
    private readonly examples: Array<CorrectedRecords['examples'][number]> = [];

    add(rows: readonly Row[], known: ReadonlyMap<string, FlowRecordError>): void {
        for (const row of rows) {
            const id = String(row.cells[RECORD]);
            const error = known.get(id);
            if (!error) this.issue(row, `no record error of this channel has the id ${show(id)}`);
            else if (this.payloads.has(String(error.id))) this.issue(row, `the record error ${id} comes twice`);
            else if (error.state !== 'OPEN') this.issue(row, `the record is ${String(error.state)}; allowed: OPEN`);
            else this.take(row, error);
        }
    }

    told(): CorrectedRecords {
        const { payloads, rows, corrected, issues, faultsTotal, examples } = this;
        return {
            payloads,
            rows,
            corrected,
            unchanged: payloads.size - corrected,
            faults: issues,
            faultsTotal,
            examples,
        };
    }

    private take(row: Row, error: FlowRecordError): void {
        const { payload } = error;
        const after: Record<string, JsonValue> = { ...payload };
        let isChanged = false;
        for (const [name, cell] of Object.entries(row.cells)) {
            if (ADDED.has(name) || isAsBefore(cell, own(payload, name))) continue;
            const value = valueOf(String(cell), own(payload, name));
            if (value === NO_VALUE)
                return this.issue(row, `the column ${show(name)} holds no JSON, as the record does`);
            isChanged = true;
            if (value === undefined) delete after[name];
            else Object.defineProperty(after, name, { value, enumerable: true, configurable: true, writable: true });
        }
        this.payloads.set(String(error.id), isChanged ? after : payload);
        if (!isChanged) return;
        this.corrected++;
        if (this.examples.length < SHOWN) this.examples.push({ error, before: payload, after });
    }

    private issue({ number }: Row, message: string): void {
        this.faultsTotal++;
        if (this.issues.length < SHOWN) this.issues.push({ row: number, message });
    }
}

const NO_VALUE = Symbol('no value');

function own(record: JsonObject, name: string): JsonValue | undefined {
    return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Whether a cell has the value that the download wrote. Spreadsheet programs write line breaks differently. */
function isAsBefore(cell: JsonValue | undefined, value: JsonValue | undefined): boolean {
    const text = value == null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
    const unbroken = (one: string): string => one.replaceAll('\r\n', '\n');
    return unbroken(String(cell ?? '')) === unbroken(text);
}

/** The value of a changed cell, with the type of the old value. An empty cell removes the field. */
function valueOf(cell: string, before: JsonValue | undefined): JsonValue | undefined | typeof NO_VALUE {
    if (cell === '') return undefined;
    if (typeof before === 'number') return /^-?\d+(\.\d+)?$/.test(cell.trim()) ? Number(cell) : cell;
    if (typeof before === 'boolean')
        return /^(true|false)$/i.test(cell.trim()) ? cell.trim().toLowerCase() === 'true' : cell;
    if (!isJsonObject(before) && !Array.isArray(before)) return cell;
    try {
        return JSON.parse(cell) as JsonValue;
    } catch {
        return NO_VALUE;
    }
}

async function beginningOf(text: AsyncIterable<string>): Promise<string> {
    let beginning = '';
    for await (const piece of text) {
        beginning += piece;
        if (beginning.length >= SAMPLE_CHARS) break;
    }
    return beginning.slice(0, SAMPLE_CHARS);
}
