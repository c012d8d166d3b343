import { ApiReader, type ApiRead } from '../../../test/kit/api-reader';
import { played, type Served, type Way, ways } from '../../../test/kit/paging-ways';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { graphqlExtractor } from './graphql';
import { httpApi } from './http-api';

const readers = { httpApi: new ApiReader(httpApi), graphql: new ApiReader(graphqlExtractor) };

const WAYS = [...ways()];
const NUMBERS = WAYS.filter(([, { by }]) => by === 'numbers');
const CURSORS = WAYS.filter(([, { by }]) => by === 'cursors');

async function read(forgedCase: Way, served: Served, pagination: JsonObject = {}): Promise<ApiRead> {
    const reader = readers[forgedCase.extractor];
    const server = await reader.serve(played(forgedCase, served));
    const config = {
        ...forgedCase.config,
        pagination: { ...(forgedCase.config['pagination'] as JsonObject), ...pagination },
    };
    return reader.read(server, { config });
}
const isPartial = ({ pages }: ApiRead): boolean => pages.some(({ isPart }) => isPart !== undefined);
const records = (...ids: number[]): readonly JsonObject[] => ids.map(id => ({ id }));
const THREE = [records(1, 2), records(3, 4), records(5, 6)];

describe('a server with several pages', () => {
    it.each(WAYS)('is read completely by %s', async (_, way) => {
        const read1 = await read(way, { pages: THREE });
        expect(read1).toMatchObject({ error: undefined, records: THREE.flat() });
        expect(isPartial(read1)).toBe(false);
    });

    it.each(CURSORS)('is read past an empty page by %s', async (_, way) => {
        const pages = [records(1, 2), [], records(3, 4)];
        const found = await read(way, { pages });
        expect(found).toMatchObject({ error: undefined, records: pages.flat() });
        expect(isPartial(found)).toBe(false);
    });

    it.each(NUMBERS.filter(([, { sign }]) => sign !== 'none'))(
        'is read past an empty page by %s, or partially',
        async (_, way) => {
            const pages = [records(1, 2), [], records(3, 4)];
            const found = await read(way, { pages });
            expect(found).toMatchObject({ error: undefined, records: pages.flat() });
            expect(isPartial(found)).toBe(false);
            // It counts records that it does not show.
            if (way.sign !== 'total') return;
            const hidden = await read(way, { pages: [records(1, 2), [], [], []], total: () => 6 });
            expect(hidden).toMatchObject({ error: undefined, records: records(1, 2) });
            expect(isPartial(hidden)).toBe(true);
        },
    );

    it.each(WAYS)('whose pages have equal beginnings and ends loses none of them with %s', async (_, way) => {
        const pages = [0, 1, 2, 3].map(n => [{ id: 'first' }, { id: n }, { id: 'last' }]);
        // Three records a page, which an offset does not come to by twos.
        const byThrees: Way = { ...way, pageOf: (url, body) => Math.round(((way.pageOf(url, body) - 1) * 2) / 3) + 1 };
        const found = await read(way.config['pagination'] && isOffset(way) ? byThrees : way, { pages }, { limit: 3 });
        expect(found).toMatchObject({ error: undefined, records: pages.flat() });
        expect(isPartial(found)).toBe(false);
    });

    it.each(WAYS)('with two equal pages loses none of them with %s, or reports a partial reading', async (_, way) => {
        const pages = [records(1, 2), records(3, 4), records(3, 4), records(5, 6)];
        const found = await read(way, { pages });
        expect(found).toMatchObject({ error: undefined, records: pages.flat() });
        const more = await read(way, { pages: [...pages.slice(0, 3), records(3, 4), records(5, 6)] });
        expect(more.records.length === 10 || isPartial(more)).toBe(true);
    });

    it.each(WAYS.filter(([, { sign, by }]) => sign === 'total' && by === 'numbers'))(
        'whose total is less than the records received is read to its end with %s',
        async (_, way) => {
            for (const total of [0, 1, 3]) {
                const found = await read(way, { pages: [...THREE, []], total: () => total });
                expect(found.records).toEqual(THREE.flat());
            }
        },
    );

    it.each(WAYS.filter(([, { sign }]) => sign === 'total'))(
        'whose total falls is read partially by %s',
        async (_, way) => {
            const found = await read(way, { pages: THREE, total: page => 7 - page });
            expect(found.error).toBeUndefined();
            expect(isPartial(found)).toBe(true);
        },
    );

    it.each(WAYS.filter(([, { sign }]) => sign === 'total'))(
        'that counts more than it has is read partially by %s',
        async (_, way) => {
            const found = await read(way, { pages: THREE, total: () => 9 });
            expect(found).toMatchObject({ error: undefined, records: THREE.flat() });
            expect(isPartial(found)).toBe(true);
        },
    );

    it.each(CURSORS.flatMap(([name, way]) => [null, '', false, 0, undefined].map(last => [name, last, way] as const)))(
        'ends by %s with the cursor %j',
        async (_, lastCursor, way) => {
            const found = await read(way, { pages: THREE, lastCursor });
            expect(found).toMatchObject({ error: undefined, records: THREE.flat() });
            expect(isPartial(found)).toBe(false);
        },
    );
});

