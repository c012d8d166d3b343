import assert from 'node:assert/strict';
import type { ConnectionType } from '../core/adapter/connection';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/value/json';
import { parseWith } from '../core/schema/issues';
import { referencesOf } from '../core/schema/references';
import {
    assertFieldWords,
    assertRejected,
    assertWords,
    type ContractTest,
    checksOf,
    type ContractCheck,
    fieldsOfConfig,
    parsed,
    type SchemaField,
    UPPER_CASE,
} from './contract';

/** Names of fields that would hold a secret; the URL of a token endpoint and the fingerprint of a public key are not secrets. */
const SOUNDS_SECRET = /(password|passphrase|secret|key|token|credential|connectionString)(?!Url$|Fingerprint$)/i;
/** Names of fields that may contain a whole address. */
const SOUNDS_LIKE_ADDRESS = /url|uri|endpoint|address|^(node|host|server)$/i;
const CANARY = 'c4nary pa$$word!';

/**
 * The contract of connection types: that they say of themselves what people need, that their examples are settings which are saved as
 * they are, and that no secret can be written into them, only codes of secrets. `for (const { name, run } of connectionContract(mine)) it(name, run)`.
 */
export function connectionContract(type: ConnectionType): readonly ContractCheck[] {
    return checksOf([...words(type), ...settings(type), ...secrets(type)]);
}

function examplesOf({ examples = [] }: ConnectionType): readonly JsonObject[] {
    return examples.map(example => example.settings as JsonObject);
}

function words(type: ConnectionType): readonly ContractTest[] {
    return [
        {
            name: 'has an upper case code, a title, a category and a summary that is a sentence',
            run: () => {
                assertWords(type, UPPER_CASE);
                assert.ok(type.category, 'category');
                for (const note of type.notes ?? []) assert.match(note, /^[A-Z].*\.$/, 'note');
            },
        },
        {
            name: 'says of every field what it is called and what it does',
            run: () => {
                const fields = fieldsOfConfig(type);
                assert.ok(fields.length > 0, 'there is no field');
                assertFieldWords(fields);
            },
        },
        {
            name: 'has an example',
            run: () => assert.ok(examplesOf(type).length > 0, 'it has none'),
        },
    ];
}

function settings(type: ConnectionType): readonly ContractTest[] {
    const examples = examplesOf(type);
    return [
        {
            name: 'takes its examples, and fills in what it has a default for',
            run: () => {
                for (const example of examples) {
                    const saved = parsed(type, example);
                    for (const [path, field] of fieldsOfConfig(type)) {
                        const holder = valueAt(saved, path.split('.').slice(0, -1));
                        if (field['default'] === undefined || !isJsonObject(holder)) continue;
                        assert.notEqual(valueAt(saved, path.split('.')), undefined, `${path} has a default`);
                    }
                }
            },
        },
        {
            name: 'leaves settings as they are that were saved before',
            run: () => {
                for (const example of examples) {
                    const saved = JSON.parse(JSON.stringify(parsed(type, example))) as JsonObject;
                    assert.deepEqual(parsed(type, saved), saved);
                }
            },
        },
        {
            name: 'rejects unknown fields at every level',
            run: () => {
                const objects = fieldsOfConfig(type).filter(([, field]) => isJsonObject(field['properties']));
                for (const example of examples) {
                    assertRejected(type, { ...example, nonsense: 1 }, 'nonsense');
                    for (const [path] of objects)
                        assertRejected(
                            type,
                            withValue(example, [...path.split('.'), 'nonsense'], 1),
                            `${path}.nonsense`,
                        );
                }
            },
        },
    ];
}

function secrets(type: ConnectionType): readonly ContractTest[] {
    const examples = examplesOf(type);
    const fields = fieldsOfConfig(type);
    const ofSecrets = fields.filter(([, field]) => field['widget'] === 'secret');
    return [
        {
            name: 'has no field for a secret itself, only for codes of secrets',
            run: () => {
                for (const [path, { widget }] of fields.filter(([name]) => SOUNDS_SECRET.test(name)))
                    assert.equal(
                        widget,
                        'secret',
                        `${path} sounds like a secret; secretCode() makes a field for its code`,
                    );
                for (const [path] of ofSecrets)
                    assert.match(path, /secretCode$/i, `${path} holds the code of a secret and should be called so`);
            },
        },
        {
            name: 'takes no password within an address',
            run: () => {
                for (const example of examples)
                    for (const [path] of fields.filter(isAddress)) {
                        const settings = withValue(example, path.split('.'), 'https://user:c4nary@host.example');
                        assert.equal(parseWith(type.config, settings).ok, false, path);
                    }
            },
        },
        {
            name: 'never repeats what was written where the code of a secret belongs',
            run: () => {
                for (const example of examples)
                    for (const [path] of ofSecrets) {
                        const result = parseWith(type.config, withValue(example, path.split('.'), CANARY));
                        assert.equal(result.ok, false, path);
                        assert.equal(JSON.stringify(result).includes(CANARY), false, `${path} repeats it`);
                    }
            },
        },
        {
            name: 'has an example that names a secret, and every secret of an example is found before a run',
            run: () => {
                const named = examples.map(example => secretsIn(parsed(type, example) as JsonObject));
                if (ofSecrets.length > 0) assert.ok(named.flat().length > 0, 'no example names a secret');
                examples.forEach((example, i) => {
                    const found = referencesOf(type.config, parsed(type, example) as JsonObject);
                    const paths = found.filter(({ to }) => to === 'secret').map(({ path }) => path);
                    assert.deepEqual(paths.sort(), [...named[i]!].sort());
                });
            },
        },
    ];
}

function isAddress([path, { type }]: SchemaField): boolean {
    return type === 'string' && SOUNDS_LIKE_ADDRESS.test(path.split('.').at(-1)!);
}

/** The paths of codes of secrets, recognised only by the names of the fields. */
function secretsIn(value: JsonValue, path = ''): readonly string[] {
    if (typeof value !== 'object' || value === null) return /secretCode$/i.test(path) ? [path] : [];
    return Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, path === '' ? key : `${path}.${key}`));
}

function valueAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
    if (key === undefined) return value;
    return isJsonObject(value as JsonValue) ? valueAt((value as JsonObject)[key], rest) : undefined;
}

function withValue(value: JsonValue | undefined, [key, ...rest]: readonly string[], leaf: JsonValue): JsonObject {
    const holder = value !== undefined && isJsonObject(value) ? value : {};
    return { ...holder, [key!]: rest.length === 0 ? leaf : withValue(holder[key!], rest, leaf) };
}
