import { ApiReader } from '../../../test/kit/api-reader';
import { naming } from '../../../test/kit/naming';
import { httpApi } from './http-api';

const api = new ApiReader(httpApi);
const PAGE = { type: 'PAGE', limit: 2 };

describe('a page of an API', () => {
    it('without a value at totalPath is reported in a step test as well', async () => {
        const server = await api.serve(() => ({ body: { items: [{ a: 1 }, { a: 2 }], total: 2 } }));
        const { error } = await api.read(server, {
            config: { dataPath: 'items', pagination: { ...PAGE, totalPath: 'totl' } },
            part: { limit: 2, mode: 'preview' as const },
        });
        expect(error).toMatchObject({ code: 'REMOTE_MALFORMED' });
        expect(error?.message).toMatch(naming('"totl"', 'pagination.totalPath'));
        expect(server.seen).toHaveLength(1);
    });

    it('that does not name the next page causes a warning in a step test as well', async () => {
        const server = await api.serve(() => ({ body: { items: [{ a: 1 }, { a: 2 }], next: 'c1' } }));
        const { records, log } = await api.read(server, {
            config: { dataPath: 'items', pagination: { type: 'CURSOR', cursorPath: 'nxt', limit: 100 } },
            part: { limit: 2, mode: 'preview' as const },
        });
        expect(records).toHaveLength(2);
        expect(log.filter(line => line.startsWith('WARN'))).toHaveLength(1);
    });

    it('begins after the records received so far if the server returns fewer than the limit', async () => {
        const all = Array.from({ length: 7 }, (_, id) => ({ id }));
        const server = await api.serve(({ url }) => {
            const from = Number(url.searchParams.get('offset') ?? 0);
            return { body: all.slice(from, from + 3) };
        });
        const { records, error } = await api.read(server, { config: { pagination: { type: 'OFFSET', limit: 5 } } });
        expect(error).toBeUndefined();
        expect(records).toEqual(all);
    });

    it('that cannot be read is named by its number and path, without its query', async () => {
        const server = await api.serve(({ url }) =>
            url.searchParams.get('page') === '3' ? { status: 404 } : { body: [{ a: url.searchParams.get('page') }] },
        );
        const config = { url: `${server.url}/products?tag=c4nary`, pagination: PAGE };
        const { records, error } = await api.read(server, { config });
        expect(records).toHaveLength(2);
        expect(error).toMatchObject({ code: 'REMOTE_REFUSED', details: { status: 404 } });
        expect(error?.message).toMatch(naming(3, '/products'));
        expect(error?.message).not.toContain('c4nary');
    });
});
