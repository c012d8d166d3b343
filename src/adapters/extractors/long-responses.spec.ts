import { type Play, type PlayedAnswer } from '../../../test/kit/api-plays';
import { ApiReader } from '../../../test/kit/api-reader';
import type { JsonObject } from '../../core/value/json';
import { WHOLE_BYTES } from './api-response';
import { httpApi } from './http-api';

const api = new ApiReader(httpApi);
/** Half of them is more than the size up to which an answer is held whole. */
const ROWS = 20_000;
const NOTE =
    'delivered by the usual supplier, water resistant, in a box of twelve, and of the very best quality there is';

interface Format {
    readonly type: string;
    readonly config: JsonObject;
    readonly text: (ids: readonly number[]) => string;
    readonly record: (id: number) => JsonObject;
}

/** The number has more digits than a double has. */
const bigOf = (id: number): string => `90071992547409${90_000 + id}`;
const told = (id: number): JsonObject => ({ id: String(id), big: bigOf(id), note: NOTE });

const FORMATS: Readonly<Record<string, Format>> = {
    JSON: {
        type: 'application/json',
        config: { dataPath: 'data.items' },
        text: ids =>
            `{"data": {"items": [${ids.map(id => `{"id": ${id}, "big": ${bigOf(id)}, "note": "${NOTE}"}`).join()}]}}`,
        record: id => ({ ...told(id), id }),
    },
    NDJSON: {
        type: 'application/x-ndjson',
        config: {},
        text: ids => ids.map(id => `{"id": ${id}, "big": ${bigOf(id)}, "note": "${NOTE}"}\n`).join(''),
        record: id => ({ ...told(id), id }),
    },
    CSV: {
        type: 'text/csv',
        config: {},
        text: ids => `id,big,note\n${ids.map(id => `${id},${bigOf(id)},"${NOTE}"\n`).join('')}`,
        record: told,
    },
    XML: {
        type: 'application/xml',
        config: { dataPath: 'list.item' },
        text: ids =>
            `<list>${ids.map(id => `<item><id>${id}</id><big>${bigOf(id)}</big><note>${NOTE}</note></item>`).join('')}</list>`,
        record: told,
    },
};

/** Two pages that are long, and then an empty one. */
const longPages =
    ({ type, text }: Format): Play =>
    ({ url }) => {
        const first = (Number(url.searchParams.get('page')) - 1) * ROWS;
        const ids = first < 2 * ROWS ? Array.from({ length: ROWS }, (_, i) => first + i) : [];
        return { headers: { 'content-type': type }, body: text(ids) };
    };

describe.each(Object.entries(FORMATS))('an answer of more than 1 MiB, as %s', (_, format) => {
    const config = { ...format.config, pagination: { type: 'PAGE', limit: 10_000 } };
    const expected = Array.from({ length: 2 * ROWS }, (_value, id) => format.record(id));

    it('is read in portions, as a short one is', async () => {
        expect(format.text(Array.from({ length: ROWS }, (_value, i) => i)).length).toBeGreaterThan(2.5 * WHOLE_BYTES);
        const server = await api.serve(longPages(format));
        const { pages, records, error } = await api.read(server, { config });
        expect(error?.message).toBeUndefined();
        expect(records).toEqual(expected);
        expect(Math.max(...pages.map(page => page.records.length))).toBeLessThanOrEqual(1_000);
        const short = await api.serve(({ url, ...request }) => {
            const isFirst = url.searchParams.get('page') === '1';
            const few: PlayedAnswer = {
                headers: { 'content-type': format.type },
                body: format.text(isFirst ? [0, 1, 2] : []),
            };
            return request.number > 0 ? few : 'hangs';
        });
        expect((await api.read(short, { config })).records).toEqual(expected.slice(0, 3));
    });

    it('that is cut off has its complete records loaded, and is resumed after them', async () => {
        const play = longPages(format);
        const cut = await api.serve(async request => {
            const answer = await play(request);
            return request.url.searchParams.get('page') === '2' && answer !== 'hangs'
                ? { ...answer, isCut: true }
                : answer;
        });
        const broken = await api.read(cut, { config });
        expect(broken.error?.code).toBe('REMOTE_BUSY');
        expect(broken.records.length).toBeGreaterThan(ROWS);
        expect(broken.records.length).toBeLessThan(2 * ROWS);
        const resumeFrom = broken.pages.at(-1)!.checkpoint!;
        const whole = await api.serve(play);
        const rest = await api.read(whole, { config, part: { resumeFrom } });
        expect(rest.error?.message).toBeUndefined();
        expect([...broken.records, ...rest.records]).toEqual(expected);
        expect(whole.seen[0]!.url.searchParams.get('page')).toBe('2');
    });
});
