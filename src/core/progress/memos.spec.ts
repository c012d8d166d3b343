import { record } from '../../../test/kit/record';
import { originOf } from '../data/record';
import { memoKey, newest, TripMemos } from './memos';

const [a, b, c] = [record({}, 0), record({}, 1), record({}, 2)];
const memo = (key: string, origin = a!.origin) => ({ origin, stepKey: 's', key, value: key });

function keysAfter(memos: TripMemos): readonly string[] {
    return memos.settled().map(({ key }) => key);
}

describe('what a batch wants remembered', () => {
    it('is what settled well, told without its origin', () => {
        const memos = new TripMemos();
        memos.add([memo('a'), memo('b', b!.origin)]);
        memos.fail([b!.origin]);
        expect(memos.settled()).toEqual([{ stepKey: 's', key: 'a', value: 'a' }]);
    });

    it('is kept of a record that fails where it is meant to be', () => {
        const memos = new TripMemos();
        memos.add([{ ...memo('a'), outlivesFailure: true }, memo('b')]);
        memos.fail([a!.origin]);
        expect(memos.settled()).toEqual([{ stepKey: 's', key: 'a', value: 'a' }]);
    });

    it('does not matter when it fails', () => {
        const memos = new TripMemos();
        memos.fail([a!.origin]);
        memos.add([memo('a'), memo('b', b!.origin)]);
        expect(keysAfter(memos)).toEqual(['b']);
    });

    it('fails with what was made of it and of others, and takes those with it', () => {
        const joint = originOf([{ data: {}, origin: originOf([a!, b!]) }, c!]);
        const memos = new TripMemos();
        memos.add([memo('a'), memo('b', b!.origin), memo('c', c!.origin), memo('joint', joint)]);
        memos.fail([joint]);
        expect(keysAfter(memos)).toEqual([]);
    });

    it('of what was made of several is not kept when one of them fails on another way; the others are', () => {
        const memos = new TripMemos();
        memos.add([memo('b', b!.origin), memo('joint', originOf([a!, b!]))]);
        memos.fail([a!.origin]);
        expect(keysAfter(memos)).toEqual(['b']);
    });
});

it('what is made of records of one origin has that origin', () => {
    expect(originOf([a!, { data: { n: 1 }, origin: a!.origin }])).toBe(a!.origin);
    expect(originOf([b!, c!])).toEqual({ seq: 1, parts: [b!.origin, c!.origin] });
    expect(originOf([], 7)).toEqual({ seq: 7, parts: [] });
});

it('of several memos for a key of a step the newest is stored', () => {
    const memos = [
        { stepKey: 's', key: 'a', value: 1 },
        { stepKey: 't', key: 'a', value: 2 },
        { stepKey: 's', key: 'a', value: 3 },
    ];
    expect(newest(memos)).toEqual([memos[2], memos[1]]);
});

describe('the key of a memo', () => {
    it('is stored as it stands where every database keeps it so', () => {
        expect(memoKey('deltaFilter', '"A 1"')).toBe('deltaFilter:"A 1"');
    });

    it.each(['x'.repeat(300), 'Ä', 'end ', 'nul\0', '\ud800', ''].map(key => [key]))(
        'fits into its column and is told apart: %j',
        key => {
            const stored = memoKey('part', key);
            expect(stored).toMatch(/^[\x21-\x7e]{1,255}$/);
            expect(new Set([stored, memoKey('part 2', key), memoKey('part', `${key}x`)]).size).toBe(3);
        },
    );
});
