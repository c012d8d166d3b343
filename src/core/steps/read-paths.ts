import type { StepLog } from '../adapter/context';
import { logEvent } from '../adapter/log-event';
import { ITEM } from '../data/item';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { similarWords } from '../data/similar-words';
import { own } from '../data/own-properties';
import { compilePath, pathOf, segmentsOf } from '../data/path';
import type { Batch } from '../data/record';
import type { StateEntry } from '../progress/state-entries';
import type { StepEnv } from './step';

/** The number of records in which a missing field's surroundings are sampled. */
const SAMPLED = 20;
/** The maximum number and length of the names that are compared with the missing one: a record may have any number of names of any length. */
const MAX_NAMES = 200;
const MAX_LENGTH = 64;
/** The maximum number of fields in one warning. */
const MAX_NAMED = 20;
const MAX_MEANT = 3;
const MAX_COMPARED = 128;

const INDEX = /^\d+$/;
/** What a field without fields holds, by its type. */
const HELD: Readonly<Record<string, string>> = { string: 'text', number: 'a number', boolean: 'true or false' };

/** What is known of a path, as one process sends it to another. */
interface PathReport extends JsonObject {
    readonly isFound: boolean;
    readonly names: readonly string[];
    readonly inside: JsonObject | null;
}

/** The state of the paths of one operator. */
export interface PathsReport extends JsonObject {
    readonly hasLooked: boolean;
    readonly paths: readonly PathReport[];
}

/** A field on the path that has no fields itself: its name, its content, and the rest of the path. */
type Inside = Readonly<Record<'path' | 'holds' | 'rest', string>>;

/** A path that an operator reads of every record. */
class ReadPath {
    isFound = false;
    /** Beginning at the record. */
    readonly fullPath: string;
    private readonly get: (data: JsonObject) => JsonValue | undefined;
    private readonly segments: readonly string[];
    /** The sibling fields of the missing one, as paths. */
    private readonly names = new Set<string>();
    private inside: Inside | undefined;

    /** `outer`: the path of the list whose elements an outer operator hands over. */
    constructor(
        private readonly op: string,
        private readonly path: string,
        private readonly outer: string | undefined,
    ) {
        this.get = compilePath(path).get;
        this.segments = segmentsOf(path) as readonly string[];
        this.fullPath = this.placed(path);
    }

    isIn(data: JsonObject): boolean {
        return (this.isFound ||= this.get(data) !== undefined);
    }

    /** Records what the record has instead of the field, as a hint for finding the mistake. */
    sample(data: JsonObject): void {
        let holder: JsonValue = data;
        let lead = '';
        for (const [depth, segment] of this.segments.entries()) {
            const isList = Array.isArray(holder);
            if (!isJsonObject(holder) && !(isList && INDEX.test(segment))) {
                // If the value is empty, another record may be more informative.
                if (holder === null || (isList && (holder as readonly JsonValue[]).length === 0)) return;
                const rest = this.segments.slice(depth).map(pathOf).join('.');
                this.inside ??= { path: lead, holds: isList ? 'list' : typeof holder, rest };
                return;
            }
            const next: JsonValue | undefined = own(holder as JsonObject, segment);
            if (next === undefined) {
                if (!isList) this.name(holder as JsonObject, lead);
                return;
            }
            lead = joined(lead, segment);
            holder = next;
        }
    }

    /** The text for the warning: the field, its reader, and the fields that were probably meant. */
    toString(): string {
        return `field "${this.fullPath}" (${this.op}${this.advice()})`;
    }

    report(): PathReport {
        return { isFound: this.isFound, names: [...this.names], inside: this.inside ?? null };
    }

    merge({ isFound, names, inside }: PathReport): void {
        this.isFound ||= isFound;
        for (const name of names) this.add(name);
        this.inside ??= (inside as Inside | null) ?? undefined;
    }

    forget(isFound: boolean): void {
        this.isFound = isFound;
        this.names.clear();
        this.inside = undefined;
    }

    private advice(): string {
        if (this.inside) {
            const { path, holds, rest } = this.inside;
            const at = this.placed(path);
            if (holds !== 'list') return `; field "${at}" holds ${HELD[holds] ?? holds}, which has no fields`;
            return `; field "${at}" is a list: its first element has field "${at}.0.${rest}", and expand makes a record of each`;
        }
        if (this.path.length > MAX_COMPARED) return '';
        const near = similarWords(this.path, [...this.names]).slice(0, MAX_MEANT);
        return near.length > 0
            ? `; did you mean ${near.map(name => `field "${this.placed(name)}"`).join(' or ')}?`
            : '';
    }

    private placed(path: string): string {
        if (this.outer === undefined) return path;
        return path === ITEM ? `${this.outer}.*` : `${this.outer}.*.${path}`;
    }

    private name(holder: JsonObject, lead: string): void {
        for (const name in holder) {
            if (this.names.size === MAX_NAMES) return;
            if (name.length <= MAX_LENGTH) this.add(joined(lead, name));
        }
    }

    private add(name: string): void {
        if (this.names.size < MAX_NAMES) this.names.add(name);
    }
}

