import { isRecord, type JsonSchema } from '../../../form/json-schema';
import { branchNamesOf, type Definition, listOf, type Step } from '../model/definition';
import type { NewStep } from '../model/edits';
import { searched, type SearchedTexts } from '../../../parts/search';

/** Where the steps of a kind name their adapters. */
export interface StepAdapters {
    readonly kind: string;
    readonly field: string;
    readonly list: string | null;
    readonly value: string | null;
}

/** A kind of steps, as the server describes it. */
export interface StepKind {
    readonly kind: string;
    readonly summary: string;
    readonly remarks: string | null;
    readonly schema: unknown;
    readonly behind: 'NOTHING' | 'RECORDS' | 'ANYTHING';
    readonly hasBranches: boolean;
    readonly furtherBranches: readonly string[];
    readonly adapters: StepAdapters | null;
}

/** What an adapter is and takes. */
export interface Adapter {
    readonly kind: string;
    readonly code: string;
    readonly aliases: readonly string[];
    readonly title: string;
    /** Its title in English. The keys of new steps begin with it, so that they do not depend on the language of the dashboard. */
    readonly englishTitle: string;
    readonly summary: string;
    readonly category: string | null;
    readonly icon: string | null;
    readonly sinkType: string | null;
    readonly notes: readonly string[];
    readonly requires: readonly string[];
    readonly schema: unknown;
    /** Whether a step of it can be tried on a few records. */
    readonly canBeTried: boolean;
    readonly examples: readonly unknown[];
}

/** All that a pipeline can be made of. */
export interface Catalogue {
    readonly kinds: readonly StepKind[];
    readonly adapters: readonly Adapter[];
}

/** Something that can be added to a pipeline. */
export interface PaletteEntry {
    readonly id: string;
    readonly kind: StepKind;
    /** Undefined for a step of a kind that is not an adapter's. */
    readonly adapter: Adapter | undefined;
    readonly step: NewStep;
}

/** The kind of a step; undefined for one that this server does not know. */
export function kindOfStep({ kinds }: Catalogue, { kind }: Pick<Step, 'kind'>): StepKind | undefined {
    return kinds.find(one => one.kind === kind);
}

/** The adapter with this code or alias. */
export function findAdapter({ adapters }: Catalogue, kind: string, code: unknown): Adapter | undefined {
    return adapters.find(one => one.kind === kind && (one.code === code || one.aliases.some(alias => alias === code)));
}

/** The adapter that a step is of, where its kind has it be one's. */
export function adapterOf(catalogue: Catalogue, step: Step): Adapter | undefined {
    const adapters = kindOfStep(catalogue, step)?.adapters;
    return adapters && adapters.list === null
        ? findAdapter(catalogue, adapters.kind, step.config[adapters.field])
        : undefined;
}

/** Whether a step can be tried on a few records; one that is an adapter's as its adapter says. */
export function canBeTried(catalogue: Catalogue, step: Step): boolean {
    const kind = kindOfStep(catalogue, step);
    const isAdapters = kind?.adapters != null && kind.adapters.list === null;
    return isAdapters ? adapterOf(catalogue, step)?.canBeTried === true : kind !== undefined;
}

/** How many adapters a step calls; undefined where its kind calls none. */
export function callCountOf(catalogue: Catalogue, step: Step): number | undefined {
    const list = kindOfStep(catalogue, step)?.adapters?.list;
    return typeof list === 'string' ? listOf(step.config[list]).length : undefined;
}

/** The branches that edges may leave a step by; undefined where they carry none. */
export function branchesOf(catalogue: Catalogue, step: Step): readonly string[] | undefined {
    const kind = kindOfStep(catalogue, step);
    return kind?.hasBranches ? [...new Set([...branchNamesOf(step), ...kind.furtherBranches])] : undefined;
}

/** Everything that can be added, kinds of steps first, then adapters in the order of their kinds. */
export function paletteOf({ kinds, adapters }: Catalogue): readonly PaletteEntry[] {
    const plain = kinds.filter(kind => kind.adapters === null || kind.adapters.list !== null).map(plainEntry);
    const ofAdapters = kinds.flatMap(kind =>
        adapters.filter(({ kind: one }) => one === kind.adapters?.kind).map(adapter => adapterEntry(kind, adapter)),
    );
    return [...plain, ...ofAdapters];
}

function plainEntry(kind: StepKind): PaletteEntry {
    const config = usualConfig(kind.schema as JsonSchema);
    return { id: kind.kind, kind, adapter: undefined, step: { kind: kind.kind, config, called: kind.kind } };
}

function adapterEntry(kind: StepKind, adapter: Adapter): PaletteEntry {
    const { list, field, value } = kind.adapters!;
    const usual = usualConfig(adapter.schema as JsonSchema);
    const config =
        list === null
            ? { [field]: adapter.code, ...usual }
            : { ...usualConfig(kind.schema as JsonSchema), [list]: [{ [field]: adapter.code, [value!]: usual }] };
    return {
        id: `${kind.kind} ${adapter.code}`,
        kind,
        adapter,
        step: { kind: kind.kind, config, called: adapter.englishTitle },
    };
}

/** What a configuration begins with: the required choices and lists, and texts that may be empty. */
export function usualConfig(schema: JsonSchema): Definition {
    const fields = (schema.required ?? []).flatMap((key): ReadonlyArray<readonly [string, unknown]> => {
        const field = schema.properties?.[key] ?? {};
        if (field.default !== undefined) return [];
        if (field.enum && field.enum.length > 0) return [[key, field.enum[0]]];
        if (mayBeEmpty(field)) return [[key, '']];
        return field.type === 'array' && field.widget !== 'path' ? [[key, []]] : [];
    });
    return Object.fromEntries(fields);
}

/** Whether the empty text is a value like any other: `replacement` of an operator that replaces text. */
function mayBeEmpty({ type, minLength = 0, pattern, widget }: JsonSchema): boolean {
    return type === 'string' && minLength === 0 && pattern === undefined && widget === undefined;
}

/** The entries that have all words of a search, or words with the same meaning; those that are called so first. */
export function searchPalette(entries: readonly PaletteEntry[], text: string): readonly PaletteEntry[] {
    return searched(entries, text, ({ kind, adapter }) =>
        adapter ? searchedTexts(adapter, kind.kind) : { titles: [kind.kind], codes: [], about: kind.summary },
    );
}

/** The adapters that have all words of a search, or words with the same meaning; those that are called so first. */
export function searchCalls(adapters: readonly Adapter[], text: string): readonly Adapter[] {
    return text.trim() === '' ? [] : searched(adapters, text, adapter => searchedTexts(adapter));
}

function searchedTexts({ title, englishTitle, code, aliases, category, summary }: Adapter, kind = ''): SearchedTexts {
    return { titles: [title, englishTitle], codes: [code, ...aliases, kind], about: `${category ?? ''} ${summary}` };
}

/** The form of a step that is one adapter's: its fields without the code, which is chosen elsewhere. */
export function formOf(schema: unknown): JsonSchema {
    return isRecord(schema) ? (schema as JsonSchema) : {};
}
