import { faultsOf } from './faults';
import { fieldsOf, type JsonSchema, kindOf } from './json-schema';
import { emptyValue, fittingTypes, isShown, submitted, summaryOf, textValue, withChange, withValue } from './values';

const schema: JsonSchema = {
    type: 'object',
    properties: {
        auth: {
            type: 'object',
            properties: {
                type: { type: 'string', enum: ['NONE', 'BASIC', 'API_KEY'], default: 'NONE' },
                username: { type: 'string', minLength: 1, showIf: { type: 'BASIC' } },
                secret: { type: 'string', showIf: { type: ['BASIC', 'API_KEY'] } },
            },
            required: ['secret'],
        },
        timeoutMs: { type: 'integer', minimum: 1, maximum: 300 },
        names: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
        either: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
        tree: { $ref: '#/$defs/node' },
    },
    $defs: { node: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } } } },
};
const auth = schema.properties!['auth']!;

describe('a form', () => {
    it('sends only what means something now, and keeps the rest while it is open', () => {
        const draft = { auth: { type: 'BASIC', username: 'ada', secret: 'key' }, unknown: 1 };
        const changed = { ...draft, auth: { ...draft.auth, type: 'NONE' } };
        expect(submitted(schema, changed)).toEqual({ auth: { type: 'NONE' }, unknown: 1 });
        expect(submitted(schema, { ...changed, auth: { ...changed.auth, type: 'BASIC' } })).toEqual(draft);
    });

    it('takes the default of what has not been chosen', () => {
        const fields = fieldsOf(auth, schema);
        const username = fields.find(({ key }) => key === 'username')!;
        expect(isShown(username, fields, {})).toBe(false);
        expect(isShown(username, fields, { type: 'BASIC' })).toBe(true);
    });

    it('shows a field while another one has no value, where its condition is null', () => {
        const [csv, format] = fieldsOf({ properties: { csv: { showIf: { format: [null, 'CSV'] } }, format: {} } }, {});
        expect(
            [{}, { format: 'CSV' }, { format: 'XML' }].map(values => isShown(csv!, [csv!, format!], values)),
        ).toEqual([true, true, false]);
    });

    it('clears what a field replaces when it gets a value', () => {
        const file = { key: 'fileId', schema: { replaces: ['csvText', 'rows'] }, isRequired: false };
        expect(withChange({ csvText: 'sku', delimiter: ';' }, file, '7')).toEqual({ delimiter: ';', fileId: '7' });
        expect(withChange({ csvText: 'sku' }, file, undefined)).toEqual({ csvText: 'sku' });
    });

    it('requires a missing field only if it is shown', () => {
        expect(faultsOf(schema, { auth: {} })).toEqual([]);
        expect(faultsOf(schema, { auth: { type: 'API_KEY' } })).toEqual([{ path: 'auth.secret', problem: 'missing' }]);
    });

    it.each([
        [{ timeoutMs: 0 }, 'timeoutMs', 'small', 1],
        [{ timeoutMs: 400 }, 'timeoutMs', 'large', 300],
        [{ timeoutMs: 1.5 }, 'timeoutMs', 'type', undefined],
        [{ timeoutMs: 'soon' }, 'timeoutMs', 'type', undefined],
        [{ names: [] }, 'names', 'few', 1],
        [{ names: ['a', ''] }, 'names.1', 'short', 1],
        [{ auth: { type: 'BASIC', username: '', secret: 's' } }, 'auth.username', 'short', 1],
    ])('finds the issue in %j', (value, path, problem, limit) => {
        expect(faultsOf(schema, value)).toEqual([limit === undefined ? { path, problem } : { path, problem, limit }]);
    });

    it('finds by the type of a value which of several shapes it has', () => {
        expect(kindOf(schema.properties!['either']!, schema)).toBe('choice');
        expect(submitted(schema, { either: ['a'] })).toEqual({ either: ['a'] });
    });

    it('shows what it cannot edit as JSON, and follows what leads back to itself', () => {
        expect(kindOf({ anyOf: [{ type: 'object' }, { type: 'object' }] }, schema)).toBe('json');
        const tree = { tree: { children: [{ children: [] }, {}] } };
        expect(submitted(schema, tree)).toEqual(tree);
    });

    it('leaves out what was emptied', () => {
        expect(textValue('', { type: 'string' }, false)).toBeUndefined();
        expect(textValue('', { type: 'string' }, true)).toBe('');
        expect(textValue('', { type: 'string', minLength: 1 }, true)).toBeUndefined();
        expect(withValue({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
    });

    it('distinguishes the entries of a list', () => {
        expect(summaryOf({ sku: 'A-1', nested: {}, count: 2 })).toBe('A-1 · 2');
        expect(emptyValue({ type: 'integer', minimum: 3 }, schema)).toBe(3);
    });
});

describe('the connections that are offered', () => {
    const types = ['POSTGRES', 'MYSQL'];
    const picker: JsonSchema = { type: 'string', connectionTypes: types, connectionTypeField: 'databaseType' };

    it('are of the type in a field next to the picker', () => {
        expect(fittingTypes(picker, 'connectionCode', { databaseType: 'MYSQL' })).toEqual(['MYSQL']);
        expect(fittingTypes(picker, 'a.0.connectionCode', { a: [{ databaseType: 'POSTGRES' }] })).toEqual(['POSTGRES']);
    });

    it('are of all types that fit where it says none, or one that no connection has', () => {
        for (const draft of [undefined, {}, { databaseType: 'SQLITE' }, { a: 1 }])
            expect(fittingTypes(picker, 'connectionCode', draft)).toEqual(types);
        expect(fittingTypes(picker, 'a.connectionCode', { a: null })).toEqual(types);
        expect(fittingTypes({ connectionTypes: types }, 'connectionCode', { databaseType: 'MYSQL' })).toEqual(types);
        expect(fittingTypes({ type: 'string' }, 'connectionCode', {})).toBeUndefined();
    });
});
