import { z } from 'zod';
import { defineLoader } from '../../src/core/adapter/loader';
import { missingArgument, textKey } from '../../src/core/adapter/missing';
import { noResources } from '../../src/core/adapter/no-resources';
import { compilePipeline } from '../../src/core/run/compile';
import { executeRun, type RunEnd } from '../../src/core/run/execute';
import { setUp } from '../../src/plugin/setup';
import { QuickClock } from '../kit/api-reader';
import { memoryPorts, MemoryState } from '../kit/memory-ports';
import { IDS, missingStands, type SourceStand } from '../kit/missing-stands';
import { sketched } from '../kit/pipeline';
import { toyLoader, toyRegistry } from '../kit/toy-adapters';
import { needs } from '../servers/needs';

const { registry } = setUp({});
const ACTIONS = ['DISABLE', 'DELETE'] as const;
type Action = (typeof ACTIONS)[number];

/** Writes records by their ids, hides or deletes the missing ones. */
const loader = defineLoader({
    ...toyLoader(),
    code: 'watching',
    config: z.strictObject({ table: z.string().default('t'), missing: missingArgument(ACTIONS) }),
    missing: {
        keyOf: (_, data) => textKey(data['id']),
        records: (_, action) =>
            Promise.resolve(keys =>
                keys.map(id => ({ id, ...(action === 'DELETE' ? { gone: true } : { enabled: false }) })),
            ),
    },
});

async function run(
    state: MemoryState,
    { config, resources, outbound, platform }: SourceStand,
    { code, action }: { readonly code: string; readonly action: Action },
): Promise<RunEnd> {
    const clock = new QuickClock();
    clock.time += Number(state.runId) * 60_000;
    const definition = sketched({
        steps: {
            start: ['TRIGGER', { type: 'MANUAL' }],
            read: ['EXTRACT', { adapterCode: code, ...config }],
            write: ['LOAD', { adapterCode: 'watching', missing: { action, maxShare: 1 } }],
        },
        edges: ['start > read > write'],
        throughput: { batchSize: 4 },
        errorHandling: { maxRetries: 0 },
    });
    const pipeline = compilePipeline(
        definition,
        { runId: state.runId, mode: 'live', triggerKey: 'start', startedAt: clock.now() },
        {
            registry: toyRegistry(registry.get('extractor', code), loader),
            clock,
            platform,
            resources: { ...noResources, ...resources },
            ...(outbound && { outbound }),
        },
    );
    const end = await executeRun(pipeline, memoryPorts(state), { signal: new AbortController().signal });
    state.end(end.end === 'completed' ? 'COMPLETED' : 'FAILED');
    return end;
}

/** The ids that are in the shop and on sale. */
const onSale = ({ shop }: MemoryState): readonly string[] =>
    [...shop].flatMap(([key, { enabled }]) => (enabled === false ? [] : [key.slice(2)])).sort();
const logged = ({ events }: MemoryState): readonly string[] =>
    events.flatMap(event => (event.type === 'log' && event.level !== 'DEBUG' ? [event.message] : []));
const read = ({ counters }: MemoryState): number => counters['read']?.in ?? 0;

needs('postgres', 'a record that an extractor does not return although its source has it', ({ postgres }) => {
    const stands = missingStands(postgres);

    it('is tested with every extractor', () =>
        expect(Object.keys(stands).sort()).toEqual(
            registry
                .list('extractor')
                .map(({ code }) => code)
                .sort(),
        ));

    const all = Object.entries(stands).flatMap(([code, ways]) =>
        Object.entries(ways).flatMap(([way, open]) => ACTIONS.map(action => [code, way, action, open] as const)),
    );

    it.each(all)('is left alone: %s, %s, %s', async (code, _, action, open) => {
        const stand = await open();
        try {
            const at = (ids: readonly number[]): SourceStand => ({
                ...stand,
                ...(stand.configOf && { config: stand.configOf(ids) }),
            });
            await stand.serve(IDS);
            const first = new MemoryState('1');
            expect(await run(first, stand, { code, action })).toMatchObject({ end: 'completed' });
            const known = onSale(first);
            expect(known).toHaveLength(IDS.length);
            const next = (): MemoryState => {
                const state = first.next('2');
                state.shop = new Map(first.shop);
                return state;
            };
            const wrong: string[] = [];
            for (const [issue, turn] of Object.entries(stand.faults)) {
                await stand.serve(IDS);
                const config = { ...stand.config, ...(await turn()) };
                const state = next();
                const end = await run(state, { ...stand, config }, { code, action });
                const told = logged(state);
                const problem = (text: string): void =>
                    void wrong.push(`${issue}: ${text} (${end.end}, ${read(state)} read)\n  ${told.join('\n  ')}`);
                const touched = known.filter(id => !onSale(state).includes(id));
                if (touched.length > 0) problem(`touches ${touched.join(', ')}`);
                // A run that has failed says why; one that has read everything needs no message.
                else if (end.end === 'completed' && read(state) < IDS.length)
                    if (!told.some(line => line.startsWith('What is missing was left alone: ')))
                        problem('says nothing');
            }
            expect(wrong).toEqual([]);
            // Records that the source really no longer has are still found.
            const rest = IDS.slice(0, -1);
            await stand.serve(rest);
            const state = next();
            expect(await run(state, at(rest), { code, action })).toMatchObject({ end: 'completed' });
            expect(onSale(state)).toHaveLength(stand.isPart ? IDS.length : rest.length);
        } finally {
            await stand.close?.();
        }
    });
});
