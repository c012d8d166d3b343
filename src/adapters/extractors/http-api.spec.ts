import { ApiReader } from '../../../test/kit/api-reader';
import { faulty, type Play, PLAYED_CONFIGS, type PlayedAnswer, PLAYS } from '../../../test/kit/api-plays';
import { naming } from '../../../test/kit/naming';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { httpApi } from './http-api';

const api = new ApiReader(httpApi);
const products = (count: number): JsonObject[] =>
    Array.from({ length: count }, (_, i) => ({ id: i + 1, sku: `TS-${i + 1}` }));
const PAGE = { type: 'PAGE', limit: 2 };
/** Responses by page number; empty after the last page. */
const paged =
    (...pages: ReadonlyArray<readonly JsonValue[]>): Play =>
    ({ url }) => ({ body: pages[Number(url.searchParams.get('page') ?? 1) - 1] ?? [] });
const always =
    (answer: PlayedAnswer): Play =>
    () =>
        answer;

describe('an imitation of an existing API', () => {
    const names = Object.keys(PLAYS) as ReadonlyArray<keyof typeof PLAYS>;

    it.each(names)('%s is read completely, each record once, even if every seventh request fails', async name => {
        const records = products(1_403);
        const server = await api.serve(faulty(PLAYS[name](records)));
        const config = { ...PLAYED_CONFIGS[name], timeoutMs: 400 };
        const { records: read, error } = await api.read(server, { config });
        expect(error).toBeUndefined();
        expect(read).toEqual(records);
    });

    it.each(names)('%s is resumed at each page', async name => {
        const records = products(333);
        const server = await api.serve(PLAYS[name](records));
        const config = PLAYED_CONFIGS[name];
        const { pages } = await api.read(server, { config });
        for (const [i, { checkpoint }] of pages.entries()) {
            const part = { resumeFrom: JSON.parse(JSON.stringify(checkpoint)) as JsonValue };
            const { records: rest, error } = await api.read(server, { config, part });
            expect(error).toBeUndefined();
            expect(rest).toEqual(pages.slice(i + 1).flatMap(page => page.records));
        }
    });

    it.each(names)('%s gets no requests for more records than a preview shows', async name => {
        const server = await api.serve(PLAYS[name](products(333)));
        const part = { limit: 3, mode: 'preview' as const };
        const { records } = await api.read(server, { config: PLAYED_CONFIGS[name], part });
        expect(records).toEqual(products(3));
        expect(server.seen).toHaveLength(1);
        expect([...server.seen[0]!.url.searchParams.values()]).toContain('3');
    });
});

