import { z } from 'zod';
import { ids, pages, runPipeline, sketched, straight } from '../../../test/kit/pipeline';
import { defineLoader, type Effect } from '../adapter/loader';

/** A loader that leaves an effect with each batch. */
const leaving = (effect: Effect, effects?: readonly string[]) =>
    defineLoader({
        code: 'toyUpsert',
        title: 'Toy upsert',
        summary: 'Leaves an effect with each batch.',
        config: z.strictObject({}),
        ...(effects && { effects }),
        open: () =>
            Promise.resolve({
                locks: () => [],
                // eslint-disable-next-line require-yield -- nothing is read
                *plan(batch) {
                    return {
                        changes: batch.map(
                            ({ data }) => ({ action: 'create', key: String(data['id']), after: data }) as const,
                        ),
                        // eslint-disable-next-line require-yield -- nothing is written
                        *apply() {
                            return [effect];
                        },
                    };
                },
            }),
    });
const effectOf = (kind: string): Effect => ({ kind, payload: {} });

describe('the effects of a load', () => {
    it('are kept if a handler publishes them', async () => {
        const { end, state } = await runPipeline(sketched(straight(pages(ids(2)))), {
            adapters: [leaving(effectOf('toy'), ['toy'])],
        });
        expect(end.end).toBe('completed');
        expect(state.effects).toEqual([effectOf('toy')]);
    });

    it('are rejected when the step is opened if no handler publishes them: they would wait for ever', async () => {
        const { end, state } = await runPipeline(sketched(straight(pages(ids(2)))), {
            adapters: [leaving(effectOf('toy'), ['toy', 'of.nobody'])],
        });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'EFFECT_UNKNOWN' }, stepKey: 'write' });
        expect(state.commits).toEqual([]);
    });

    it('are rejected before they are stored if the loader has not declared them', async () => {
        const { end, state } = await runPipeline(sketched(straight(pages(ids(2)))), {
            adapters: [leaving(effectOf('of.nobody'))],
        });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'EFFECT_UNKNOWN' }, stepKey: 'write' });
        expect(state.effects).toEqual([]);
    });
});
