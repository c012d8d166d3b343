import type { ChannelFacts, TaxCategoryFacts } from '../lookup/reference';
import type { Id } from '../../database/write';
import type { CustomValues } from '../entities/custom-fields';
import type { DesiredTexts } from '../entities/read-texts';
import type { DesiredAssets } from '../entity-assets/read-assets';
import type { LoadFieldNames } from './load-config';

/** The values that a record sets; undefined means "not mentioned", and such a field is never changed. */
export interface DesiredProduct {
    /** How the record calls its fields, for messages. */
    readonly names: LoadFieldNames;
    readonly isDelete: boolean;
    /** As the record gives it. */
    readonly slug: string | undefined;
    /** Its name in the run's language; it is found by that where the record has no slug. */
    readonly name: string | undefined;
    /** Made of the slug, or of the name if there is no slug: the slug of a new product, unless another one has it. */
    readonly madeSlug: string | undefined;
    /** By language, the run's own among them. */
    readonly texts: ReadonlyMap<string, DesiredTexts>;
    readonly enabled: boolean | undefined;
    readonly facetValues: readonly FacetReference[] | undefined;
    readonly gallery: DesiredAssets;
    readonly channels: readonly ChannelFacts[] | undefined;
    /** null removes all of them. */
    readonly optionGroups: readonly string[] | null | undefined;
    readonly custom: CustomValues | undefined;
    readonly variants: readonly DesiredVariant[] | undefined;
}

export interface DesiredVariant {
    readonly isDelete: boolean;
    /** The path in the record ("", "variants.0."), and the names of its fields there, for messages. */
    readonly path: string;
    readonly names: LoadFieldNames;
    /** True when its fields are at the top level of a product record. */
    readonly isFlat: boolean;
    readonly sku: string;
    readonly texts: ReadonlyMap<string, DesiredTexts>;
    readonly enabled: boolean | undefined;
    /** By currency, in the run's channel; null takes one away. */
    readonly prices: ReadonlyMap<string, number | null>;
    readonly stock: readonly DesiredLevel[];
    readonly taxCategory: TaxCategoryFacts | undefined;
    readonly trackInventory: string | undefined;
    /** Option by group, as given. */
    readonly options: ReadonlyMap<string, string> | undefined;
    readonly facetValues: readonly FacetReference[] | undefined;
    readonly gallery: DesiredAssets;
    readonly custom: CustomValues | undefined;
    /** The slug or the name of its product, as given. */
    readonly productSlug: string | undefined;
}

export interface DesiredLevel {
    readonly locationId: Id;
    readonly location: string;
    /** null takes the level away. */
    readonly quantity: number | null;
    /** A plain number, which Vendure checks against the out-of-stock threshold. */
    readonly isPlain: boolean;
}

/** "facet:value" as a record has it. */
export interface FacetReference {
    /** The list that contains it, and its index there. */
    readonly list: string;
    readonly place: number;
    /** Both together, without blanks in between. */
    readonly text: string;
    readonly facet: string;
    readonly value: string;
}