describe('a page of an API', () => {
    it('is requested while the previous one is processed, at most one ahead', async () => {
        const server = await api.serve(PLAYS.woocommerce(products(1_000)));
        const pages = api.open(server, { config: PLAYED_CONFIGS.woocommerce });
        const requested = async (count: number) => {
            while (server.seen.length < count) await new Promise(resolve => setImmediate(resolve));
            for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve));
            return server.seen.length;
        };
        await pages.next();
        expect(await requested(2)).toBe(2);
        await pages.next();
        expect(await requested(3)).toBe(3);
        await pages.return();
        expect(await requested(3)).toBe(3);
    });

    it('locates its records', async () => {
        const server = await api.serve(paged([{ a: 1 }, { a: 2 }], [{ a: 3 }]));
        const { pages } = await api.read(server, { config: { pagination: PAGE } });
        expect(pages.map(({ placeOf }) => placeOf?.(0))).toEqual(['page 1, record 1', 'page 2, record 1']);
    });

    it('that has elements other than objects gets these rejected', async () => {
        const server = await api.serve(always({ body: { items: [{ a: 1 }, 'x', null, { a: 2 }] } }));
        const { pages, records } = await api.read(server, { config: { dataPath: 'items' } });
        expect(records).toEqual([{ a: 1 }, { a: 2 }]);
        expect(pages.flatMap(({ faults: issues = [] }) => issues.map(({ index, data }) => [index, data]))).toEqual([
            [1, { value: 'x' }],
            [1, { value: null }],
        ]);
    });

    it('has exact numbers, short or long, and objects with a key twice are rejected, not the page', async () => {
        const body = (count: number) =>
            `{"n": 1, "items": [${'{"id": 12345678901234567890, "x": 1.10}, '.repeat(count)}{"id": 1, "id": 2}]}`;
        for (const count of [3, 40_000]) {
            const server = await api.serve(always({ body: body(count) }));
            const { pages, records, error } = await api.read(server, { config: { dataPath: 'items' } });
            expect(error).toBeUndefined();
            expect(records).toHaveLength(count);
            expect(records[0]).toEqual({ id: '12345678901234567890', x: 1.1 });
            expect(pages.flatMap(({ faults: issues = [] }) => issues.map(({ data }) => data))).toEqual([
                { value: '{"id": 1, "id": 2}' },
            ]);
        }
    });

    it.each<[string, PlayedAnswer, JsonObject, readonly JsonObject[]]>([
        [
            'NDJSON',
            { headers: { 'content-type': 'application/x-ndjson' }, body: '{"a": 1}\n{"a": 2}\n' },
            {},
            [{ a: 1 }, { a: 2 }],
        ],
        ['JSON of several lines', { body: '{"a": 1}\n{"a": 2}' }, {}, [{ a: 1 }, { a: 2 }]],
        [
            'CSV',
            { headers: { 'content-type': 'text/csv' }, body: 'a,b\n01,\n02,x' },
            {},
            [{ a: '01' }, { a: '02', b: 'x' }],
        ],
        [
            'CSV by word',
            { headers: { 'content-type': 'text/plain' }, body: 'a;b\n1;2' },
            { format: 'CSV', delimiter: ';' },
            [{ a: '1', b: '2' }],
        ],
        [
            'tab-separated values',
            { headers: { 'content-type': 'text/tab-separated-values' }, body: 'a\tb\n1\t2' },
            {},
            [{ a: '1', b: '2' }],
        ],
        [
            'XML',
            { headers: { 'content-type': 'application/xml' }, body: '<l><i><a>1</a></i></l>' },
            { dataPath: 'l.i' },
            [{ a: '1' }],
        ],
        ['XML without a type', { headers: { 'content-type': '' }, body: ' <l><i><a>1</a></i></l>' }, {}, [{ a: '1' }]],
        [
            'Latin 1',
            { headers: { 'content-type': 'text/csv; charset=ISO-8859-1' }, body: Buffer.from('a\nK\xf6ln', 'latin1') },
            {},
            [{ a: 'Köln' }],
        ],
        [
            'Latin 1 of XML',
            {
                headers: { 'content-type': 'text/xml' },
                body: Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><l><i>K\xf6ln</i></l>', 'latin1'),
            },
            {},
            [{ '#text': 'Köln' }],
        ],
        ['UTF-16', { body: Buffer.from('\ufeff[{"a": "ü"}]', 'utf16le') }, {}, [{ a: 'ü' }]],
        ['a byte order mark', { body: '\ufeff[{"a": 1}]' }, {}, [{ a: 1 }]],
        ['one object', { body: { a: 1 } }, {}, [{ a: 1 }]],
        ['one object at a path', { body: { data: { a: 1 } } }, { dataPath: 'data' }, [{ a: 1 }]],
        ['no content', { status: 204, body: '' }, { dataPath: 'items' }, []],
        ['null for an empty list', { body: { items: null } }, { dataPath: 'items' }, []],
    ])('is read: %s', async (_, answer, config, expected) => {
        const server = await api.serve(always(answer));
        const { records, error } = await api.read(server, { config });
        expect(error?.message).toBeUndefined();
        expect(records).toEqual(expected);
    });

    it.each<[string, PlayedAnswer, JsonObject, string]>([
        ['broken JSON', { body: '{"items": [{"a": 1}, {"a"' }, { dataPath: 'items' }, 'REMOTE_MALFORMED'],
        ['no list at the path', { body: { list: [{}] } }, { dataPath: 'items' }, 'REMOTE_MALFORMED'],
        ['a text at the path', { body: { items: 'none' } }, { dataPath: 'items' }, 'REMOTE_MALFORMED'],
        ['a number', { body: '5' }, {}, 'REMOTE_MALFORMED'],
        ['one object where there are pages', { body: { items: [{}] } }, { pagination: PAGE }, 'REMOTE_MALFORMED'],
        [
            'a page for people',
            { headers: { 'content-type': 'text/html' }, body: '<h1>Log in</h1>' },
            {},
            'REMOTE_MALFORMED',
        ],
        ['lists a thousand deep', { body: `${'['.repeat(1_000)}${']'.repeat(1_000)}` }, {}, 'REMOTE_MALFORMED'],
        ['half a million lists', { body: '['.repeat(500_000) }, {}, 'REMOTE_MALFORMED'],
        [
            'broken UTF-8',
            { body: Buffer.from([0x5b, 0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x5d]) },
            {},
            'REMOTE_MALFORMED',
        ],
        [
            'a DOCTYPE',
            { headers: { 'content-type': 'text/xml' }, body: '<!DOCTYPE l [<!ENTITY x "y">]><l><i>&x;</i></l>' },
            {},
            'REMOTE_MALFORMED',
        ],
        ['no GZIP', { headers: { 'content-encoding': 'gzip' }, body: 'plain' }, {}, 'REMOTE_MALFORMED'],
        ['404', { status: 404 }, {}, 'REMOTE_REFUSED'],
        ['401', { status: 401 }, {}, 'REMOTE_REFUSED'],
        ['500 for ever', { status: 500 }, {}, 'REMOTE_BUSY'],
        [
            'a total that is not a number',
            { body: { items: [{}], total: 'many' } },
            { dataPath: 'items', pagination: { ...PAGE, totalPath: 'total' } },
            'REMOTE_MALFORMED',
        ],
        [
            'no total',
            { body: { items: [{}] } },
            { dataPath: 'items', pagination: { ...PAGE, totalPath: 'total' } },
            'REMOTE_MALFORMED',
        ],
        [
            'no word of more',
            { body: { items: [{}] } },
            { dataPath: 'items', pagination: { ...PAGE, hasMorePath: 'more' } },
            'REMOTE_MALFORMED',
        ],
        [
            'an object for a cursor',
            { body: { items: [{}], next: {} } },
            { dataPath: 'items', pagination: { type: 'CURSOR', cursorPath: 'next' } },
            'REMOTE_MALFORMED',
        ],
        [
            'a cursor of 10,000 characters',
            { body: { items: [{}], next: 'x'.repeat(10_000) } },
            { dataPath: 'items', pagination: { type: 'CURSOR', cursorPath: 'next' } },
            'REMOTE_MALFORMED',
        ],
        [
            'more without a cursor',
            { body: { items: [{}], more: true } },
            { dataPath: 'items', pagination: { type: 'CURSOR', cursorPath: 'next', hasMorePath: 'more' } },
            'REMOTE_MALFORMED',
        ],
        [
            'a cursor in XML',
            { headers: { 'content-type': 'text/xml' }, body: '<l><i>1</i></l>' },
            { dataPath: 'l.i', pagination: { type: 'CURSOR', cursorPath: 'next' } },
            'REMOTE_MALFORMED',
        ],
        [
            'a link that leads away',
            { headers: { link: '<https://evil.example/x>; rel=next' }, body: [{}] },
            { pagination: { type: 'LINK_HEADER' } },
            'OUTBOUND_ORIGIN',
        ],
        [
            'a link into a file',
            { headers: { link: '<file:///etc/passwd>; rel=next' }, body: [{}] },
            { pagination: { type: 'LINK_HEADER' } },
            'OUTBOUND_ORIGIN',
        ],
        [
            'an invalid link',
            { headers: { link: '<http://[>; rel=next' }, body: [{}] },
            { pagination: { type: 'LINK_HEADER' } },
            'REMOTE_MALFORMED',
        ],
    ])('with %s is reported', async (_, answer, config, code) => {
        const server = await api.serve(always(answer));
        const { error } = await api.read(server, { config });
        expect(error?.code).toBe(code);
    });

    it('has no more bytes than the options allow, compressed or not', async () => {
        const server = await api.serve(always({ body: `[${'{"a": 1},'.repeat(300_000)}{"a": 1}]` }));
        const { error } = await api.read(server, { maxResponseBytes: 2_000_000 });
        expect(error?.code).toBe('OUTBOUND_TOO_LARGE');
    });
});

