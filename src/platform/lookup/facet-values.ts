import { show } from '../../core/value/show';
import type { Script } from '../../core/adapter/loader';
import type { FacetWish } from '../catalogue/desired';
import { type Faults, quoted } from '../catalogue/faults';
import { type Catalogue, among, as, asName, at } from '../catalogue/read-entities';
import { slugOf } from '../catalogue/slug';
import type { FacetRef, FacetValueRef } from '../catalogue/state';
import type { World } from '../catalogue/world';
import { select, sql } from '../../database/statement';
import type { Id } from '../../database/write';

interface FacetRow {
    readonly facetId: Id;
    readonly facet: string;
    readonly facetChannel: Id | null;
    readonly id: Id | null;
    readonly code: string;
    readonly channel: Id | null;
}

const keyOf = (facet: string, value: string): string => `${facet.length} ${facet} ${value}`;
/** A record says the code or the name; names become codes as the dashboard makes them. */
const codesOf = (text: string): readonly string[] => [...new Set([text, slugOf(text)])];

/** Reads the facets and facet values that some records name, in one statement. */
export function* readFacetValuesNamed(catalogue: Catalogue, world: World, wishes: readonly FacetWish[]): Script<void> {
    const {
        tables: { facet, facetValue, facetChannels, facetValueChannels },
        dialect,
        reference,
    } = catalogue;
    const unknown = [...new Map(wishes.map(wish => [keyOf(wish.facet, wish.value), wish])).values()].filter(
        wish => !find(world, wish),
    );
    if (unknown.length === 0) return;
    const facets = new Set(unknown.flatMap(wish => codesOf(wish.facet)));
    const values = new Set(unknown.flatMap(wish => codesOf(wish.value)));
    const rows =
        yield* select<FacetRow>(sql`SELECT ${asName(at('f', facet, 'id'), 'facetId')}, ${asName(at('f', facet, 'code'), 'facet')},
        ${asName(at('c', facetChannels, facetChannels.member), 'facetChannel')}, ${asName(at('v', facetValue, 'id'), 'id')}, ${asName(at('v', facetValue, 'code'), 'code')},
        ${asName(at('d', facetValueChannels, facetValueChannels.member), 'channel')}
        FROM ${as(facet, 'f')}
        LEFT JOIN ${as(facetChannels, 'c')} ON ${at('c', facetChannels, facetChannels.owner)} = ${at('f', facet, 'id')} AND ${at('c', facetChannels, facetChannels.member)} = ${reference.channel.id}
        LEFT JOIN ${as(facetValue, 'v')} ON ${at('v', facetValue, 'facetId')} = ${at('f', facet, 'id')} AND ${dialect.oneOf(at('v', facetValue, 'code'), [...values])}
        LEFT JOIN ${as(facetValueChannels, 'd')} ON ${at('d', facetValueChannels, facetValueChannels.owner)} = ${at('v', facetValue, 'id')}
            AND ${at('d', facetValueChannels, facetValueChannels.member)} = ${reference.channel.id}
        WHERE ${dialect.oneOf(at('f', facet, 'code'), [...facets])} ORDER BY ${at('v', facetValue, 'id')}`);
    for (const row of rows) remember(world, row);
}

/** Reads facet values that products have but no record names. */
export function* readFacetValuesById(
    { tables, dialect, reference }: Catalogue,
    world: World,
    ids: Iterable<Id>,
): Script<void> {
    const unknown = [...ids].filter(id => !world.facetValues.has(id));
    if (unknown.length === 0) return;
    const { facet, facetValue, facetValueChannels } = tables;
    const rows = yield* select<
        Omit<FacetRow, 'facetChannel'>
    >(sql`SELECT ${asName(at('f', facet, 'id'), 'facetId')}, ${asName(at('f', facet, 'code'), 'facet')},
        ${asName(at('v', facetValue, 'id'), 'id')}, ${asName(at('v', facetValue, 'code'), 'code')}, ${asName(at('d', facetValueChannels, facetValueChannels.member), 'channel')}
        FROM ${as(facetValue, 'v')} JOIN ${as(facet, 'f')} ON ${at('f', facet, 'id')} = ${at('v', facetValue, 'facetId')}
        LEFT JOIN ${as(facetValueChannels, 'd')} ON ${at('d', facetValueChannels, facetValueChannels.owner)} = ${at('v', facetValue, 'id')}
            AND ${at('d', facetValueChannels, facetValueChannels.member)} = ${reference.channel.id}
        WHERE ${among(dialect, at('v', facetValue, 'id'), unknown)}`);
    for (const row of rows) remember(world, { ...row, facetChannel: row.channel });
}

function remember(world: World, row: FacetRow): void {
    let facet = world.facetsByCode.get(row.facet);
    if (facet?.id === undefined) {
        facet = { id: row.facetId, code: row.facet, name: row.facet, isInChannel: row.facetChannel !== null };
        world.facetsByCode.set(row.facet, facet);
    }
    if (row.id === null || world.facetValues.has(row.id)) return;
    const value: FacetValueRef = {
        id: row.id,
        code: row.code,
        name: row.code,
        facet,
        isInChannel: row.channel !== null,
    };
    world.facetValues.set(row.id, value);
    const key = keyOf(facet.code, value.code);
    const other = world.facetValuesByCode.get(key);
    // Codes are not unique within a facet: the channel's own comes first, then the oldest.
    if (!other || (!other.isInChannel && value.isInChannel)) world.facetValuesByCode.set(key, value);
}

function findFacet(world: World, text: string): FacetRef | undefined {
    return world.facetsByCode.get(text) ?? world.facetsByCode.get(slugOf(text));
}

function find(world: World, { facet: facetText, value }: FacetWish): FacetValueRef | undefined {
    const facet = findFacet(world, facetText);
    return (
        facet &&
        (world.facetValuesByCode.get(keyOf(facet.code, value)) ??
            world.facetValuesByCode.get(keyOf(facet.code, slugOf(value))))
    );
}

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
): readonly FacetValueRef[] {
    return wishes.flatMap(wish => {
        const known = find(world, wish);
        if (known?.isInChannel === true) return [known];
        const text = `${wish.facet}:${wish.value}`;
        const facet = findFacet(world, wish.facet);
        const isElsewhere = known !== undefined || facet?.isInChannel === false;
        if (!isElsewhere && rules.createsMissing) {
            const made = make(world, wish);
            if (made) return [made];
            rules.faults.add(wish.path, `is ${quoted(text)}, of which no code can be made`, text);
            return [];
        }
        const problem = isElsewhere
            ? `${show(text)} is not assigned to channel ${rules.channelCode}`
            : `${facet ? `${show(text)} is no facet value` : `${show(wish.facet)} is no facet`}; createMissingFacetValues would create it`;
        rules.faults.add(wish.path, problem, text);
        return [];
    });
}

function make(world: World, wish: FacetWish): FacetValueRef | undefined {
    const code = slugOf(wish.value);
    const facetCode = slugOf(wish.facet);
    let facet = findFacet(world, wish.facet);
    if (code === '' || facetCode === '') return undefined;
    if (!facet)
        world.facetsByCode.set(
            facetCode,
            (facet = { id: undefined, code: facetCode, name: wish.facet, isInChannel: true }),
        );
    const value: FacetValueRef = { id: undefined, code, name: wish.value, facet, isInChannel: true };
    world.facetValuesByCode.set(keyOf(facet.code, code), value);
    return value;
}
