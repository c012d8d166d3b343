import { z } from 'zod';
import { withoutEffect } from '../../adapter/base';
import { recordOperator } from '../../adapter/operator';
import type { JsonObject } from '../../value/json';
import { compilePath, pathProblem } from '../../data/path';
import { recordInvalid, valueInvalid } from '../../errors/record-invalid';
import { path, wholeNumber } from '../../schema/fields';
import { EXACT, quotient } from '../../data/arithmetic';
import { type Decimal, decimalOf, NEAREST_ALLOWED, nearestNumber, rounded } from '../../data/decimal';

/** Those that take a second number. */
const BINARY = {
    ...EXACT,
    divide: (a: Decimal, b: Decimal, places?: number): Decimal =>
        places === undefined ? a.dividedBy(b) : quotient(a, b, places),
    power: (a: Decimal, b: Decimal): Decimal => a.toPower(b),
} as const;
const UNARY = {
    round: (a: Decimal): Decimal => rounded(a, 0, 'round'),
    floor: (a: Decimal): Decimal => a.floor(),
    ceil: (a: Decimal): Decimal => a.ceil(),
    abs: (a: Decimal): Decimal => a.abs(),
} as const;
type Binary = keyof typeof BINARY;
type Unary = keyof typeof UNARY;
const OPERATIONS = [
    'add',
    'subtract',
    'multiply',
    'divide',
    'modulo',
    'power',
    'round',
    'floor',
    'ceil',
    'abs',
] as const satisfies ReadonlyArray<Binary | Unary>;
/** A power with a larger exponent is beyond every number, or takes long to find out that it is not. */
const MAX_EXPONENT = 1000;