describe('the end of the pages', () => {
    const cursors = { dataPath: 'items', pagination: { type: 'CURSOR', cursorPath: 'next' } };

    it('is a cursor that is null, missing, empty, false or 0', async () => {
        for (const next of [null, undefined, '', false, 0]) {
            const server = await api.serve(({ number }) => ({
                body: {
                    items: [{ number }],
                    ...(number < 3 ? { next: `c${number}` } : next !== undefined && { next }),
                },
            }));
            const { records, error } = await api.read(server, { config: cursors });
            expect(error).toBeUndefined();
            expect(records).toHaveLength(3);
            expect(server.seen.map(({ url }) => url.searchParams.get('cursor'))).toEqual([null, 'c1', 'c2']);
        }
    });

    it('is detected with cursors of any text, including half a character', async () => {
        const next = ['"half \\ud800"', 'null'];
        const server = await api.serve(({ number }) => ({
            body: `{"items": [{"number": ${number}}], "next": ${next[number - 1]!}}`,
        }));
        const config = { dataPath: 'items', pagination: { type: 'CURSOR', cursorPath: 'next' } };
        const { records, error } = await api.read(server, { config });
        expect({ records, error }).toEqual({ records: [{ number: 1 }, { number: 2 }], error: undefined });
        expect(server.seen[1]!.url.searchParams.get('cursor')).toBe('half \ufffd');
    });

    it('is not a page with fewer records than requested', async () => {
        const server = await api.serve(paged([{ a: 1 }], [{ a: 2 }, { a: 3 }], [{ a: 4 }]));
        expect((await api.read(server, { config: { pagination: PAGE } })).records).toHaveLength(4);
    });

    it('is decided by the sign for more records, even if a page is empty', async () => {
        const server = await api.serve(({ url }) => {
            const page = Number(url.searchParams.get('page'));
            return { body: { items: page === 2 ? [] : [{ page }], more: page < 3 } };
        });
        const config = { dataPath: 'items', pagination: { ...PAGE, hasMorePath: 'more' } };
        expect((await api.read(server, { config })).records).toEqual([{ page: 1 }, { page: 3 }]);
    });

    it('is a failure if a cursor is repeated, at once or in a circle, and the records before it are read', async () => {
        for (const [circle, expected] of [
            [1, 2],
            [2, 3],
            [5, 6],
        ] as const) {
            const server = await api.serve(({ number }) => ({
                body: { items: [{ number }], next: `c${number % circle}` },
            }));
            const { records, error } = await api.read(server, { config: cursors });
            expect(error?.code).toBe('PAGES_ENDLESS');
            expect(records).toHaveLength(expected);
        }
    });

    it('is a failure for a circle that is longer than any worker lives', async () => {
        const server = await api.serve(({ url }) => {
            const at = Number(url.searchParams.get('cursor') ?? 0);
            return { body: { items: [{ at }], next: (at % 10) + 1 } };
        });
        let resumeFrom: JsonValue | undefined;
        for (let slice = 0; slice < 60; slice++) {
            // A worker that dies after each page.
            const pages = api.open(server, { config: cursors, part: { resumeFrom } });
            let page;
            try {
                page = await pages.next();
                await pages.next();
                await pages.return();
            } catch (error) {
                expect(error).toMatchObject({ code: 'PAGES_ENDLESS' });
                expect(slice).toBeLessThan(40);
                return;
            }
            if (!page.value) break;
            resumeFrom = page.value.checkpoint;
        }
        throw new Error('the circle was not detected');
    });

    it('is a failure after maxPages, unless the next page is empty', async () => {
        const config = { pagination: { ...PAGE, maxPages: 2 } };
        const three = await api.serve(paged([{ a: 1 }], [{ a: 2 }], [{ a: 3 }]));
        const { records, error } = await api.read(three, { config });
        expect(records).toEqual([{ a: 1 }, { a: 2 }]);
        expect(error).toMatchObject({ code: 'PAGE_LIMIT', facts: { pages: 2, field: 'pagination.maxPages' } });
        const two = await api.serve(paged([{ a: 1 }], [{ a: 2 }]));
        expect(await api.read(two, { config })).toMatchObject({ error: undefined, records: [{ a: 1 }, { a: 2 }] });
    });

    it.each([
        ['numbers', { type: 'PAGE' }],
        ['cursors', { type: 'CURSOR', cursorPath: 'next' }],
    ])('is maxPages for empty pages that always say that there is more, with %s', async (_, paging) => {
        let requested = 0;
        const server = await api.serve(() => ({ body: { data: [], more: ++requested < 20, next: `c${requested}` } }));
        const pagination = { ...paging, hasMorePath: 'more', maxPages: 5 };
        const { error } = await api.read(server, { config: { dataPath: 'data', pagination } });
        expect(error).toMatchObject({ code: 'PAGE_LIMIT' });
        expect(requested).toBeLessThan(8);
    });

    it('is a page without end for no longer than maxPages', async () => {
        const server = await api.serve(({ number }) => ({ body: [{ number }] }));
        const { error } = await api.read(server, { config: { pagination: { ...PAGE, maxPages: 20 } } });
        expect(error?.code).toBe('PAGE_LIMIT');
        expect(server.seen.length).toBeLessThanOrEqual(22);
    });

    it('is the repeated last page; a repeated first page is a failure', async () => {
        const server = await api.serve(PLAYS.magento(products(5)));
        const two = {
            ...PLAYED_CONFIGS.magento,
            pagination: { ...(PLAYED_CONFIGS.magento['pagination'] as JsonObject), limit: 2 },
        };
        const { records, error, log } = await api.read(server, { config: two });
        expect(error).toBeUndefined();
        expect(records).toEqual(products(5));
        expect(log.filter(line => line.startsWith('WARN'))).toHaveLength(1);
        const alone = await api.read(server, { config: PLAYED_CONFIGS.magento });
        expect(alone.error?.code).toBe('PAGES_ENDLESS');
        expect(alone.records).toEqual(products(5));
        const told = {
            ...PLAYED_CONFIGS.magento,
            pagination: { ...(PLAYED_CONFIGS.magento['pagination'] as JsonObject), totalPath: 'total_count' },
        };
        expect(await api.read(server, { config: told })).toMatchObject({ error: undefined, records: products(5) });
    });

    it('is not a page that looks like the one before by chance', async () => {
        const server = await api.serve(paged([{ a: 1 }], [{ a: 2 }], [{ a: 2 }], [{ a: 3 }]));
        const { records } = await api.read(server, { config: { pagination: { ...PAGE, limit: 1 } } });
        expect(records).toEqual([{ a: 1 }, { a: 2 }, { a: 2 }, { a: 3 }]);
    });

    it('is a total that is reached, even if it shrinks, with a warning', async () => {
        const totals = [6, 6, 4];
        const server = await api.serve(({ number, url }) => {
            const page = Number(url.searchParams.get('page'));
            return { body: { items: [{ page }, { page }], total: totals[number - 1] ?? 4 } };
        });
        const config = { dataPath: 'items', pagination: { ...PAGE, totalPath: 'total' } };
        const { records, error, log } = await api.read(server, { config });
        expect(error).toBeUndefined();
        expect(records).toHaveLength(6);
        expect(log.filter(line => line.startsWith('WARN'))).toHaveLength(1);
    });

    it('fails if the response has no total at totalPath', async () => {
        const server = await api.serve(() => ({ body: { items: [{ a: 1 }], total: 1 } }));
        const { error } = await api.read(server, {
            config: { dataPath: 'items', pagination: { ...PAGE, totalPath: 'totl' } },
        });
        expect(error).toMatchObject({ code: 'REMOTE_MALFORMED' });
        expect(error?.message).toMatch(naming('"totl"', 'pagination.totalPath'));
    });

    it('is reported if it comes before the total', async () => {
        const server = await api.serve(({ number }) => ({
            body: { items: number < 3 ? [{ number }] : [], total: '5' },
        }));
        const config = { dataPath: 'items', pagination: { ...PAGE, totalPath: 'total' } };
        const { records, log } = await api.read(server, { config });
        expect(records).toHaveLength(2);
        expect(log.filter(line => line.startsWith('WARN'))).toHaveLength(1);
    });

    it('begins again if the server rejects a cursor when a run resumes', async () => {
        const server = await api.serve(({ url }) =>
            url.searchParams.get('cursor') === null ? { body: { items: [{ a: 1 }], next: 'c1' } } : { status: 410 },
        );
        const first = await api.read(server, { config: cursors });
        expect(first.error?.code).toBe('REMOTE_REFUSED');
        const part = { resumeFrom: first.pages[0]!.checkpoint! };
        expect((await api.read(server, { config: cursors, part })).error?.code).toBe('CHECKPOINT_REFUSED');
    });
});

