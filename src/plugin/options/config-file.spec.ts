import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { textNaming } from '../../../test/kit/naming';
import { isFlowError } from '../../core/errors/flow-error';
import { issueCount } from '../../core/errors/issue-count';
import { parseOptions } from './options';
import { fileSchema, optionsSchema } from './schema';

const CANARY = 'c4nary-is-secret';
let folder: string;
beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'flow-config-'));
});
afterAll(() => {
    rmSync(folder, { recursive: true });
});

function file(name: string, content: string | Uint8Array): string {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
}

function rejection(configPath: string, options: object = {}): string {
    try {
        parseOptions({ ...options, configPath });
    } catch (error) {
        if (!isFlowError(error)) throw error;
        // Neither the message nor the details, which an error logger prints, may contain it.
        expect(`${String(error.cause)} ${JSON.stringify(error.details ?? {})}`).not.toContain('c4nary');
        return `${error.code}: ${error.message}`;
    }
    return 'accepted';
}

/** Every single value of the options that JSON can represent. */
const SETTINGS: Readonly<Record<string, { readonly code: unknown; readonly said: unknown }>> = {
    registerBuiltinAdapters: { code: true, said: false },
    'security.maxResponseBytes': { code: 2_000, said: 3_000 },
    'security.maxRemoteFileBytes': { code: 2_000, said: 3_000 },
    'security.inlineScripts': { code: true, said: false },
    'security.unknownHostKeys': { code: true, said: false },
    'security.cloudCredentialChain': { code: true, said: false },
    'files.storage': {
        code: { type: 'local', directory: 'here' },
        said: { type: 'objectStorage', bucket: 'flow-files', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } },
    },
    'files.maxFileSize': { code: 1, said: 2 },
    'files.maxFiles': { code: 1, said: 2 },
    'records.maxValueChars': { code: 2_000, said: 3_000 },
    'records.maxRecordChars': { code: 2_000, said: 3_000 },
    'logging.level': { code: 'ERROR', said: 'WARN' },
    'logging.logQueries': { code: false, said: true },
    'logging.logSteps': { code: false, said: true },
    'runtime.leaseMs': { code: 2_000, said: 3_000 },
    'runtime.heartbeatMs': { code: 200, said: 300 },
    'runtime.sweepMs': { code: 600, said: 700 },
    'runtime.sliceMs': { code: 200, said: 300 },
    'runtime.stepTestMs': { code: 200, said: 300 },
    'runtime.scheduler.checkIntervalMs': { code: 2_000, said: 3_000 },
    'runtime.scheduler.minIntervalMs': { code: 2_000, said: 3_000 },
    'runtime.scheduler.refreshIntervalMs': { code: 2_000, said: 3_000 },
    'definitions.maxValues': { code: 2_000, said: 3_000 },
    'definitions.maxConfigValues': { code: 2_000, said: 3_000 },
    'definitions.maxPatterns': { code: 2, said: 3 },
    locking: { code: 'database', said: 'process' },
    redis: { code: { url: 'redis://one' }, said: { url: 'rediss://two:6380/1', keyPrefix: 'shop' } },
    'webhooks.failuresPerAddress': { code: 1, said: 0 },
    'webhooks.maxRecords': { code: 1, said: 2 },
    'api.maxCost': { code: 1_000, said: 2_000 },
    'hooks.maxChain': { code: 2, said: 3 },
    lookupIndexes: { code: true, said: false },
    importSynonyms: { code: { sku: ['house number'] }, said: { sku: ['house no'] } },
    'publishing.requireReview': { code: false, said: true },
    'retention.runsDays': { code: 1, said: 2 },
    'retention.recordErrorsDays': { code: 1, said: 0 },
    'retention.logsDays': { code: 1, said: 2 },
    'retention.analyticsDays': { code: 1, said: 2 },
};

/** `nested('a.b', value)` is `{ a: { b: value } }`. */
const nested = (option: string, value: unknown): object =>
    option.split('.').reduceRight((inner, name) => ({ [name]: inner }), value) as object;
const valueAt = (value: unknown, option: string): unknown =>
    option.split('.').reduce((at, name) => (at as Record<string, unknown>)[name], value);
