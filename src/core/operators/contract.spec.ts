import fc from 'fast-check';
import type { Operator } from '../adapter/operator';
import { systemClock } from '../data/clock';
import { deepFrozen } from '../data/frozen.fixture';
import { isJsonObject, type JsonObject, type JsonValue } from '../data/json';
import { isFlowError } from '../errors/flow-error';
import { parseWith } from '../schema/issues';
import { jsonSchemaOf } from '../schema/json-schema';
import { operators } from './index';

const all: ReadonlyArray<readonly [string, Operator]> = operators.map(operator => [operator.code, operator]);

function propertiesOf(operator: Operator): ReadonlyArray<readonly [string, JsonObject]> {
    const properties = jsonSchemaOf(operator.config)['properties'];
    return Object.entries(isJsonObject(properties) ? properties : {}) as Array<[string, JsonObject]>;
}

const awkward = fc.letrec<{ value: JsonValue }>(tie => ({
    value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<JsonValue>(null, '', ' ', 'ß', '${a}', '7', 0, -1.005, 1e300, true, [], {}),
        fc.string(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'name', 'sku', '0'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
})).value;

/** The fields that an operator's examples speak of, with values that nobody expects there. */
function recordsFor(operator: Operator): fc.Arbitrary<JsonObject> {
    const fields = [...new Set(operator.examples.flatMap(example => Object.keys(example.in)))];
    return fc.dictionary(fc.constantFrom(...fields), awkward, { noNullPrototype: true });
}

describe.each(all)('operator %s', (_code, operator) => {
    it('has a camelCase code, a title and a summary that is a sentence', () => {
        expect(operator.code).toMatch(/^[a-z][A-Za-z]*$/);
        expect(operator.title).toMatch(/^[A-Z]/);
        expect(operator.summary).toMatch(/^[A-Z].*[^.]\.$/);
        expect(operator.category).toBeDefined();
    });

    it('says of every argument what it is called and what it does', () => {
        for (const [name, schema] of propertiesOf(operator)) {
            expect({ name, title: schema['title'], description: schema['description'] })
                .toEqual({ name, title: expect.stringMatching(/^[A-Z]/), description: expect.stringMatching(/\.$/) });
        }
        expect(propertiesOf(operator).length).toBeGreaterThan(0);
    });

    it('has at least three examples', () => {
        expect(operator.examples.length).toBeGreaterThanOrEqual(3);
    });

    it('refuses an argument that it does not know', () => {
        const result = parseWith(operator.config, { ...operator.examples[0]!.args, nonsense: 1 });
        expect(result.ok ? [] : result.issues.map(issue => issue.path)).toEqual(['nonsense']);
    });

    it('refuses to be without its required arguments', () => {
        expect(parseWith(operator.config, {}).ok).toBe(false);
    });

    it('changes no record that it is given, and fails in no other way than by rejecting it', () => {
        const fns = operator.examples.map(example => operator.compile(operator.config.parse(example.args), { clock: systemClock }));
        fc.assert(fc.property(recordsFor(operator), data => {
            deepFrozen(data);
            for (const fn of fns) {
                try {
                    expect(fn(data)).toBeDefined();
                } catch (error) {
                    if (!isFlowError(error) || error.treat !== 'record') throw error;
                    expect(error.details?.['path']).toBeDefined();
                }
            }
        }));
        expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted');
    });
});

it('no two operators share a code', () => {
    const codes = all.map(([code]) => code);
    expect(new Set(codes).size).toBe(codes.length);
});
