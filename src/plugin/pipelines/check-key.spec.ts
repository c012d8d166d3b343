import { z } from 'zod';
import type { Advice } from '../../core/adapter/base';
import { recordOperator } from '../../core/adapter/operator';
import { Registry } from '../../core/adapter/registry';
import { runAtOnce } from '../../core/concurrency/yielding-task';
import { setUp } from '../setup';
import { type CheckedWith, checkKey } from './check-key';

interface Text {
    readonly text: string;
}
interface Shape {
    readonly max?: number;
    readonly rule?: (config: Text) => boolean;
    readonly advise?: () => readonly Advice[];
}

const operator = ({ max = 5, rule = ({ text }) => text !== 'a', advise }: Shape = {}) =>
    recordOperator({
        code: 'mine',
        title: 'Mine',
        summary: 'Does something.',
        examples: [],
        config: z
            .strictObject({ text: z.string().max(max).meta({ title: 'Text', description: 'Any.' }) })
            .refine(rule, 'allowed: another one'),
        ...(advise && { advise }),
        compile: () => data => data,
    });
const limits = { maxValues: 1_000, maxConfigValues: 100, maxPatterns: 10 };
const given: CheckedWith = {
    version: '1.0.0',
    registry: Registry.of([operator()]),
    limits,
    allowed: [['erp.internal'], []],
    permissions: new Set(['UpdateCatalog', 'ReadCatalog']),
    customFields: ['Product.season string'],
};
const keyOf = (changed: Partial<CheckedWith> = {}): string => runAtOnce(checkKey({ ...given, ...changed }));

describe('what issues were found with', () => {
    it('is the same in every process of a shop, in whatever order permissions come', () => {
        const registry = Registry.of([operator()]);
        expect(keyOf({ registry, permissions: new Set(['ReadCatalog', 'UpdateCatalog']) })).toBe(keyOf());
        expect(keyOf()).toMatch(/^[0-9a-f]{64}$/);
    });

    it.each<[string, Partial<CheckedWith>]>([
        ['the version of Flow', { version: '1.0.1' }],
        ['a limit', { limits: { ...limits, maxPatterns: 11 } }],
        ['a permission of another plugin', { permissions: new Set(['UpdateCatalog']) }],
        ['a custom field', { customFields: ['Product.season string', 'Product.year int'] }],
        ['a removed adapter', { registry: Registry.of([]) }],
        ['a schema', { registry: Registry.of([operator({ max: 6 })]) }],
        ['the text of a rule', { registry: Registry.of([operator({ rule: ({ text }) => text !== 'b' })]) }],
        ['a warning', { registry: Registry.of([operator({ advise: () => [] })]) }],
    ])('is another one with %s', (_what, changed) => {
        expect(keyOf(changed)).not.toBe(keyOf());
    });

    it('can be computed for all adapters of Flow', () => {
        const { registry } = setUp({});
        const bits = [...checkKey({ ...given, registry })].length;
        expect(bits).toBe(registry.definitions.length);
        expect(keyOf({ registry })).toBe(keyOf({ registry: setUp({}).registry }));
    });
});
