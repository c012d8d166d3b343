import { buildSchema, execute, GraphQLError, parse, validate } from 'graphql';
import { MemoryState } from '../../../test/kit/memory-ports';
import { type Answering, type Delivering, Partner, type PartnerRequest, type Reply } from '../../../test/kit/partner';
import { ids } from '../../../test/kit/pipeline';
import { flowError } from '../../core/errors/flow-error';
import { parseWith } from '../../core/schema/issues';
import type { JsonObject } from '../../core/value/json';
import { graphqlMutation } from './graphql-mutation';

const partner = new Partner();
const SAVE =
    'mutation Save($id: Int!, $name: String) { save(id: $id, name: $name) { id userErrors { field message } } }';

async function mutate(answer: Answering, config: JsonObject = {}, more: Partial<Delivering> = {}) {
    const { port, seen } = await partner.serve(answer);
    const endpoint = `http://127.0.0.1:${port}/graphql`;
    const given = {
        loader: graphqlMutation,
        config: { endpoint, mutation: SAVE, retries: 0, ...config },
        records: ids(3),
        ...more,
    };
    const again = (next: Partial<Delivering>) => partner.load({ ...given, ...next });
    return { ...(await partner.load(given)), seen, again };
}

interface Asked {
    readonly query: string;
    readonly variables: JsonObject;
}
const askedBy = ({ body }: PartnerRequest): Asked => JSON.parse(body) as Asked;
const variablesOf = (seen: readonly PartnerRequest[]): readonly JsonObject[] => seen.map(one => askedBy(one).variables);

/**
 * A fake API, executed by graphql itself, that saves the records it receives. It rejects 1 with an error of its field
 * and 2 with a GraphQL error. It does not accept 3 as a number.
 */
class Api {
    readonly saved: number[] = [];
    private readonly schema;

    constructor(private readonly isNullable = true) {
        const result = isNullable ? 'Saved' : 'Saved!';
        this.schema = buildSchema(
            `type Problem { field: String message: String! } type Saved { id: Int userErrors: [Problem!]! }
             type Query { a: Int } type Mutation { save(id: Int!, name: String): ${result} }`,
        );
    }

    async answer(request: PartnerRequest): Promise<Reply> {
        const { query, variables } = askedBy(request);
        const document = parse(query);
        const issues = validate(this.schema, document);
        if (issues.length > 0) return { status: 400, body: JSON.stringify({ errors: issues }) };
        const save = ({ id }: { readonly id: number }) => {
            if (id === 2) throw new GraphQLError('2 is taken', { extensions: { code: 'CONFLICT' } });
            if (id !== 1) this.saved.push(id);
            return { id, userErrors: id === 1 ? [{ field: 'id', message: 'is odd' }] : [] };
        };
        const result = await execute({ schema: this.schema, document, variableValues: variables, rootValue: { save } });
        return { body: JSON.stringify(result) };
    }
}

/**
 * Computes the response of the API in advance, so that the server can return it at once. Requests arrive in the same
 * order.
 */
async function against(api: Api, config: JsonObject, records: readonly JsonObject[]) {
    return mutate(request => api.answer(request), config, { records });
}

