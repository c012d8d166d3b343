import { ApiReader } from '../../../test/kit/api-reader';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { jsonReader } from '../../io/formats/json';
import { httpApi } from './http-api';

const api = new ApiReader(httpApi);
const records = [{ id: 1 }, { id: 2 }];

/** The same at both sizes. */
const TABLE: ReadonlyArray<
    readonly [name: string, dataPath: string, answer: JsonValue, expected: readonly JsonObject[] | string]
> = [
    ['a list', 'data', { data: records }, records],
    ['a list below an index', '0.items', [{ items: records }, { items: [] }], records],
    ['a list below a later index', 'pages.1.items', { pages: [{ items: [{ id: 9 }] }, { items: records }] }, records],
    ['a list of lists', 'rows.1', { rows: [[{ id: 9 }], records] }, records],
    ['one object', 'data', { data: { id: 1 } }, [{ id: 1 }]],
    ['one object below an index', 'data.1', { data: [{ id: 9 }, { id: 1 }, { id: 8 }] }, [{ id: 1 }]],
    ['null', 'data', { data: null }, []],
    ['an empty list', 'data', { data: [] }, []],
    ['a text', 'data', { data: 'none' }, 'REMOTE_MALFORMED'],
    ['an index that the list does not have', 'data.5.items', { data: [{ items: records }] }, 'REMOTE_MALFORMED'],
    ['a name in a list', 'data.items', { data: [{ items: records }] }, 'REMOTE_MALFORMED'],
    ['a name that is not there', 'daten', { data: records }, 'REMOTE_MALFORMED'],
];
/** Blanks after the JSON. */
const filler = ' '.repeat(1024 * 1024);

describe.each([
    ['short', ''],
    ['long', filler],
])('a %s answer', (_size, padding) => {
    it.each(TABLE)('with %s at the data path is read in the same way', async (_, dataPath, answer, expected) => {
        const server = await api.serve(() => ({ body: JSON.stringify(answer) + padding }));
        const { records: found, error } = await api.read(server, { config: { dataPath } });
        if (typeof expected === 'string') expect(error).toMatchObject({ code: expected });
        else expect({ found, error }).toEqual({ found: expected, error: undefined });
    });

    it('with one object although there are pages is rejected', async () => {
        const server = await api.serve(() => ({ body: `{"data": {"id": 1}}${padding}` }));
        const config = { dataPath: 'data', pagination: { type: 'PAGE' } };
        expect((await api.read(server, { config })).error).toMatchObject({ code: 'REMOTE_MALFORMED' });
    });
});

describe('the items path of a JSON file', () => {
    it('takes list indexes', async () => {
        async function* text(): AsyncGenerator<string> {
            yield JSON.stringify({ pages: [{ items: [{ id: 9 }] }, { items: records }] });
        }
        const found: JsonObject[] = [];
        const reader = jsonReader(text, { itemsPath: 'pages.1.items' });
        expect(await reader.check()).toEqual({ rows: 2 });
        for await (const page of reader.read({})) found.push(...page.records);
        expect(found).toEqual(records);
    });
});
