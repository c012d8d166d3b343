import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { isJsonObject, type JsonValue } from '../../data/json';
import { compilePath } from '../../data/path';
import { recordInvalid } from '../../errors/record-invalid';
import { path } from '../../schema/fields';

/** As deep as a definition may be; what comes after recurses into values. */
const MAX_DEPTH = 32;
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

/** Reads JSON (spec 3, `parseJson`). */
export const parseJson = recordOperator({
    code: 'parseJson',
    category: 'JSON',
    title: 'Parse JSON',
    summary: 'Turns JSON text into the value that it spells.',
    config: z.strictObject({
        source: path('From', 'The text; what is no text is left alone.'),
        target: path('To', 'Where the value goes; the field itself where absent.').optional(),
    }),
    notes: [
        `At most ${MAX_DEPTH} levels; the keys __proto__, prototype and constructor are refused. Empty text is left alone.`,
    ],
    examples: [
        { args: { source: 'j' }, in: { j: '{"a":[1,"ü",null]}' }, out: { j: { a: [1, 'ü', null] } } },
        { args: { source: 'j', target: 'n' }, in: { j: ' 7 ' }, out: { j: ' 7 ', n: 7 } },
        { args: { source: 'j' }, in: { j: '{a:1}' }, error: 'Field "j": is "{a:1}", which is no JSON' },
        {
            args: { source: 'j' },
            in: { j: '{"constructor":1}' },
            error: 'holds the key "constructor", which is not allowed',
        },
        { args: { source: 'j' }, in: { j: '' }, out: { j: '' } },
        { args: { source: 'j' }, in: { j: { a: 1 } }, out: { j: { a: 1 } } },
    ],
    compile({ source, target }) {
        const from = compilePath(source);
        const to = compilePath(target ?? source);
        return data => {
            const text = from.get(data);
            if (typeof text !== 'string' || text.trim() === '') return data;
            const value = parse(source, text);
            const problem = problemOf(value, MAX_DEPTH);
            if (problem !== undefined) throw recordInvalid(source, problem);
            return to.set(data, value);
        };
    },
});

function parse(field: string, text: string): JsonValue {
    try {
        return JSON.parse(text) as JsonValue;
    } catch {
        // The engine's own words quote the text without bounds.
        throw recordInvalid(
            field,
            `is ${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)}, which is no JSON`,
        );
    }
}

function problemOf(value: JsonValue, depth: number): string | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth === 0) return `has more than ${MAX_DEPTH} levels`;
    if (isJsonObject(value)) {
        const key = Object.keys(value).find(name => FORBIDDEN.has(name));
        if (key !== undefined) return `holds the key "${key}", which is not allowed`;
    }
    for (const inner of Object.values(value) as readonly JsonValue[]) {
        const problem = problemOf(inner, depth - 1);
        if (problem !== undefined) return problem;
    }
    return undefined;
}