describe('records that are sent with one mutation each', () => {
    it('take their variables by name, by mapping, and as a complete object', async () => {
        const answer = (): Reply => ({ body: { data: { save: null } } });
        const record = { id: 7, name: null, title: { en: 'x' } };
        const records = [record];
        expect(variablesOf((await mutate(answer, {}, { records })).seen)).toEqual([{ id: 7, name: null }]);
        const mapped = { variables: { id: 'id', name: 'title.en' } };
        expect(variablesOf((await mutate(answer, mapped, { records })).seen)).toEqual([{ id: 7, name: 'x' }]);
        const whole = {
            mutation: 'mutation ($all: In!, $key: ID!) { save: put(in: $all, key: $key) { id } }',
            recordVariable: 'all',
            deliveryIdVariable: 'key',
        };
        const { end, seen } = await mutate(answer, whole, { records });
        expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 1 } } });
        expect(variablesOf(seen)).toEqual([{ all: record, key: seen[0]!.headers['idempotency-key'] }]);
        expect(askedBy(seen[0]!).query).toBe(whole.mutation);
        expect(seen[0]!.headers).toMatchObject({ 'content-type': 'application/json' });
    });

    it('are rejected if they lack a required value, and if they request another operation', async () => {
        const records: JsonObject[] = [{ name: 'x' }, { id: null }, { id: 1, __operation: 'DELETE' }];
        const { end, state, seen } = await mutate(() => ({}), {}, { records });
        expect(end).toMatchObject({ counters: { send: { rejected: 3 } } });
        expect([...state.rejects.values()].map(({ path }) => path)).toEqual(['id', 'id', '__operation']);
        expect(seen).toEqual([]);
        const deleted = await mutate(() => ({ body: { data: { save: true } } }), { operation: 'DELETE' }, { records });
        expect(deleted.end).toMatchObject({ counters: { send: { deleted: 1, rejected: 2 } } });
    });

    it('are rejected by the errors of their field, and by an error with its path', async () => {
        const api = new Api();
        const { rejected, end } = await against(api, {}, ids(4));
        expect(end).toMatchObject({ outcome: 'PARTIAL', counters: { send: { updated: 2, rejected: 2 } } });
        expect(rejected.map(({ seq, code, message }) => [seq, code, message.split(': ').slice(1)])).toEqual([
            [1, 'TARGET_REFUSED', ['id', 'is odd.']],
            [2, 'TARGET_REFUSED', ['2 is taken.']],
        ]);
        expect(api.saved).toEqual([0, 3]);
    });

    it('are rejected by results as Vendure has them', async () => {
        const save = { __typename: 'SkuTaken', errorCode: 'SKU_TAKEN', message: 'That SKU is taken' };
        const answer = (): Reply => ({ body: { data: { save } } });
        const { rejected } = await mutate(answer, { errorsPath: 'errorCode' }, { records: ids(1) });
        expect(rejected).toMatchObject([{ code: 'TARGET_REFUSED' }]);
        expect(rejected[0]!.message).toContain(save.message);
    });

    it('are rejected if the API does not accept their values', async () => {
        const { rejected, end } = await against(new Api(), {}, [{ id: 'x' }, { id: 3 }]);
        expect(end).toMatchObject({ counters: { send: { updated: 1, rejected: 1 } } });
        expect(rejected).toMatchObject([
            { seq: 0, code: 'TARGET_REFUSED', message: expect.stringContaining('$id') as string },
        ]);
    });
});

describe('records that are sent in one document', () => {
    it('have separate aliases and variables, and errors by their paths', async () => {
        const api = new Api();
        const { end, rejected, seen } = await against(api, { batchSize: 10 }, ids(5));
        expect(end).toMatchObject({ outcome: 'PARTIAL', counters: { send: { updated: 3, rejected: 2 } } });
        expect(rejected.map(({ seq }) => seq)).toEqual([1, 2]);
        expect([api.saved, seen.length]).toEqual([[0, 3, 4], 1]);
        expect(askedBy(seen[0]!).variables).toEqual({ r0_id: 0, r1_id: 1, r2_id: 2, r3_id: 3, r4_id: 4 });
    });

    it('share fragments', async () => {
        const mutation =
            'mutation ($id: Int!) { save(id: $id) { ...F } } fragment F on Saved { id userErrors { message } }';
        const { end, seen } = await against(new Api(), { mutation, batchSize: 2 }, [{ id: 5 }, { id: 6 }, { id: 7 }]);
        expect(end).toMatchObject({ outcome: 'SUCCESS', counters: { send: { updated: 3 } } });
        expect(seen).toHaveLength(2);
    });

    it('are found by halves if the whole document is rejected', async () => {
        const api = new Api();
        const records = [{ id: 4 }, { id: 5 }, { id: 'x' }, { id: 6 }];
        const { end, rejected } = await against(api, { batchSize: 10 }, records);
        expect(end).toMatchObject({ outcome: 'PARTIAL', counters: { send: { updated: 3, rejected: 1 } } });
        expect(rejected.map(({ seq }) => seq)).toEqual([2]);
        expect(api.saved).toEqual([4, 5, 6]);
    });

    it("that lost their results because of another one's error are sent once more, one by one", async () => {
        const api = new Api(false);
        const { end, rejected, seen } = await against(api, { batchSize: 10 }, [{ id: 4 }, { id: 2 }, { id: 5 }]);
        expect(end).toMatchObject({ outcome: 'PARTIAL', counters: { send: { updated: 2, rejected: 1 } } });
        expect(rejected.map(({ seq }) => seq)).toEqual([1]);
        expect([api.saved, seen.length]).toEqual([[4, 4, 5], 3]);
    });

    it('with a known result keep it while the partner delays another', async () => {
        const answer = (request: PartnerRequest, number: number): Reply => {
            const keys = Object.keys(askedBy(request).variables).map(name => name.split('_')[0]!);
            if (number > 1) return { body: { data: { save: {} } } };
            const busy = { message: 'wait', path: ['r1'], extensions: { code: 'THROTTLED' } };
            return {
                body: { data: Object.fromEntries(keys.map(key => [key, key === 'r1' ? null : {}])), errors: [busy] },
            };
        };
        const { end, seen } = await mutate(
            answer,
            { batchSize: 10 },
            { errorHandling: { maxRetries: 1, retryDelayMs: 1 } },
        );
        expect(end).toMatchObject({ outcome: 'SUCCESS', counters: { send: { updated: 3 } } });
        expect(variablesOf(seen)[1]).toEqual({ id: 1 });
    });
});

