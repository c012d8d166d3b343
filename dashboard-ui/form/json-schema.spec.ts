import { labelOf } from './json-schema';

it('shows the label of a choice, and the choice itself where it has none', () => {
    const schema = { enum: ['fast', 'slow'], labels: { fast: 'Fast' } };
    expect(['fast', 'slow', 'toString'].map(value => labelOf(schema, value))).toEqual(['Fast', 'slow', 'toString']);
    expect(labelOf({ enum: ['fast'] }, 'fast')).toBe('fast');
});
