import type { Script } from '../../core/adapter/loader';
import { type Id, insertNumbered, insertRows } from '../../database/write';
import type { Table, JoinTable } from '../../database/table';
import type { Catalogue } from './read-entities';
import type { FacetValueRef } from './state';
import { addPairs } from './write-rows';

export interface CreatedFacets {
    readonly facets: readonly Id[];
    readonly facetValues: readonly Id[];
}

interface Named {
    id: Id | undefined;
    readonly code: string;
    readonly name: string;
}

/** Creates the facets and facet values that are used and do not exist yet, as FacetService and FacetValueService would. */
export function* writeFacets(catalogue: Catalogue, used: Iterable<FacetValueRef>): Script<CreatedFacets> {
    const {
        tables: { facet, facetText, facetChannels, facetValue, facetValueText, facetValueChannels },
    } = catalogue;
    const values = [...new Set(used)].filter(value => value.id === undefined);
    const facets = [...new Set(values.map(value => value.facet))].filter(({ id }) => id === undefined);
    yield* writeNamed(
        catalogue,
        { table: facet, texts: facetText, channels: facetChannels },
        { entities: facets, rest: () => ({ isPrivate: false }) },
    );
    yield* writeNamed(
        catalogue,
        { table: facetValue, texts: facetValueText, channels: facetValueChannels },
        {
            entities: values,
            rest: value => ({ facetId: value.facet.id }),
        },
    );
    return { facets: facets.map(({ id }) => id!), facetValues: values.map(({ id }) => id!) };
}

export interface NamedTables {
    readonly table: Table;
    readonly texts: Table;
    readonly channels: JoinTable;
}

/** Inserts entities that have a code, a name in the run's language, and channels. */
export function* writeNamed<T extends Named>(
    catalogue: Catalogue,
    { table, texts, channels }: NamedTables,
    {
        entities,
        rest,
        channelsOf,
    }: {
        readonly entities: readonly T[];
        readonly rest: (entity: T) => Readonly<Record<string, unknown>>;
        /** Channels beside the run's own and the default one. */
        readonly channelsOf?: (entity: T) => Iterable<Id>;
    },
): Script<void> {
    if (entities.length === 0) return;
    const { dialect, reference } = catalogue;
    const ids = yield* insertNumbered(
        { table, dialect },
        entities.map(entity => ({ code: entity.code, ...rest(entity) })),
    );
    entities.forEach((entity, i) => (entity.id = ids[i]!));
    yield* insertRows(
        { table: texts, dialect },
        entities.map(({ id, name }) => ({ languageCode: reference.language, name, base: id })),
    );
    yield* addPairs(
        catalogue,
        channels,
        entities.flatMap(entity =>
            [...new Set([reference.channel.id, reference.defaultChannel.id, ...(channelsOf?.(entity) ?? [])])].map(
                channel => [entity.id!, channel] as const,
            ),
        ),
    );
}
