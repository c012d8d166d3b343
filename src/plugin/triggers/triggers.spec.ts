import { textNaming } from '../../../test/kit/naming';
import type { StepDefinition } from '../../core/pipeline/definition';
import { TRIGGER_TYPES } from '../../core/steps/kinds/trigger';
import { triggersOf, triggerToStart } from './triggers';

const trigger = (key: string, more: Partial<StepDefinition> = {}): StepDefinition => ({
    key,
    kind: 'TRIGGER',
    config: { type: 'MANUAL' },
    ...more,
});
const extract: StepDefinition = { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'csv' } };

describe('the triggers of a pipeline', () => {
    it('are its TRIGGER steps; a disabled one says so', () => {
        const steps = [
            trigger('a'),
            extract,
            trigger('b', { disabled: true }),
            trigger('c', { config: { type: 'MANUAL', enabled: false } }),
        ];
        expect(triggersOf({ steps }).map(({ key, enabled }) => [key, enabled])).toEqual([
            ['a', true],
            ['b', false],
            ['c', false],
        ]);
    });
});

describe('the trigger that a person starts', () => {
    it('need not be named where there is one', () => {
        expect(triggerToStart({ steps: [extract, trigger('only')] }, {})).toEqual({
            key: 'only',
            type: 'MANUAL',
            enabled: true,
        });
    });

    it('must be named where there are several', () => {
        const steps = [trigger('a'), trigger('b')];
        expect(triggerToStart({ steps }, {})).toEqual({
            problem: textNaming('several MANUAL', '"a", "b"', 'triggerKey'),
        });
        expect(triggerToStart({ steps }, { triggerKey: 'b' })).toMatchObject({ key: 'b' });
    });

    it.each([
        [
            'disabled',
            [trigger('a', { disabled: true })],
            undefined,
            'it has no enabled MANUAL trigger; add one or enable it',
        ],
        [
            'of another type',
            [trigger('a', { config: { type: 'SCHEDULE' } })],
            undefined,
            'it has no enabled MANUAL trigger; add one or enable it',
        ],
        ['unknown', [trigger('a')], 'z', '"z" is not an enabled MANUAL trigger of it; allowed: "a"'],
    ])('is rejected if it is %s', (_, steps, key, problem) => {
        expect(triggerToStart({ steps }, { triggerKey: key })).toEqual({ problem });
    });

    it.each(TRIGGER_TYPES)('is one of the type %s where whatever starts the run wants one', type => {
        const steps = [
            ...TRIGGER_TYPES.map(each => trigger(each.toLowerCase(), { config: { type: each } })),
            trigger('off', { config: { type, enabled: false } }),
        ];
        const key = type.toLowerCase();
        expect(triggerToStart({ steps }, { triggerType: type })).toEqual({ key, type, enabled: true });
        expect(triggerToStart({ steps: steps.slice(-1) }, { triggerType: type })).toEqual({
            problem: expect.stringContaining(` ${type} `) as string,
        });
    });
});
