import assert from 'node:assert/strict';
import type { AdapterBase } from '../core/adapter/base';
import type { AdapterContext } from '../core/adapter/context';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/value/json';
import { parseWith } from '../core/schema/issues';
import { jsonSchemaOf } from '../core/schema/json-schema';

/** One requirement for adapters of a kind. Works with any test runner: `it(name, run)`. */
export interface ContractCheck {
    readonly name: string;
    /** Throws an AssertionError, or the error of the adapter, if the requirement is not met. */
    run(): Promise<void>;
}

/** The input of an adapter in addition to its configuration, if it accesses external systems: network access to a test server, secrets, files … */
export type ContractContext = Partial<AdapterContext>;

/** A check that need not wait. */
export interface ContractTest {
    readonly name: string;
    run(): void | Promise<void>;
}

/** Checks as test runners take them. */
export function checksOf(checks: readonly ContractTest[]): readonly ContractCheck[] {
    return checks.map(({ name, run }) => ({ name, run: async () => run() }));
}

/** Unexpected values for a field. */
export const AWKWARD_VALUES: readonly JsonValue[] = [
    null,
    '',
    ' ',
    'ß',
    '7',
    '${a}',
    'a\0b',
    '\ud800',
    'x'.repeat(5_000),
    0,
    -1.005,
    1e300,
    true,
    [],
    [null],
    ['a', 1, {}],
    {},
    { a: { b: [1] } },
    JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}') as JsonObject,
];

/** Records like those of examples, in which each field once has every awkward value. */
export function awkwardRecords(known: readonly JsonObject[]): readonly JsonObject[] {
    const fields = [...new Set(known.flatMap(record => Object.keys(record)))];
    return known
        .slice(0, 3)
        .flatMap(record => fields.flatMap(field => AWKWARD_VALUES.map(value => ({ ...record, [field]: value }))));
}

export const CAMEL_CASE = /^[a-z][A-Za-z0-9]*$/;
export const UPPER_CASE = /^[A-Z][A-Z0-9_]{1,31}$/;
const SENTENCE = /^[A-Z].*[^.]\.$/;

/** The texts by which users find an adapter: its code, its title, and a sentence about what it does. */
export function assertWords({ code, aliases = [], title, summary }: AdapterBase, codes: RegExp): void {
    assert.match(code, codes, 'code');
    // Aliases of types in capitals are in capitals as well; the form of other aliases is free.
    if (codes === UPPER_CASE) for (const alias of aliases) assert.match(alias, codes, 'alias');
    assert.match(title, /^[A-Z]/, 'title');
    assert.match(summary, SENTENCE, 'summary');
}

/** A field of a schema, and its path: `auth.type`. */
export type SchemaField = readonly [path: string, schema: JsonObject];

/** Every field of a schema, including those of its objects, lists and alternatives. Recursion is followed once. */
export function schemaFieldsOf(schema: JsonObject): readonly SchemaField[] {
    const defined = isJsonObject(schema['$defs']) ? schema['$defs'] : {};
    const followed = new Set<string>();
    const within = (part: JsonObject, path: string): readonly SchemaField[] => {
        const properties = isJsonObject(part['properties']) ? part['properties'] : {};
        const own = Object.entries(properties).flatMap(([name, field]) => {
            const place = path === '' ? name : `${path}.${name}`;
            return [[place, field as JsonObject] as const, ...within(field as JsonObject, place)];
        });
        const parts = ['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'].flatMap(key => part[key] ?? []);
        return [
            ...own,
            ...[...parts, ...referred(part['$ref'])].filter(isJsonObject).flatMap(one => within(one, path)),
        ];
    };
    const referred = (to: JsonValue | undefined): readonly JsonValue[] => {
        if (typeof to !== 'string' || to === '#' || followed.has(to)) return [];
        followed.add(to);
        const definition = defined[to.replace('#/$defs/', '')];
        assert.ok(definition, `the schema refers to ${to}, which it does not define`);
        return [definition];
    };
    return within(schema, '');
}

/** The fields of an adapter's configuration. */
export function fieldsOfConfig({ config }: AdapterBase): readonly SchemaField[] {
    return schemaFieldsOf(jsonSchemaOf(config));
}

/** Each field has a title and a description. */
export function assertFieldWords(fields: readonly SchemaField[]): void {
    for (const [path, { title, description }] of fields) {
        assert.match(String(title), /^[A-Z]/, `title of ${path}`);
        assert.match(String(description), /\.$/, `description of ${path}`);
    }
}

/** Asserts that a configuration is rejected for exactly one field, by its path. */
export function assertRejected({ config }: AdapterBase, given: unknown, path: string): void {
    const result = parseWith(config, given);
    assert.deepEqual(result.ok ? [] : result.issues.map(issue => issue.path), [path]);
}

/** The configuration with its defaults; throws its issues. */
export function parsed({ config }: AdapterBase, given: unknown): Record<string, unknown> {
    const result = parseWith(config, given);
    if (result.ok) return result.value;
    throw new assert.AssertionError({ message: result.issues.map(({ message }) => message).join('; ') });
}
