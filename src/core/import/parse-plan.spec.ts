import { parsePlan } from './parse-plan';
import {
    ASSETS,
    COLLECTIONS,
    filledBy,
    CUSTOMERS,
    FACETS,
    ORDERS,
    PRICE_LIST,
    PRICES,
    PRODUCT_EXPORT,
    STOCK,
} from '../../../test/fixtures/import-plans';

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function messagesOf(plan: unknown): readonly string[] {
    const result = parsePlan(plan);
    return result.ok ? [] : result.issues.map(({ message }) => message);
}

const first = PRICE_LIST.fields[0]!;

describe('parsePlan', () => {
    it.each([PRICE_LIST, PRODUCT_EXPORT, PRICES, STOCK, CUSTOMERS, COLLECTIONS, FACETS, ASSETS, ORDERS])(
        'reads a plan unchanged',
        plan => expect(parsePlan(asJson(plan))).toEqual({ ok: true, value: plan }),
    );

    it.each<readonly [string, unknown, string]>([
        ['text', 'plan', ' is "plan"; allowed: an object'],
        ['another version', { ...PRICE_LIST, version: 2 }, 'version is 2; allowed: 1'],
        [
            'an unknown field',
            { ...PRICE_LIST, script: '1' },
            'script is an unknown field; known: version, source, facts, target, knownExport, language, matchBy, fields, variants, prices, missing, createMissingFacetValues, remedies',
        ],
        ['no fields', { ...PRICE_LIST, fields: [] }, 'fields is an empty list; allowed: 1 to 200 elements'],
        [
            'too many fields',
            { ...PRICE_LIST, fields: Array.from({ length: 201 }, (_, index) => filledBy(`f${index}`, 'a')) },
            'fields is a list of 201; allowed: 1 to 200 elements',
        ],
        [
            'too many columns',
            {
                ...PRICE_LIST,
                fields: [1, 2].map(number => ({
                    field: `f${number}`,
                    columns: Array.from({ length: 251 }, (_, index) => `c${index}`),
                    conversions: [],
                })),
            },
            'fields is a list of 2; allowed: at most 500 columns in all fields together',
        ],
        [
            'a long text',
            { ...PRICE_LIST, fields: [{ field: 'name', columns: ['a'.repeat(1001)], conversions: [] }] },
            'fields.0.columns.0 is',
        ],
        [
            'a field twice',
            { ...PRICE_LIST, fields: [first, first] },
            'fields.1.field is "sku"; allowed: each field once',
        ],
        [
            'a field without a column or value',
            { ...PRICE_LIST, fields: [{ field: 'name', conversions: [] }] },
            'fields.0.columns is missing; allowed: columns or a value, one of them',
        ],
        [
            'a field that cannot be written',
            { ...PRICE_LIST, fields: [filledBy('facet:__proto__', 'a')] },
            'fields.0.field is "facet:__proto__"; allowed: the path of a field of a record',
        ],
        [
            'an unknown conversion',
            { ...PRICE_LIST, fields: [{ ...first, conversions: [{ type: 'SCRIPT' }] }] },
            'fields.0.conversions.0.type is "SCRIPT"; allowed: ',
        ],
        [
            'an unknown remedy',
            { ...PRICE_LIST, remedies: [{ type: 'DECIMALS', field: 'price', decimals: 'DOT' }] },
            'remedies.0.decimals is "DOT"; allowed: "POINT", "COMMA"',
        ],
        [
            'a replacement that is not a text',
            { ...PRICE_LIST, remedies: [{ type: 'LOOKUP', field: 'name', values: { a: 1 } }] },
            'remedies.0.values is an object; allowed: an object with at most 1000 texts',
        ],
        [
            'a share that is too large',
            { ...PRICE_LIST, missing: { action: 'DELETE', maxShare: 2 } },
            'missing.maxShare is 2; allowed: 0 to 1',
        ],
    ])('rejects %s', (_, plan, message) => {
        const messages = messagesOf(plan);
        expect(messages).toHaveLength(1);
        expect(messages[0]).toContain(message);
    });

    it('keeps replacements of values with names of all objects', () => {
        const values = JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}') as Record<string, string>;
        const parsed = parsePlan({ ...PRICE_LIST, remedies: [{ type: 'LOOKUP', field: 'name', values }] });
        expect(parsed.ok && JSON.stringify(parsed.value.remedies[0])).toBe(
            '{"type":"LOOKUP","field":"name","values":{"__proto__":"a","constructor":"b","toString":"c"}}',
        );
    });
});
