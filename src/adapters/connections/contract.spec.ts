import { isJsonObject, type JsonObject } from '../../core/data/json';
import { jsonSchemaOf } from '../../core/schema/json-schema';
import { parseWith } from '../../core/schema/issues';
import { connections } from '../index';

/** The least that each type takes. */
const LEAST: Readonly<Record<(typeof connections)[number]['code'], JsonObject>> = {
    HTTP: {},
    REST: {},
    GRAPHQL: {},
    FTP: { host: 'ftp.example.com' },
    SFTP: { host: 'sftp.example.com' },
    OBJECT_STORAGE: {},
    POSTGRES: { host: 'db.example.com' },
    MYSQL: { host: 'db.example.com' },
    SQLITE: { database: ':memory:' },
    BROKER: { host: 'mq.example.com' },
    SQS: { region: 'eu-central-1' },
    REDIS: { host: 'redis.example.com' },
};

/** Every field of a schema, those of its objects included: `auth.type`. */
function fieldsOf(schema: JsonObject, path = ''): ReadonlyArray<readonly [string, JsonObject]> {
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    return Object.entries(properties).flatMap(([name, field]) => {
        const place = path === '' ? name : `${path}.${name}`;
        return [[place, field as JsonObject] as const, ...fieldsOf(field as JsonObject, place)];
    });
}

describe.each(connections.map(type => [type.code, type] as const))('connection type %s', (code, type) => {
    it('has an upper case code, a title, a category and a summary that is a sentence', () => {
        for (const name of [type.code, ...(type.aliases ?? [])]) expect(name).toMatch(/^[A-Z][A-Z0-9_]{1,31}$/);
        expect(type.title).toMatch(/^[A-Z]/);
        expect(type.category).toBeDefined();
        expect(type.summary).toMatch(/^[A-Z].*[^.]\.$/);
        for (const note of type.notes ?? []) expect(note).toMatch(/^[A-Z].*\.$/);
    });

    it('says of every field what it is called and what it does', () => {
        for (const [name, schema] of fieldsOf(jsonSchemaOf(type.config))) {
            expect({ name, title: schema['title'], description: schema['description'] }).toEqual({
                name,
                title: expect.stringMatching(/^[A-Z]/),
                description: expect.stringMatching(/^[A-Z].*\.$/),
            });
        }
    });

    it('takes what it needs, and nothing that it does not know', () => {
        expect(parseWith(type.config, LEAST[code])).toMatchObject({ ok: true });
        const unknown = parseWith(type.config, { ...LEAST[code], nonsense: 1 });
        expect(unknown.ok ? [] : unknown.issues.map(issue => issue.path)).toEqual(['nonsense']);
    });

    it('has no field for a secret itself, only for codes of secrets', () => {
        const suspicious = fieldsOf(jsonSchemaOf(type.config)).filter(([name]) =>
            /password|passphrase|secret|key|token|connectionString/i.test(name),
        );
        for (const [name, schema] of suspicious)
            expect({ name, widget: schema['widget'] }).toEqual({ name, widget: 'secret' });
    });

    it('never repeats what was written where the code of a secret belongs', () => {
        const canary = 'c4nary pa$$word!';
        for (const [name, schema] of fieldsOf(jsonSchemaOf(type.config))) {
            if (schema['widget'] !== 'secret') continue;
            const settings = name.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), canary);
            const parsed = parseWith(type.config, { ...LEAST[code], ...(settings as JsonObject) });
            expect(parsed.ok).toBe(false);
            expect(JSON.stringify(parsed)).not.toContain(canary);
        }
    });
});

it('the types are those of the specification, and no two share a name', () => {
    expect(connections.map(({ code }) => code)).toEqual([
        'HTTP',
        'REST',
        'GRAPHQL',
        'FTP',
        'SFTP',
        'OBJECT_STORAGE',
        'POSTGRES',
        'MYSQL',
        'SQLITE',
        'BROKER',
        'SQS',
        'REDIS',
    ]);
    const names = connections.flatMap(({ code, aliases = [] }) => [code, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(connections.filter(type => type.isCodeFirstOnly).map(({ code }) => code)).toEqual(['SQLITE']);
});
