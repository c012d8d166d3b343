import fc from 'fast-check';
import { definitions, TRIED } from './arbitrary.fixture';
import { divergences, merged, same } from './compare';
import { type Definition, edgesOf, stepsOf } from './definition';
import { addStep, changeStep, deleteSteps, disconnect, setConfig } from './edits';
import { found, leadsAlike, outlineOf } from './outline';

const routed: Definition = {
    steps: ['start', 'file', 'route', 'lamps', 'rest', 'load'].map(key => ({
        key,
        kind: key === 'route' ? 'ROUTE' : 'TRANSFORM',
        config: key === 'lamps' ? { operators: [{ op: 'toCents' }] } : {},
    })),
    edges: [
        { from: 'start', to: 'file' },
        { from: 'file', to: 'route' },
        { from: 'route', to: 'lamps', branch: 'lamps' },
        { from: 'route', to: 'rest', branch: 'default' },
        { from: 'lamps', to: 'load' },
        { from: 'rest', to: 'load' },
    ],
};

it('is known whether the same records come to a step: what leads to it has not changed', () => {
    expect(leadsAlike(routed, setConfig(routed, 'lamps', {}), 'load')).toBe(false);
    expect(leadsAlike(routed, setConfig(routed, 'file', {}), 'load')).toBe(false);
    expect(leadsAlike(routed, disconnect(routed, edgesOf(routed)[4]!), 'load')).toBe(false);
    expect(leadsAlike(routed, deleteSteps(routed, ['file']), 'lamps')).toBe(false);
    for (const key of ['file', 'route', 'rest', 'lamps'])
        expect({ key, isAlike: leadsAlike(routed, setConfig(routed, 'lamps', {}), key) }).toEqual({
            key,
            isAlike: true,
        });
    expect(leadsAlike(routed, deleteSteps(routed, ['rest']), 'lamps')).toBe(true);
});

describe('the outline', () => {
    it('lists steps in the order of the flow, and indents the steps of a fork', () => {
        expect(outlineOf(routed).map(({ step, depth }) => `${depth} ${step.key}`)).toEqual([
            '0 start',
            '0 file',
            '0 route',
            '1 lamps',
            '1 rest',
            '0 load',
        ]);
        expect(
            outlineOf(routed)
                .at(-1)!
                .comesFrom.map(({ from }) => from),
        ).toEqual(['lamps', 'rest']);
    });

    it('has every step once, after all steps that lead to it, whatever order they are written in', () =>
        fc.assert(
            fc.property(definitions, fc.nat(), (definition, seed) => {
                const steps = [...(definition['steps'] as readonly unknown[])].sort(
                    (a, b) => hash(a, seed) - hash(b, seed),
                );
                const order = outlineOf({ ...definition, steps }).map(({ step }) => step.key);
                expect([...order].sort()).toEqual(
                    stepsOf(definition)
                        .map(({ key }) => key)
                        .sort(),
                );
                for (const { from, to } of edgesOf(definition))
                    expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
            }),
            TRIED,
        ));

    it('shows what leads in a circle as well', () => {
        const circle = {
            ...routed,
            edges: [
                { from: 'lamps', to: 'rest' },
                { from: 'rest', to: 'lamps' },
            ],
        };
        expect(outlineOf(circle)).toHaveLength(6);
    });

    it('finds steps by what they are called and what they do', () => {
        expect(found(routed, 'tocents').map(({ key }) => key)).toEqual(['lamps']);
        expect(found(routed, 'route ROUTE').map(({ key }) => key)).toEqual(['route']);
        expect(found(routed, ' ')).toEqual([]);
    });
});

describe('two versions of one definition', () => {
    const mine = changeStep(routed, 'lamps', { name: 'Lamps' });
    const theirs = deleteSteps(
        changeStep(changeStep(routed, 'lamps', { name: 'Lights' }), 'file', { disabled: true }),
        ['rest'],
    );

    it('are listed by step, with who has changed what', () => {
        expect(divergences(routed, mine, theirs).map(({ id, changedBy }) => `${id} ${changedBy}`)).toEqual([
            'step:file them',
            'step:lamps both',
            'step:rest them',
        ]);
    });

    it('become one, with what was chosen of each', () => {
        const one = merged({ base: routed, mine, theirs }, ({ stepKey }) => (stepKey === 'lamps' ? 'mine' : 'theirs'));
        expect(stepsOf(one).map(({ key, name, isDisabled }) => [key, name, isDisabled])).toEqual([
            ['start', undefined, false],
            ['file', undefined, true],
            ['route', undefined, false],
            ['lamps', 'Lamps', false],
            ['load', undefined, false],
        ]);
        expect(edgesOf(one).map(({ from, to }) => `${from} ${to}`)).toContain('route load');
        expect(edgesOf(one).map(({ from }) => from)).not.toContain('rest');
    });

    it('lose nothing: what one alone has changed is taken as it is', () =>
        fc.assert(
            fc.property(definitions, definition => {
                const own = addStep(definition, { kind: 'LOAD', config: {}, called: 'mine' }).definition;
                const all = { base: definition, mine: own, theirs: definition };
                const choice = ({ changedBy }: { readonly changedBy: string }) =>
                    changedBy === 'them' ? ('theirs' as const) : ('mine' as const);
                expect(same(merged(all, choice), own)).toBe(true);
                expect(same(merged({ base: definition, mine: definition, theirs: own }, choice), own)).toBe(true);
            }),
            TRIED,
        ));
});

function hash(value: unknown, seed: number): number {
    return [...JSON.stringify(value)].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0) + seed) % 9973, 7);
}
