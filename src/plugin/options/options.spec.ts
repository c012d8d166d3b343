import { z } from 'zod';
import { defineConnector } from '../../core/pipeline/connector';
import { recordOperator } from '../../core/adapter/operator';
import { isFlowError } from '../../core/errors/flow-error';
import type { PipelineSource } from '../../core/pipeline/definition';
import { type ConnectionSource, type FlowPluginOptions, parseOptions, type SecretSource } from './options';

const source = (code: string): PipelineSource => ({
    code,
    name: code,
    description: '',
    enabled: true,
    definition: { version: 1, steps: [], edges: [] },
});

const CANARY = 'c4nary-is-secret';
const env = (code: string): SecretSource => ({ code, provider: 'ENV', value: 'KEY' });
const erp: ConnectionSource = { code: 'erp', type: 'toy', settings: {} };
const pim = defineConnector({ code: 'pim', title: 'PIM', connections: [erp], pipelines: [source('sync')] });

function rejection(options: unknown): string {
    try {
        parseOptions(options as FlowPluginOptions);
    } catch (error) {
        if (isFlowError(error)) return `${error.code}: ${error.message}`;
        throw error;
    }
    return 'accepted';
}

describe('the options of FlowPlugin.init', () => {
    it('has a default for everything', () => {
        expect(parseOptions({})).toEqual({
            pipelines: [],
            secrets: [],
            connections: [],
            events: [],
            connectors: [],
            templates: [],
            adapters: [],
            scripts: {},
            registerBuiltinAdapters: true,
            security: {
                allowedHostnames: [],
                allowedPorts: [],
                maxResponseBytes: 33_554_432,
                maxRemoteFileBytes: 2 ** 31,
                inlineScripts: true,
                // Flow sees that this is a test, since Jest sets NODE_ENV.
                unknownHostKeys: true,
                cloudCredentialChain: false,
            },
            definitions: { maxValues: 100_000, maxConfigValues: 20_000, maxPatterns: 500 },
            records: { maxValueChars: 4_194_304, maxRecordChars: 16_777_216 },
            locking: 'database',
            webhooks: { failuresPerAddress: 120, maxRecords: 10_000 },
            api: { maxCost: 10_000 },
            hooks: { maxChain: 10 },
            lookupIndexes: true,
            importSynonyms: {},
            publishing: { requireReview: false },
            retention: { runsDays: 30, recordErrorsDays: 90, logsDays: 30, analyticsDays: 365 },
            files: { storage: { type: 'local' }, maxFileSize: 104_857_600, maxFiles: 10_000 },
            logging: { level: 'INFO', logQueries: false, logSteps: false },
            runtime: {
                leaseMs: 30_000,
                heartbeatMs: 10_000,
                sweepMs: 15_000,
                sliceMs: 60_000,
                stepTestMs: 60_000,
                scheduler: { checkIntervalMs: 30_000, minIntervalMs: 1_000, refreshIntervalMs: 60_000 },
            },
        });
    });

    it('lets single logging options win over debug', () => {
        expect(parseOptions({ debug: true, logging: { logQueries: false } }).logging).toEqual({
            level: 'DEBUG',
            logQueries: false,
            logSteps: true,
        });
    });

    it('renews a short lease in time', () => {
        expect(parseOptions({ runtime: { leaseMs: 3000 } }).runtime.heartbeatMs).toBe(1000);
    });

    it.each([
        ['an unknown option', { pipeline: [] }, 'pipeline is an unknown field; known: pipelines, secrets, connections'],
        [
            'an unknown runtime option',
            { runtime: { leaseSec: 3 } },
            'runtime.leaseSec is an unknown field; known: leaseMs',
        ],
        ['a value out of range', { runtime: { leaseMs: 5 } }, 'runtime.leaseMs is 5; allowed: 1000 to 600000'],
        [
            'a heartbeat that comes too late',
            { runtime: { leaseMs: 2000, heartbeatMs: 1500 } },
            'runtime.heartbeatMs is 1500; allowed: at most half of runtime.leaseMs, 1000',
        ],
        [
            'an unknown log level',
            { logging: { level: 'LOUD' } },
            'logging.level is "LOUD"; allowed: "DEBUG", "INFO", "WARN", "ERROR"',
        ],
        ['a pipeline code that is not a slug', { pipelines: [source('Two Words')] }, 'pipelines.0.code is "Two Words"'],
        [
            'a pipeline code that comes twice',
            { pipelines: [source('a'), source('a')] },
            'the code "a" comes twice in the option pipelines; each pipeline needs its own code',
        ],
        ['an option of a later release', { alerts: true }, 'alerts is an unknown field; known: pipelines'],
        [
            'a host with a port',
            { security: { allowedHostnames: ['erp.internal:8080'] } },
            'security.allowedHostnames.0 is "erp.internal:8080"; allowed: the exact name or address of a host',
        ],
        [
            'an invalid port',
            { security: { allowedPorts: [65_536] } },
            'security.allowedPorts.0 is 65536; allowed: 1 to 65535',
        ],
        [
            'answers of no size',
            { security: { maxResponseBytes: 0 } },
            'security.maxResponseBytes is 0; allowed: 1024 to 1073741824',
        ],
        [
            'a host with a wildcard',
            { security: { allowedHostnames: ['*.internal'] } },
            'security.allowedHostnames.0 is "*.internal"; allowed: the exact name or address of a host',
        ],
        [
            'a URL in place of a host',
            { security: { allowedHostnames: ['http://erp.internal'] } },
            'security.allowedHostnames.0 is "http://erp.internal"; allowed: the exact name or address of a host',
        ],
        [
            'a secret code with a space',
            { secrets: [{ code: 'my key', provider: 'ENV', value: 'KEY' }] },
            'secrets.0.code is "my key"; allowed: text that matches',
        ],
        [
            'a secret from elsewhere',
            { secrets: [{ code: 'key', provider: 'VAULT', value: 'KEY' }] },
            'secrets.0.provider is "VAULT"; allowed: "ENV", "INLINE"',
        ],
        [
            'a secret code that comes twice',
            { secrets: [env('key'), env('key')] },
            'the code "key" comes twice in the option secrets; each secret needs its own code within a channel',
        ],
        [
            'a connection without settings',
            { connections: [{ code: 'erp', type: 'toy' }] },
            'connections.0.settings is missing',
        ],
        [
            'a connection code that comes twice',
            { connections: [erp, erp] },
            'the code "erp" comes twice in the option connections',
        ],
        [
            'a connection code that is in a connector already',
            { connections: [erp], connectors: [pim] },
            'comes twice, in the option connections and in the connector "pim"',
        ],
        [
            'a pipeline code that is in a connector already',
            { pipelines: [source('sync')], connectors: [pim] },
            'comes twice, in the option pipelines and in the connector "pim"',
        ],
        [
            'a connector that comes twice',
            { connectors: [pim, pim] },
            'the code "pim" comes twice in the option connectors',
        ],
        [
            'a connector that defineConnector did not make',
            { connectors: [{ code: 'pim', title: 'PIM' }] },
            'connectors.0.kind is missing; allowed: what defineConnector answers',
        ],
        [
            'a retention of half a day',
            { retention: { runsDays: 0.5 } },
            'retention.runsDays is 0.5; allowed: a whole number, 0 to 3650',
        ],
        [
            'a retention of centuries',
            { retention: { logsDays: 3651 } },
            'retention.logsDays is 3651; allowed: 0 to 3650',
        ],
        [
            'locking in a Redis that is not named',
            { locking: 'redis' },
            'locking is "redis", and the option redis does not say which; allowed: redis: { url }',
        ],
        [
            'an unknown place of locks',
            { locking: 'zookeeper' },
            'locking is "zookeeper"; allowed: "database", "redis", "process"',
        ],
        [
            'an address of another scheme, whose password is not shown',
            { redis: { url: 'http://:c4nary@host' } },
            'redis.url: wrong (not shown here); allowed: an address that begins with redis:// or rediss://',
        ],
        [
            'a review that is neither on nor off',
            { publishing: { requireReview: 'yes' } },
            'publishing.requireReview is "yes"; allowed: true or false',
        ],
        [
            'a text of nothing',
            { records: { maxValueChars: 0 } },
            'records.maxValueChars is 0; allowed: 1024 to 67108864',
        ],
        [
            'a file size of nothing',
            { files: { maxFileSize: 0 } },
            'files.maxFileSize is 0; allowed: 1 to 1099511627776',
        ],
        ['half a file', { files: { maxFiles: 0.5 } }, 'files.maxFiles is 0.5; allowed: a whole number, 1 to 1000000'],
        [
            'a storage of another kind',
            { files: { storage: { type: 'tape' } } },
            'files.storage.type is "tape"; allowed: "local", "objectStorage"',
        ],
        [
            'a storage without its bucket',
            { files: { storage: { type: 'objectStorage' } } },
            'files.storage.bucket is missing',
        ],
        [
            'a folder for a bucket',
            { files: { storage: { type: 'objectStorage', bucket: 'files', directory: 'x' } } },
            'files.storage.directory is an unknown field',
        ],
        [
            'an endpoint that is not an address',
            { files: { storage: { type: 'objectStorage', bucket: 'files', endpoint: 'ftp://x' } } },
            'files.storage.endpoint',
        ],
        ['a path that is not a text', { configPath: 7 }, 'configPath is 7; allowed: text'],
        [
            'a script that is not a function',
            { scripts: { tidy: 'return records' } },
            'scripts.tidy is "return records"; allowed: a function (records, context, args)',
        ],
        [
            'a script name with a space',
            { scripts: { 'my script': () => undefined } },
            'scripts has the key "my script"; allowed: 1 to 64 letters',
        ],
        [
            'an object that is not an adapter',
            { adapters: [{ code: 'mine' }] },
            'adapters.0 is an object; allowed: what defineExtractor',
        ],
    ])('rejects %s and names what is allowed', (_, options, text) => {
        const message = rejection(options);
        expect(message).toContain('OPTION_INVALID: FlowPlugin option');
        expect(message).toContain(text);
    });

    it('reports all issues at once', () => {
        const message = rejection({ debug: 'yes', runtime: { sweepMs: 1 } });
        expect(message).toContain('debug is "yes"');
        expect(message).toContain('runtime.sweepMs is 1');
    });

    it('keeps adapters as they were given', () => {
        const shout = recordOperator({
            code: 'shout',
            title: 'Shout',
            summary: 'Shouts.',
            config: z.strictObject({}),
            examples: [],
            compile: () => data => data,
        });
        expect(parseOptions({ adapters: [shout] }).adapters[0]).toBe(shout);
    });

    it('lets two channels have secrets and connections of the same code', () => {
        const there = { channel: 'other' };
        const { secrets, connections } = parseOptions({
            secrets: [env('key'), { ...env('key'), ...there }],
            connections: [erp, { ...erp, ...there }],
        });
        expect([secrets.length, connections.length]).toEqual([2, 2]);
    });

    it('joins what connectors bring', () => {
        const { connections, pipelines } = parseOptions({ connectors: [pim], pipelines: [source('own')] });
        expect(connections).toEqual([erp]);
        expect(pipelines.map(({ code }) => code)).toEqual(['own', 'sync']);
    });

    it('takes a bucket for uploaded files', () => {
        const storage = {
            type: 'objectStorage',
            bucket: 'files',
            endpoint: 'http://127.0.0.1:9000',
            credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
        } as const;
        expect(parseOptions({ files: { storage, maxFiles: 5 } }).files).toEqual({
            storage,
            maxFileSize: 104_857_600,
            maxFiles: 5,
        });
    });

    it('keeps zero as "for ever"', () => {
        expect(parseOptions({ retention: { runsDays: 0, logsDays: 3650 } }).retention).toEqual({
            runsDays: 0,
            recordErrorsDays: 90,
            logsDays: 3650,
            analyticsDays: 365,
        });
    });

    it.each([
        ['no name of a variable', { secrets: [{ code: 'key', provider: 'ENV', value: CANARY }] }, 'provider ENV: '],
        [
            'an expression with alternatives',
            { secrets: [{ code: 'key', provider: 'ENV', value: `KEY:-${CANARY}` }] },
            'provider ENV: ',
        ],
        [
            'no text',
            { secrets: [{ code: 'key', provider: 'INLINE', value: { [CANARY]: CANARY } }] },
            /secrets\.0\.value: .*; allowed: text/,
        ],
        ['too long', { secrets: [{ code: 'key', provider: 'INLINE', value: CANARY.repeat(5000) }] }, '65,536 bytes'],
        ['empty', { secrets: [{ code: 'key', provider: 'INLINE', value: '' }] }, 'secrets.0.value: value is empty'],
        [
            'in the place of a secret',
            { secrets: [CANARY] },
            'secrets.0: wrong (not shown here); allowed: an object with code, provider and value',
        ],
        [
            'in the place of all secrets',
            { secrets: CANARY },
            'secrets: wrong (not shown here); allowed: a list of secrets',
        ],
        [
            'a key of the storage',
            {
                files: {
                    storage: {
                        type: 'objectStorage',
                        bucket: 'files',
                        credentials: { accessKeyId: 'a', secretAccessKey: { [CANARY]: CANARY } },
                    },
                },
            },
            'wrong (not shown here); allowed: text',
        ],
        [
            'valid next to an invalid one',
            { secrets: [{ code: 'key', provider: 'INLINE', value: CANARY, note: 'x' }] },
            'secrets.0.note is an unknown field',
        ],
    ])('never shows the value of a secret that is %s', (_, options, text) => {
        const message = rejection(options);
        expect(message).toMatch(text);
        expect(message).not.toContain('c4nary');
    });
});
