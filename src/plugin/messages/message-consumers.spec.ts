import { ProcessLeases } from '../leases/leases';
import type { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import { periodicsOf } from '../../../test/fixtures/periodic-jobs';
import type { RunStores } from '../runs/run-stores';
import type { FlowSetup } from '../setup';
import type { ActiveTrigger, ActiveTriggers } from '../triggers/active-triggers';
import type { ProcessTaskQueue } from '../process-task-queue';
import { MessageConsumers } from './message-consumers';
import type { MessageReceiver } from './message-receiver';
import type { MessageSources } from './message-sources';

const trigger = (stepKey: string, revisionId = 1): ActiveTrigger =>
    ({
        pipelineId: 1,
        pipelineCode: 'stock',
        channelId: 1,
        revisionId,
        stepKey,
        config: { enabled: true, message: { queueName: `${stepKey}-${revisionId}` } },
    }) as unknown as ActiveTrigger;

/** One process of a shop: its triggers, and which of their queues were opened and closed. */
function processOf(leases: ProcessLeases, name: string, said: string[]) {
    let inForce: readonly ActiveTrigger[] = [];
    let changed: () => void = () => undefined;
    const triggers = { of: () => inForce, onChange: (listener: () => void) => (changed = listener) };
    const stores = {
        messageTriggers: {
            tell: () => Promise.resolve(),
            forget: (of: string) => Promise.resolve(void said.push(`${name} forgets ${of}`)),
        },
    };
    const sources: Pick<MessageSources, 'with'> = {
        with: async ({ settings }, work) => {
            said.push(`${name} opens ${settings.queueName}`);
            const receive = (stop: AbortSignal): Promise<[]> =>
                new Promise(resolve => {
                    if (stop.aborted) resolve([]);
                    else stop.addEventListener('abort', () => setTimeout(() => resolve([]), 10));
                });
            return work({ receive } as never).finally(() => {
                said.push(`${name} closes ${settings.queueName}`);
            });
        },
    };
    const periodicJobs: PeriodicJobs = periodicsOf({ leases });
    const setup = { options: { runtime: { sweepMs: 1_000 } } } as FlowSetup;
    void new MessageConsumers(
        triggers as unknown as ActiveTriggers,
        stores as unknown as RunStores,
        sources as MessageSources,
        { waiting: () => Promise.resolve(0) } as unknown as MessageReceiver,
        {} as ProcessTaskQueue,
        periodicJobs,
        setup,
    );
    return {
        periodics: periodicJobs,
        set: (now: readonly ActiveTrigger[]) => {
            inForce = now;
            changed();
        },
    };
}

describe('the consumers of all triggers', () => {
    let leases: ProcessLeases;
    let said: string[];

    beforeEach(() => {
        jest.useFakeTimers();
        leases = new ProcessLeases();
        said = [];
    });
    afterEach(() => jest.useRealTimers());

    const started = async (name: string, ...triggers: readonly ActiveTrigger[]) => {
        const one = processOf(leases, name, said);
        one.set(triggers);
        one.periodics.start();
        await jest.advanceTimersByTimeAsync(3_000);
        return one;
    };
    const stopped = async ({ periodics }: Awaited<ReturnType<typeof started>>): Promise<void> => {
        const stopping = periodics.onModuleDestroy();
        await jest.advanceTimersByTimeAsync(1_000);
        await stopping;
    };

    it('begin in the process that leads, and in another one when those have ended', async () => {
        const a = await started('a', trigger('x'), trigger('y'));
        const b = await started('b', trigger('x'), trigger('y'));
        expect(said).toEqual(['a opens x-1', 'a opens y-1']);
        await stopped(a);
        await jest.advanceTimersByTimeAsync(3_000);
        expect(said.slice(2)).toEqual(['a closes x-1', 'a closes y-1', 'b opens x-1', 'b opens y-1']);
        await stopped(b);
    });

    it('follow the active triggers: another revision starts when the previous one has ended, and removed triggers are forgotten', async () => {
        const one = await started('a', trigger('x'), trigger('y'));
        said.length = 0;
        one.set([trigger('x', 2), trigger('y')]);
        await jest.advanceTimersByTimeAsync(100);
        expect(said).toEqual(['a closes x-1', 'a opens x-2']);
        said.length = 0;
        one.set([trigger('y')]);
        await jest.advanceTimersByTimeAsync(100);
        expect(said).toEqual(['a closes x-2', 'a forgets 1/x']);
        said.length = 0;
        one.set([trigger('y'), trigger('x', 2)]);
        await jest.advanceTimersByTimeAsync(100);
        expect(said).toEqual(['a opens x-2']);
        await stopped(one);
    });

    it('come back where a trigger is away for a moment only', async () => {
        const one = await started('a', trigger('x'));
        said.length = 0;
        one.set([]);
        one.set([trigger('x')]);
        await jest.advanceTimersByTimeAsync(100);
        expect(said).toEqual(['a closes x-1', 'a forgets 1/x', 'a opens x-1']);
        await stopped(one);
    });
});
