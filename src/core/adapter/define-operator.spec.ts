import { z } from 'zod';
import { naming } from '../../../test/kit/naming';
import { operatorContract } from '../../testing/operator-contract';
import { defineOperator } from './define-operator';

const field = z.string().min(1).meta({ title: 'Field', description: 'The text.' });

const shout = defineOperator({
    code: 'shout',
    category: 'Own',
    title: 'Shout',
    summary: 'Writes a text in capitals.',
    config: z.strictObject({ field }),
    examples: [
        { args: { field: 'a' }, in: { a: 'ß' }, out: { a: 'SS' } },
        { args: { field: 'a' }, in: { a: null }, out: { a: null } },
        { args: { field: 'a' }, in: {}, out: {} },
    ],
    compile:
        ({ field: name }) =>
        data =>
            typeof data[name] === 'string' ? { ...data, [name]: data[name].toUpperCase() } : data,
});

const number = defineOperator({
    code: 'number',
    category: 'Own',
    title: 'Number',
    summary: 'Numbers the records of a batch.',
    config: z.strictObject({ field }),
    examples: [
        { args: { field: 'n' }, in: [{ a: 1 }, {}], out: [{ a: 1, n: 1 }, { n: 2 }] },
        { args: { field: 'n' }, in: [], out: [] },
        { args: { field: 'n' }, in: [{ n: null }], out: [{ n: 1 }] },
    ],
    open:
        ({ field: name }) =>
        (batch, cx) =>
            batch.map((record, i) => cx.derive({ ...record.data, [name]: i + 1 }, [record])),
});

// Both kinds, as the registry and the tests take them.
describe.each([shout, number].map(operator => [operator.code, operator] as const))('operator %s', (_code, operator) => {
    for (const { name, run } of operatorContract(operator)) it(name, run);
});

it('rejects a definition with two implementations, or none', () => {
    const { code, title, summary, config, examples, compile } = shout;
    const words = { code, title, summary, config, examples };
    const error = (definition: object): Error => {
        try {
            return defineOperator(definition as never) as never;
        } catch (thrown) {
            return thrown as Error;
        }
    };
    const errors = [error({ ...words, compile, open: () => (batch: never) => batch }), error(words)];
    const facts = {
        option: 'adapters',
        problem: expect.stringMatching(naming('"shout"', 'compile', 'open')) as string,
    };
    expect(errors).toMatchObject(errors.map(() => ({ code: 'OPTION_INVALID', facts })));
    expect(errors[0]!.message).not.toBe(errors[1]!.message);
});