describe('a request', () => {
    it('keeps the address as it is written, and replaces parameters with the same names', async () => {
        const server = await api.serve(paged([{ a: 1 }]));
        const config = {
            url: `${server.url}/products?filter=a,b&page=9&q=x+y&$top=%20`,
            pagination: { ...PAGE, pageParam: 'page', pageSizeParam: null },
        };
        await api.read(server, { config });
        expect(server.seen[0]!.url.search).toBe('?filter=a,b&q=x+y&$top=%20&page=1');
    });

    it('has a body for POST, with the parameters in it', async () => {
        const server = await api.serve(({ body }) => {
            const { page } = JSON.parse(body) as { page: { no: number } };
            return { body: page.no === 0 ? [{ a: 1 }] : [] };
        });
        const config = {
            method: 'POST',
            body: { filter: { a: [1] } },
            paramsIn: 'BODY',
            pagination: { ...PAGE, firstPage: 0, pageParam: 'page.no', pageSizeParam: 'page.size' },
        };
        expect((await api.read(server, { config })).records).toEqual([{ a: 1 }]);
        expect(server.seen.map(({ method, body }) => [method, JSON.parse(body)])).toEqual([
            ['POST', { filter: { a: [1] }, page: { no: 0, size: 2 } }],
            ['POST', { filter: { a: [1] }, page: { no: 1, size: 2 } }],
        ]);
    });

    it('follows addresses in responses, complete or from the query on, and adds nothing to them', async () => {
        const server = await api.serve(({ url, number }) => ({
            body: {
                '@odata.nextLink':
                    number === 1 ? `${url.origin}/products?$skiptoken=a%20b` : number === 2 ? '?$skiptoken=c' : null,
                value: [{ number }],
            },
        }));
        const config = {
            dataPath: 'value',
            pagination: {
                type: 'CURSOR',
                cursorIs: 'LINK',
                cursorPath: '@odata\\.nextLink',
                limitParam: '$top',
                limit: 5,
            },
        };
        expect((await api.read(server, { config })).records).toHaveLength(3);
        expect(server.seen.map(({ url }) => url.pathname + url.search)).toEqual([
            '/products?%24top=5',
            '/products?$skiptoken=a%20b',
            '/products?$skiptoken=c',
        ]);
    });

    it('takes a cursor from a header or the last record, and begins with one that is given', async () => {
        const server = await api.serve(({ number }) => ({
            headers: number < 3 ? { 'x-next': `c${number}` } : {},
            body: [{ number }],
        }));
        const pagination = {
            type: 'CURSOR',
            cursorHeader: 'X-Next',
            initialCursor: '*',
            cursorParam: 'at',
            limitParam: null,
        };
        expect((await api.read(server, { config: { pagination } })).records).toHaveLength(3);
        expect(server.seen.map(({ url }) => url.search)).toEqual(['?at=*', '?at=c1', '?at=c2']);
    });

    it('waits as long as the server says, and is retried at most as often as allowed', async () => {
        const server = await api.serve(({ number }) =>
            number === 1 ? { status: 429, headers: { 'retry-after': '7' } } : { body: [{ number }] },
        );
        const { records, waited } = await api.read(server);
        expect(records).toEqual([{ number: 2 }]);
        expect(waited).toEqual([7_000]);
        const busy = await api.serve(always({ status: 503 }));
        expect((await api.read(busy, { config: { retry: { maxAttempts: 4 } } })).error?.code).toBe('REMOTE_BUSY');
        expect(busy.seen).toHaveLength(4);
    });

    it('is sent no more often per second than the step allows', async () => {
        const server = await api.serve(paged([{ a: 1 }], [{ a: 2 }], [{ a: 3 }]));
        const before = api.clock.now();
        await api.read(server, { config: { pagination: PAGE, rateLimit: { requestsPerSecond: 0.5 } } });
        expect(server.seen).toHaveLength(4);
        expect(api.clock.now() - before).toBeGreaterThanOrEqual(5_800);
    });
});

