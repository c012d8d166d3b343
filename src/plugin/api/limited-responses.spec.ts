import { EventEmitter } from 'node:events';
import { buildASTSchema, type ExecutionResult, graphql, type GraphQLScalarType, parse } from 'graphql';
import type { JsonObject } from '../../core/value/json';
import { flowJson } from './flow-json';
import { responseLimitOf, MAX_RESPONSE_CHARS, MAX_RESPONSE_FIELDS, MAX_TOTAL_CHARS } from '../responses/response-limit';
import { LimitedResponses } from './limited-responses';

const MIB = 1024 * 1024;

/** Some types have names of Flow's types; one belongs to the shop. */
const typeDefs = `
    scalar FlowJSON
    type FlowTestLogLine { message: String!, level: String }
    type FlowStepTest { stepKey: String, out: [FlowJSON!]!, log: [FlowTestLogLine!]! }
    type FlowPipelineDocument { content: String! }
    type FlowIssue { code: String, path: String }
    type FlowPipeline { code: String! }
    type FlowRunFigures { runs: Int! }
    type FlowPipelineFigures { pipeline: FlowPipeline!, figures: FlowRunFigures! }
    type FlowAnalytics { pipelines: [FlowPipelineFigures!]! }
    type Product { name: String, description: String }
    type Query { exportFlowPipeline(id: ID): FlowPipelineDocument, validateFlowPipeline: [FlowIssue!], flowAnalytics: FlowAnalytics!, product: Product }
    type Mutation { testFlowStep: FlowStepTest! }
`;

interface Resolvers {
    readonly [name: string]: (args: { readonly id?: string }) => unknown;
}

interface Answered extends ExecutionResult {
    readonly errors?: ReturnType<() => NonNullable<ExecutionResult['errors']>>;
}

/**
 * Sends requests to a server with these resolvers. A response keeps its budget until it is closed, which happens at once unless `isKept`.
 */
async function server(resolvers: Resolvers, isKept = false) {
    const schema = buildASTSchema(parse(typeDefs));
    Object.assign(schema.getType('FlowJSON') as GraphQLScalarType, { serialize: flowJson.serialize });
    const plugin = new LimitedResponses({ maxCost: 10_000, defaultTake: 1_000 });
    await plugin.serverWillStart({ schema });
    return async (source: string): Promise<{ readonly answer: Answered; close(): void; readonly req: object }> => {
        const res = Object.assign(new EventEmitter(), { writableFinished: true, destroy: () => undefined });
        const contextValue = { req: {}, res };
        const listener = await plugin.requestDidStart({ schema, contextValue });
        const made = await graphql({ schema, source, rootValue: resolvers, contextValue });
        const singleResult = { ...made, errors: made.errors?.map(error => error.toJSON()) };
        const response = { body: { kind: 'single', singleResult } };
        await (listener as { willSendResponse(of: object): Promise<void> }).willSendResponse({ response });
        if (!isKept) res.emit('close');
        return { answer: singleResult as unknown as Answered, close: () => res.emit('close'), req: contextValue.req };
    };
}

const tooLarge = (facts: Record<'what' | 'where', string> & { allowed: number }): object => ({
    code: 'ANSWER_TOO_LARGE',
    facts: { ...facts, came: expect.any(Number) as number, more: expect.any(Number) as number },
});
const aliases = (count: number, field: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => field(i)).join(' ');
const records = (chars: number): readonly JsonObject[] => [{ text: 'x'.repeat(chars) }];

