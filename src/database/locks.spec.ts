import { LockNames, locksOf, MAX_KEYS } from './locks';

const keys = (kind: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${kind}:${i}`);
const kinds = (of: readonly string[]): Array<[string, boolean]> =>
    locksOf(of)
        .kinds.map(({ kind, isWhole }): [string, boolean] => [kind, isWhole])
        .sort();

describe('the locks of keys', () => {
    it('are the same in every process, whatever the order of the keys', () => {
        expect(locksOf(['sku:A', 'slug:en:b'])).toEqual({
            kinds: [
                { id: 633506994, kind: 'sku', isWhole: false },
                { id: 1198045542, kind: 'slug', isWhole: false },
            ],
            keys: [
                { kind: 633506994, id: -1553441805 },
                { kind: 1198045542, id: -940951193 },
            ],
        });
        expect(locksOf(['slug:en:b', 'sku:A', 'sku:A'])).toEqual(locksOf(['sku:A', 'slug:en:b']));
    });

    it('come in one order: kinds before keys, ascending', () => {
        const locks = locksOf([...keys('sku', 100), ...keys('slug', 100), ...keys('facet', 3)]);
        const inOrder = (ids: readonly number[]): number[] => [...ids].sort((a, b) => a - b);
        const kindIds = locks.kinds.map(({ id }) => id);
        expect(kindIds).toEqual(inOrder(kindIds));
        expect([...new Set(locks.keys.map(({ kind }) => kind))]).toEqual(kindIds);
        for (const id of kindIds) {
            const ids = locks.keys.filter(({ kind }) => kind === id).map(key => key.id);
            expect(ids).toEqual(inOrder(ids));
        }
        expect(locks.keys).toHaveLength(203);
    });

    it('are apart for other keys, also where there are some hundred of them', () => {
        const [one, other] = [locksOf(keys('sku', 200)), locksOf(keys('sku', 400).slice(200))];
        const ids = new Set(one.keys.map(({ id }) => id));
        expect(other.keys.filter(({ id }) => ids.has(id))).toEqual([]);
        expect(one.kinds).toEqual(other.kinds);
    });

    it('are those of whole kinds where there are too many, the largest first', () => {
        expect(kinds(keys('sku', MAX_KEYS))).toEqual([['sku', false]]);
        expect(kinds([...keys('sku', MAX_KEYS), ...keys('slug', 10)])).toEqual([
            ['sku', true],
            ['slug', false],
        ]);
        const both = [...keys('sku', MAX_KEYS + 1), ...keys('slug', MAX_KEYS + 1)];
        expect(kinds(both)).toEqual([
            ['sku', true],
            ['slug', true],
        ]);
        expect(locksOf(both).keys).toEqual([]);
    });

    it('are empty for no keys', () => expect(locksOf([])).toEqual({ kinds: [], keys: [] }));

    it('have a separate kind if they name none', () => expect(locksOf(['alone']).kinds).toMatchObject([{ kind: '' }]));
});

describe('the names of locks on a server with several databases', () => {
    const locks = locksOf(['a kind with a very long name: with odd things in it:1', 'sku:1']);
    const namesIn = (database: string): string[] => {
        const names = new LockNames(database);
        return [...locks.kinds.map(kind => names.kind(kind, 31)), ...locks.keys.map(key => names.key(key))];
    };

    it('differ from database to database, and are short enough for GET_LOCK', () => {
        const [one, other] = [namesIn('shop_one'), namesIn('shop_two')];
        expect(one.filter(name => other.includes(name))).toEqual([]);
        expect(new Set(one).size).toBe(4);
        for (const name of one) expect(name).toMatch(/^flow:[\w:#-]{1,59}$/);
    });
});