const isOffset = ({ config }: Way): boolean => (config['pagination'] as JsonObject)['type'] === 'OFFSET';

describe('a server that rejects the page after its last one', () => {
    const answers = [400, 404].map(status => ({ status, body: { detail: 'Invalid page 4711.' } }));
    const http = NUMBERS.filter(([, { extractor, sign }]) => extractor === 'httpApi' && sign === 'none');

    it.each(http)('is read completely by %s with pagination.endStatus', async (_, way) => {
        for (const after of answers) {
            const found = await read(way, { pages: THREE, behind: after }, { endStatus: [after.status] });
            expect(found).toMatchObject({ error: undefined, records: THREE.flat() });
            expect(isPartial(found)).toBe(false);
        }
    });

    it.each(http)('fails the run of %s without a total, with the message of the server', async (_, way) => {
        for (const after of answers) {
            const found = await read(way, { pages: THREE, behind: after });
            expect(found).toMatchObject({ records: THREE.flat(), error: { code: 'REMOTE_REFUSED' } });
            expect(found.error!.message).toContain('pagination.endStatus');
            expect(found.error!.message).toContain('4711');
        }
    });

    it.each(http)('fails the run of %s on its first page', async (_, way) => {
        const [after] = answers;
        const found = await read(way, { pages: [], behind: after! }, { endStatus: [400] });
        expect(found.error).toMatchObject({ code: 'REMOTE_REFUSED', details: { status: 400 } });
    });

    it.each(NUMBERS.filter(([, { extractor, sign }]) => extractor === 'httpApi' && sign === 'total'))(
        'is read partially with %s if it counts more',
        async (_, way) => {
            const [after] = answers;
            const found = await read(way, { pages: THREE, behind: after!, total: () => 8 }, { endStatus: [400] });
            expect(found).toMatchObject({ error: undefined, records: THREE.flat() });
            expect(isPartial(found)).toBe(true);
        },
    );
});

describe('a word of more', () => {
    const [, page] = NUMBERS.find(([, { sign }]) => sign === 'more')!;
    it.each<[string, JsonValue, JsonValue | undefined]>([
        ['the address of the next page and null', 'https://a.example/?page=2', null],
        ['a path and null', '/products?page=2', null],
        ['a query and an empty text', '?page=2', ''],
        ['true and false', true, false],
        ['True and FALSE', 'True', 'FALSE'],
        ['an address relative to this one and null', 'items?page=2', null],
        ['the address of the next page and nothing', 'https://a.example/?page=2', undefined],
    ])('may be %s', async (_, yes, no) => {
        const forgedCase: Way = {
            ...page,
            answer: ({ items, more }) => ({
                body: { items, ...((more ? yes : no) !== undefined && { more: more ? yes : no }) },
            }),
        };
        const found = await read(forgedCase, { pages: THREE });
        expect(found).toMatchObject({ error: undefined, records: THREE.flat() });
    });
});

describe('JSON that is served as a page', () => {
    const html = { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '[{"id": 1}]' };

    it('is read if the format is set, otherwise an advice is given', async () => {
        const server = await readers.httpApi.serve(() => html);
        expect((await readers.httpApi.read(server, { config: { format: 'JSON' } })).records).toEqual(records(1));
        const { error } = await readers.httpApi.read(server);
        expect(error).toMatchObject({ code: 'REMOTE_MALFORMED' });
        expect(error!.message).toContain('format');
    });
});

describe('the records of a page before the rest of it fails', () => {
    it('is yielded', async () => {
        const note = 'x'.repeat(1_000);
        const text = `[${Array.from({ length: 2_500 }, (_, id) => JSON.stringify({ id, note })).join()}, {]`;
        const server = await readers.httpApi.serve(() => ({ body: text }));
        const { records: found, error } = await readers.httpApi.read(server);
        expect(error).toMatchObject({ code: 'REMOTE_MALFORMED' });
        expect(found).toHaveLength(2_500);
    });
});

describe('the end of the pages', () => {
    it.each<[string, JsonObject, JsonObject]>([
        ['an invalid cursor', { type: 'CURSOR', cursorPath: 'next' }, { next: { broken: true } }],
        [
            'a link to another host',
            { type: 'CURSOR', cursorPath: 'next', cursorIs: 'LINK' },
            { next: 'https://b.example/' },
        ],
        ['an invalid total', { type: 'PAGE', totalPath: 'total' }, { total: 'many' }],
        ['an invalid hasMore value', { type: 'PAGE', hasMorePath: 'more' }, { more: 'perhaps' }],
    ])('is a failure with %s, after the records of that page', async (_, pagination, around) => {
        const server = await readers.httpApi.serve(() => ({ body: { items: [{ id: 1 }, { id: 2 }], ...around } }));
        const { records, error } = await readers.httpApi.read(server, { config: { dataPath: 'items', pagination } });
        expect(error).toBeDefined();
        expect(records).toEqual([{ id: 1 }, { id: 2 }]);
    });
});
