import { record } from '../../../test/kit/record';
import { originOf } from '../data/record';
import { stateKey, newestEntries, BatchStateEntries } from './state-entries';

const [a, b, c] = [record({}, 0), record({}, 1), record({}, 2)];
const stateEntry = (key: string, origin = a!.origin) => ({ origin, stepKey: 's', key, value: key });

function keysAfter(stateEntries: BatchStateEntries): readonly string[] {
    return stateEntries.settled().map(({ key }) => key);
}

describe('a memo of a batch', () => {
    it('is stored if its record settled successfully, without its origin', () => {
        const stateEntries = new BatchStateEntries();
        stateEntries.add([stateEntry('a'), stateEntry('b', b!.origin)]);
        stateEntries.fail([b!.origin]);
        expect(stateEntries.settled()).toEqual([{ stepKey: 's', key: 'a', value: 'a' }]);
    });

    it('is kept for a record that fails if configured', () => {
        const stateEntries = new BatchStateEntries();
        stateEntries.add([{ ...stateEntry('a'), outlivesFailure: true }, stateEntry('b')]);
        stateEntries.fail([a!.origin]);
        expect(stateEntries.settled()).toEqual([{ stepKey: 's', key: 'a', value: 'a' }]);
    });

    it('does not matter when it fails', () => {
        const stateEntries = new BatchStateEntries();
        stateEntries.fail([a!.origin]);
        stateEntries.add([stateEntry('a'), stateEntry('b', b!.origin)]);
        expect(keysAfter(stateEntries)).toEqual(['b']);
    });

    it('fails with derived records, and with the other records that they are made of', () => {
        const joint = originOf([{ data: {}, origin: originOf([a!, b!]) }, c!]);
        const stateEntries = new BatchStateEntries();
        stateEntries.add([
            stateEntry('a'),
            stateEntry('b', b!.origin),
            stateEntry('c', c!.origin),
            stateEntry('joint', joint),
        ]);
        stateEntries.fail([joint]);
        expect(keysAfter(stateEntries)).toEqual([]);
    });

    it('is not kept for a record made of several if one of them fails on another path; the others are', () => {
        const stateEntries = new BatchStateEntries();
        stateEntries.add([stateEntry('b', b!.origin), stateEntry('joint', originOf([a!, b!]))]);
        stateEntries.fail([a!.origin]);
        expect(keysAfter(stateEntries)).toEqual(['b']);
    });
});

it('a record made of records of one origin has that origin', () => {
    expect(originOf([a!, { data: { n: 1 }, origin: a!.origin }])).toBe(a!.origin);
    expect(originOf([b!, c!])).toEqual({ seq: 1, parts: [b!.origin, c!.origin] });
    expect(originOf([], 7)).toEqual({ seq: 7, parts: [] });
});

it('of several memos for a key of a step the newest is stored', () => {
    const stateEntries = [
        { stepKey: 's', key: 'a', value: 1 },
        { stepKey: 't', key: 'a', value: 2 },
        { stepKey: 's', key: 'a', value: 3 },
    ];
    expect(newestEntries(stateEntries)).toEqual([stateEntries[2], stateEntries[1]]);
});

describe('the key of a memo', () => {
    it('is stored unchanged if every database keeps it so', () => {
        expect(stateKey('deltaFilter', '"A 1"')).toBe('deltaFilter:"A 1"');
    });

    it.each(['x'.repeat(300), 'Ä', 'end ', 'nul\0', '\ud800', ''].map(key => [key]))(
        'fits into its column and stays unique: %j',
        key => {
            const stored = stateKey('part', key);
            expect(stored).toMatch(/^[\x21-\x7e]{1,255}$/);
            expect(new Set([stored, stateKey('part 2', key), stateKey('part', `${key}x`)]).size).toBe(3);
        },
    );
});