describe('a response that is not about a record', () => {
    const error = (code: string, message = 'secret words'): Reply => ({
        body: { errors: [{ message, extensions: { code } }], data: null },
    });

    it.each<readonly [what: string, answer: Reply | 'breaks off', code: string]>([
        ['says that the user is not logged in', error('UNAUTHENTICATED'), 'REMOTE_REFUSED'],
        ['says that it is forbidden', error('FORBIDDEN'), 'REMOTE_REFUSED'],
        [
            'rejects the document',
            { status: 400, ...error('GRAPHQL_VALIDATION_FAILED', 'No field "save"') },
            'REMOTE_REFUSED',
        ],
        ['is a 401 in the words of GraphQL', { status: 401, ...error('ODD') }, 'REMOTE_REFUSED'],
        ['requests a delay', error('THROTTLED'), 'REMOTE_BUSY'],
        ['is a 503', { status: 503 }, 'REMOTE_BUSY'],
        ['breaks off', 'breaks off', 'REMOTE_BUSY'],
        ['is a 404', { status: 404 }, 'REMOTE_REFUSED'],
        ['is a redirect', { status: 302, headers: { location: '/' } }, 'REMOTE_REFUSED'],
        ['is a page', { body: '<html>' }, 'REMOTE_MALFORMED'],
        ['is broken', { body: '{"data": {' }, 'REMOTE_MALFORMED'],
        ['is another API', { body: { ok: true } }, 'REMOTE_MALFORMED'],
        ['lacks the requested field', { body: { data: {} } }, 'REMOTE_MALFORMED'],
        ['is giant', { body: `{"data": {"save": "${'x'.repeat(33 * 1024 * 1024)}"}}` }, 'OUTBOUND_TOO_LARGE'],
    ])('fails the run and rejects nothing: it %s', async (_, answer, code) => {
        for (const batchSize of [1, 10]) {
            const { end, rejected } = await mutate(() => answer, { batchSize });
            expect(end).toMatchObject({ end: 'stopped', stepKey: 'send', error: { code } });
            expect(rejected).toEqual([]);
            expect(JSON.stringify(end)).not.toContain('secret words');
        }
    });

    it('is reported with the error of the document', async () => {
        const { end } = await against(new Api(), { mutation: 'mutation ($id: Int!) { store(id: $id) }' }, ids(1));
        // graphql itself names no code, so the record is sent alone.
        expect(end).toMatchObject({ end: 'completed', counters: { send: { rejected: 1 } } });
        const rejected = { status: 400, ...error('GRAPHQL_VALIDATION_FAILED', 'Cannot query field "store".') };
        const coded = await mutate(() => rejected, {}, { records: ids(1) });
        expect(coded.end).toMatchObject({
            error: { message: expect.stringContaining('Cannot query field "store".') as string },
        });
    });
});

