import type { Script } from '../../core/adapter/loader';
import { show } from '../../core/value/show';
import { facet } from '../described/facet';
import { facetValue } from '../described/facet-value';
import { Columns } from '../entities/columns';
import type { EntityState } from '../entities/entity-state';
import { newEntity } from '../entities/new-entity';
import { type Faults, quoted } from '../entities/faults';
import { slugOf } from '../entities/slug';
import { spellings } from '../entities/spellings';
import type { UnitOfWork, WorkPart } from '../entities/unit-of-work';
import { type CatalogueContext, facetValuesOf } from './catalogue';
import type { FacetReference } from './desired';

/** Facets and facet values that the records of a batch would make, and that none uses yet. */
class FacetDrafts extends Map<string, EntityState> implements WorkPart {
    settle(): void {
        this.clear();
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
): Script<void> {
    yield* (yield* askFacetValuesNamed(catalogue, work, references))();
}

/** Asks for the same; they are there when the answer has been called. */
export function* askFacetValuesNamed(
    catalogue: CatalogueContext,
    work: UnitOfWork,
    references: readonly FacetReference[],
): Script<() => Script<void>> {
    const facets = facetValuesOf(catalogue).refs.get('facet')!;
    // A batch names the same few again and again.
    const named = [...new Map(references.map(reference => [reference.text, reference])).values()];
    const facetsOf = yield* facets.askKeys(
        work,
        named.flatMap(reference => spellings(facet, reference.facet)),
    );
    return () => readValuesNamed(catalogue, work, { named, facetsOf });
}

interface NamedFacetValues {
    readonly named: readonly FacetReference[];
    readonly facetsOf: () => Script<void>;
}

function* readValuesNamed(
    catalogue: CatalogueContext,
    work: UnitOfWork,
    { named, facetsOf }: NamedFacetValues,
): Script<void> {
    const facetValues = facetValuesOf(catalogue);
    yield* facetsOf();
    const set = work.of(facet);
    yield* facetValues.read(
        work,
        named.flatMap(reference =>
            spellings(facet, reference.facet)
                .flatMap(key => set.find(key))
                .flatMap(within => spellings(facetValue, reference.value).map(key => ({ key, within }))),
        ),
    );
}

/** What is locked by a record whose facet value may have to be made. */
export function lockOfFacet({ facet: text }: { readonly facet: string }): readonly string[] {
    return spellings(facet, text).map(code => `facet:${code}`);
}

function findFacet(work: UnitOfWork, text: string): EntityState | undefined {
    const found = spellings(facet, text).flatMap(key => work.of(facet).find(key));
    return found[0] ?? work.part(FacetDrafts).get(draftKey(undefined, slugOf(text)));
}

/** Codes are not unique within a facet: the channel's own comes first, then the oldest. */
function findValue(work: UnitOfWork, owner: EntityState, text: string): EntityState | undefined {
    const set = work.of(facetValue);
    const found = spellings(facetValue, text).map(key => set.find(`${owner.token} ${key}`));
    const [first] = found.filter(values => values.length > 0);
    if (first) return first.find(({ isInChannel }) => isInChannel) ?? first[0];
    return work.part(FacetDrafts).get(draftKey(owner, slugOf(text)));
}

const draftKey = (owner: EntityState | undefined, code: string): string => `${owner?.token ?? ''} ${code}`;

export interface FacetRules {
    readonly createsMissing: boolean;
    readonly channelCode: string;
    /** That of the names of what is made. */
    readonly language: string;
    readonly faults: Faults;
}

/**
 * The facet values that a record names. A missing one is made where that is wanted, else it is a fault. What is made is
 * stored only if a record that is not rejected uses it.
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
        const owner = findFacet(work, reference.facet);
        const known = owner && findValue(work, owner, reference.value);
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
            : `${owner ? `${show(text)} is no facet value` : `${show(reference.facet)} is no facet`}; createMissingFacetValues would create it`;
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
    const [code, facetCode] = [slugOf(name), slugOf(facetName)];
    if (code === '' || facetCode === '') return undefined;
    const drafts = work.part(FacetDrafts);
    const named = (state: EntityState, text: string): EntityState => {
        state.setText(language, { id: undefined, columns: new Columns({ name: text }) });
        return state;
    };
    const owner = known ?? named(newEntity(facet, facetCode), facetName);
    if (!known) drafts.set(draftKey(undefined, facetCode), owner);
    const value = named(newEntity(facetValue, code), name);
    value.setRef('facet', owner);
    drafts.set(draftKey(owner, code), value);
    return value;
}

/** A record that is not rejected has this value: where it is a draft, it will be written, and its facet with it. */
export function useFacetValue(work: UnitOfWork, value: EntityState): void {
    const owner = value.refs.get('facet')!;
    const drafts = work.part(FacetDrafts);
    if (drafts.delete(draftKey(undefined, owner.key))) work.of(facet).addNew(owner, owner.key);
    if (drafts.delete(draftKey(owner, value.key))) work.of(facetValue).addNew(value, `${owner.token} ${value.key}`);
    work.of(facetValue).keep(value);
}