/** Calculates with numbers. */
export const math = recordOperator({
    code: 'math',
    category: 'Numeric',
    title: 'Calculate',
    summary: 'Calculates with a number of the record.',
    config: z
        .strictObject({
            operation: z.enum(OPERATIONS).meta({ title: 'Operation', description: `One of ${OPERATIONS.join(', ')}.` }),
            source: path('From', 'The first number, or text that is one.'),
            operand: z
                .union([z.number(), z.string().startsWith('$').min(2)])
                .optional()
                .meta({
                    title: 'Operand',
                    description:
                        'The second number, or "$" and the path of the field that holds it. Needed by all operations but round, floor, ceil and abs.',
                }),
            target: path('To', 'Where the result goes; the field itself where absent.').optional(),
            decimals: wholeNumber(
                { min: 0, max: 20 },
                { title: 'Decimals', description: 'Rounds the result to so many, halves away from zero.' },
            ).optional(),
        })
        .superRefine(({ operation, operand }, cx) => {
            const refuse = (field: string, message: string): void =>
                cx.addIssue({ code: 'custom', path: [field], message });
            if (operation in BINARY && operand === undefined)
                refuse('operand', `operand is missing; "${operation}" needs a number, or "$" and a path`);
            const problem = typeof operand === 'string' ? pathProblem(operand.slice(1)) : undefined;
            if (problem !== undefined) refuse('operand', `path ${problem}`);
        }),
    notes: [
        'Computed in decimal: 0.1 plus 0.2 is 0.3. With round, decimals says how many stay (0 without it).',
        'A result with more digits than a number holds is the number nearest to it, as 1 divided by 3 is; one beyond 9007199254740991, where whole numbers would be lost, rejects the record.',
        'A field that is missing or no number and a division by zero reject the record.',
    ],
    examples: [
        {
            args: { operation: 'multiply', source: 'price', operand: 1.19, target: 'gross', decimals: 2 },
            in: { price: '10.05' },
            out: { price: '10.05', gross: 11.96 },
        },
        { args: { operation: 'add', source: 'a', operand: '$b' }, in: { a: 0.1, b: '0.2' }, out: { a: 0.3, b: '0.2' } },
        {
            args: { operation: 'divide', source: 'a', operand: '$b' },
            in: { a: 1, b: 0 },
            error: 'Field "b": is 0, and nothing can be divided by zero',
        },
        {
            args: { operation: 'divide', source: 'a', operand: 3, decimals: 4 },
            in: { a: 1 },
            out: { a: 0.3333 },
        },
        {
            args: { operation: 'divide', source: 'a', operand: 3 },
            in: { a: 1 },
            out: { a: 0.3333333333333333 },
        },
        {
            args: { operation: 'add', source: 'a', operand: 1 },
            in: { a: '9007199254740992' },
            error: 'and a number cannot hold the result of add',
            note: 'Rather an error than 9007199254740992.',
        },
        {
            args: { operation: 'modulo', source: 'a', operand: 3 },
            in: { a: -7 },
            out: { a: -1 },
            note: 'The rest has the sign of the first number.',
        },
        { args: { operation: 'round', source: 'a', decimals: 1 }, in: { a: 2.25 }, out: { a: 2.3 } },
        {
            args: { operation: 'floor', source: 'a', operand: '$b', decimals: 2 },
            in: { a: 2.25 },
            out: { a: 2 },
            note: 'Neither operand nor decimals has an effect with floor.',
        },
        { args: { operation: 'abs', source: 'a', target: 'b' }, in: { a: '-3' }, out: { a: '-3', b: 3 } },
        {
            args: { operation: 'add', source: 'a', operand: 1 },
            in: {},
            error: 'Field "a": is missing, which is no number',
        },
        {
            args: { operation: 'power', source: 'a', operand: 0.5 },
            in: { a: -1 },
            error: 'Field "a": is -1, and the result of power is no number',
        },
        {
            args: { operation: 'add', source: 'a', operand: '$b' },
            in: { a: '12.50', b: ' 0.50 ' },
            out: { a: 13, b: ' 0.50 ' },
        },
        {
            args: { operation: 'add', source: 'a', operand: 1 },
            in: { a: '12,50' },
            error: 'Field "a": is "12,50", which is no number',
        },
    ],
    advise: ({ operation, operand, decimals }) => [
        ...(operation in UNARY && operand !== undefined ? [withoutEffect('operand', `beside ${operation}`)] : []),
        ...(decimals !== undefined && (operation === 'floor' || operation === 'ceil')
            ? [withoutEffect('decimals', `beside ${operation}, whose result is whole`)]
            : []),
    ],
    compile({ operation, source, operand, target, decimals }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.place(target ?? source);
        const second = operation in UNARY ? undefined : secondOf(operand);
        const work: Work = operation in UNARY ? unary(operation as Unary, decimals) : BINARY[operation as Binary];
        return data => {
            const value = from.get(data);
            const first = decimalOf(value);
            if (!first) throw valueInvalid(source, value, 'which is no number');
            const other = second?.(data);
            if (other && other.isZero() && (operation === 'divide' || operation === 'modulo')) {
                throw recordInvalid(
                    operandPath(operand) ?? source,
                    `${operandPath(operand) === undefined ? 'operand ' : ''}is 0, and nothing can be divided by zero`,
                );
            }
            if (operation === 'power' && other!.abs().greaterThan(MAX_EXPONENT)) {
                throw recordInvalid(
                    operandPath(operand) ?? source,
                    `has the exponent ${other!.toString()}; at most ${MAX_EXPONENT} is allowed`,
                );
            }
            const exact = work(first, other!, decimals);
            if (exact.isNaN()) throw valueInvalid(source, value, `and the result of ${operation} is no number`);
            const result = nearestNumber(decimals === undefined ? exact : rounded(exact, decimals, 'round'));
            if (result === undefined)
                throw valueInvalid(
                    source,
                    value,
                    `and a number cannot hold the result of ${operation}; ${NEAREST_ALLOWED}`,
                );
            return to.set(data, result);
        };
    },
});

type Work = (a: Decimal, b: Decimal, places: number | undefined) => Decimal;

function unary(operation: Unary, decimals: number | undefined): (a: Decimal) => Decimal {
    return operation === 'round' && decimals !== undefined ? a => rounded(a, decimals, 'round') : UNARY[operation];
}

function operandPath(operand: number | string | undefined): string | undefined {
    return typeof operand === 'string' ? operand.slice(1) : undefined;
}

/** The second number: the same for all records, or what each holds. */
function secondOf(operand: number | string | undefined): ((data: JsonObject) => Decimal) | undefined {
    if (operand === undefined) return undefined;
    if (typeof operand === 'number') {
        const fixed = decimalOf(operand)!;
        return () => fixed;
    }
    const field = compilePath(operand.slice(1));
    return data => {
        const value = field.get(data);
        const decimal = decimalOf(value);
        if (!decimal) throw valueInvalid(field.text, value, 'which is no number');
        return decimal;
    };
}
