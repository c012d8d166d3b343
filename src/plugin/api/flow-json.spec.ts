import { GraphqlValueTransformer } from '@vendure/core/dist/api/common/graphql-value-transformer';
import fc from 'fast-check';
import { buildASTSchema, graphql, type GraphQLResolveInfo, type GraphQLScalarType, parse } from 'graphql';
import type { JsonValue } from '../../core/value/json';
import { flowJson, unsealed } from './flow-json';

/** Names that every object has, names that Vendure treats as ids, and names that look like the index of an element. */
const NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'id', 'value', 'input', 'toJSON', '7up'];

const json = fc.letrec<{ value: JsonValue }>(tie => ({
    value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<JsonValue>(null, true, 0, 7, 'T_7', ''),
        fc.array(tie('value'), { maxLength: 3 }),
        fc
            .array(fc.tuple(fc.constantFrom(...NAMES), tie('value')), { maxLength: 4 })
            .map((fields): JsonValue => Object.fromEntries(fields)),
    ),
})).value;

const schema = buildASTSchema(
    parse(`
        scalar FlowJSON
        input Given { id: ID, value: FlowJSON, values: [FlowJSON!] }
        type Answer { id: ID, value: FlowJSON, values: [FlowJSON!] }
        type Query { same(value: FlowJSON, input: Given): Answer }
    `),
);
Object.assign(schema.getType('FlowJSON') as GraphQLScalarType, {
    serialize: flowJson.serialize,
    parseValue: flowJson.parseValue,
    parseLiteral: flowJson.parseLiteral,
});
const vendure = new GraphqlValueTransformer(schema);
/** Does what Vendure's codec does with the ids of entities in arguments and responses. */
const codec = (value: unknown, type?: { readonly name: string }): unknown => (type?.name === 'ID' ? 'codec' : value);

type Args = { readonly value?: unknown; readonly input?: Record<string, unknown> };

/** What an operation receives and what is sent of its response. Both are texts, because these show a field "__proto__". */
async function sent(source: string, variableValues: Readonly<Record<string, unknown>>) {
    let got: unknown;
    const same = (given: Args, _: unknown, { operation }: GraphQLResolveInfo): unknown => {
        vendure.transformValues(vendure.getInputTypeTree(operation), given, codec);
        const args = unsealed(given) as Args;
        got = args;
        return { id: 1, value: args.value, ...args.input };
    };
    const { data, errors } = await graphql({ schema, source, rootValue: { same }, variableValues });
    if (errors) throw errors[0]!;
    vendure.transformValues(vendure.getOutputTypeTree(parse(source)), data as Record<string, unknown>, codec);
    return { got: JSON.stringify(got), answer: JSON.stringify(data) };
}

describe('JSON that goes through the API', () => {
    it('passes in both directions unchanged, whatever its fields are called, although Vendure walks arguments and responses', async () => {
        const source =
            'query ($value: FlowJSON, $input: Given) { same(value: $value, input: $input) { id value values } }';
        await fc.assert(
            fc.asyncProperty(json, fc.array(json.filter(value => value !== null)), async (value, values) => {
                const input = { id: 'T_1', values };
                expect(await sent(source, { value, input })).toEqual({
                    got: JSON.stringify({ value, input: { ...input, id: 'codec' } }),
                    answer: JSON.stringify({ same: { id: 'codec', value, values } }),
                });
            }),
            { numRuns: 500 },
        );
    });

    it.each(Object.getOwnPropertyNames(Object.prototype))(
        'may be written into the operation, with a variable within: %s',
        async name => {
            const source = `query ($value: FlowJSON) { same(value: { ${name}: { ${name}: [$value] } }) { value } }`;
            const value = JSON.parse(`{ "${name}": { "id": 7, "${name}": {} } }`) as JsonValue;
            const text = `{"value":{"${name}":{"${name}":[${JSON.stringify(value)}]}}}`;
            expect(await sent(source, { value })).toEqual({ got: text, answer: `{"same":${text}}` });
        },
    );
});
