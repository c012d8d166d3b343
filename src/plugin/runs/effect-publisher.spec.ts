import type { RequestContext, TransactionalConnection } from '@vendure/core';
import type { FlowSetup } from '../setup';
import type { CollectionUpdates } from './collection-updates';
import { EffectPublisher } from './effect-publisher';
import type { EndHooks } from './end-hooks';
import { CausationChains } from './causation-chains';
import type { GateNotifications } from './gate-notifications';
import type { RunEvents } from './run-events';
import type { RunPlatform } from '../run-platform';
import type { RunStores } from './run-stores';

const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

/** A publisher whose drains last until they are released, one at a time for each run, as the lease requires. */
function publisherOf() {
    const drained: string[] = [];
    const atIt = new Map<string, () => void>();
    const drain = {
        drain: ([runId]: ReadonlyArray<number | string>): Promise<void> => {
            const key = String(runId);
            if (atIt.has(key)) throw new Error(`already draining ${key}`);
            return new Promise<void>(resolve => atIt.set(key, resolve)).then(() => void drained.push(key));
        },
    };
    const publisher = new EffectPublisher(
        {} as TransactionalConnection,
        {} as RunStores,
        { of: () => ({}) } as unknown as RunPlatform,
        {} as EndHooks,
        {} as GateNotifications,
        {} as RunEvents,
        {} as CollectionUpdates,
        new CausationChains(),
        { options: { runtime: { sweepMs: 1 } } } as unknown as FlowSetup,
    );
    const letGo = async (runId: string): Promise<void> => {
        const done = atIt.get(runId)!;
        atIt.delete(runId);
        done();
        await turns();
    };
    Object.assign(publisher, { drain });
    return { publisher, drained, atIt, letGo };
}

const ctx = {} as RequestContext;

describe('publishing what runs have changed', () => {
    it('waits for a publication of the same run in this process, and does not wait for other runs', async () => {
        const { publisher, drained, atIt, letGo } = publisherOf();
        const [first, again, other] = [
            publisher.publish(1, ctx),
            publisher.publish('1', ctx),
            publisher.publish(2, ctx),
        ];
        await turns();
        expect([...atIt.keys()]).toEqual(['1', '2']);
        await letGo('1');
        await first;
        expect([...atIt.keys()].sort()).toEqual(['1', '2']);
        await letGo('1');
        await again;
        await letGo('2');
        await other;
        expect(drained).toEqual(['1', '1', '2']);
    });
});
