import type { JsonObject } from '../../core/value/json';
import { pathFrom, permissionsToRead, withParents } from './entities';
import { dateOf, filterProblem, isIsoDate, type QueryFilter } from './filters';
import { readKeysetPosition, storedKeysetPosition } from './keyset';
import { idsOfSeed, MAX_IDS } from './seed-ids';

describe('the relations of a query', () => {
    it('bring what their paths begin with, the shorter ones first', () => {
        expect(withParents(['variants.facetValues.facet', 'assets', 'variants'])).toEqual([
            'variants',
            'assets',
            'variants.facetValues',
            'variants.facetValues.facet',
        ]);
    });

    it('need the right to read what they lead to, as well as the entity', () => {
        expect(permissionsToRead('PRODUCT', [])).toEqual([['ReadCatalog', 'ReadProduct']]);
        expect(permissionsToRead('CUSTOMER', ['orders.payments'])).toEqual([
            ['ReadCustomer'],
            ['ReadOrder'],
            ['ReadOrder'],
        ]);
        // A path that does not exist needs no permission, because it is rejected.
        expect(permissionsToRead('PRODUCT', ['nowhere'])).toEqual([['ReadCatalog', 'ReadProduct']]);
    });

    it.each([
        'user.authenticationMethods',
        'user.sessions',
        'user.roles',
        'constructor',
        '__proto__',
        'orders.channels',
    ])('never lead to %s', path => expect(pathFrom('CUSTOMER', path)).toHaveProperty('problem'));

    it('have at most four steps', () => {
        expect(pathFrom('COLLECTION', 'children.children.children.children')).toHaveProperty('to');
        expect(pathFrom('COLLECTION', 'children.children.children.children.parent')).toHaveProperty('problem');
    });
});

describe('what a seed names', () => {
    it.each<[string, JsonObject, readonly string[]]>([
        ['its own name for it', { productVariantId: 7, id: '1' }, ['7']],
        ['several of them', { productVariantIds: ['7', 8] }, ['7', '8']],
        ['id', { id: 'a' }, ['a']],
        ['ids', { ids: [] }, []],
        ['the id of an event about it', { event: 'ProductVariantEvent', id: 3 }, ['3']],
        ['a movement of stock', { event: 'StockMovementEvent', id: 3, productVariantIds: [4] }, ['4']],
    ])('is taken: %s', (_, record, ids) => {
        expect(idsOfSeed(record, 'PRODUCT_VARIANT')).toEqual(ids);
    });

    it.each<[string, JsonObject]>([
        ['nothing', {}],
        ['null', { productId: null }],
        ['an event about something else', { event: 'OrderPlacedEvent', id: 1 }],
        ['an invalid id', { productId: { id: 1 } }],
        ['a list with an invalid element', { productIds: ['1', true] }],
        ['an empty text', { id: '' }],
        ['too many', { ids: Array.from({ length: MAX_IDS + 1 }, (_, i) => i) }],
    ])('rejects the record: %s', (_, record) => {
        expect(idsOfSeed(record, 'PRODUCT')).toMatchObject({ code: 'RECORD_INVALID' });
    });

    it('takes the user who has registered for no customer of the same number', () => {
        const registered = { event: 'AccountRegistrationEvent', id: 7, userId: 7 };
        expect(idsOfSeed(registered, 'CUSTOMER')).toMatchObject({ code: 'RECORD_INVALID' });
        expect(idsOfSeed({ event: 'CustomerEvent', id: 7 }, 'CUSTOMER')).toEqual(['7']);
    });
});

describe('the value of a filter', () => {
    const judged = (operator: QueryFilter['operator'], value: QueryFilter['value'], kind = 'text' as const) =>
        filterProblem({ field: 'a', operator, value }, kind) === undefined;

    it('is one that the field can have', () => {
        expect(judged('eq', 'x')).toBe(true);
        expect(judged('eq', null)).toBe(true);
        expect(judged('gt', null)).toBe(false);
        expect(judged('eq', 7)).toBe(false);
        expect(judged('in', [])).toBe(false);
        expect(judged('in', ['a', null])).toBe(false);
        expect(judged('like', ['a'])).toBe(false);
        expect(judged('eq', 'a\0')).toBe(false);
        expect(judged('eq', '\ud800')).toBe(false);
    });

    it('is a date in ISO form, in UTC where it names no zone', () => {
        expect(dateOf('2026-01-31').toISOString()).toBe('2026-01-31T00:00:00.000Z');
        expect(dateOf('2026-01-31T10:00:00').toISOString()).toBe('2026-01-31T10:00:00.000Z');
        expect(dateOf('2026-01-31T10:00:00+02:00').toISOString()).toBe('2026-01-31T08:00:00.000Z');
        for (const odd of ['31.01.2026', '2026-13-01', 'today', '2026', '']) expect(isIsoDate(odd)).toBe(false);
    });
});

it('a place in a query comes back from its checkpoint, and nothing else does', () => {
    const place = { value: '2026-01-31 10:00:00.123456', id: 7 };
    expect(readKeysetPosition(JSON.parse(JSON.stringify(storedKeysetPosition(place))) as JsonObject)).toEqual(place);
    expect(readKeysetPosition(undefined)).toBeUndefined();
    expect(() => readKeysetPosition({ value: 1 })).toThrow(expect.objectContaining({ code: 'BUG' }));
});
