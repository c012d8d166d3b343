import type { StepLog } from '../adapter/context';
import type { KnownFields, LoadNote, Trimmed } from '../adapter/loader';
import { logEvent } from '../adapter/log-event';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { show } from '../value/show';
import type { Batch } from '../data/record';

/** The maximum number of named fields; records that each have different fields must not fill the memory. */
const MAX_NAMED = 50;
/** The maximum stored length of a name or an example, because data can make them arbitrarily long. */
const MAX_LENGTH = 64;
/** The maximum stored length of the reason for an example. */
const MAX_WHY = 200;

const FIELDS = 'load:fields';
const TRIMMED = 'load:trimmed';
const NOTES = 'load:notes';
/** The maximum number of distinct note codes. */
const MAX_CODES = 20;
/** The keys under which a load step remembers what it will report when the run has ended. */
export const MAX_WARNING_KEYS: readonly string[] = [FIELDS, TRIMMED, NOTES];

interface Fields {
    readonly names: string[];
    hasMore: boolean;
}

interface Blanks {
    records: number;
    /** The first that was found. */
    readonly path: string;
    readonly value: string;
}

interface CountedNote extends LoadNote {
    records: number;
}

/** What is reported once per run about records that a load step has loaded nevertheless. */
export class LoadWarningSummary {
    private readonly fields: Fields;
    private readonly named: Set<string>;
    private blanks: Blanks | undefined;
    private readonly notes: CountedNote[];

    /** `earlier` is what an earlier slice of the run has stored. */
    constructor(
        private readonly loader: { readonly code: string; readonly fields: KnownFields | undefined },
        earlier: ReadonlyMap<string, JsonValue> = new Map(),
    ) {
        const fields = earlier.get(FIELDS) as unknown as Fields | undefined;
        const blanks = earlier.get(TRIMMED) as unknown as Blanks | undefined;
        // Names that contained secrets may be equal after redaction.
        this.named = new Set(fields?.names);
        this.fields = { names: [...this.named], hasMore: fields?.hasMore ?? false };
        this.blanks = blanks && { ...blanks };
        const notes = (earlier.get(NOTES) ?? []) as unknown as readonly CountedNote[];
        this.notes = notes.map(note => ({ ...note }));
    }

    /**
     * Takes a finished batch and returns what has to be stored, by its key: the names if there is a new one, and the numbers of records, which are
     * small. The values are objects that grow with later batches, so that the last write contains everything.
     */
    take(batch: Batch, trimmed: Trimmed | undefined, notes: Iterable<LoadNote> = []): ReadonlyMap<string, JsonValue> {
        const { fields, named, loader } = this;
        const before = named.size;
        const { hasMore } = fields;
        if (loader.fields) for (const { data } of batch) this.look(data, loader.fields, '');
        const news = new Map<string, JsonValue>();
        if (named.size > before || fields.hasMore !== hasMore) news.set(FIELDS, fields as unknown as JsonValue);
        if (trimmed) {
            this.blanks ??= { records: 0, path: short(trimmed.path), value: short(trimmed.value) };
            this.blanks.records += trimmed.records;
            news.set(TRIMMED, this.blanks as unknown as JsonValue);
        }
        for (const note of notes) {
            this.note(note);
            news.set(NOTES, this.notes as unknown as JsonValue);
        }
        return news;
    }

    log(log: StepLog): void {
        for (const { code, what, example, why, records } of this.notes) {
            const facts = { code, what, records, example: show(example) };
            if (why === undefined) logEvent(log, 'LOAD_NOTE', facts);
            else logEvent(log, 'LOAD_NOTE_WHY', { ...facts, why });
        }
        const { names, hasMore } = this.fields;
        if (names.length > 0) {
            const fields = hasMore ? [...names, '…'] : [...names];
            logEvent(log, 'FIELDS_NOT_LOADED', { loader: this.loader.code, fields });
        }
        if (this.blanks) {
            const { records, path, value } = this.blanks;
            logEvent(log, 'BLANKS_LEFT_OUT', { records, path, value: show(value) });
        }
    }

    private note({ code, what, example, why }: LoadNote): void {
        const known = this.notes.find(note => note.code === code);
        if (known) known.records++;
        else if (this.notes.length < MAX_CODES) {
            const reason = why !== undefined && { why: short(why, MAX_WHY) };
            this.notes.push({ code, what, example: short(example), ...reason, records: 1 });
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
            this.lookInside(value as JsonObject, inner, `${path}${field}.`);
        }
    }

    /** A list, a map of objects (by language), or an object whose fields these are themselves. */
    private lookInside(value: JsonObject, known: KnownFields, path: string): void {
        const isList = Array.isArray(value);
        for (const key in value) {
            const element = value[key];
            if (!isList && known.has(key)) continue;
            if (isJsonObject(element)) this.look(element, known, path);
            else if (!isList && element !== null && element !== undefined) this.name(path + key);
        }
    }

    private name(field: string): void {
        const { named, fields } = this;
        const name = short(field);
        if (named.has(name)) return;
        if (named.size === MAX_NAMED) {
            fields.hasMore = true;
            return;
        }
        named.add(name);
        fields.names.push(name);
    }
}

/** A copy, because a part of a text retains the whole text in memory. */
function short(text: string, most = MAX_LENGTH): string {
    if (text.length <= most) return text;
    return `${[...text.slice(0, 2 * most)].slice(0, most).join('')}…`;
}
