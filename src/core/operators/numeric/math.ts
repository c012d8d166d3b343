import { clause } from '../../errors/rendered';
import { z } from 'zod';
import { withoutEffect } from '../../adapter/base';
import { recordOperator } from '../../adapter/operator';
import type { JsonObject } from '../../value/json';
import { compilePath, pathProblem } from '../../data/path';
import { recordInvalid, valueInvalid } from '../../errors/record-invalid';
import { path, wholeNumber } from '../../schema/fields';
import { EXACT, quotient } from '../../data/arithmetic';
import { type Decimal, decimalOf, NEAREST_ALLOWED, nearestNumber, rounded } from '../../data/decimal';
import { addIssue } from '../../schema/issues';

/** Operations with a second number. */
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
/** The result of a larger exponent is out of range, or takes long to compute. */
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
            source: path('From', 'The first number, or numeric text.'),
            operand: z
                .union([z.number(), z.string().startsWith('$').min(2)])
                .optional()
                .meta({
                    title: 'Operand',
                    description:
                        'The second number, or "$" and the path of the field with it. Required for all operations except round, floor, ceil and abs.',
                }),
            target: path('To', 'The field for the result. Default: the field itself.').optional(),
            decimals: wholeNumber(
                { min: 0, max: 20 },
                {
                    title: 'Decimals',
                    description: 'Rounds the result to this number of decimals, halves away from zero.',
                },
            ).optional(),
        })
        .superRefine(({ operation, operand }, cx) => {
            if (operation in BINARY && operand === undefined)
                addIssue(cx, clause`operand is missing; "${operation}" needs a number, or "$" and a path`, ['operand']);
            const problem = typeof operand === 'string' ? pathProblem(operand.slice(1)) : undefined;
            if (problem !== undefined) addIssue(cx, clause`path ${problem}`, ['operand']);
        }),
    notes: [
        'Computed in decimal: 0.1 plus 0.2 is 0.3. With round, decimals is the number of decimals to keep (default: 0).',
        'A result with more digits than a number can represent is rounded to the nearest number, such as 1 divided by 3. A result beyond 9007199254740991, where whole numbers would lose digits, rejects the record.',
        'A missing field, a value that is not a number and a division by zero reject the record.',
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
            error: 'Field "b": is 0; the divisor must not be zero',
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
            error: 'cannot be used: the result of add is out of range',
            note: 'An error is better than the wrong number 9007199254740992.',
        },
        {
            args: { operation: 'modulo', source: 'a', operand: 3 },
            in: { a: -7 },
            out: { a: -1 },
            note: 'The remainder has the sign of the first number.',
        },
        { args: { operation: 'round', source: 'a', decimals: 1 }, in: { a: 2.25 }, out: { a: 2.3 } },
        {
            args: { operation: 'floor', source: 'a', operand: '$b', decimals: 2 },
            in: { a: 2.25 },
            out: { a: 2 },
            note: 'operand and decimals have no effect with floor.',
        },
        { args: { operation: 'abs', source: 'a', target: 'b' }, in: { a: '-3' }, out: { a: '-3', b: 3 } },
        {
            args: { operation: 'add', source: 'a', operand: 1 },
            in: {},
            error: 'Field "a": is missing',
        },
        {
            args: { operation: 'power', source: 'a', operand: 0.5 },
            in: { a: -1 },
            error: 'Field "a": -1 cannot be used: the result of power is not a number',
        },
        {
            args: { operation: 'add', source: 'a', operand: '$b' },
            in: { a: '12.50', b: ' 0.50 ' },
            out: { a: 13, b: ' 0.50 ' },
        },
        {
            args: { operation: 'add', source: 'a', operand: 1 },
            in: { a: '12,50' },
            error: 'Field "a": "12,50" is not a number',
        },
    ],
    advise: ({ operation, operand, decimals }) => [
        ...(operation in UNARY && operand !== undefined ? [withoutEffect('operand', clause`with ${operation}`)] : []),
        ...(decimals !== undefined && (operation === 'floor' || operation === 'ceil')
            ? [withoutEffect('decimals', clause`with ${operation}, whose result is whole`)]
            : []),
    ],
    compile({ operation, source, operand, target, decimals }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.place(target ?? source);
        const second = operation in UNARY ? undefined : secondOf(operand);
        const yieldingTask: Work =
            operation in UNARY ? unary(operation as Unary, decimals) : BINARY[operation as Binary];
        return data => {
            const value = from.get(data);
            const first = decimalOf(value);
            if (!first) throw valueInvalid(source, value, 'is not a number');
            const other = second?.(data);
            if (other && other.isZero() && (operation === 'divide' || operation === 'modulo')) {
                throw recordInvalid(
                    operandPath(operand) ?? source,
                    `${operandPath(operand) === undefined ? 'operand ' : ''}is 0; the divisor must not be zero`,
                );
            }
            if (operation === 'power' && other!.abs().greaterThan(MAX_EXPONENT)) {
                throw recordInvalid(
                    operandPath(operand) ?? source,
                    `has the exponent ${other!.toString()}; at most ${MAX_EXPONENT} is allowed`,
                );
            }
            const exact = yieldingTask(first, other!, decimals);
            if (exact.isNaN())
                throw valueInvalid(source, value, `cannot be used: the result of ${operation} is not a number`);
            const result = nearestNumber(decimals === undefined ? exact : rounded(exact, decimals, 'round'));
            if (result === undefined)
                throw valueInvalid(
                    source,
                    value,
                    `cannot be used: the result of ${operation} is out of range; ${NEAREST_ALLOWED}`,
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

/** The second number: constant, or from a field of each record. */
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
        if (!decimal) throw valueInvalid(field.text, value, 'is not a number');
        return decimal;
    };
}
