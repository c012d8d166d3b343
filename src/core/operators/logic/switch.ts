import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { canonicalJson, type JsonValue } from '../../value/json';
import { compilePath } from '../../data/path';
import { json, jsonValue, path } from '../../schema/fields';

/** One of many values (compared as strings when either side is one). */
export const switchValue = recordOperator({
    code: 'switch',
    category: 'Logic',
    title: 'Switch',
    summary: 'Sets a field by what another one holds.',
    config: z.strictObject({
        source: path('From', 'The field that decides.'),
        cases: z
            .array(
                z.strictObject({
                    value: jsonValue().meta({ title: 'Value', description: 'What the field holds.' }),
                    result: jsonValue().meta({ title: 'Result', description: 'What the target gets then.' }),
                }),
            )
            .min(1)
            .max(10_000)
            .meta({ title: 'Cases', description: 'The first one that fits decides.' }),
        default: json(
            'Default',
            'What the target gets when no case fits. Without it the record stays as it is.',
        ).optional(),
        target: path('To', 'Where the result goes.'),
    }),
    notes: [
        'When either side is text, numbers and booleans are compared as text: the case "7" fits 7. A missing field fits the case null.',
    ],
    examples: [
        {
            args: {
                source: 's',
                cases: [
                    { value: 'A', result: true },
                    { value: 'X', result: false },
                ],
                target: 'enabled',
            },
            in: { s: 'X' },
            out: { s: 'X', enabled: false },
        },
        {
            args: { source: 's', cases: [{ value: '7', result: 'Süd' }], target: 'r' },
            in: { s: 7 },
            out: { s: 7, r: 'Süd' },
        },
        {
            args: { source: 's', cases: [{ value: 1, result: 'one' }], default: null, target: 'r' },
            in: { s: 2 },
            out: { s: 2, r: null },
        },
        { args: { source: 's', cases: [{ value: null, result: 'none' }], target: 'r' }, in: {}, out: { r: 'none' } },
        {
            args: { source: 's', cases: [{ value: 'A', result: null }], default: 'other', target: 'r' },
            in: { s: 'A', r: 1 },
            out: { s: 'A', r: null },
            note: 'A case whose result is null sets null; the default is for values without a case.',
        },
        { args: { source: 's', cases: [{ value: 'x', result: 1 }], target: 'r' }, in: { s: ['x'] }, out: { s: ['x'] } },
        {
            args: {
                source: 's',
                cases: [
                    { value: true, result: 'first' },
                    { value: 'true', result: 'second' },
                ],
                target: 'r',
            },
            in: { s: 'true' },
            out: { s: 'true', r: 'first' },
        },
    ],
    reads: ({ source, default: fallback }) => (fallback === undefined ? [source] : []),
    compile({ source, cases, target, default: fallback }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target);
        const index = new Cases(cases);
        return data => {
            const result = index.resultFor(from.get(data) ?? null);
            const value = result === undefined ? fallback : result;
            return value === undefined ? data : to.set(data, value);
        };
    },
});

/** The cases by what they fit, so that ten thousand cost no more than one. */
class Cases {
    /** Scalars as text: what text is compared with, and what text cases fit. */
    private readonly byText = new Map<string, number>();
    private readonly byTextOnly = new Map<string, number>();
    private readonly byValue = new Map<string, number>();

    constructor(private readonly cases: ReadonlyArray<{ readonly value: JsonValue; readonly result: JsonValue }>) {
        cases.forEach(({ value }, i) => {
            const text = textOfScalar(value);
            if (text !== undefined) keep(this.byText, text, i);
            if (typeof value === 'string') keep(this.byTextOnly, value, i);
            else keep(this.byValue, canonicalJson(value), i);
        });
    }

    resultFor(value: JsonValue): JsonValue | undefined {
        if (typeof value === 'string') return this.at(this.byText.get(value));
        const text = textOfScalar(value);
        const same = this.byValue.get(canonicalJson(value));
        const alike = text === undefined ? undefined : this.byTextOnly.get(text);
        return this.at(same === undefined || (alike !== undefined && alike < same) ? alike : same);
    }

    private at(index: number | undefined): JsonValue | undefined {
        return index === undefined ? undefined : this.cases[index]!.result;
    }
}

function keep(index: Map<string, number>, key: string, position: number): void {
    if (!index.has(key)) index.set(key, position);
}

/** Undefined for what text is never equal to: null, lists and objects. */
function textOfScalar(value: JsonValue): string | undefined {
    return typeof value === 'object' ? undefined : String(value);
}
