import type { Script } from '../../core/adapter/loader';
import { show } from '../../core/value/show';
import { facet } from '../described/facet';
import { facetValue } from '../described/facet-value';
import { Columns } from '../entities/columns';
import { type EntityState, newEntity } from '../entities/entity-state';
import { type Faults, quoted } from '../entities/faults';
import { slugOf } from '../entities/slug';
import { spellings } from '../entities/spellings';
import type { FacetWish } from './desired';
import type { CatalogueContext } from './read-entities';
import type { World } from './world';

/** Reads the facets and facet values that some records name, in two statements. */
export function* readFacetValuesNamed(
    { facets, facetValues }: CatalogueContext,
    { work }: World,
    wishes: readonly FacetWish[],
): Script<void> {
    const named = wishes.flatMap(wish => spellings(facet, wish.facet));
    yield* facets.read(
        work,
        named.map(key => ({ key, within: undefined })),
    );
    const set = work.of(facet);
    yield* facetValues.read(
        work,
        wishes.flatMap(wish =>
            spellings(facet, wish.facet)
                .flatMap(key => set.find(key))
                .flatMap(within => spellings(facetValue, wish.value).map(key => ({ key, within }))),
        ),
    );
}

/** What is locked by a record whose facet value may have to be made. */
export function lockOfFacet({ facet: text }: { readonly facet: string }): readonly string[] {
    return spellings(facet, text).map(code => `facet:${code}`);
}

function findFacet({ work, drafts }: World, text: string): EntityState | undefined {
    const found = spellings(facet, text).flatMap(key => work.of(facet).find(key));
    return found[0] ?? drafts.get(draftKey(undefined, slugOf(text)));
}

/** Codes are not unique within a facet: the channel's own comes first, then the oldest. */
function findValue(world: World, owner: EntityState, text: string): EntityState | undefined {
    const set = world.work.of(facetValue);
    const found = spellings(facetValue, text).map(key => set.find(`${owner.token} ${key}`));
    const [first] = found.filter(values => values.length > 0);
    return (
        first?.find(({ isInChannel }) => isInChannel) ?? first?.[0] ?? world.drafts.get(draftKey(owner, slugOf(text)))
    );
}

const draftKey = (owner: EntityState | undefined, code: string): string => `${owner?.token ?? ''} ${code}`;

export interface FacetRules {
    readonly createsMissing: boolean;
    readonly channelCode: string;
    readonly faults: Faults;
}

/**
 * The facet values that a record names. A missing one is made where that is wanted, else it is a fault. What is made is
 * stored only if a record that is not rejected uses it.
 */
export function resolveFacetValues(
    world: World,
    wishes: readonly FacetWish[],
    rules: FacetRules,
): readonly EntityState[] {
    return wishes.flatMap(wish => {
        const owner = findFacet(world, wish.facet);
        const known = owner && findValue(world, owner, wish.value);
        if (known?.isInChannel === true) return [known];
        const text = `${wish.facet}:${wish.value}`;
        const isElsewhere = known !== undefined || owner?.isInChannel === false;
        if (!isElsewhere && rules.createsMissing) {
            const made = draft(world, wish, owner);
            if (made) return [made];
            rules.faults.add(wish.path, `is ${quoted(text)}, of which no code can be made`, text);
            return [];
        }
        const problem = isElsewhere
            ? `${show(text)} is not assigned to channel ${rules.channelCode}`
            : `${owner ? `${show(text)} is no facet value` : `${show(wish.facet)} is no facet`}; createMissingFacetValues would create it`;
        rules.faults.add(wish.path, problem, text);
        return [];
    });
}

function draft(world: World, wish: FacetWish, known: EntityState | undefined): EntityState | undefined {
    const [code, facetCode] = [slugOf(wish.value), slugOf(wish.facet)];
    if (code === '' || facetCode === '') return undefined;
    const owner = known ?? named(world, newEntity(facet, facetCode), wish.facet);
    if (!known) world.drafts.set(draftKey(undefined, facetCode), owner);
    const value = named(world, newEntity(facetValue, code), wish.value);
    value.refs.set('facet', owner);
    world.drafts.set(draftKey(owner, code), value);
    return value;
}

function named({ language }: World, state: EntityState, name: string): EntityState {
    state.texts.set(language, { id: undefined, columns: new Columns({ name }) });
    return state;
}

/** A record that is not rejected has this value: where it is a draft, it will be written, and its facet with it. */
export function useFacetValue({ work, drafts }: World, value: EntityState): void {
    const owner = value.refs.get('facet')!;
    if (drafts.delete(draftKey(undefined, owner.key))) work.of(facet).addNew(owner, owner.key);
    if (drafts.delete(draftKey(owner, value.key))) work.of(facetValue).addNew(value, `${owner.token} ${value.key}`);
    work.of(facetValue).keep(value);
}
