import { z } from 'zod';
import type { JsonValue } from '../value/json';
import { connectionCode, secretCode } from './fields';
import { referencesOf } from './references';

const secret = (): z.ZodString => secretCode('Key', 'The key.');
const connection = (): z.ZodString =>
    connectionCode(['HTTP', 'REST'], { title: 'Connection', description: 'Where to.' });

/** `secret a.b=code` */
function found(schema: z.ZodType, value: JsonValue): readonly string[] {
    return referencesOf(schema, value).map(({ to, code, path }) => `${to} ${path}=${code}`);
}

describe('the type of a connection that a configuration names', () => {
    const database = z.strictObject({
        type: z.string().optional(),
        code: connectionCode(['POSTGRES', 'MYSQL'], {
            title: 'Connection',
            description: '.',
            typeField: 'type',
        }).optional(),
    });
    it.each<[JsonValue, readonly string[]]>([
        [{ code: 'erp', type: 'MYSQL' }, ['MYSQL']],
        [{ code: 'erp' }, ['POSTGRES', 'MYSQL']],
        [{ code: 'erp', type: 'ORACLE' }, ['POSTGRES', 'MYSQL']],
        [{ code: 'erp', type: 5 }, ['POSTGRES', 'MYSQL']],
    ])('is that of the sibling field: %j', (value, types) => {
        expect(referencesOf(database, value)).toEqual([{ to: 'connection', path: 'code', code: 'erp', types }]);
    });
});

describe('the secrets and connections that a configuration names', () => {
    it.each<[string, z.ZodType, JsonValue, readonly string[]]>([
        ['a field', z.strictObject({ key: secret(), title: z.string() }), { key: 'a', title: 'b' }, ['secret key=a']],
        [
            'nested objects',
            z.strictObject({ auth: z.strictObject({ inner: z.strictObject({ key: secret() }) }) }),
            { auth: { inner: { key: 'a' } } },
            ['secret auth.inner.key=a'],
        ],
        [
            'a list of codes',
            z.strictObject({ keys: z.array(secret()) }),
            { keys: ['a', 'b'] },
            ['secret keys[0]=a', 'secret keys[1]=b'],
        ],
        [
            'a list of objects',
            z.strictObject({ to: z.array(z.strictObject({ code: connection() })) }),
            { to: [{ code: 'a' }, { code: 'b' }] },
            ['connection to[0].code=a', 'connection to[1].code=b'],
        ],
        [
            'a record',
            z.strictObject({ keys: z.record(z.string(), secret()) }),
            { keys: { de: 'a', fr: 'b' } },
            ['secret keys.de=a', 'secret keys.fr=b'],
        ],
        [
            'optional and default',
            z.strictObject({ a: secret().optional(), b: secret().default('x'), c: secret().nullable() }),
            { a: 'a', b: 'b', c: null },
            ['secret a=a', 'secret b=b'],
        ],
        [
            'an optional object',
            z.strictObject({ auth: z.strictObject({ key: secret() }).optional() }),
            { auth: { key: 'a' } },
            ['secret auth.key=a'],
        ],
        [
            'an object with a prefault',
            z.strictObject({ auth: z.strictObject({ key: secret().optional() }).prefault({}) }),
            { auth: { key: 'a' } },
            ['secret auth.key=a'],
        ],
        [
            'a field whose wrapper has a separate title',
            z.strictObject({ key: secret().optional().meta({ title: 'Another', description: 'One.' }) }),
            { key: 'a' },
            ['secret key=a'],
        ],
        [
            'a list whose wrapper has meta',
            z.strictObject({ keys: z.array(secret()).optional().meta({ title: 'Keys' }) }),
            { keys: ['a'] },
            ['secret keys[0]=a'],
        ],
        [
            'a lazy schema',
            z.strictObject({ auth: z.lazy(() => z.strictObject({ key: secret() })) }),
            { auth: { key: 'a' } },
            ['secret auth.key=a'],
        ],
        [
            'a refined object',
            z.strictObject({ key: secret() }).superRefine(() => undefined),
            { key: 'a' },
            ['secret key=a'],
        ],
        ['text that is not a reference', z.strictObject({ key: z.string() }), { key: 'a' }, []],
        ['a field that the schema does not have', z.strictObject({ key: secret().optional() }), { other: 'a' }, []],
        ['nothing', z.strictObject({ key: secret().optional() }), {}, []],
    ])('%s', (_what, schema, value, expected) => {
        expect(found(schema, value)).toEqual(expected);
    });

    const either = z.strictObject({
        auth: z.discriminatedUnion('type', [
            z.strictObject({ type: z.literal('KEY'), key: secret() }),
            z.strictObject({ type: z.literal('TEXT'), key: z.string() }),
        ]),
    });

    it('are those of the alternative that the discriminator selects', () => {
        expect(found(either, { auth: { type: 'KEY', key: 'a' } })).toEqual(['secret auth.key=a']);
        expect(found(either, { auth: { type: 'TEXT', key: 'a' } })).toEqual([]);
    });

    it('are those of the alternative that the value fits, without a discriminator', () => {
        const union = z.strictObject({
            to: z.union([
                z.strictObject({ url: z.string() }),
                z.strictObject({ code: connection() }),
                z.array(secret()),
            ]),
        });
        expect(found(union, { to: { code: 'a' } })).toEqual(['connection to.code=a']);
        expect(found(union, { to: { url: 'a' } })).toEqual([]);
        expect(found(union, { to: ['a', 'b'] })).toEqual(['secret to[0]=a', 'secret to[1]=b']);
        expect(found(z.strictObject({ key: z.union([z.number(), secret()]) }), { key: 'a' })).toEqual(['secret key=a']);
    });

    it('are found on both sides of an intersection', () => {
        const both = z.intersection(z.object({ a: secret() }), z.object({ b: connection() }));
        expect(found(both, { a: 'a', b: 'b' })).toEqual(['secret a=a', 'connection b=b']);
    });

    it('name the types that fit a connection', () => {
        expect(referencesOf(z.strictObject({ to: connection() }), { to: 'a' })).toEqual([
            { to: 'connection', code: 'a', path: 'to', types: ['HTTP', 'REST'] },
        ]);
    });

    it.each(Object.getOwnPropertyNames(Object.prototype))('are not searched in inherited properties: %s', name => {
        const value = Object.fromEntries<JsonValue>([
            [name, Object.fromEntries<JsonValue>([[name, { key: 'a' }]])],
            ['key', 'b'],
        ]);
        expect(found(z.strictObject({ key: secret() }), value)).toEqual(['secret key=b']);
    });
});
