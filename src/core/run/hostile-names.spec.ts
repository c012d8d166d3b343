import { LOAD, pages, runPipeline, sketched, type Sketch } from '../../../test/kit/pipeline';
import { flowError } from '../errors/flow-error';
import { addCounters, type Counters, countsOf, NO_COUNTS } from '../progress/counters';

const NAMES = Object.getOwnPropertyNames(Object.prototype);

/** Each step, and the branch, has the name; no definition that was checked has such steps. */
const SKETCHES: Readonly<Record<string, (name: string) => Sketch>> = {
    EXTRACT: name => ({
        steps: {
            start: ['TRIGGER', {}],
            [name]: ['EXTRACT', pages([{ id: 0 }, { id: 1, bad: true }])],
            write: ['LOAD', LOAD],
        },
        edges: [`start > ${name} > write`],
    }),
    VALIDATE: name => ({
        steps: {
            start: ['TRIGGER', {}],
            read: ['EXTRACT', pages([{ id: 0 }, { id: 1 }, { id: 0 }])],
            [name]: ['VALIDATE', { rules: [{ type: 'unique', spec: { field: 'id' } }] }],
            write: ['LOAD', LOAD],
        },
        edges: [`start > read > ${name} > write`],
    }),
    LOAD: name => ({
        steps: {
            start: ['TRIGGER', {}],
            read: ['EXTRACT', pages([{ id: 0 }, { id: 1, bad: true }])],
            [name]: ['LOAD', LOAD],
        },
        edges: [`start > read > ${name}`],
    }),
    branch: name => ({
        steps: {
            start: ['TRIGGER', {}],
            read: ['EXTRACT', pages([{ id: 0 }, { id: 1, bad: true }, { id: 2 }])],
            split: ['ROUTE', { branches: [{ name, when: [{ field: 'id', cmp: 'lt', value: 2 }] }] }],
            write: ['LOAD', LOAD],
        },
        edges: ['start > read > split', `split [${name}] > write`],
    }),
};

/** Without the name, so that runs which differ in it alone can be compared. */
const plain = (value: unknown, name: string): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll(`"${name}"`, '"plain"').replaceAll(`${name} `, 'plain '));

describe.each(Object.entries(SKETCHES))(
    'a name that every object has, given to a step or branch: %s',
    (_, sketchOf) => {
        it.each(NAMES)('%s behaves like any other name, also after a crash', async name => {
            const left = async (given: string): Promise<unknown> => {
                const definition = sketched({ ...sketchOf(given), throughput: { batchSize: 1 } });
                let commits = 0;
                const at = async (point: string): Promise<void> => {
                    if (point === 'positions.commit.before' && ++commits === 2) throw flowError('LEASE_LOST', {});
                };
                const { state } = await runPipeline(definition, { at });
                const { end } = await runPipeline(definition, { state });
                const { positions, counters, shop, rejects, history } = state;
                return plain(
                    { end, positions, counters, history, shop: [...shop], rejects: [...rejects.values()] },
                    given,
                );
            };
            const expected = await left('plain');
            expect(expected).toMatchObject({ end: { end: 'completed', outcome: 'PARTIAL' } });
            expect(await left(name)).toEqual(expected);
        });
    },
);

describe('counters', () => {
    it.each(NAMES)('of a step named %s are added up like others', name => {
        const one = addCounters(
            {},
            JSON.parse(`{ "${name}": ${JSON.stringify({ ...NO_COUNTS, in: 1 })} }`) as Counters,
        );
        expect(countsOf({}, name)).toBe(NO_COUNTS);
        expect(countsOf(addCounters(one, one), name)).toEqual({ ...NO_COUNTS, in: 2 });
    });
});
