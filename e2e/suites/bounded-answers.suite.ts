import { GraphQLSchemaHost } from '@nestjs/graphql';
import gql from 'graphql-tag';
import { aliased, costOfText, type FlowQuery, flowQueries } from '../../bench/flow-queries';
import { countStatements, watchStatements } from '../../bench/meter';
import type { JsonObject } from '../../src';
import { MAX_RESPONSE_CHARS } from '../../src/plugin/responses/response-limit';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { naming } from '../../test/kit/naming';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as, errorOf, type PipelineAnswer } from '../fixtures/authoring-api';

countStatements();

const MAX_COST = 10_000;
/** Values of required arguments. */
const ARGUMENTS = {
    runId: '"T_1"',
    'flowEntityHistory.id': '"T_1"',
    'flowEntityHistory.entity': 'Product',
    'flowGatePreview.stepKey': '"gate"',
    fileId: '"T_1"',
    from: '"2026-01-01T00:00:00Z"',
    definition: '{ version: 1, steps: [], edges: [] }',
    config: '{ type: "MANUAL" }',
    profileId: '"unknown"',
    draftId: '"T_1"',
    target: 'PRODUCTS',
    plan: '{}',
    field: '"name"',
    column: '"Name"',
    adapterCode: '"productUpsert"',
};

const MIB = 1024 * 1024;
/** Definitions of slightly less than a megabyte: a response may contain seven of them, but not eight. */
const SIZE = MIB - 4_096;

const large = (letter: string): JsonObject => ({
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        {
            key: 'in',
            kind: 'EXTRACT',
            config: { adapterCode: 'inMemory', data: [{ text: letter.repeat(SIZE) }] },
        },
    ],
    edges: [{ from: 'start', to: 'in' }],
});
const aliases = (count: number, field: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => field(i)).join(' ');

interface Response {
    readonly data: unknown;
    readonly errors: ReadonlyArray<{ readonly message: string }>;
}
/** The whole response, which the client takes for an error. */
function responseOf({ response: { data, errors } }: { readonly response: Response }): Response {
    return { data, errors };
}
function failed(): never {
    throw new Error('The request was not rejected');
}