/** The options of a schema that are not themselves objects of options. */
const leavesOf = (schema: z.ZodObject): readonly string[] =>
    Object.entries(schema.shape).flatMap(([name, inner]) => {
        const bare = inner instanceof z.ZodOptional ? (inner.unwrap() as z.ZodType) : inner;
        return bare instanceof z.ZodObject ? leavesOf(bare).map(leaf => `${name}.${leaf}`) : [name];
    });

const definition = { version: 1 as const, steps: [], edges: [] };

describe('the file of configPath', () => {
    it('adds templates to those of the code', () => {
        const template = {
            code: 'from-a-file',
            group: 'IMPORT' as const,
            title: 'From a file',
            description: 'Reads a file.',
            sample: [{ sku: 'A-1' }],
            definition,
        };
        const configPath = file('templates.json', JSON.stringify({ templates: [template] }));
        const ofCode = { ...template, code: 'of-the-code' };
        expect(parseOptions({ configPath, templates: [ofCode] }).templates).toEqual([ofCode, template]);
        expect(rejection(configPath, { templates: [template] })).toContain('"from-a-file"');
    });

    it('is found from the working directory of the process', () => {
        const path = relative(process.cwd(), file('relative.json', '{"retention": {"runsDays": 7}}'));
        expect(parseOptions({ configPath: path }).retention).toEqual({
            runsDays: 7,
            recordErrorsDays: 90,
            logsDays: 30,
            analyticsDays: 365,
        });
    });

    it.each([
        [
            'all.json',
            JSON.stringify({
                secrets: [{ code: 'key', provider: 'ENV', value: 'KEY' }],
                connections: [{ code: 'erp', type: 'HTTP', settings: { baseUrl: 'https://erp.test' } }],
                pipelines: [{ code: 'stock', definition }],
                debug: true,
                logging: { logQueries: false },
                runtime: { sliceMs: 500 },
                publishing: { requireReview: true },
                retention: { logsDays: 0 },
            }),
        ],
        [
            'all.yaml',
            [
                'secrets:',
                '  - { code: key, provider: ENV, value: KEY }',
                'connections:',
                '  - code: erp',
                '    type: HTTP',
                '    settings:',
                '      baseUrl: https://erp.test',
                'pipelines:',
                '  - code: stock',
                '    definition: { version: 1, steps: [], edges: [] }',
                'debug: true',
                'logging: { logQueries: false }',
                'runtime: { sliceMs: 500 }',
                'publishing: { requireReview: true }',
                'retention:',
                '  logsDays: 0',
            ].join('\n'),
        ],
        [
            'all.YML',
            '\uFEFFsecrets: [{ code: key, provider: ENV, value: KEY }]\nconnections: [{ code: erp, type: HTTP, settings: { baseUrl: "https://erp.test" } }]\n' +
                'pipelines: [{ code: stock, definition: { version: 1, steps: [], edges: [] } }]\ndebug: true\nlogging: { logQueries: false }\n' +
                'runtime: { sliceMs: 500 }\npublishing: { requireReview: true }\nretention: { logsDays: 0 }\n',
        ],
    ])('may set all of this (%s)', (name, content) => {
        expect(parseOptions({ configPath: file(name, content) })).toMatchObject({
            secrets: [{ code: 'key', provider: 'ENV', value: 'KEY' }],
            connections: [{ code: 'erp', type: 'HTTP', settings: { baseUrl: 'https://erp.test' } }],
            pipelines: [{ code: 'stock', name: 'stock', description: '', enabled: true, definition }],
            connectors: [],
            adapters: [],
            registerBuiltinAdapters: true,
            logging: { level: 'DEBUG', logQueries: false, logSteps: true },
            runtime: { leaseMs: 30_000, heartbeatMs: 10_000, sweepMs: 15_000, sliceMs: 500 },
            publishing: { requireReview: true },
            retention: { runsDays: 30, recordErrorsDays: 90, logsDays: 0, analyticsDays: 365 },
        });
    });

    it.each(Object.entries(SETTINGS))('may set %s, and wins over the code', (option, { code, said: inFile }) => {
        const at = (value: unknown): object => nested(option, value);
        expect(valueAt(parseOptions(at(code)), option)).toEqual(code);
        const configPath = file(`${option}.json`, JSON.stringify(at(inFile)));
        expect(valueAt(parseOptions({ configPath }), option)).toEqual(inFile);
        expect(valueAt(parseOptions({ ...at(code), configPath }), option)).toEqual(inFile);
    });

    it('may set every option but those that hold functions, and itself', () => {
        const ofSecurity = ['security.allowedHostnames', 'security.allowedPorts', 'security.secretVariables'];
        const lists = ['pipelines', 'secrets', 'connections', 'templates', ...ofSecurity];
        const settable = leavesOf(fileSchema);
        expect([...settable].sort()).toEqual([...lists, 'debug', ...Object.keys(SETTINGS)].sort());
        expect(leavesOf(optionsSchema).filter(option => !settable.includes(option))).toEqual([
            'connectors',
            'adapters',
            'scripts',
            'events',
            'configPath',
        ]);
    });

    it('joins the variables that secrets may name, and leaves the list undefined if none are given', () => {
        const configPath = file('variables.json', '{"security": {"secretVariables": ["FEEDS_*"]}}');
        const of = (options: object): unknown => parseOptions(options).security.secretVariables;
        expect(of({})).toBeUndefined();
        expect(of({ configPath, security: { secretVariables: ['ERP_KEY'] } })).toEqual(['ERP_KEY', 'FEEDS_*']);
        expect(of({ configPath })).toEqual(['FEEDS_*']);
        expect(() => of({ security: { secretVariables: ['*'] } })).toThrow();
    });

    it('joins the hosts and ports that it allows with those of the code', () => {
        const hosts = '"allowedHostnames": ["erp.local", "wms.local"]';
        const configPath = file('hosts.json', `{"security": {${hosts}, "allowedPorts": [9200, 5984]}}`);
        const { security } = parseOptions({
            configPath,
            security: { allowedHostnames: ['crm.local', 'erp.local'], allowedPorts: [9200], inlineScripts: false },
        });
        expect(security).toEqual({
            allowedHostnames: ['crm.local', 'erp.local', 'wms.local'],
            allowedPorts: [9200, 5984],
            inlineScripts: false,
            maxResponseBytes: 32 * 1024 * 1024,
            maxRemoteFileBytes: 2 ** 31,
            unknownHostKeys: true,
            cloudCredentialChain: false,
        });
    });

    it('joins its lists with those of the code, and its single values win', () => {
        const configPath = file(
            'merge.json',
            JSON.stringify({
                secrets: [{ code: 'b', provider: 'ENV', value: 'B' }],
                retention: { runsDays: 1 },
                publishing: { requireReview: false },
                logging: { level: 'WARN' },
            }),
        );
        const options = parseOptions({
            configPath,
            secrets: [{ code: 'a', provider: 'ENV', value: 'A' }],
            retention: { runsDays: 2, logsDays: 3 },
            publishing: { requireReview: true },
            logging: { level: 'ERROR', logSteps: true },
        });
        expect(options.secrets.map(({ code }) => code)).toEqual(['a', 'b']);
        expect(options.retention).toEqual({ runsDays: 1, recordErrorsDays: 90, logsDays: 3, analyticsDays: 365 });
        expect(options.publishing.requireReview).toBe(false);
        expect(options.logging).toEqual({ level: 'WARN', logQueries: false, logSteps: true });
    });

    it('checks what belongs together after both have been joined', () => {
        expect(
            rejection(file('beat.json', '{"runtime": {"leaseMs": 2000}}'), { runtime: { heartbeatMs: 1500 } }),
        ).toMatch(/runtime\.heartbeatMs is 1500; allowed: .*half.*leaseMs/);
    });

    it('names both places of a code that comes twice', () => {
        const configPath = file(
            'twice.json',
            JSON.stringify({ secrets: [{ code: 'a', provider: 'INLINE', value: CANARY }] }),
        );
        const message = rejection(configPath, { secrets: [{ code: 'a', provider: 'ENV', value: 'A' }] });
        expect(message).toEqual(textNaming('OPTION_INVALID: ', '"a"', 'option secrets', `"${configPath}"`));
        expect(message).not.toContain('c4nary');
    });

    it.each([
        [
            'broken.json',
            `{"secrets": [{"code": "a", "provider": "INLINE", "value": "${CANARY}"]}`,
            /not valid JSON: line 1, column \d/,
        ],
        ['unquoted.json', `{\n  "secrets": ${CANARY}}`, 'is not valid JSON: line 2, column 14'],
        ['empty.json', '', 'is not valid JSON: line 1, column 1: expected a value, the text ends'],
        ['double.json', '{"debug": true,\n "debug": false}', /line 2, column 2: .*"debug" .*twice/],
        ['list.json', `["${CANARY}"]`, /list; allowed: an object/],
        ['text.json', `"${CANARY}"`, 'holds a string; allowed: an object'],
        ['nothing.yaml', '', 'holds nothing; allowed: an object'],
        ['text.yaml', CANARY, 'holds a string; allowed: an object'],
        ['indent.yaml', `secrets:\n  - code: a\n value: ${CANARY}\n`, 'is not valid YAML: line '],
        ['anchor.yaml', `secrets:\n  - code: a\n    value: *${CANARY}\n`, 'is not valid YAML: line 3, column '],
        ['tag.yaml', `secrets:\n  - code: a\n    value: !${CANARY} x\n`, 'is not valid YAML: line 3, column '],
        ['block.yaml', `secrets:\n  - code: a\n    value: |${CANARY}\n`, 'is not valid YAML: line 3, column '],
        ['quote.yaml', `secrets:\n  - code: a\n    value: "${CANARY}\n`, 'is not valid YAML: line '],
        ['twice.yaml', 'debug: true\ndebug: false\n', 'is not valid YAML: line 2, column 1'],
        ['latin.json', Buffer.from('{"debug": "é"}', 'latin1'), 'is not UTF-8 text'],
        ['options.toml', 'debug = true', 'has an unsupported name; allowed: .json, .yaml, .yml'],
        [
            'unknown.json',
            '{"adapters": [], "retentoin": {}}',
            `has ${issueCount(2)}: adapters is an unknown field; known: pipelines, secrets, connections, templates, registerBuiltinAdapters, security, files, debug`,
        ],
        [
            'range.json',
            '{"retention": {"runsDays": -1}, "runtime": {"leaseMs": 1}}',
            'retention.runsDays is -1; allowed: 0 to 3650',
        ],
        [
            'code.json',
            `{"secrets": [{"code": "a b", "provider": "INLINE", "value": "${CANARY}"}]}`,
            'secrets.0.code is "a b"',
        ],
        ['value.json', `{"secrets": [{"code": "a", "provider": "ENV", "value": "${CANARY}"}]}`, 'provider ENV: '],
        [
            'number.yaml',
            `secrets: [{ code: a, provider: INLINE, value: [${CANARY}] }]`,
            /secrets\.0\.value: .*; allowed: text/,
        ],
        ['pipeline.json', '{"pipelines": [{"code": "A B"}]}', 'pipelines.0.code is "A B"'],
    ])('is rejected with file and reason: %s', (name, content, reason) => {
        const path = file(name, content);
        const message = rejection(path);
        expect(message).toEqual(textNaming('CONFIG_FILE_INVALID: ', `"${path}"`, 'option configPath'));
        expect(message).toMatch(reason);
        expect(message).not.toContain('c4nary');
    });

    it('is rejected if it is missing, a folder, or a pipe, which would never end', () => {
        expect(rejection(join(folder, 'missing.json'))).toContain('not exist');
        mkdirSync(join(folder, 'folder.json'));
        expect(rejection(join(folder, 'folder.json'))).toContain('a folder');
        execFileSync('mkfifo', [join(folder, 'pipe.json')]);
        expect(rejection(join(folder, 'pipe.json'))).toContain('regular file');
    });

    it('is rejected if it is larger than 16 MiB', () => {
        const path = file('large.json', '{}');
        truncateSync(path, 16 * 1024 * 1024 + 1);
        expect(rejection(path)).toContain(' 16777216 bytes');
    });
});
