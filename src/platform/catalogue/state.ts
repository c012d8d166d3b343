import type { JsonValue } from '../../core/value/json';
import type { Columns, Members, TextState } from '../entities/columns';
import type { EntityState } from '../entities/entity-state';
import type { Id } from '../../database/write';

export interface OptionState {
    id: Id | undefined;
    readonly code: string;
    readonly name: string;
}

export interface GroupState {
    id: Id | undefined;
    readonly code: string;
    readonly name: string;
    readonly options: OptionState[];
}

export interface PriceState {
    id: Id | undefined;
    readonly channelId: Id;
    readonly currency: string;
    price: number;
    isChanged: boolean;
    isRemoved?: boolean;
}

export interface StockState {
    readonly id: Id | undefined;
    readonly locationId: Id;
    /** What the level was when it was read; 0 for one that is not stored yet. */
    readonly stored: number;
    onHand: number;
}

/** A product as it is and as the records so far have changed it. Parts that no record asks about are never read. */
export class ProductState {
    readonly texts = new Map<string, TextState>();
    facetValues: Members<EntityState> | undefined;
    channels: Members<Id> | undefined;
    groups: GroupState[] | undefined;
    /** SKU by the combination of options that it takes. */
    combinations: Map<string, string> | undefined;
    /** Groups of `groups` that are not joined to the product yet. */
    newGroups: GroupState[] = [];
    isDeleted = false;
    /** Something of its own changed, so that its updatedAt moves. */
    isTouched = false;

    constructor(
        public id: Id | undefined,
        readonly columns: Columns,
    ) {}

    /** What tells it from others, stored or not. */
    get token(): unknown {
        return this.id ?? this;
    }

    text(language: string, property: string): JsonValue | undefined {
        return this.texts.get(language)?.columns.values[property];
    }
}

export class VariantState {
    readonly texts = new Map<string, TextState>();
    prices: PriceState[] | undefined;
    stock: StockState[] | undefined;
    facetValues: Members<EntityState> | undefined;
    channels: Members<Id> | undefined;
    options: OptionState[] | undefined;
    areOptionsChanged = false;
    isDeleted = false;
    isTouched = false;

    constructor(
        public id: Id | undefined,
        readonly columns: Columns,
        /** Its product where that is at hand, else the product's id. */
        public product: ProductState | Id,
    ) {}

    get sku(): string {
        return this.columns.values['sku'] as string;
    }

    belongsTo(product: ProductState): boolean {
        return this.product === product || (product.id !== undefined && this.product === product.id);
    }
}

/** The same combination has the same text, whatever the order of its options. */
export function combinationOf(options: ReadonlyArray<{ readonly group: string; readonly option: string }>): string {
    return options
        .map(({ group, option }) => JSON.stringify([group, option]))
        .sort()
        .join();
}
