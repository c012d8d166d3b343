import { record } from '../../../test/kit/record';
import { naming } from '../../../test/kit/naming';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import type { JsonValue } from '../value/json';
import { EventLoopYield } from '../concurrency/event-loop-yield';
import { PartState } from './part-state';
import type { InFlight, StatePart } from './step';

const LONG = 'ä'.repeat(300);

function memory(stored: Readonly<Record<string, JsonValue>> = {}) {
    const requested: unknown[] = [];
    const recall = async (
        from: StatePart,
        { batchNo }: InFlight,
        keys: readonly string[],
    ): Promise<ReadonlyMap<string, JsonValue>> => {
        requested.push([from, batchNo, keys]);
        return new Map(keys.flatMap(key => (Object.hasOwn(stored, key) ? [[key, stored[key]!]] : [])));
    };
    const env = { memory: { recall, left: () => undefined }, pace: new EventLoopYield({ clock: new VirtualClock() }) };
    return {
        asked: requested,
        part: new PartState({
            stepKey: 'check',
            visit: { sourceKey: 'read', batchNo: 4, number: 0, earlier: [] },
            env,
            part: 'own',
        }),
    };
}

describe('the memory of a part of a step', () => {
    it('is kept beyond the run, and is found there', async () => {
        const { asked: requested, part } = memory({ 'own:a': 1 });
        expect([...(await part.recall(['a', 'b']))]).toEqual([['a', 1]]);
        part.remember(record({}, 7), 'b', 2);
        expect(requested).toEqual([[{ part: 'own', scope: 'pipeline' }, 4, ['own:a', 'own:b']]]);
        expect(part.memos).toEqual([{ origin: { seq: 7 }, stepKey: 'check', key: 'own:b', value: 2 }]);
    });

    it('ends with the run if it was recalled that way', async () => {
        const { asked: requested, part } = memory();
        await part.recall(['a'], 'run');
        part.remember(record({}, 7), 'a', 2);
        expect(requested).toEqual([[{ part: 'own', scope: 'run' }, 4, ['own:a']]]);
        expect(part.memos).toMatchObject([{ key: 'own:a', scope: 'run' }]);
    });

    it('is stored under the requested key, however long that is', async () => {
        const { asked: requested, part } = memory();
        await part.recall([LONG]);
        part.remember(record({}, 0), LONG, true);
        expect(part.memos[0]!.key).toMatch(/^own#[0-9a-f]{64}$/);
        expect(requested).toMatchObject([[{}, 4, [part.memos[0]!.key]]]);
    });

    it('must have been recalled, under one scope, and must be JSON', async () => {
        const { part } = memory();
        await part.recall(['a']);
        expect(() => part.remember(record({}, 0), 'b', 1)).toThrow(naming('"b"'));
        expect(() => part.remember(record({}, 0), 'a', undefined as never)).toThrow(naming('"a"', 'JSON'));
        await expect(part.recall(['a'], 'run')).rejects.toThrow(naming('"a"', 'run', 'pipeline'));
    });
});
