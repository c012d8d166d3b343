import type { Node } from '../steps/step';
import { BatchSequencer, isRedelivered } from './batch-sequencer';

/** Which of some waits are over. */
function waits(sequencer: BatchSequencer) {
    const over: string[] = [];
    const ask = (batchNo: number, keys: readonly string[], part = 'part'): void => {
        sequencer.turn(batchNo, part, keys).then(
            () => over.push(`${batchNo} ${part}`),
            (error: unknown) => over.push(`${batchNo} ${String(error)}`),
        );
    };
    const soon = async (): Promise<readonly string[]> => {
        await new Promise(resolve => setImmediate(resolve));
        return over.splice(0);
    };
    return { ask, soon };
}

function started(batches: number): BatchSequencer {
    const order = new BatchSequencer();
    for (let n = 0; n < batches; n++) order.start(n);
    return order;
}

describe('the batches that access the memory of a step', () => {
    it('have the order of the source', async () => {
        const order = started(3);
        const { ask, soon } = waits(order);
        ask(2, ['c']);
        ask(1, ['b']);
        expect(await soon()).toEqual([]);
        ask(0, ['a']);
        expect(await soon()).toEqual(['0 part']);
        order.left(0, 'part');
        expect(await soon()).toEqual(['1 part']);
        order.left(1, 'part');
        expect(await soon()).toEqual(['2 part']);
    });

    it('wait until an earlier batch with the same keys is durable, and for no other one', async () => {
        const order = started(3);
        const { ask, soon } = waits(order);
        ask(0, ['a', 'b']);
        order.left(0, 'part');
        ask(1, ['b', 'c']);
        order.settled(0);
        expect(await soon()).toEqual(['0 part']);
        order.left(1, 'part');
        ask(2, ['d']);
        expect(await soon()).toEqual(['2 part']);
        order.committed(1);
        expect(await soon()).toEqual(['1 part']);
    });

    it('do not wait for a batch that never reached the step, once it has settled', async () => {
        const order = started(2);
        const { ask, soon } = waits(order);
        ask(1, ['a']);
        expect(await soon()).toEqual([]);
        order.settled(0);
        expect(await soon()).toEqual(['1 part']);
    });

    it('are those of each part of a step alone', async () => {
        const order = started(2);
        const { ask, soon } = waits(order);
        ask(0, ['a'], 'one');
        order.left(0, 'one');
        order.left(0, 'two');
        ask(1, ['a'], 'two');
        expect(await soon()).toEqual(['0 one', '1 two']);
    });

    it('may be requested again, with other keys', async () => {
        const order = started(2);
        const { ask, soon } = waits(order);
        ask(0, ['a']);
        ask(0, ['b']);
        order.left(0, 'part');
        ask(1, ['a']);
        expect(await soon()).toEqual(['0 part', '0 part']);
        order.committed(1);
        expect(await soon()).toEqual(['1 part']);
    });

    it('are not waited for when the run stops', async () => {
        const order = started(2);
        const { ask, soon } = waits(order);
        ask(1, ['a']);
        order.close('stopped');
        expect(await soon()).toEqual(['1 stopped']);
    });
});

describe('the steps that a batch may reach again', () => {
    const node = (key: string, next: readonly Node[] = []): Node => ({
        step: { key, open: () => Promise.reject(new Error('not opened here')) },
        kind: 'TRANSFORM',
        next,
    });
    const keys = (nodes: readonly Node[]): readonly string[] => [...isRedelivered(nodes)].sort();

    it('are those with several ways to them, and the steps after them', () => {
        const end = node('end');
        const joined = node('joined', [end]);
        expect(keys([node('a', [joined, node('own')]), node('b', [joined])])).toEqual(['end', 'joined']);
    });

    it('are those to which several branches of one step lead', () => {
        const joined = node('joined');
        expect(
            keys([{ ...node('split', [joined, node('own'), joined]), kind: 'ROUTE', branches: ['a', 'a', 'default'] }]),
        ).toEqual(['joined']);
    });

    it('are found in time however many ways there are', () => {
        let next: readonly Node[] = [node('end')];
        for (let level = 0; level < 40; level++) {
            const joined = node(`joined${level}`, next);
            next = [node(`a${level}`, [joined]), node(`b${level}`, [joined])];
        }
        expect(keys(next)).toHaveLength(119);
    });
});
