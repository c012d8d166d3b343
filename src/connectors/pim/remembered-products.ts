import type { OperatorContext } from '../../core/adapter/operator';
import type { FlowRecord } from '../../core/data/record';
import { isFlowError } from '../../core/errors/flow-error';
import type { JsonObject } from '../../core/value/json';
import { prunedProduct, type KnownProduct, readKnown } from './known-products';
import { pimIdOf } from './transform';

/** What is remembered of the products of one batch, and of the variants that they have had. */
export class RememberedProducts {
    private readonly kept = new Map<string, string>();

    private constructor(
        private readonly stored: ReadonlyMap<string, unknown>,
        private readonly call: OperatorContext,
    ) {}

    static async of(
        batch: readonly FlowRecord[],
        made: ReadonlyMap<FlowRecord, JsonObject>,
        call: OperatorContext,
    ): Promise<RememberedProducts> {
        const ids = batch.flatMap(({ data }) => {
            try {
                return [pimIdOf(data)];
            } catch (error) {
                if (!isFlowError(error)) throw error;
                // Reported where it is transformed.
                return [];
            }
        });
        const variants = [...made.values()].flatMap(product => variantIds(product));
        const keys = [...new Set([...ids.map(productKey), ...ids.map(variantKey), ...variants.map(variantKey)])];
        const found = new Map<string, unknown>(await call.recall(keys));
        const owners = [...ids, ...variants].flatMap(id => ownerIn(found.get(variantKey(id))) ?? []);
        const more = owners.map(productKey).filter(key => !keys.includes(key));
        for (const [key, value] of more.length === 0 ? [] : await call.recall([...new Set(more)]))
            found.set(key, value);
        return new RememberedProducts(found, call);
    }

    product(id: string): KnownProduct | undefined {
        return readKnown(this.stored.get(productKey(id)));
    }

    keep(record: FlowRecord, id: string, known: KnownProduct | null): void {
        this.write(record, productKey(id), known as JsonObject | null);
    }

    /** SKUs of variants that the shop has under another product of the PIM, and which. */
    foreign(product: JsonObject): ReadonlyMap<string, string> {
        const own = idIn(product);
        return new Map(
            variantsOf(product).flatMap(({ id, sku }): ReadonlyArray<readonly [string, string]> => {
                const owner = ownerIn(this.stored.get(variantKey(id)));
                const isKept = owner !== undefined && owner !== own && this.product(owner)?.skus.includes(sku);
                return isKept ? [[sku, owner]] : [];
            }),
        );
    }

    /** Whose the variants are. */
    own(record: FlowRecord, product: JsonObject): void {
        for (const { id, sku } of variantsOf(product))
            this.write(record, variantKey(id), { product: idIn(product), sku });
    }

    /** The record for a missing product; undefined if nothing is known about it, or if it should stay. */
    gone(record: FlowRecord, missing: 'NONE' | 'DISABLE' | 'DELETE', bySku: boolean): JsonObject | undefined {
        const id = pimIdOf(record.data);
        const known = this.product(id);
        if (missing === 'NONE') return undefined;
        if (known) {
            if (missing === 'DELETE') this.keep(record, id, null);
            return prunedProduct(id, known, { missing, bySku });
        }
        const value = this.stored.get(variantKey(id)) as { readonly product: string; readonly sku: string } | undefined;
        const owner = value && this.product(value.product);
        if (!value || !owner || !bySku) return undefined;
        return {
            pimId: value.product,
            variants: [{ sku: value.sku, ...(missing === 'DELETE' ? { __operation: 'DELETE' } : { enabled: false }) }],
        };
    }

    /** What is the same as before is not written. */
    private write(record: FlowRecord, key: string, value: JsonObject | null): void {
        const text = JSON.stringify(value);
        if (text === (this.kept.get(key) ?? JSON.stringify(this.stored.get(key) ?? null))) return;
        this.kept.set(key, text);
        this.call.remember(record, key, value);
    }
}

const productKey = (id: string): string => `product ${id}`;
const variantKey = (id: string): string => `variant ${id}`;

function idIn(product: JsonObject): string {
    return String(product['pimId']);
}

function variantsOf({ variants }: JsonObject): ReadonlyArray<{ readonly id: string; readonly sku: string }> {
    return ((variants ?? []) as ReadonlyArray<{ readonly pimId?: string; readonly sku: string }>).flatMap(
        ({ pimId, sku }) => (pimId === undefined ? [] : [{ id: pimId, sku }]),
    );
}

function variantIds(product: JsonObject): readonly string[] {
    return variantsOf(product).map(({ id }) => id);
}

function ownerIn(value: unknown): string | undefined {
    return (value as { readonly product?: string } | undefined | null)?.product;
}