describe('a connection', () => {
    const connection = (server: { readonly url: string }, more: JsonObject = {}) => ({
        type: 'REST',
        settings: {
            baseUrl: `${server.url}/api`,
            auth: { type: 'BEARER', secretCode: 'token' },
            headers: { 'X-Shop': 'one', Accept: 'text/x' },
            timeoutMs: 30_000,
            ...more,
        },
    });
    const secrets = { token: 't0ken', other: 'k3y' };

    it('gives base, headers and authentication, and the step overrides them', async () => {
        const server = await api.serve(always({ body: [] }));
        const own = { connectionCode: 'erp', url: '/products' };
        await api.read(server, { config: own, connection: connection(server), secrets });
        const auth = { type: 'API_KEY', headerName: 'X-Key', secretCode: 'other' };
        const overriding = { ...own, headers: { 'x-shop': 'two' }, auth };
        await api.read(server, { config: overriding, connection: connection(server), secrets });
        await api.read(server, { config: { ...own, auth: { type: 'NONE' } }, connection: connection(server), secrets });
        const [first, second, third] = server.seen.map(({ url, headers }) => ({ path: url.pathname, ...headers }));
        expect(first).toMatchObject({
            path: '/api/products',
            authorization: 'Bearer t0ken',
            'x-shop': 'one',
            accept: 'text/x',
        });
        expect(second).toMatchObject({ 'x-key': 'k3y', 'x-shop': 'two' });
        expect(second).not.toHaveProperty('authorization');
        expect(third).not.toHaveProperty('authorization');
    });

    it('keeps requests, redirects and links with its origin', async () => {
        const other = await api.serve(always({ body: [] }));
        const server = await api.serve(({ url }) =>
            url.pathname.endsWith('/away')
                ? { status: 302, headers: { location: `${other.url}/steal` } }
                : { headers: { link: `<${other.url}/steal>; rel="next"` }, body: [{}] },
        );
        for (const config of [
            { url: `${other.url}/products` },
            { url: '/away' },
            { url: '/products', pagination: { type: 'LINK_HEADER' } },
        ]) {
            const whole = { connectionCode: 'erp', ...config } as JsonObject;
            const { error } = await api.read(server, { config: whole, connection: connection(server), secrets });
            expect(error?.code).toBe('OUTBOUND_ORIGIN');
        }
        expect(other.seen).toEqual([]);
    });

    it('with an empty secret, or without a base URL for one, sends nothing', async () => {
        const server = await api.serve(always({ body: [] }));
        const config = { connectionCode: 'erp', url: `${server.url}/products` };
        const empty = { config, connection: connection(server), secrets: { token: ' ' } };
        expect((await api.read(server, empty)).error?.code).toBe('SECRET_UNREADABLE');
        const { baseUrl: _, ...settings } = connection(server).settings as JsonObject & { readonly baseUrl: string };
        const baseless = { config, connection: { type: 'REST', settings }, secrets };
        expect((await api.read(server, baseless)).error?.code).toBe('CONNECTION_INVALID');
        expect(server.seen).toEqual([]);
    });

    it('of client credentials gets a token and renews it', async () => {
        let given = 0;
        const server = await api.serve(({ url, headers }) => {
            if (url.pathname === '/token') return { body: { access_token: `t${++given}`, expires_in: 3_600 } };
            return headers['authorization'] === 'Bearer t1' && url.searchParams.get('page') === '2'
                ? { status: 401 }
                : { body: url.searchParams.get('page') === '3' ? [] : [{ page: url.searchParams.get('page') }] };
        });
        const auth = { type: 'OAUTH2', tokenUrl: `${server.url}/token`, clientId: 'shop', clientSecretCode: 'token' };
        const config = { connectionCode: 'erp', url: '/products', pagination: PAGE };
        const { records, error } = await api.read(server, {
            config,
            connection: connection(server, { auth }),
            secrets,
        });
        expect(error).toBeUndefined();
        expect(records).toEqual([{ page: '1' }, { page: '2' }]);
        expect(given).toBe(2);
    });
});

