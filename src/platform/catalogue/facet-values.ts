import type { StatementProgram } from '../../core/adapter/loader';
import { show } from '../../core/value/show';
import { facet } from '../entity-descriptions/facet';
import { facetValue } from '../entity-descriptions/facet-value';
import { Columns } from '../entities/columns';
import type { EntityState } from '../entities/entity-state';
import { newEntity } from '../entities/new-entity';
import { type RecordIssues, quoted } from '../entities/record-issues';
import type { EntityDescription } from '../entities/description';
import type { EntityStore } from '../entities/entity-store';
import {
    prefetchReferences,
    keysFor,
    namingOf,
    readReferences,
    type TextReference,
    referredTo,
} from '../entities/identity';
import { foldName } from '../../core/data/fold-name';
import { listedKey } from '../entities/names';
import { numberedKey, slugOf } from '../entities/slug';
import type { UnitOfWork, WorkPart } from '../entities/unit-of-work';
import { type CatalogueContext, facetValuesOf } from './catalogue';
import type { FacetReference } from './desired';

/** The number of consecutive codes after a taken one that are read at once. */
const CODES_AHEAD = 30;

/** Facets and facet values that the records of a batch would make, and that none uses yet. */
class FacetDrafts implements WorkPart {
    private readonly byName = new Map<string, EntityState>();
    private readonly codes = new Set<string>();

    find(owner: EntityState | undefined, text: string): EntityState | undefined {
        return this.byName.get(listedKey(foldName(text), owner));
    }

    hasCode(owner: EntityState | undefined, code: string): boolean {
        return this.codes.has(listedKey(code, owner));
    }

    add(owner: EntityState | undefined, text: string, state: EntityState): void {
        this.byName.set(listedKey(foldName(text), owner), state);
        this.codes.add(listedKey(state.key, owner));
    }

    /** Removes a draft; false if there is no such draft. */
    take(owner: EntityState | undefined, state: EntityState): boolean {
        const [text] = [...state.texts.values()];
        const key = listedKey(foldName(String(text?.columns.get('name') ?? '')), owner);
        return this.byName.get(key) === state && this.byName.delete(key);
    }

    settle(): void {
        this.byName.clear();
        this.codes.clear();
    }
}

/** Facet values that the run's channel has, by the texts that name them: a batch names the same few again and again. */
class NamedValues extends Map<string, EntityState> implements WorkPart {
    settle(): void {
        this.clear();
    }
}

/** Reads the facets and facet values that some records name, in two statements. */
export function* readFacetValuesNamed(
    catalogue: CatalogueContext,
    work: UnitOfWork,
    references: readonly FacetReference[],
): StatementProgram<void> {
    yield* (yield* prefetchFacetValues(catalogue, work, references))();
}

/** Requests the same; the values are available after the returned script has run. */
export function* prefetchFacetValues(
    catalogue: CatalogueContext,
    work: UnitOfWork,
    references: readonly FacetReference[],
): StatementProgram<() => StatementProgram<void>> {
    const facets = facetValuesOf(catalogue).refs.get('facet')!;
    // A batch names the same few again and again.
    const named = [...new Map(references.map(reference => [reference.text, reference])).values()];
    const facetsOf = yield* prefetchReferences(
        facets,
        work,
        named.map(reference => ({ text: reference.facet })),
    );
    return () => readValuesNamed(catalogue, work, { named, facetsOf });
}

interface NamedFacetValues {
    readonly named: readonly FacetReference[];
    readonly facetsOf: () => StatementProgram<void>;
}

function* readValuesNamed(
    catalogue: CatalogueContext,
    work: UnitOfWork,
    { named, facetsOf }: NamedFacetValues,
): StatementProgram<void> {
    const facetValues = facetValuesOf(catalogue);
    const facets = facetValues.refs.get('facet')!;
    yield* facetsOf();
    const values = named.flatMap(({ facet: text, value }) =>
        referredTo(work, namingOf(facets), { text }).map(within => ({ text: value, within })),
    );
    yield* readReferences(facetValues, work, values);
    const newFacets = [...new Set(named.map(reference => reference.facet))].map(text => ({ text }));
    yield* readCodesAhead(facets, work, newFacets);
    yield* readCodesAhead(facetValues, work, values);
}

/** Reads the next free codes for texts without a matching name whose derived code is taken by another name: few, if any. */
function* readCodesAhead(
    store: EntityStore,
    work: UnitOfWork,
    references: readonly TextReference[],
): StatementProgram<void> {
    const kind = namingOf(store);
    const set = work.of(store.entity);
    const seen = new Map<string, number>();
    let open = references.flatMap(reference => {
        const code = slugOf(reference.text);
        const within = reference.within;
        if (code === '' || referredTo(work, kind, { ...reference, creates: true }).length > 0) return [];
        const times = (seen.get(listedKey(code, within)) ?? 0) + 1;
        seen.set(listedKey(code, within), times);
        const isTaken = set.find(listedKey(code, within)).length > 0 || set.alike(code) !== undefined;
        return times > 1 || isTaken ? [{ code, within, suffix: 2, needed: times }] : [];
    });
    while (open.length > 0) {
        const batch = open.map(({ code, within, suffix, needed }) => {
            const codes = Array.from({ length: CODES_AHEAD + needed }, (_, i) => numberedKey(code, suffix + i));
            return { code, codes, within, suffix, needed };
        });
        yield* store.read(
            work,
            batch.flatMap(({ codes, within }) => codes.map(key => ({ key, within }))),
        );
        open = batch.flatMap(({ code, codes, within, suffix, needed }) => {
            const free = codes.filter(one => set.find(listedKey(one, within)).length === 0).length;
            return free >= needed ? [] : [{ code, within, suffix: suffix + codes.length, needed: needed - free }];
        });
    }
}

