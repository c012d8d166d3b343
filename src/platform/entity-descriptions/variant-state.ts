import { EntityState, storedToken } from '../entities/entity-state';
import type { Id } from '../../database/write';
import type { OptionState, ProductState } from './product-state';

export interface PriceState {
    readonly id: Id | undefined;
    readonly channelId: Id;
    readonly currency: string;
    /** Undefined for one that is not stored yet. */
    readonly stored: number | undefined;
    price: number;
    isRemoved?: boolean;
}

export interface StockState {
    readonly id: Id | undefined;
    readonly locationId: Id;
    /** The level when it was read; 0 for one that is not stored yet. */
    readonly stored: number;
    /** Locked against other transactions until the commit. */
    readonly isLocked: boolean;
    readonly allocated: number;
    onHand: number;
    isRemoved?: boolean;
    /** By how much it was changed, one after the other. */
    readonly adjustments: number[];
}

/** A variant as it is and as the records so far have changed it. */
export class VariantState extends EntityState {
    prices: PriceState[] | undefined;
    stock: StockState[] | undefined;
    options: OptionState[] | undefined;
    areOptionsChanged = false;
    /** The product that it was made for in this very batch or dry run. */
    madeFor: ProductState | undefined;

    /** The id of its product; undefined while that is only planned. */
    get productId(): Id | undefined {
        return this.columns.values['productId'] as Id | undefined;
    }

    override get ownerToken(): string {
        return this.madeFor?.token ?? storedToken(this.productId!);
    }

    belongsTo({ token }: ProductState): boolean {
        return this.ownerToken === token;
    }
}
