import { EventEmitter } from 'node:events';
import {
    getNamedType,
    getNullableType,
    graphql,
    type GraphQLField,
    type GraphQLResolveInfo,
    type GraphQLSchema,
    isEnumType,
    isLeafType,
    isListType,
    isObjectType,
} from 'graphql';
import { type ArgumentValues, costOfText, type FlowField, flowFields } from '../../../bench/flow-queries';
import { casesOf } from '../../../test/kit/cases';
import { MAX_RESPONSE_FIELDS, ResponseLimit } from '../responses/response-limit';
import { adminSchema } from '../../../test/fixtures/admin-schema';
import { LimitedResponses, ownFields } from './limited-responses';
import { adminApiSchema } from './schema';

const MAX_COST = 10_000;
/** Aliases of one field: in `npm test` as many as show whether they multiply work, otherwise all that the budget allows. */
const MOST_ALIASES = casesOf({ all: Infinity, inTest: 100 });
/** Rows of each list. */
const ROWS = 10;

const REQUIRED: ArgumentValues = {
    id: '1',
    pipelineId: '1',
    runId: '1',
    stepKey: '"load"',
    fileId: '1',
    entity: 'Product',
    from: '"2026-01-01"',
    definition: '{}',
    plan: '{}',
    profileId: '"1"',
    draftId: '1',
    target: 'PRODUCTS',
    field: '"name"',
    column: '"Name"',
    config: '{}',
};
const own = ownFields(adminApiSchema);

/** Flow's API with objects for every field, each of which is found in a later turn, as with a database. */
async function server() {
    const schema = adminSchema();
    const calls = new Map<string, number>();
    for (const [type, names] of own) {
        const of = schema.getType(type);
        if (!isObjectType(of) || type === 'Mutation') continue;
        for (const field of Object.values(of.getFields()))
            if (names === 'all' || names.has(field.name)) field.resolve = resolverOf(`${type}.${field.name}`, field);
    }
    function resolverOf(name: string, { type }: GraphQLField<unknown, unknown>) {
        const value = valueOf(type);
        return (_: unknown, _args: unknown, _context: unknown, { fieldName }: GraphQLResolveInfo): unknown => {
            calls.set(name, (calls.get(name) ?? 0) + 1);
            return isLeafType(getNamedType(type)) || fieldName === 'items' ? value() : Promise.resolve(value());
        };
    }
    const plugin = new LimitedResponses({ maxCost: MAX_COST, defaultTake: 1_000 });
    await plugin.serverWillStart({ schema });
    return {
        schema,
        calls,
        ask: async (source: string) => {
            const res = Object.assign(new EventEmitter(), { writableFinished: true, destroy: () => undefined });
            const contextValue = { req: {}, res };
            const listener = await plugin.requestDidStart({ schema, contextValue });
            const answer = await graphql({ schema, source, contextValue });
            const response = { body: { kind: 'single', singleResult: answer } };
            await (listener as { willSendResponse(of: object): Promise<void> }).willSendResponse({ response });
            res.emit('close');
            return answer;
        },
    };
}

function valueOf(type: GraphQLField<unknown, unknown>['type']): () => unknown {
    const named = getNamedType(type);
    const [first] = isEnumType(named) ? named.getValues() : [];
    const leaf = first?.value ?? (named.name === 'Boolean' ? true : 1);
    const one = (): unknown => (isLeafType(named) ? (leaf as unknown) : {});
    const outer = getNullableType(type);
    if (!isListType(outer)) return one;
    const inner = getNullableType(outer.ofType as typeof type);
    return () => Array.from({ length: ROWS }, isListType(inner) ? () => [one()] : one);
}

/** The number of aliases that the budget allows. */
function mostAliases(schema: GraphQLSchema, { aliased }: FlowField): number {
    const [one, two] = [1, 2].map(count => costOfText(schema, aliased(count)).cost) as [number, number];
    return 1 + Math.floor((MAX_COST - one) / (two - one));
}

describe('every field of Flow', () => {
    it('can be reached from a query, except for results of mutations', () => {
        const reached = new Set(flowFields(adminSchema(), REQUIRED).map(({ name }) => name.split('.')[0]));
        const others = [...own].flatMap(([type, names]) => (names === 'all' && !reached.has(type) ? [type] : []));
        expect(others.sort()).toEqual([
            'FlowBranchTest',
            'FlowConnectionTest',
            'FlowCreatedFeed',
            'FlowImportFolder',
            'FlowImportResult',
            'FlowImportServerFile',
            'FlowOperatorFault',
            'FlowOperatorTest',
            'FlowRecordRetry',
            'FlowRejectedRecord',
            'FlowRetryRefusal',
            'FlowSecretRotation',
            'FlowStepTest',
            'FlowTestLogLine',
        ]);
    });

    it('is resolved once for each object, and a limited number of times in all, under as many aliases as the budget allows', async () => {
        const { schema, calls, ask } = await server();
        const { prototype } = ResponseLimit;
        const { take } = prototype;
        const unbounded: string[] = [];
        const tooCostly: string[] = [];
        const fields = flowFields(schema, REQUIRED);
        expect(fields.length).toBeGreaterThan(300);
        for (const field of fields) {
            if (mostAliases(schema, field) < 2) {
                tooCostly.push(field.name);
                continue;
            }
            const callsOf = async (count: number, allowed: readonly unknown[]): Promise<number> => {
                calls.clear();
                const { errors } = await ask(field.aliased(count));
                expect(allowed).toContain(errors?.[0]?.extensions['code']);
                return calls.get(field.name) ?? 0;
            };
            const once = await callsOf(1, [undefined]);
            const count = Math.min(mostAliases(schema, field), MOST_ALIASES);
            expect(costOfText(schema, field.aliased(count)).cost).toBeLessThanOrEqual(MAX_COST);
            let total = 0;
            // Counts each field. A spy would keep millions of calls.
            prototype.take = function (this: ResponseLimit, ...added) {
                total++;
                take.apply(this, added);
            };
            // Lists may be longer than their cost says.
            const often = await callsOf(count, [undefined, 'ANSWER_TOO_LARGE']).finally(() => (prototype.take = take));
            expect(total).toBeGreaterThan(0);
            if (often > once) unbounded.push(`${field.name}: resolved ${often} times, under one alias ${once} times`);
            if (total > MAX_RESPONSE_FIELDS) unbounded.push(`${field.name}: ${total} fields`);
        }
        expect(unbounded).toEqual([]);
        expect(tooCostly).toEqual([]);
    });
});
