import type { JsonObject } from '../../core/value/json';
import { Columns } from '../entities/columns';
import type { VariantState } from '../entity-descriptions/variant-state';
import { thresholdOf } from './stock';

const shop = { outOfStockThreshold: 5, tracksInventory: true };
const variant = (columns: JsonObject): VariantState => ({ columns: new Columns({ ...columns }) }) as VariantState;
const own = { useGlobalOutOfStockThreshold: false, outOfStockThreshold: -3 };

describe('the stock below which a plain number is rejected', () => {
    it.each<[string, number, Parameters<typeof thresholdOf>]>([
        ["is the shop's if the variant has none", 5, [shop, variant({ trackInventory: 'TRUE' })]],
        ['is that of the variant', -3, [shop, variant({ trackInventory: 'INHERIT', ...own })]],
        ['is 0 of a variant that is not tracked', 0, [shop, variant({ trackInventory: 'FALSE', ...own })]],
        [
            'is 0 where the shop tracks nothing',
            0,
            [{ ...shop, tracksInventory: false }, variant({ trackInventory: 'INHERIT' })],
        ],
        ['goes by what a new variant is to be', 0, [shop, undefined, 'FALSE']],
        ["is the shop's for a new variant that says nothing", 5, [shop, undefined]],
    ])('%s', (_, threshold, of) => {
        expect(thresholdOf(...of)).toBe(threshold);
    });
});