/** The lock of a record whose facet value may have to be created. */
export function lockOfFacet({ facet: text }: { readonly facet: string }): readonly string[] {
    return keysFor(facet, text).map(code => `facet:${code}`);
}

/** How texts are looked up: with `creates`, texts without a matching name become new values. */
interface LookUp {
    readonly creates: boolean;
    readonly language: string;
}

/** The loaded facet and facet value that a text means. Codes are not unique within a facet: the oldest is used. */
export function facetValueNamed(
    work: UnitOfWork,
    reference: Pick<FacetReference, 'facet' | 'value'>,
    { creates, language }: LookUp,
): { readonly owner: EntityState | undefined; readonly value: EntityState | undefined } {
    const drafts = work.part(FacetDrafts);
    const [stored] = referredTo(work, { entity: facet, language }, { text: reference.facet, creates });
    const owner = stored ?? drafts.find(undefined, reference.facet);
    if (!owner) return { owner, value: undefined };
    const text = reference.value;
    const [value] = referredTo(work, { entity: facetValue, language }, { text, within: owner, creates });
    return { owner, value: value ?? drafts.find(owner, text) };
}

export interface FacetRules {
    readonly createsMissing: boolean;
    readonly channelCode: string;
    /** The language of the names of new values. */
    readonly language: string;
    readonly faults: RecordIssues;
}

/**
 * The facet values that a record names. A missing one is created if the step allows it, otherwise it is an error. It is stored only if a record
 * that is not rejected uses it.
 */
export function resolveFacetValues(
    work: UnitOfWork,
    references: readonly FacetReference[],
    rules: FacetRules,
): readonly EntityState[] {
    const named = work.part(NamedValues);
    return references.flatMap(reference => {
        const { text } = reference;
        const path = (): string => `${reference.list}.${reference.place}`;
        const before = named.get(text);
        if (before) return before;
        const lookUp = { creates: rules.createsMissing, language: rules.language };
        const { owner, value: known } = facetValueNamed(work, reference, lookUp);
        if (known?.isInChannel === true) {
            if (known.id !== undefined) named.set(text, known);
            return known;
        }
        const isElsewhere = known !== undefined || owner?.isInChannel === false;
        if (!isElsewhere && rules.createsMissing) {
            const made = draft(work, { ...reference, language: rules.language }, owner);
            if (made) return [made];
            rules.faults.add(path(), `is ${quoted(text)}, of which no code can be made`, text);
            return [];
        }
        const problem = isElsewhere
            ? `${show(text)} is not assigned to channel ${rules.channelCode}`
            : `${owner ? `${show(text)} is not a facet value` : `${show(reference.facet)} is not a facet`}; createMissingFacetValues would create it`;
        rules.faults.add(path(), problem, text);
        return [];
    });
}

/** The facet values that a record names, where all of them are stored and in the run's channel. */
export function storedFacetValues(
    work: UnitOfWork,
    references: readonly FacetReference[],
): readonly EntityState[] | undefined {
    const named = work.part(NamedValues);
    const found: EntityState[] = [];
    for (const reference of references) {
        const value = named.get(reference.text);
        if (!value) return undefined;
        found.push(value);
    }
    return found;
}

function draft(
    work: UnitOfWork,
    { facet: facetName, value: name, language }: Pick<FacetReference, 'facet' | 'value'> & Pick<FacetRules, 'language'>,
    known: EntityState | undefined,
): EntityState | undefined {
    if (slugOf(name) === '' || (!known && slugOf(facetName) === '')) return undefined;
    const drafts = work.part(FacetDrafts);
    const named = (state: EntityState, text: string): EntityState => {
        state.setText(language, { id: undefined, columns: new Columns({ name: text }) });
        return state;
    };
    const owner = known ?? named(newEntity(facet, freeCode(work, facet, { text: facetName })), facetName);
    if (!known) drafts.add(undefined, facetName, owner);
    const value = named(newEntity(facetValue, freeCode(work, facetValue, { text: name, within: owner })), name);
    value.setRef('facet', owner);
    drafts.add(owner, name, value);
    return value;
}

/** The code derived from a name, with a number if another name has it. */
function freeCode(work: UnitOfWork, entity: EntityDescription, { text, within }: TextReference): string {
    const set = work.of(entity);
    const drafts = work.part(FacetDrafts);
    const made = slugOf(text);
    let code = made;
    for (let suffix = 2; ; suffix++) {
        const isTaken = set.find(listedKey(code, within)).length > 0 || set.alike(code) !== undefined;
        if (!isTaken && !drafts.hasCode(within, code)) return code;
        code = numberedKey(made, suffix);
    }
}

/**
 * Called for the value of a record that is not rejected: if it is a draft, it will be written, and its facet with it.
 */
export function useFacetValue(work: UnitOfWork, value: EntityState): void {
    const owner = value.refs.get('facet')!;
    const drafts = work.part(FacetDrafts);
    if (drafts.take(undefined, owner)) work.of(facet).addNew(owner, owner.key);
    if (drafts.take(owner, value)) work.of(facetValue).addNew(value, listedKey(value.key, owner));
    work.of(facetValue).keep(value);
}
