import { ids, pages, runPipeline, sketched, straight } from '../../../test/kit/pipeline';
import { said } from '../../../test/kit/said';
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
                message: expect.stringContaining(said('more-warnings-like-one', { count: 15 })),
                facts: { leftOut: 15, code: 'odd' },
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

    it('is bounded for each step where every warning is of a kind of its own', () => {
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
            message: said('more-warnings-beyond-kinds', { count, first: `Is ${first}.` }),
            facts: { leftOut: count },
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
            { level: 'INFO', stepKey: 'write', facts: { leftOut: 50 }, isOwn: true },
            { level: 'WARN', stepKey: 'write', facts: { leftOut: 50 }, isOwn: true },
        ]);
    });
});
