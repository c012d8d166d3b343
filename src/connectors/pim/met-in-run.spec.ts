import type { StateScope } from '../../core/progress/state-entries';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { runBatch } from '../../testing/bare-call';
import type { BatchOperator } from '../../core/adapter/operator';
import { pimCategory } from './category-operator';
import { pimProduct } from './product-operator';

/** What workers of one run find of each other. */
class Memory {
    private readonly kept = new Map<string, JsonValue>();
    private scope = new Map<string, StateScope>();

    /** A worker that has taken over the run: it opens the operator again. */
    async nextWorker(operator: BatchOperator, records: readonly JsonObject[]): Promise<readonly string[]> {
        const { out, rejected } = await runBatch({ operator, args: { defaultLanguage: 'en' } }, records, {
            recall: async (keys, scope = 'pipeline') => {
                this.scope = new Map([...this.scope, ...keys.map(key => [key, scope] as const)]);
                const found = keys.filter(key => this.kept.has(scope + key));
                return new Map(found.map(key => [key, this.kept.get(scope + key)!]));
            },
            remember: (_, key, value) => void this.kept.set(this.scope.get(key)! + key, value),
        });
        return [
            ...out.map(({ data }) => String(data['pimId'])),
            ...rejected.map(({ record: { data }, error }) => `${String(data['id'])} ${error.code}`),
        ];
    }

    runEnds(): void {
        for (const key of this.kept.keys()) if (key.startsWith('run')) this.kept.delete(key);
    }
}

describe('what two things of the PIM both want to be called, when another worker has taken the run over between them', () => {
    it('is the SKU of the first product', async () => {
        const memory = new Memory();
        const lamp = { id: '7', key: 'lamp', sku: 'L-1' };
        const twin = { id: '8', key: 'twin', sku: 'L-1' };
        expect(await memory.nextWorker(pimProduct, [lamp])).toEqual(['7']);
        expect(await memory.nextWorker(pimProduct, [twin])).toEqual(['8 RECORD_INVALID']);
        // The first product is repeated in its batch after a crash, and in the next run the order may be different.
        expect(await memory.nextWorker(pimProduct, [lamp])).toEqual(['7']);
        memory.runEnds();
        expect(await memory.nextWorker(pimProduct, [twin])).toEqual(['8']);
    });

    it('is a variant of the product that still has it', async () => {
        const memory = new Memory();
        const product = (id: string, sku: string) => ({
            id,
            key: `of-${id}`,
            variants: [{ id: '70', key: 'red', sku }],
        });
        expect(await memory.nextWorker(pimProduct, [product('7', 'S-R')])).toEqual(['7']);
        memory.runEnds();
        const changed = { ...product('7', 'S-R'), variants: [{ id: '71', key: 'blue', sku: 'S-B' }] };
        expect(await memory.nextWorker(pimProduct, [changed])).toEqual(['7']);
        expect(await memory.nextWorker(pimProduct, [product('9', 'S-R')])).toEqual(['9 RECORD_INVALID']);
    });

    it('is the slug of the first category', async () => {
        const memory = new Memory();
        expect(await memory.nextWorker(pimCategory, [{ id: '6', key: 'shoes' }])).toEqual(['6']);
        expect(await memory.nextWorker(pimCategory, [{ id: '7', key: 'Shoes' }])).toEqual(['7 RECORD_INVALID']);
    });
});
