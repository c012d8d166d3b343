import type { JsonObject } from '../value/json';
import { operators } from './index';

function adviceOf(op: string, args: JsonObject): readonly string[] {
    const operator = operators.find(({ code }) => code === op)!;
    const advice = operator.advise?.(operator.config.parse(args)) ?? [];
    return advice.map(({ code, path }) => `${code} ${path}`);
}

const dedup = (args: JsonObject): JsonObject => ({ key: 'sku', ...args });
const math = (args: JsonObject): JsonObject => ({ source: 'a', ...args });
const uuid = (args: JsonObject): JsonObject => ({ target: 'id', ...args });
const extract = (args: JsonObject): JsonObject => ({ source: 'a', target: 'b', pattern: '(a)', ...args });

describe('an argument without effect because of another one', () => {
    it.each<[string, JsonObject, string]>([
        ['expand', { path: 'v', mergeParent: true, parentFields: { a: 'b' } }, 'parentFields'],
        ['deduplicateRecords', dedup({ priority: 'p' }), 'priority'],
        ['deduplicateRecords', dedup({ keep: 'LAST', priority: 'p' }), 'priority'],
        ['aggregate', { op: 'count', source: 'a' }, 'source'],
        ['uuid', uuid({ namespace: 'dns' }), 'namespace'],
        ['uuid', uuid({ version: 'v7', source: 'n' }), 'source'],
        ['math', math({ operation: 'abs', operand: 2 }), 'operand'],
        ['math', math({ operation: 'floor', decimals: 2 }), 'decimals'],
        ['extractRegex', extract({ flags: 'ig' }), 'flags'],
        ['extractRegex', extract({ flags: 'u' }), 'flags'],
        ['replaceRegex', { path: 'a', pattern: 'a', replacement: 'b', flags: 'gu' }, 'flags'],
        ['when', { conditions: [{ field: 'a', cmp: 'exists', value: 1 }] }, 'conditions.0.value'],
    ])('of %s is allowed, and a warning: %j', (op, args, path) => {
        expect(adviceOf(op, args)).toEqual([`WITHOUT_EFFECT ${path}`]);
    });

    it.each<[string, JsonObject]>([
        ['expand', { path: 'v', parentFields: { a: 'b' } }],
        ['expand', { path: 'v', mergeParent: true }],
        ['deduplicateRecords', dedup({ keep: 'LOWEST', priority: 'p' })],
        ['aggregate', { op: 'sum', source: 'a' }],
        ['uuid', uuid({ version: 'v5', namespace: 'dns', source: 'n' })],
        ['math', math({ operation: 'round', decimals: 2 })],
        ['math', math({ operation: 'add', operand: 2, decimals: 2 })],
        ['extractRegex', extract({ flags: 'ims' })],
        ['replaceRegex', { path: 'a', pattern: 'a', replacement: 'b', flags: 'gims' }],
        ['when', { conditions: [{ field: 'a', cmp: 'exists' }] }],
    ])('is not reported for %s with %j', (op, args) => {
        expect(adviceOf(op, args)).toEqual([]);
    });
});