describe('the moment since which changes are read', () => {
    const incremental = { param: 'since' };
    const read = async (server: Awaited<ReturnType<typeof api.serve>>, config: JsonObject, resumeFrom?: JsonValue) => {
        const { pages, error } = await api.read(server, { config, part: { resumeFrom } });
        expect(error).toBeUndefined();
        return pages.at(-1)!.nextRun as { readonly from: JsonValue };
    };

    it('is requested with the beginning of that run, less the overlap, on each page', async () => {
        const server = await api.serve(paged([{ a: 1 }]));
        const config = { incremental, pagination: PAGE };
        api.clock.time = Date.parse('2026-11-23T12:00:00.250Z');
        const next = await read(server, config);
        expect(next).toEqual({ from: { since: '2026-11-23T11:59:00.250Z' } });
        await read(server, config, next.from);
        expect(server.seen.map(({ url }) => url.searchParams.get('since'))).toEqual([
            null,
            null,
            '2026-11-23T11:59:00Z',
            '2026-11-23T11:59:00Z',
        ]);
    });

    it('keeps the moment at which a run began, however often it is resumed', async () => {
        const server = await api.serve(paged([{ a: 1 }], [{ a: 2 }]));
        const config = { incremental, pagination: PAGE };
        const { pages } = await api.read(server, { config });
        const [first] = pages;
        api.clock.time += 3_600_000;
        const { pages: rest } = await api.read(server, { config, part: { resumeFrom: first!.checkpoint } });
        expect(rest.at(-1)!.nextRun).toEqual(first!.nextRun);
    });

    it('depends on the clock of a slow server, but not on that of a fast one', async () => {
        api.clock.time = Date.parse('2026-11-23T12:00:00Z');
        for (const [date, expected] of [
            ['Mon, 23 Nov 2026 11:00:00 GMT', '2026-11-23T11:00:00.000Z'],
            ['Mon, 23 Nov 2026 13:00:00 GMT', '2026-11-23T12:00:00.000Z'],
            ['yesterday', '2026-11-23T12:00:00.000Z'],
        ] as const) {
            const server = await api.serve(always({ headers: { date }, body: [] }));
            const next = await read(server, { incremental: { ...incremental, overlapSec: 0 } });
            expect(next).toEqual({ from: { since: expected } });
        }
    });

    it.each([
        ['ISO', '2026-01-02T03:04:05Z'],
        ['DATE', '2026-01-02'],
        ['EPOCH_SECONDS', '1767323045'],
        ['EPOCH_MILLISECONDS', '1767323045678'],
    ])('is written as %s', async (format, expected) => {
        const server = await api.serve(always({ body: [] }));
        await read(server, { incremental: { ...incremental, format, from: '2026-01-02T03:04:05.678Z' } });
        expect(server.seen[0]!.url.searchParams.get('since')).toBe(expected);
    });

    it('makes the reading partial, and its position belongs to the source', async () => {
        const parse = (config: JsonObject) => httpApi.config.parse({ url: 'https://a.example/x', ...config });
        expect(httpApi.readsPart?.(parse({ incremental }))).toBe(true);
        expect(httpApi.readsPart?.(parse({}))).toBe(false);
        const keyOf = async (config: JsonObject) => (await httpApi.saved?.(parse(config), {} as never))?.key;
        expect(await keyOf({})).toBeUndefined();
        const key = await keyOf({ incremental });
        expect(await keyOf({ incremental, timeoutMs: 5 })).toBe(key);
        expect(await keyOf({ incremental, url: 'https://a.example/y' })).not.toBe(key);
    });
});
