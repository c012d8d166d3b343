import { assembler, copier } from './copier';
import type { JsonValue } from '../value/json';

const TIMES = 1000;

it('a copy equals the object and is a new one, for any number of copies and any shape', () => {
    const copy = copier();
    for (let i = 0; i < TIMES; i++) {
        const data: Record<string, JsonValue> = {
            [`f${i % 50}`]: i,
            list: [i],
            ...(JSON.parse('{"__proto__":1}') as object),
        };
        const made = copy(data);
        expect(made).not.toBe(data);
        expect(Object.entries(made)).toEqual(Object.entries(data));
    }
});

it('an assembled object has exactly these fields, with any names, and is undefined if one is missing', () => {
    const assemble = assembler([
        { name: 'a"]; throw 1; //', from: 'x' },
        { name: '${b}', from: '"`\n' },
    ])!;
    for (let i = 0; i < TIMES; i++) {
        expect(assemble({ x: i, '"`\n': null, more: 1 })).toEqual({ 'a"]; throw 1; //': i, '${b}': null });
        expect(assemble({ x: i })).toBeUndefined();
    }
});

it('names that all objects inherit are not read that way', () => {
    expect(assembler([{ name: 'a', from: 'toString' }])).toBeUndefined();
});
