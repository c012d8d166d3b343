import { z } from 'zod';
import { compiled, runPipeline, sketched } from '../../../test/kit/pipeline';
import { naming } from '../../../test/kit/naming';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import { WorkBetweenTurns } from '../../../test/kit/work-between-turns';
import { recordOperator } from '../adapter/operator';
import type { JsonObject } from '../value/json';
import type { StepKind } from '../steps/kinds';
import { TaskQueue } from '../concurrency/task-queue';
import { compilingPipeline } from './compile';

const SOURCE: readonly [StepKind, JsonObject] = ['EXTRACT', { adapterCode: 'toyPages', pages: [] }];
const one = (step: readonly [StepKind, JsonObject]) =>
    sketched({ steps: { start: ['TRIGGER', {}], read: SOURCE, step }, edges: ['start > read > step'] });

describe('compilePipeline', () => {
    it('knows the sources, the loads and the ends of a pipeline', () => {
        const pipeline = compiled(
            sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    other: ['TRIGGER', {}],
                    a: SOURCE,
                    b: SOURCE,
                    notMine: SOURCE,
                    shape: ['TRANSFORM', { operators: [] }],
                    write: ['LOAD', { adapterCode: 'toyUpsert' }],
                },
                edges: [
                    'start > b',
                    'start > a',
                    'other > notMine',
                    'a > shape > write',
                    'b > shape',
                    'notMine > shape',
                ],
            }),
        );
        expect(pipeline.shape).toEqual({ sources: ['b', 'a'], loads: ['write'], leaves: ['write'] });
    });

    it('takes a step that leads only to disabled ones for an end', () => {
        const pipeline = compiled(
            sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    read: SOURCE,
                    shape: ['TRANSFORM', { operators: [] }],
                    '!write': ['LOAD', { adapterCode: 'toyUpsert' }],
                },
                edges: ['start > read > shape > write'],
            }),
        );
        expect(pipeline.shape).toEqual({ sources: ['read'], loads: [], leaves: ['shape'] });
    });

    it.each([
        [
            'an adapter that does not exist',
            ['LOAD', { adapterCode: 'toyUpsrt' }],
            'ADAPTER_NOT_FOUND',
            'Did you mean "toyUpsert"?',
        ],
        [
            'an operator that does not exist',
            ['TRANSFORM', { operators: [{ op: 'nope', args: {} }] }],
            'ADAPTER_NOT_FOUND',
            '"nope"',
        ],
        ['a step without its adapter', ['LOAD', {}], 'DEFINITION_INVALID', 'step'],
        [
            'a field that the adapter does not know',
            ['LOAD', { adapterCode: 'toyUpsert', tabel: 'x' }],
            'DEFINITION_INVALID',
            'step.tabel',
        ],
        [
            'an argument of the wrong kind',
            ['TRANSFORM', { operators: [{ op: 'toyDrop', args: { field: 1 } }] }],
            'DEFINITION_INVALID',
            'step.operators.0.args.field',
        ],
        ['a gate that does not say who opens it', ['GATE', {}], 'DEFINITION_INVALID', 'approvalType'],
    ] as ReadonlyArray<[string, [StepKind, JsonObject], string, string]>)('rejects %s', (_, step, code, text) => {
        expect(() => compiled(one(step))).toThrow(
            expect.objectContaining({ code, message: expect.stringContaining(text) }),
        );
    });

    it('rejects a circular pipeline', () => {
        const circle = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: SOURCE,
                a: ['TRANSFORM', { operators: [] }],
                b: ['TRANSFORM', { operators: [] }],
            },
            edges: ['start > read > a > b > a'],
        });
        const issue = { path: 'edges', message: expect.stringMatching(naming('a → b')) as string };
        expect(() => compiled(circle)).toThrow(
            expect.objectContaining({ code: 'DEFINITION_INVALID', details: { issues: [issue] } }),
        );
    });

    it('lets the event loop turn while it compiles many operators', async () => {
        const work = new WorkBetweenTurns(1);
        const counting = recordOperator({
            code: 'toyCounting',
            title: 'Counting',
            summary: 'Counts how often it is compiled.',
            examples: [],
            config: z.strictObject({}),
            compile: () => {
                work.did();
                return data => data;
            },
        });
        const definition = one([
            'TRANSFORM',
            { operators: Array.from({ length: 2_000 }, () => ({ op: 'toyCounting', args: {} })) },
        ]);
        const { input, kit } = compiled(one(['TRANSFORM', { operators: [] }]), { adapters: [counting] });
        const { most, total } = await work.during(() =>
            new TaskQueue().done(compilingPipeline(definition, input, kit)),
        );
        expect({ most, total }).toEqual({ most: 8, total: 2_000 });
    });

    it('rejects an absurd number of ways past disabled steps, without following each of them', () => {
        const disabled = Array.from({ length: 60 }, (_, i) => `d${i}`);
        const definition = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: SOURCE,
                ...Object.fromEntries(disabled.map(key => [key, ['TRANSFORM', { operators: [] }]])),
                write: ['LOAD', { adapterCode: 'toyUpsert' }],
            },
            edges: [
                'start > read > d0',
                ...disabled.flatMap((from, i) => disabled.slice(i + 1).map(to => `${from} > ${to}`)),
                ...disabled.map(key => `${key} > write`),
            ],
        });
        const steps = definition.steps.map(step => ({ ...step, disabled: step.key.startsWith('d') }));
        expect(() => compiled({ ...definition, steps })).toThrow(naming('"d45"', 10_000));
        const few = steps.filter(({ key }) => !/^d([1-9]\d)$/.test(key));
        const known = new Set(few.map(({ key }) => key));
        const edges = definition.edges.filter(({ from, to }) => known.has(from) && known.has(to));
        // One way for each choice of the nine between the first and the load.
        expect(compiled({ ...definition, steps: few, edges }).sources[0]!.next).toHaveLength(2 ** 9);
    });

    it('gives the operators the time of the first start of the run, so that a repeated batch has the same result', async () => {
        const now = recordOperator({
            code: 'toyNow',
            title: 'Now',
            summary: 'The time.',
            examples: [],
            config: z.strictObject({}),
            compile:
                (_, { clock }) =>
                data => ({ ...data, at: clock.now() }),
        });
        const clock = new VirtualClock(5_000);
        const { state } = await runPipeline(
            sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: [{ id: 1 }] }] }],
                    stamp: ['TRANSFORM', { operators: [{ op: 'toyNow', args: {} }] }],
                    write: ['LOAD', { adapterCode: 'toyUpsert' }],
                },
                edges: ['start > read > stamp > write'],
            }),
            { clock, adapters: [now], input: { startedAt: 1_234 } },
        );
        expect(state.shop.get('t/1')).toEqual({ id: 1, at: 1_234 });
    });
});