describe('a response', () => {
    it('is rejected as a whole if aliases multiply one value, with the field, its size and the limit', async () => {
        const ask = await server({ testFlowStep: () => ({ stepKey: 'a', out: records(MIB), log: [] }) });
        const { answer } = await ask(`mutation { testFlowStep { stepKey ${aliases(200, i => `o${i}: out`)} } }`);
        expect(answer.data).toBeNull();
        expect(answer.errors).toEqual([
            expect.objectContaining({
                path: ['testFlowStep', 'o7'],
                extensions: tooLarge({ allowed: MAX_RESPONSE_CHARS, what: 'characters', where: 'FlowStepTest.out' }),
            }),
        ]);
        const { answer: less } = await ask(`mutation { testFlowStep { ${aliases(7, i => `o${i}: out`)} } }`);
        expect(less.errors).toBeUndefined();
        expect(Object.keys(less.data!['testFlowStep'] as object)).toHaveLength(7);
    });

    it('is rejected without an unhandled rejection while rows of a list are still being looked up', async () => {
        const unhandled = jest.fn();
        process.on('unhandledRejection', unhandled);
        const later = <T>(value: T): Promise<T> => new Promise(resolve => setImmediate(() => resolve(value)));
        const row = { pipeline: () => later({ code: 'any' }), figures: { runs: 1 } };
        const ask = await server({ flowAnalytics: () => ({ pipelines: Array(1_000).fill(row) }) });
        const figures = aliases(20, i => `r${i}: runs`);
        const query = `{ ${aliases(6, i => `a${i}: flowAnalytics { pipelines { pipeline { code } figures { ${figures} } } }`)} }`;
        const { answer } = await ask(query);
        await later(undefined);
        await later(undefined);
        process.off('unhandledRejection', unhandled);
        expect(answer).toMatchObject({ data: null, errors: [{ extensions: { code: 'ANSWER_TOO_LARGE' } }] });
        expect(unhandled).not.toHaveBeenCalled();
    });

    it('is limited for texts and for JSON, and resolves nothing more once it is too large', async () => {
        let made = 0;
        const ask = await server({
            exportFlowPipeline: async () => ({ content: `${++made}`.padEnd(2 * MIB) }),
        });
        const { answer } = await ask(`{ ${aliases(40, i => `e${i}: exportFlowPipeline(id: "${i}") { content }`)} }`);
        expect(answer).toMatchObject({ data: null, errors: [{ extensions: { code: 'ANSWER_TOO_LARGE' } }] });
        const one = await ask('{ exportFlowPipeline { content } }');
        expect(one.answer.errors).toBeUndefined();
        made = 0;
        const slowly = await server({
            testFlowStep: async () => ({ stepKey: `${++made}`.padEnd(2 * MIB), out: [], log: [] }),
        });
        // Mutations are executed one after the other.
        await slowly(`mutation { ${aliases(40, i => `t${i}: testFlowStep { stepKey }`)} }`);
        expect(made).toBe(4);
    });

    it('is limited by its fields, names and type names, each counted as often as it occurs', async () => {
        const log = Array.from({ length: 1_000 }, () => ({ message: '' }));
        let read = 0;
        const lines = log.map(() => ({ message: () => `${++read}` }));
        const ask = await server({ testFlowStep: () => ({ out: [], log: lines }) });
        const fields = aliases(MAX_RESPONSE_FIELDS / 1_000, i => `a${i}: message`);
        const { answer } = await ask(`mutation { testFlowStep { log { ${fields} } } }`);
        expect(answer.errors).toEqual([
            expect.objectContaining({
                extensions: tooLarge({ allowed: MAX_RESPONSE_FIELDS, what: 'fields', where: 'FlowStepTest.log' }),
            }),
        ]);
        // This is known before GraphQL resolves the list.
        expect(read).toBe(0);
        const long = 'n'.repeat(10_000);
        for (const named of [
            `log { ${long}: level }`,
            `log { ... { ...on FlowTestLogLine { ${long}: __typename } } }`,
            'log { ...names }',
        ]) {
            const fragment = named.includes('names') ? `fragment names on FlowTestLogLine { ${long}: level }` : '';
            const rejected = await ask(`mutation { testFlowStep { ${named} } } ${fragment}`);
            expect(rejected.answer).toMatchObject({ errors: [{ extensions: { code: 'ANSWER_TOO_LARGE' } }] });
        }
    });

    it('is not limited in fields that are not Flow’s', async () => {
        const ask = await server({ product: () => ({ name: 'x'.repeat(MIB) }) });
        const { answer } = await ask(`{ product { ${aliases(20, i => `n${i}: name`)} } }`);
        expect(answer.errors).toBeUndefined();
    });
});

describe('all responses of a process', () => {
    const ask = (chars: number) =>
        server({ testFlowStep: () => ({ out: records(chars), log: [] }) }, true).then(of =>
            of('mutation { testFlowStep { out } }'),
        );

    it('share one limit until they have been written, if they are large', async () => {
        const large = MAX_RESPONSE_CHARS - 1024;
        const open = [];
        for (let i = 0; i < MAX_TOTAL_CHARS / MAX_RESPONSE_CHARS; i++) open.push(await ask(large));
        expect(open.map(({ answer }) => answer.errors)).toEqual(open.map(() => undefined));
        expect((await ask(large)).answer).toMatchObject({
            data: null,
            errors: [
                {
                    extensions: {
                        code: 'ANSWER_BUSY',
                        facts: { where: 'FlowStepTest.out', allowed: MAX_TOTAL_CHARS },
                    },
                },
            ],
        });
        expect((await ask(10_000)).answer.errors).toBeUndefined();
        open[0]!.close();
        const again = await ask(large);
        expect(again.answer.errors).toBeUndefined();
        for (const { close } of [...open, again]) close();
    });

    it('release the budget of rejected responses', async () => {
        for (let i = 0; i < 10; i++) expect((await ask(2 * MAX_RESPONSE_CHARS)).answer.data).toBeNull();
        const { answer, close } = await ask(MAX_RESPONSE_CHARS - 1024);
        expect(answer.errors).toBeUndefined();
        close();
    });
});

describe('the data that is read for a response', () => {
    it('is read one by one, and not at all if it is too large', async () => {
        const { req, close } = await (await server({}, true))('{ __typename }');
        const bound = responseLimitOf(req);
        let underWay = 0;
        let most = 0;
        const read = (chars: number) =>
            bound.reading(
                'a.b',
                async () => chars,
                async () => {
                    most = Math.max(most, ++underWay);
                    await new Promise(resolve => setImmediate(resolve));
                    underWay--;
                    return chars;
                },
            );
        expect(await Promise.all(Array.from({ length: 20 }, () => read(MIB)))).toEqual(Array(20).fill(MIB));
        expect(most).toBe(1);
        // What was read and returned reduces the budget.
        bound.take('a.b', { chars: 7 * MIB });
        expect(await read(MIB)).toBe(MIB);
        underWay = 1;
        const late = await Promise.allSettled([read(2 * MIB), read(1)]);
        expect(late).toEqual([
            expect.objectContaining({ reason: expect.objectContaining({ code: 'ANSWER_TOO_LARGE' }) as unknown }),
            expect.objectContaining({ reason: expect.objectContaining({ code: 'ANSWER_TOO_LARGE' }) as unknown }),
        ]);
        expect(underWay).toBe(1);
        close();
    });
});
