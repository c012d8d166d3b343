import { Logger, type RequestContext } from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import { totalsOf } from '../../core/progress/outcome';
import type { RunTransition } from '../stores/run-transitions';
import type { EffectPublisher } from './effect-publisher';
import { type FinishedRun, RunFinalizer } from './run-finalizer';
import type { RunEventFacts, RunEvents } from './run-events';
import type { RunQueue } from './run-queue';
import type { RunStores } from './run-stores';

const RUN = { runId: 4, pipelineId: 7, channelId: 1, token: 'ours', takeovers: 0, dryRun: false };
const KNOWN: RunEventFacts = {
    ctx: {} as RequestContext,
    facts: { runId: 4, pipelineId: 7, pipelineCode: 'p', dryRun: false },
};
const FAILED: RunTransition = { status: 'FAILED', error: flowError('ACTOR_GONE', { who: 'somebody' }) };

/** The database does not answer when an ended run is read. */
function closerOf() {
    const published: unknown[] = [];
    const gone: unknown[] = [];
    const told: unknown[] = [];
    const events = {
        ended: () => Promise.reject(new Error('the database is away')),
        endedHere: ({ id }: { readonly id: unknown }) => Promise.resolve(void published.push(id)),
        markPublished: (runIds: readonly unknown[]) => Promise.resolve(void gone.push(...runIds)),
    };
    const effects = {
        publishAll: (runs: readonly FinishedRun[]) =>
            Promise.resolve(void told.push(...runs.map(({ runId }) => runId))),
    };
    const closer = new RunFinalizer(
        { endings: { finish: () => Promise.resolve() } } as unknown as RunStores,
        {} as RunQueue,
        effects as unknown as EffectPublisher,
        events as unknown as RunEvents,
    );
    const end = async (transition: RunTransition, known?: RunEventFacts): Promise<void> => {
        const ended = { runId: RUN.runId, prepared: undefined, isTold: await closer.close(RUN, transition, known) };
        await closer.markPublished([ended]);
        await closer.publishRemaining([ended]);
    };
    return { end, published, gone, told };
}

describe('the event of a run that has ended', () => {
    afterEach(() => {
        jest.restoreAllMocks();
    });

    it('stays stored where it could not be published, so that a sweep publishes it', async () => {
        jest.spyOn(Logger, 'warn').mockReturnValue(undefined);
        const { end, published, gone, told } = closerOf();
        await end(FAILED);
        expect({ published, gone, told }).toEqual({ published: [], gone: [], told: [RUN.runId] });
    });

    it('is removed as soon as it was published from the facts of its worker', async () => {
        const { end, published, gone } = closerOf();
        await end(
            { ...FAILED, progress: { counters: {}, totals: totalsOf({}, { sources: [], loads: [], leaves: [] }) } },
            KNOWN,
        );
        expect({ published, gone }).toEqual({ published: [RUN.runId], gone: [RUN.runId] });
    });
});
