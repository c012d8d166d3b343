import { z } from 'zod';
import { ids, pages, runPipeline, sketched, straight } from '../../../test/kit/pipeline';
import { textNaming } from '../../../test/kit/naming';
import { batchOperator } from '../../core/adapter/operator';
import { writeConsole } from '../../core/adapter/log-event';
import { logOf } from '../../core/run/execution-context';
import { type LogLine, Sampler } from './sampler';

const warning = (stepKey: string, code: string): LogLine => ({
    level: 'WARN',
    stepKey,
    message: `Is ${code}.`,
    facts: { code },
});

describe('what is kept of warnings', () => {
    it('is the first ten of a kind, and how many more there were', () => {
        const sampler = new Sampler();
        const kept = Array.from({ length: 25 }, () => sampler.take(warning('a', 'odd'))).filter(line => line);
        expect(kept).toHaveLength(10);
        expect(sampler.rest()).toEqual([
            {
                level: 'WARN',
                stepKey: 'a',
                code: 'MORE_LINES',
                message: textNaming(15, 'Is odd.'),
                facts: { leftOut: 15, line: { code: 'odd', message: 'Is odd.' } },
            },
        ]);
        expect(sampler.rest()).toEqual([]);
    });

    it.each(['DEBUG', 'INFO', 'ERROR'] as const)('is the same of lines of the level %s', level => {
        const sampler = new Sampler();
        const line: LogLine = { level, stepKey: 'a', message: 'Loading.', facts: { stage: 'BEFORE_LOAD' } };
        const kept = Array.from({ length: 25 }, () => sampler.take(line)).filter(one => one);
        expect(kept).toHaveLength(10);
        expect(sampler.rest()).toMatchObject([{ level, stepKey: 'a', facts: { leftOut: 15 } }]);
    });

    it('is some of each field, which does not hide what is wrong with another one', () => {
        const sampler = new Sampler();
        const at = (path: string): LogLine => ({
            ...warning('a', 'RECORD_INVALID'),
            facts: { code: 'RECORD_INVALID', path },
        });
        const kept = Array.from({ length: 30 }, (_, i) => sampler.take(at(`variants.${i}.price`))).filter(line => line);
        expect(kept).toHaveLength(10);
        expect(sampler.take(at('taxCategory'))).toEqual(at('taxCategory'));
    });

    it('is bounded for each step if every warning is of a different kind', () => {
        const sampler = new Sampler();
        const kept = (stepKey: string, count: number): number => {
            let lines = 0;
            for (let i = 0; i < count; i++) if (sampler.take(warning(stepKey, `${stepKey}${i}`))) lines++;
            return lines;
        };
        expect([kept('a', 3_000), kept('b', 500), kept('c', 5)]).toEqual([1_010, 10, 5]);
        const left = (stepKey: string, count: number, first: string): LogLine => ({
            level: 'WARN',
            stepKey,
            code: 'MORE_KINDS',
            message: textNaming(count, `Is ${first}.`),
            facts: { leftOut: count, kinds: 1_000, line: { code: first, message: `Is ${first}.` } },
        });
        expect(sampler.rest()).toEqual([left('a', 1_990, 'a1000'), left('b', 490, 'b0')]);
    });

    it('is what it was of the kinds that came first', () => {
        const sampler = new Sampler();
        for (let i = 0; i < 2_000; i++) sampler.take(warning('a', `${i}`));
        expect(sampler.take(warning('a', '5'))).toEqual(warning('a', '5'));
    });
});

describe('the lines of a run', () => {
    it('that LOG hooks write for each batch are the first ten of each hook, and a count', async () => {
        const batches = ids(60).map(record => [record]);
        const { state } = await runPipeline(
            sketched(
                straight(pages(...batches), {
                    throughput: { batchSize: 1 },
                    hooks: {
                        BEFORE_LOAD: [{ type: 'LOG', message: 'Loading.' }],
                        AFTER_LOAD: [{ type: 'LOG', level: 'WARN', message: 'Loaded.' }],
                    },
                }),
            ),
        );
        const written = state.events.flatMap(event => (event.type === 'log' ? [event] : []));
        expect(written).toHaveLength(120);
        const sampler = new Sampler();
        expect(written.filter(line => sampler.take(line))).toHaveLength(20);
        expect(sampler.rest()).toMatchObject([
            { level: 'INFO', stepKey: 'write', facts: { leftOut: 50, line: { event: 'HOOK_LINE' } } },
            { level: 'WARN', stepKey: 'write', facts: { leftOut: 50, line: { event: 'HOOK_LINE' } } },
        ]);
    });

    it('that operators write for each batch are the first ten of each message, and a count', async () => {
        const loud = batchOperator({
            code: 'toyLoud',
            title: 'Loud',
            summary: 'Writes two lines for each batch.',
            examples: [],
            config: z.strictObject({}),
            open:
                () =>
                (batch, { log }) => {
                    log.info('Looked up.', { found: batch.length });
                    log.warn(`Batch ${String(batch[0]!.data['id'])} is odd.`, { code: 'ODD' });
                    return batch;
                },
        });
        const { state } = await runPipeline(
            sketched({
                steps: {
                    start: ['TRIGGER', { type: 'MANUAL' }],
                    read: ['EXTRACT', pages(...ids(60).map(record => [record]))],
                    shape: ['TRANSFORM', { operators: [{ op: 'toyLoud', args: {} }] }],
                    write: ['LOAD', { adapterCode: 'toyUpsert' }],
                },
                edges: ['start > read > shape > write'],
                throughput: { batchSize: 1 },
            }),
            { adapters: [loud] },
        );
        const written = state.events.flatMap(event =>
            event.type === 'log' && event.stepKey === 'shape' ? [event] : [],
        );
        expect(written).toHaveLength(120);
        const sampler = new Sampler();
        expect(written.filter(line => sampler.take(line))).toHaveLength(20);
        expect(sampler.rest()).toMatchObject([
            { level: 'INFO', stepKey: 'shape', facts: { leftOut: 50 } },
            { level: 'WARN', stepKey: 'shape', facts: { leftOut: 50, line: { code: 'ODD' } } },
        ]);
    });

    it('that scripts write on their console are the first ten of each text, and of other texts some', () => {
        const sampler = new Sampler();
        let kept = 0;
        const log = logOf({ emit: event => void (event.type === 'log' && sampler.take(event) && kept++) }, 'shape');
        for (let batch = 0; batch < 200; batch++)
            writeConsole(log, {
                lines: Array.from({ length: 20 }, (_, i) => ({
                    level: 'INFO',
                    text: i < 10 ? 'the same' : `record ${batch}/${i}`,
                })),
                unsaid: 80,
            });
        // Ten similar lines, ten counts of further ones, one line of each of 998 other kinds, and ten lines for the kinds beyond.
        expect(kept).toBe(10 + 10 + 998 + 10);
        expect(sampler.rest()).toMatchObject([
            { level: 'INFO', facts: { leftOut: 1_990 } },
            { level: 'WARN', facts: { leftOut: 190, line: { event: 'CONSOLE_CUT' } } },
            { level: 'INFO', facts: { leftOut: 2_000 - 998 - 10 } },
        ]);
    });
});
