import { clause } from '../../errors/rendered';
import { hash as digest } from 'node:crypto';
import { z } from 'zod';
import { withoutEffect } from '../../adapter/base';
import { recordOperator, type RecordFn } from '../../adapter/operator';
import { compilePath, type Path } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';
import { path, withRules } from '../../schema/fields';

/** RFC 9562, section 6.6. */
const NAMESPACES: ReadonlyMap<string, string> = new Map([
    ['dns', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
    ['url', '6ba7b811-9dad-11d1-80b4-00c04fd430c8'],
    ['oid', '6ba7b812-9dad-11d1-80b4-00c04fd430c8'],
    ['x500', '6ba7b814-9dad-11d1-80b4-00c04fd430c8'],
]);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Generates a UUID. */
export const uuid = recordOperator({
    code: 'uuid',
    category: 'Data',
    title: 'Generate an ID',
    summary: 'Writes a UUID: a new one for each record, or one derived from a name.',
    config: withRules(
        z.strictObject({
            target: path('To', 'The field for the ID.'),
            version: z.enum(['v4', 'v5', 'v7']).default('v4').meta({
                title: 'Version',
                description:
                    'v4: an ID for each record. v5: always the same ID for the same name. v7: like v4, but it begins with the start time of the run.',
            }),
            namespace: z
                .string()
                .refine(text => NAMESPACES.has(text) || UUID.test(text), 'allowed: dns, url, oid, x500 or a UUID')
                .optional()
                .meta({
                    title: 'Namespace',
                    description: 'v5: the namespace of the names: dns, url, oid, x500 or a UUID.',
                }),
            source: path(
                'Name',
                'v5: the field with the name: text, a number or a boolean. If it is missing or null, nothing is written.',
            ).optional(),
        }),
        ({ version = 'v4', namespace, source }, issue) => {
            for (const [field, value] of Object.entries({ namespace, source })) {
                if (version === 'v5' && value === undefined)
                    issue(field, clause`${field} is missing; version "v5" needs namespace and source`);
            }
        },
    ),
    notes: [
        'v4 and v7 are derived from the run, the step and the record, so a batch that is repeated after a crash gets the same IDs. Another run generates different ones.',
    ],
    examples: [
        {
            args: { target: 'id', version: 'v5', namespace: 'dns', source: 'host' },
            in: { host: 'www.example.com' },
            out: { host: 'www.example.com', id: '2ed6657d-e927-568b-95e1-2665a8aea6a2' },
        },
        {
            args: { target: 'id', version: 'v5', namespace: '6ba7b811-9dad-11d1-80b4-00c04fd430c8', source: 'n' },
            in: { n: 7 },
            out: { n: 7, id: '5bd20866-3478-53f7-bc79-d2aae304b443' },
            note: 'A number is used in its text form.',
        },
        { args: { target: 'id', version: 'v5', namespace: 'url', source: 'n' }, in: { n: null }, out: { n: null } },
        {
            args: { target: 'id', version: 'v5', namespace: 'url', source: 'n' },
            in: { n: ['ä'] },
            error: 'Field "n": a list of 1 is not a name',
        },
        { args: { target: 'id' }, in: { sku: 'A' }, out: { sku: 'A', id: 'd7d388bc-d725-4dce-aed9-7aab6c42bddf' } },
        {
            args: { target: 'ids.own', version: 'v7' },
            in: {},
            out: { ids: { own: '00000000-0000-77d3-88bc-d7252dce2ed9' } },
            note: 'The first 48 bits are the time.',
        },
    ],
    advise: ({ version, ...args }) =>
        version === 'v5'
            ? []
            : (['namespace', 'source'] as const)
                  .filter(field => args[field] !== undefined)
                  .map(field => withoutEffect(field, clause`with version ${version}`)),
    reads: ({ source }) => (source === undefined ? [] : [source]),
    compile({ target, version, namespace, source }, { clock, runId, stepKey, bounds }) {
        const to = bounds.place(target);
        if (version === 'v5') return named(to, namespace!, compilePath(source!));
        const run = JSON.stringify([runId, stepKey]);
        const time = version === 'v7' ? clock.now().toString(16).padStart(12, '0') : '';
        return (data, { id }) => to.set(data, spelled(time + digest('sha256', run + id), version));
    },
});

/** IDs of names (RFC 9562, section 5.5). */
function named(to: Path, namespace: string, from: Path): RecordFn {
    const prefix = Buffer.from((NAMESPACES.get(namespace) ?? namespace).replaceAll('-', ''), 'hex');
    return data => {
        const name = from.get(data);
        if (name === undefined || name === null) return data;
        if (typeof name === 'object')
            throw valueInvalid(from.text, name, 'is not a name; allowed: text, a number or a boolean');
        return to.set(data, spelled(digest('sha1', Buffer.concat([prefix, Buffer.from(String(name))])), 'v5'));
    };
}

/** The first 128 bits of hexadecimal digits, marked as a UUID of a version (RFC 9562, sections 4.1 and 4.2). */
function spelled(hex: string, version: 'v4' | 'v5' | 'v7'): string {
    const variant = (8 | (parseInt(hex[16]!, 16) & 3)).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version[1]!}${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
