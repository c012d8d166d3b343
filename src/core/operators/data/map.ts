import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { assembler } from '../../data/copier';
import type { JsonObject, JsonValue } from '../../value/json';
import { compilePath, isName, type Path } from '../../data/path';
import { pathMapping } from '../../schema/fields';

interface Move {
    readonly from: Path;
    readonly to: Path;
}

type Build = (data: JsonObject) => JsonObject;

/** Builds a new record from fields of the record. */
export const map = recordOperator({
    code: 'map',
    category: 'Data',
    title: 'Map fields',
    summary: 'Builds the record anew from fields of the old one.',
    config: z.strictObject({
        mapping: pathMapping(
            'Mapping',
            'Target path on the left, path to read on the right. A field that the record lacks is left out.',
        ),
        passthrough: z.boolean().default(false).meta({
            title: 'Keep the other fields',
            description: 'Keeps what is not mapped. A field that was mapped stands under its new path only.',
        }),
    }),
    examples: [
        {
            args: { mapping: { sku: 'Artikel', 'brand.name': 'Marke' } },
            in: { Artikel: 'A1', Marke: 'Größe & Co', Rest: 1 },
            out: { sku: 'A1', brand: { name: 'Größe & Co' } },
        },
        {
            args: { mapping: { title: 'name' }, passthrough: true },
            in: { name: 'Tür', sku: 'A1' },
            out: { sku: 'A1', title: 'Tür' },
            note: 'What is not mapped stays.',
        },
        {
            args: { mapping: { a: 'b', b: 'a' }, passthrough: true },
            in: { a: 1, b: 2 },
            out: { a: 2, b: 1 },
            note: 'Fields may change places.',
        },
        {
            args: { mapping: { sku: 'variants.0.sku' } },
            in: { variants: [] },
            out: {},
            note: 'What is missing is left out.',
        },
        { args: { mapping: { sku: 'code' } }, in: { code: null }, out: { sku: null }, note: 'null is a value.' },
        {
            args: { mapping: { a: 'x', 'a.b': 'y' } },
            in: { x: 'text', y: 1 },
            error: 'Field "a.b": cannot be written, because "a" is a string',
            note: 'Two targets that exclude each other.',
        },
    ],
    reads: ({ mapping }) => Object.values(mapping),
    compile({ mapping, passthrough }, { bounds }) {
        const moves = Object.entries(mapping).map(([target, source]) => ({
            from: compilePath(source),
            to: bounds.place(target),
        }));
        const built = builder(mapping, moves, passthrough);
        // Nothing gets larger where each source is read once.
        if (!overlap(Object.values(mapping))) return built;
        const [at = ''] = Object.keys(mapping);
        return data => {
            const out = built(data);
            bounds.value(at, out);
            return out;
        };
    },
});

function builder(mapping: Readonly<Record<string, string>>, moves: readonly Move[], passthrough: boolean): Build {
    if (passthrough) return keeping(moves);
    if (!Object.keys(mapping).every(isName)) return data => write(moves, data, {});
    const assemble = Object.values(mapping).every(isName)
        ? assembler(Object.entries(mapping).map(([name, from]) => ({ name, from })))
        : undefined;
    return data => assemble?.(data) ?? flat(moves, data);
}

/** Whether one of the paths lies within another one, or is the same. */
function overlap(paths: readonly string[]): boolean {
    const sorted = paths.map(path => `${path}.`).sort();
    return sorted.some((path, i) => i > 0 && path.startsWith(sorted[i - 1]!));
}

/** All targets are fields of the record itself. */
function flat(moves: readonly Move[], data: JsonObject): JsonObject {
    const out: Record<string, JsonValue> = {};
    for (const { from, to } of moves) {
        const value = from.get(data);
        if (value !== undefined) out[to.text] = value;
    }
    return out;
}

function keeping(moves: readonly Move[]): Build {
    return data =>
        write(
            moves,
            data,
            moves.reduce((rest, move) => move.from.unset(rest), data),
        );
}

function write(moves: readonly Move[], data: JsonObject, start: JsonObject): JsonObject {
    let out = start;
    for (const move of moves) {
        const value = move.from.get(data);
        if (value !== undefined) out = move.to.set(out, value);
    }
    return out;
}
