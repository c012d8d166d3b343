import { hash as digestOf } from 'node:crypto';
import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { canonicalJson, type JsonValue } from '../../value/json';
import { compilePath } from '../../data/path';
import { path, paths } from '../../schema/fields';

/** Computes a hash of values. */
export const hash = recordOperator({
    code: 'hash',
    category: 'Data',
    title: 'Hash',
    summary: 'Writes the cryptographic hash of one or more values.',
    config: z.strictObject({
        source: z
            .union([path('From', 'The field with the value.'), paths('From', 'The fields with the values.')])
            .meta({
                title: 'From',
                description: 'The path of the value, or a list of paths.',
                widget: 'path',
            }),
        target: path('To', 'The field for the hash.'),
        algorithm: z
            .enum(['sha256', 'sha512'])
            .default('sha256')
            .meta({ title: 'Algorithm', description: 'sha256 or sha512.' }),
        encoding: z
            .enum(['hex', 'base64', 'base64url'])
            .default('hex')
            .meta({ title: 'Encoding', description: 'The encoding of the hash: hex, base64 or base64url.' }),
    }),
    notes: [
        "A single text is hashed as its UTF-8 bytes. Any other value, or several values, are hashed as JSON without spaces and with sorted keys, so the order of an object's fields makes no difference.",
        'Among several values, a missing one counts as null. If all are missing or null, nothing is written.',
    ],
    examples: [
        {
            args: { source: 'n', target: 'h' },
            in: { n: 'abc' },
            out: { n: 'abc', h: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
        },
        {
            args: { source: ['b', 'a'], target: 'h', encoding: 'base64url' },
            in: { a: 1, b: 'ß' },
            out: { a: 1, b: 'ß', h: 'LiHUKNceXyXqddaAtk68MIWqj8JV5lXHDboH6Ye8NPs' },
            note: 'The hash of ["ß",1].',
        },
        { args: { source: ['a', 'b'], target: 'h' }, in: { a: null }, out: { a: null } },
        { args: { source: 'a', target: 'h' }, in: {}, out: {} },
        {
            args: { source: 'o', target: 'h' },
            in: { o: { y: 2, x: 1 } },
            out: { o: { y: 2, x: 1 }, h: '689a8f1db95402580476e38c264278ce7b1e664320cfb4e9ae8d3a908cf09964' },
            note: 'The hash of {"x":1,"y":2}.',
        },
        {
            args: { source: 'n', target: 'n', algorithm: 'sha512', encoding: 'base64' },
            in: { n: '' },
            out: { n: 'z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==' },
            note: 'Empty text has a hash, too.',
        },
    ],
    reads: ({ source }) => [source].flat(),
    compile({ source, target, algorithm, encoding }, { bounds }) {
        const fields = (typeof source === 'string' ? [source] : source).map(compilePath);
        const to = bounds.place(target);
        const digest = (text: string): string => digestOf(algorithm, text, encoding);
        const only = fields.length === 1 ? fields[0]! : undefined;
        return data => {
            if (only) {
                const value = only.get(data);
                return isAbsent(value)
                    ? data
                    : to.set(data, digest(typeof value === 'string' ? value : canonicalJson(value)));
            }
            const values = fields.map(field => field.get(data));
            return values.every(isAbsent) ? data : to.set(data, digest(`[${values.map(canonicalJson).join(',')}]`));
        };
    },
});

function isAbsent(value: JsonValue | undefined): value is null | undefined {
    return value === undefined || value === null;
}