/** How much memory and time of the server one request may use. */
function boundedAnswers(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let pipelines: ReturnType<typeof as>;
    let made: PipelineAnswer;

    beforeAll(async () => {
        shop = await open();
        pipelines = as(shop.adminClient);
        made = await pipelines.create({ code: 'much-to-answer', definition: large('a') });
        for (const letter of 'bcdefghij')
            made = await pipelines.publish(await pipelines.update(made, { definition: large(letter) }));
    });

    /** How often matching statements were sent during some work. */
    async function sent<T>(statement: RegExp, work: () => Promise<T>): Promise<{ value: T; texts: readonly string[] }> {
        const texts: string[] = [];
        const stop = watchStatements(text => {
            if (statement.test(text)) texts.push(text);
        });
        const value = await work().finally(stop);
        return { value, texts };
    }
    const ask = (query: string, variables: object = {}): Promise<Record<string, unknown>> =>
        shop.adminClient.query(gql(query), variables);
    const tooLarge = (where: string): object => ({
        code: 'ANSWER_TOO_LARGE',
        facts: {
            allowed: MAX_RESPONSE_CHARS,
            what: 'characters',
            where,
            came: expect.any(Number) as number,
            more: expect.any(Number) as number,
        },
    });

    describe('a response', () => {
        it('may contain definitions up to some megabytes, of one pipeline or of many', async () => {
            const query = (count: number): string =>
                `query Many($id: ID!) { ${aliases(count, i => `a${i}: flowPipeline(id: $id) { workingCopy { d${i}: definition } }`)} }`;
            expect(Object.keys(await ask(query(7), made))).toHaveLength(7);
            expect(await errorOf(ask(query(40), made))).toMatchObject(tooLarge('FlowWorkingCopy.definition'));
        });

        it('causes no reads of content for which it has no room', async () => {
            const page = (take: number, fields: string): string =>
                `query Page($id: ID!) { flowPipelineRevisions(pipelineId: $id, options: { take: ${take} }) { items { number ${fields} } totalItems } }`;
            const revisions = /flow_pipeline_revision/;
            const without = await sent(revisions, () => ask(page(9, ''), made));
            expect(without.texts.filter(text => /\bdefinition\b/.test(text))).toEqual([]);
            const few = await sent(revisions, () => ask(page(3, 'definition'), made));
            const some = await sent(revisions, () => ask(page(7, 'definition'), made));
            expect(some.value).toMatchObject({ flowPipelineRevisions: { totalItems: 9 } });
            expect(some.texts.length).toBe(few.texts.length);
            const many = await sent(revisions, () => errorOf(ask(page(9, 'definition'), made)));
            expect(many.value).toMatchObject(tooLarge('FlowPipelineRevision.definition'));
            // The definitions were measured, and not read.
            expect(many.texts.filter(text => /\bdefinition\b/.test(text))).toEqual([
                expect.stringMatching(/LENGTH\(\S*definition/),
            ]);
        });

        it('may contain rejected records up to the same limit', async () => {
            const run = { runId: 987_654, pipelineId: 1, channelId: await ownChannel() };
            const rows = Array.from({ length: 10 }, (_, seq) => ({
                ...run,
                stepKey: 'a',
                sourceKey: 'b',
                seq,
                ordinal: 0,
                code: 'RECORD_INVALID',
                message: '',
                payload: { text: 'x'.repeat(MIB) },
            }));
            await shop.dataSource.getRepository(FlowRecordError).insert(rows as never);
            const page = (take: number): string =>
                `{ flowRecordErrors(runId: "T_${run.runId}", options: { take: ${take} }) { items { seq payload } } }`;
            expect(await ask(page(5))).toMatchObject({ flowRecordErrors: { items: Array(5).fill({}) } });
            expect(await errorOf(ask(page(10)))).toMatchObject(tooLarge('FlowRecordError.payload'));
        });

        it('is data or the one reason, never both', async () => {
            const query = `query Many($id: ID!) { ${aliases(40, i => `a${i}: flowPipeline(id: $id) { code workingCopy { definition } }`)} }`;
            expect(await ask(query, made).then(failed, responseOf)).toEqual({
                data: null,
                errors: [expect.anything()],
            });
        });
    });

    describe.each([
        ['exports', 'exportFlowPipeline(id: $id, format: YAML', 'revisionId', 'content'],
        ['comparisons', 'flowPipelineDifferences(pipelineId: $id', 'from', 'path'],
    ])('%s', (what, operation, argument, field) => {
        const copies = /^SELECT.*flow_working_copy/s;

        it('are made once in a request, however often it contains them', async () => {
            const query = `query Many($id: ID!) { ${aliases(150, i => `a${i}: ${operation}) { __typename }`)} }`;
            const { value, texts } = await sent(copies, () => ask(query, made));
            expect(Object.keys(value)).toHaveLength(150);
            expect(texts).toHaveLength(1);
        });

        it('are made for a limited number of different objects in a request', async () => {
            const different = (count: number): string =>
                `query Many($id: ID!) { ${aliases(count, i => `a${i}: ${operation}, ${argument}: "T_${1_000_000 + i}") { ${field} }`)} }`;
            const few = await errorOf(ask(different(20), made));
            expect(few.code).toBe('REVISION_NOT_FOUND');
            const { errors } = await ask(different(21), made).then(failed, responseOf);
            expect(errors).toContainEqual(
                expect.objectContaining({
                    message: expect.stringMatching(naming(20, what)),
                    extensions: expect.objectContaining({ code: 'INPUT_INVALID' }),
                }),
            );
        });
    });

    describe('every query of Flow', () => {
        const queries = (): readonly FlowQuery[] =>
            flowQueries(shop.app.get(GraphQLSchemaHost).schema, {
                ...ARGUMENTS,
                id: `"${made.id}"`,
                pipelineId: `"${made.id}"`,
            });

        it('succeeds under as many aliases as its cost allows, with work within the budget, and is rejected under one more', async () => {
            const { schema } = shop.app.get(GraphQLSchemaHost);
            const all = queries();
            expect(all.map(({ name }) => name)).toEqual(
                expect.arrayContaining(['flowOverview', 'flowAdapters', 'flowLogs']),
            );
            const unbounded: string[] = [];
            for (const query of all.filter(({ form }) => form === 'narrow')) {
                const { cost } = costOfText(schema, aliased(query, 1));
                const count = Math.floor(MAX_COST / cost);
                const { texts } = await sent(/^(SELECT|WITH|INSERT|UPDATE|DELETE)/i, () =>
                    ask(aliased(query, count)).catch(() => undefined),
                );
                if (texts.length > MAX_COST) unbounded.push(`${query.name}: ${texts.length} statements`);
                const { data, errors } = await ask(aliased(query, count + 1)).then(failed, responseOf);
                // An operation that was executed has data, at least null.
                expect([query.name, data, errors]).toEqual([
                    query.name,
                    undefined,
                    [
                        expect.objectContaining({
                            extensions: expect.objectContaining({
                                code: 'QUERY_TOO_COSTLY',
                                cost: cost * (count + 1),
                                maxCost: MAX_COST,
                            }) as unknown,
                        }),
                    ],
                ]);
            }
            expect(unbounded).toEqual([]);
        });

        it('is allowed with all fields of a page of ten rows', () => {
            const { schema } = shop.app.get(GraphQLSchemaHost);
            const isMeant = ({ form }: FlowQuery): boolean => form === 'wide';
            for (const query of queries().filter(isMeant))
                expect([query.name, costOfText(schema, aliased(query, 1)).cost <= MAX_COST]).toEqual([
                    query.name,
                    true,
                ]);
        });
    });

    async function ownChannel(): Promise<string> {
        const { activeChannel } = await shop.adminClient.query(gql`{ activeChannel { id } }`);
        return (activeChannel.id as string).replace(/^T_/, '');
    }
}

/** Requests that contain one field under many aliases, and large pages. */
export const boundedAnswersSuite: SharedSuite = { title: 'what one request may ask', tests: boundedAnswers };