function joined(lead: string, name: string): string {
    return lead === '' ? pathOf(name) : `${lead}.${pathOf(name)}`;
}

/** The paths that one operator reads of every record, and those that a record has had. */
export class ReadPaths {
    readonly all: readonly ReadPath[];
    hasLooked = false;
    /** Those that have been in no record so far. */
    missing: readonly ReadPath[];
    private sampled = 0;

    constructor(op: string, paths: readonly string[], outer?: string) {
        this.all = [...new Set(paths)].map(path => new ReadPath(op, path, outer));
        this.missing = this.all;
    }

    /** Called before the operator processes a record. Does nothing once each path was found. */
    look(data: JsonObject): void {
        if (this.missing.length > 0) this.seek(data);
    }

    report(): PathsReport {
        return { hasLooked: this.hasLooked, paths: this.all.map(path => path.report()) };
    }

    /** Of another process that the operator has worked in. */
    merge({ hasLooked, paths }: PathsReport): void {
        this.hasLooked ||= hasLooked;
        paths.forEach((path, index) => this.all[index]?.merge(path));
        this.sift();
    }

    /** Where an earlier slice of the run has stopped. */
    begin(hasLooked: boolean, isMissing: (path: ReadPath) => boolean): void {
        this.hasLooked = hasLooked;
        this.sampled = 0;
        for (const path of this.all) path.forget(!isMissing(path));
        this.sift();
    }

    private seek(data: JsonObject): void {
        this.hasLooked = true;
        let isFound = false;
        const isSample = this.sampled < SAMPLED;
        if (isSample) this.sampled++;
        for (const path of this.missing) {
            if (path.isIn(data)) isFound = true;
            else if (isSample) path.sample(data);
        }
        if (isFound) this.sift();
    }

    private sift(): void {
        this.missing = this.all.filter(path => !path.isFound);
    }
}

/** Whatever may read paths. */
export interface Reader {
    /** Its own paths, then those of its inner operators. */
    readonly reads?: readonly ReadPaths[] | undefined;
}

/** The key under which a step remembers the paths that it has not found, until the run has ended. */
const MISSING = 'transform:missing';

/** By their indexes in the step: the paths that no record has, and the operators that received no record. */
interface Remembered {
    readonly paths: readonly number[];
    readonly idle: readonly number[];
}
const NOTHING: Remembered = { paths: [], idle: [] };

/** The paths that the operators of a step have found, over all slices of a run. */
export class StepReads {
    private readonly paths: readonly ReadPath[];
    /** As it was remembered last. */
    private remembered = JSON.stringify(NOTHING);

    private constructor(
        private readonly stepKey: string,
        private readonly groups: readonly ReadPaths[],
    ) {
        this.paths = groups.flatMap(({ all }) => all);
    }

    /** Resumes with the findings of an earlier slice of the run, and warns when the run has ended. */
    static async open(
        stepKey: string,
        readers: readonly Reader[],
        { ports, atEnd, adapter, cameBefore }: StepEnv,
    ): Promise<StepReads> {
        const reads = new StepReads(
            stepKey,
            readers.flatMap(reader => reader.reads ?? []),
        );
        if (reads.paths.length === 0) return reads;
        if (cameBefore === 0) {
            for (const group of reads.groups) group.begin(false, () => true);
        } else {
            const stateEntries = await ports.memory.recall(stepKey, [MISSING], 'run');
            // Where all was found at once, there was nothing to remember.
            reads.continueFrom((stateEntries.get(MISSING) as Remembered | undefined) ?? NOTHING);
        }
        atEnd(() => reads.tell(adapter.log));
        return reads;
    }

    /** The memos to store when the batch is done. */
    news(batch: Batch): readonly StateEntry[] {
        const value: Remembered = {
            paths: this.paths.flatMap(({ isFound }, number) => (isFound ? [] : [number])),
            idle: this.groups.flatMap(({ hasLooked }, number) => (hasLooked ? [] : [number])),
        };
        const text = JSON.stringify(value);
        if (text === this.remembered) return [];
        this.remembered = text;
        const { origin } = batch[0]!;
        const stateEntry = { origin, stepKey: this.stepKey, key: MISSING, value: value as unknown as JsonValue };
        return [{ ...stateEntry, scope: 'run', outlivesFailure: true, isReported: true }];
    }

    private continueFrom(remembered: Remembered): void {
        this.remembered = JSON.stringify(remembered);
        const missing = new Set(remembered.paths.map(number => this.paths[number]));
        const idle = new Set(remembered.idle.map(number => this.groups[number]));
        for (const group of this.groups) group.begin(!idle.has(group), path => missing.has(path));
    }

    private tell(log: StepLog): void {
        const missing = this.groups.flatMap(group => (group.hasLooked ? group.missing : []));
        if (missing.length === 0) return;
        const named = missing.slice(0, MAX_NAMED);
        logEvent(log, 'FIELDS_NOT_FOUND', {
            named: [...named.map(String), ...(missing.length > MAX_NAMED ? ['…'] : [])],
            fields: named.map(({ fullPath }) => fullPath),
        });
    }
}
