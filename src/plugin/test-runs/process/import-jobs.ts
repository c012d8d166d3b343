import { DEFAULT_LIMITS } from '../../../core/adapter/bounds';
import { Registry } from '../../../core/adapter/registry';
import { EventLoopYield } from '../../../core/concurrency/event-loop-yield';
import { systemClock } from '../../../core/concurrency/clock';
import type { FlowError } from '../../../core/errors/flow-error';
import type { ImportFacts, ImportProfile, ImportSample } from '../../../core/import/import-profile';
import { profileSample } from '../../../core/import/profile';
import { operators } from '../../../core/operators';
import { compileOperators } from '../../../core/steps/compile-operators';
import { type CompiledRecordOperator, FusedOperators } from '../../../core/steps/fused-operators';
import type { OperatorCall } from '../../../core/schema/operator-calls';
import type { JsonObject, JsonValue } from '../../../core/value/json';
import { readSample } from '../../../io/import/read-sample';
import { type ExtractSettings, pagesOfSource } from './extract-job';
import { localSource } from './local-source';
import type { JobContext } from './messages';
import { MessageSizeLimit } from './message-size-limit';

/** The settings of a job that profiles a file. */
interface ProfileSettings {
    readonly path: string;
    readonly filename: string;
    readonly facts: Partial<ImportFacts>;
}

/** What is known about a file: its profile, and values of each column by which the shop is searched. */
export interface ProfiledFile {
    readonly profile: ImportProfile;
    /** Different values of the first 500 columns, in the order of the columns; at most 500 of each. */
    readonly values: readonly (readonly string[])[];
}

/** The settings of a job that applies the operators of an import to the first records of a file. */
interface ConvertSettings extends Omit<ExtractSettings, 'resumeFrom'> {
    readonly operators: readonly OperatorCall[];
    /** Of the step that the operators belong to. */
    readonly transformKey: string;
}

/** A record before and after the operators. */
export interface ConvertedRecord {
    readonly place: string | null;
    readonly before: JsonObject;
    /** Several if the operators expand the record, none if they drop it. */
    readonly after: readonly JsonObject[];
    /** The path of the field that the record was rejected for; an empty text if the error names none. */
    readonly rejectedAt?: string;
}

const MAX_VALUES = 500;
/** Keys are rarely in columns beyond these, and the server keeps the values in memory. */
const MAX_COLUMNS = 500;
/** Longer values are not keys. */
const MAX_VALUE = 255;
const registry = Registry.of(operators);

/** Reads a whole file and sends what was detected. */
export async function profileJob({ settings, send }: JobContext): Promise<JsonObject> {
    const { path, filename, facts } = settings as unknown as ProfileSettings;
    const sample = await readSample({ filename, content: localSource(path), facts }, new AbortController().signal);
    const found = profileSample(sample);
    for (const values of valuesOf(sample, found)) await send({ values: values as readonly JsonValue[] });
    return { profile: found as unknown as JsonValue };
}

/** Different values of the records of the sample. */
function valuesOf(sample: ImportSample, { columns, facts }: ImportProfile): readonly (readonly string[])[] {
    const { numbers } = sample;
    const isRecord = (row: number): boolean =>
        facts.headerRow === null || (numbers?.[row] ?? row + 1) > facts.headerRow;
    return columns.slice(0, MAX_COLUMNS).map(({ index }) => {
        const values = new Set<string>();
        for (const [row, cells] of sample.rows.entries()) {
            const value = cells[index]?.trim() ?? '';
            if (value === '' || value.length > MAX_VALUE || !isRecord(row)) continue;
            values.add(value);
            if (values.size === MAX_VALUES) break;
        }
        return [...values];
    });
}

/** Reads records with the extractor of an import, applies its record operators, and sends both. */
export async function convertJob(context: JobContext): Promise<JsonObject> {
    const { operators: calls, transformKey, ...extract } = context.settings as unknown as ConvertSettings;
    const compiled = recordOperators(calls, transformKey);
    const pace = new EventLoopYield({ clock: systemClock });
    const held = new MessageSizeLimit();
    let seq = 0;
    for await (const { records, placeOf } of pagesOfSource({ ...extract, resumeFrom: null }, SILENT)) {
        for (const [index, before] of records.entries()) {
            const place = placeOf?.(index) ?? null;
            const converted: ConvertedRecord = {
                place,
                before,
                ...(await convert(before, seq++, { compiled, transformKey, pace })),
            };
            held.take(converted as unknown as JsonValue);
            await context.send({ record: converted as unknown as JsonValue });
        }
    }
    return {};
}

/** Operators that work on whole batches keep or drop records, but do not change their values. */
function recordOperators(calls: readonly OperatorCall[], stepKey: string): readonly CompiledRecordOperator[] {
    const env = { clock: systemClock, runId: 'import', stepKey };
    return compileOperators(calls, { registry, env, place: stepKey, limits: DEFAULT_LIMITS }).filter(
        operator => operator.form === 'record',
    );
}

interface Conversion {
    readonly compiled: readonly CompiledRecordOperator[];
    readonly transformKey: string;
    readonly pace: EventLoopYield;
}

async function convert(
    data: JsonObject,
    seq: number,
    { compiled, transformKey, pace }: Conversion,
): Promise<Pick<ConvertedRecord, 'after' | 'rejectedAt'>> {
    let rejected: FlowError | undefined;
    const fused = new FusedOperators(compiled, [{ data, origin: { seq } }], {
        stepKey: transformKey,
        visit: { sourceKey: 'file', batchNo: 0, number: 0, earlier: [] },
        pace,
        log: SILENT,
        reject: (_, error) => {
            rejected = error;
        },
    });
    if (pace.isDue) await pace.turn();
    await fused.pass(0);
    if (!rejected) return { after: fused.out.map(record => record.data) };
    const path = rejected.details?.['path'];
    return { after: [], rejectedAt: typeof path === 'string' ? path : '' };
}

const ignore = (): void => undefined;
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };
