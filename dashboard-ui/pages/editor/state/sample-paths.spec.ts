import { isKnownPath, meantPath, pathsWithin, samplePaths } from './sample-paths';

const records = [
    { sku: 'A-1', 'Article No': '7', price: { net: 19.9 }, tags: ['new'] },
    { sku: '', price: { net: 5, gross: 6 } },
];

describe('paths of sample records', () => {
    it('have an example, a type and the share of records that have them', () => {
        expect(samplePaths(records)).toEqual([
            { path: 'sku', example: 'A-1', type: 'string', filled: 0.5 },
            { path: 'Article No', example: '7', type: 'string', filled: 0.5 },
            { path: 'price.net', example: '19.9', type: 'number', filled: 1 },
            { path: 'tags', example: '["new"]', type: 'list', filled: 0.5 },
            { path: 'price.gross', example: '6', type: 'number', filled: 0.5 },
        ]);
        expect(samplePaths([])).toEqual([]);
    });

    it('are followed by those that operators make, which no record has that comes', () => {
        const within = pathsWithin(records, [{ sku: 'A-1', slug: 'a-1' }]);
        expect(within.slice(0, -1)).toEqual(samplePaths(records));
        expect(within.at(-1)).toEqual({ path: 'slug', example: 'a-1', type: 'string', filled: 1, isMade: true });
    });

    it('are offered for one that is written a little differently', () => {
        expect(meantPath(samplePaths(records), 'article_no')).toBe('Article No');
        expect(meantPath(samplePaths(records), 'nothing')).toBeUndefined();
        expect(meantPath(samplePaths(records), '')).toBeUndefined();
    });

    it('are known with what is above and below them', () => {
        expect(['price', 'price.net', 'tags.0'].map(path => isKnownPath(samplePaths(records), path))).toEqual([
            true,
            true,
            true,
        ]);
        expect(isKnownPath(samplePaths(records), 'cost')).toBe(false);
    });
});