it('a worker that is killed before it stores the response sends the same again under the same key', async () => {
    const state = new MemoryState();
    const at = async (point: string): Promise<void> => {
        if (point === 'loads.settle.before') throw flowError('DATABASE_LOST', { problem: 'gone' });
    };
    const api = new Api();
    const config = {
        batchSize: 2,
        mutation: 'mutation ($id: Int!, $key: String) { save(id: $id, name: $key) { id userErrors { message } } }',
        deliveryIdVariable: 'key',
    };
    const first = await mutate(request => api.answer(request), config, { state, at, records: [{ id: 4 }, { id: 5 }] });
    expect(first.end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_LOST' } });
    const { end } = await first.again({ state, at: async () => undefined });
    expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 2 } } });
    const [before, after] = first.seen;
    expect(after!.body).toBe(before!.body);
    expect(after!.headers['idempotency-key']).toBe(before!.headers['idempotency-key']);
    expect(Object.keys(askedBy(before!).variables)).toEqual(['r0_id', 'r0_key', 'r1_id', 'r1_key']);
});

it('a dry run shows the variables, and sends nothing', async () => {
    const { end, seen, state } = await mutate(
        () => ({}),
        { strategy: 'CREATE' },
        { isDry: true, records: [{ id: 7, more: 1 }] },
    );
    expect(end).toMatchObject({ end: 'completed', counters: { send: { created: 1 } } });
    expect([seen, JSON.stringify(state.events)]).toEqual([[], expect.stringContaining('"after":{"id":7}')]);
});

describe('the configuration', () => {
    const endpoint = 'https://pim.example.com/graphql';
    const faultsOf = (config: JsonObject): readonly string[] => {
        const parsed = parseWith(graphqlMutation.config, { endpoint, mutation: SAVE, ...config });
        return parsed.ok ? [] : parsed.issues.map(({ path }) => path);
    };

    it.each<readonly [config: JsonObject, paths: readonly string[]]>([
        [{}, []],
        [{ mutation: '' }, ['mutation']],
        [{ mutation: 'mutation {' }, ['mutation']],
        [{ mutation: 'query ($id: Int) { save(id: $id) }' }, ['mutation']],
        [{ mutation: 'mutation ($id: Int) { a(id: $id) b(id: $id) }' }, ['mutation']],
        [{ mutation: 'mutation ($id: Int) { ...F } fragment F on M { a(id: $id) }' }, ['mutation']],
        [{ mutation: 'mutation A($id: Int) { a(id: $id) } mutation B { b }' }, ['mutation']],
        [{ mutation: 'type A { a: Int }' }, ['mutation']],
        [{ mutation: 'mutation { a }' }, ['mutation']],
        [{ mutation: 'mutation ($constructor: Int) { a(id: $constructor) }' }, ['mutation']],
        [{ mutation: 'mutation ($id: Int) { a { ...F } } fragment F on M { a(id: $id) }' }, []],
        [{ mutation: 'mutation ($id: Int) { a { ...F } } fragment F on M { a(id: $id) }', batchSize: 2 }, ['mutation']],
        [{ mutation: 'mutation ($id: Int) @slow { a(id: $id) }', batchSize: 2 }, ['mutation']],
        [{ variables: { id: 'id', nmae: 'name' } }, ['variables.nmae']],
        [{ variables: { name: 'name' } }, ['variables']],
        [{ recordVariable: 'record' }, ['recordVariable']],
        [{ recordVariable: 'id', deliveryIdVariable: 'id' }, ['deliveryIdVariable']],
        [{ endpoint: `${endpoint}/{{id}}` }, ['endpoint']],
        [{ batchSize: 501, operation: 'CREATE' }, ['batchSize', 'operation']],
    ])('%j is rejected at %j', (config, paths) => {
        expect([...faultsOf(config)].sort()).toEqual([...paths].sort());
    });

    it('rejects a document that is too deep or too long to be read', () => {
        expect(faultsOf({ mutation: `mutation { ${'a { '.repeat(4_000)}` })).toEqual(['mutation']);
        expect(faultsOf({ mutation: `mutation { ${'a '.repeat(15_000)}}` })).toEqual(['mutation']);
    });

    it('warns of a strategy if the step deletes', () => {
        const parsed = parseWith(graphqlMutation.config, {
            endpoint,
            mutation: SAVE,
            operation: 'DELETE',
            strategy: 'CREATE',
        });
        if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
        expect(graphqlMutation.advise!(parsed.value as never)).toMatchObject([
            { code: 'WITHOUT_EFFECT', path: 'strategy' },
        ]);
    });
});
