import type { StepLog } from '../adapter/context';
import type { KnownFields, Trimmed } from '../adapter/loader';
import { isJsonObject, type JsonObject, type JsonValue } from '../data/json';
import { show } from '../data/show';
import type { Batch } from '../data/record';

/** So many fields are named; records with fields of their own each must not fill the memory. */
const MAX_NAMED = 50;

/** As it is remembered until the run has ended. */
interface State {
    readonly fields: string[];
    hasMore: boolean;
    trimmed: number;
    example: JsonObject | null;
}

/** What is to be said once a run of the records that a load step has loaded all the same. */
export class LoadRemarks {
    private readonly named: Set<string>;
    private readonly kept: State;

    /** `earlier` is what an earlier slice of the run has kept. */
    constructor(
        private readonly loader: { readonly code: string; readonly fields: KnownFields | undefined },
        earlier: JsonValue | undefined,
    ) {
        const before = earlier as unknown as State | undefined;
        this.kept = { hasMore: false, trimmed: 0, example: null, ...before, fields: [...(before?.fields ?? [])] };
        this.named = new Set(this.kept.fields);
    }

    /** One object that grows with what is taken, so that whatever is written of it last has all of it. */
    get state(): JsonValue {
        return this.kept as unknown as JsonValue;
    }

    /** Looks at a batch that is done; true where it brings something to be kept. */
    take(batch: Batch, trimmed: Trimmed | undefined): boolean {
        const { kept, named } = this;
        const before = named.size;
        const hadMore = kept.hasMore;
        const { fields } = this.loader;
        if (fields) for (const { data } of batch) this.look(data, fields, '');
        if (trimmed) {
            kept.trimmed += trimmed.records;
            kept.example ??= { path: trimmed.path, value: trimmed.value };
        }
        return trimmed !== undefined || named.size > before || kept.hasMore !== hadMore;
    }

    tell(log: StepLog): void {
        const { fields, hasMore, trimmed, example } = this.kept;
        if (fields.length > 0) {
            const names = fields.join(', ') + (hasMore ? ' and more' : '');
            log.warn(`Fields of the records that ${this.loader.code} does not load: ${names}.`, {
                code: 'FIELDS_NOT_LOADED',
                fields: [...fields],
            });
        }
        if (example) {
            const records = trimmed === 1 ? 'one record' : `${trimmed} records`;
            log.warn(
                `Blanks round a text were left out in ${records}, for example in field "${String(example['path'])}": ${show(example['value'])}.`,
                { code: 'BLANKS_LEFT_OUT', records: trimmed, ...example },
            );
        }
    }

    /** Goes through every field of every record, so nothing is made on the way unless one is found. */
    private look(data: JsonObject, known: KnownFields, path: string): void {
        for (const field in data) {
            const value = data[field];
            if (value === undefined) continue;
            if (!known.has(field)) {
                this.name(path + field);
                continue;
            }
            const inner = known.get(field);
            if (inner === undefined || typeof value !== 'object' || value === null) continue;
            for (const key in value) {
                const element = (value as JsonObject)[key];
                if (isJsonObject(element)) this.look(element, inner, `${path}${field}.`);
            }
        }
    }

    private name(field: string): void {
        const { named, kept } = this;
        if (named.has(field)) return;
        if (named.size === MAX_NAMED) {
            kept.hasMore = true;
            return;
        }
        named.add(field);
        kept.fields.push(field);
    }
}
