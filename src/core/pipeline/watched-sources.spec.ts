import { ftpExtractor } from '../../adapters/extractors/ftp';
import { generator } from '../../adapters/extractors/generator';
import { objectStorageExtractor } from '../../adapters/extractors/object-storage';
import { Registry } from '../adapter/registry';
import { triggers } from '../triggers';
import type { JsonObject } from '../value/json';
import { checkDefinition } from './parse';

const registry = Registry.of(triggers, [ftpExtractor, objectStorageExtractor, generator]);

const WATCH = { connectionCode: 'supplier', path: '/in' };

function problems(
    step: JsonObject,
    { watch = {}, disabled = false }: { readonly watch?: JsonObject; readonly disabled?: boolean } = {},
) {
    const { issues } = checkDefinition(
        {
            version: 1,
            steps: [
                { key: 'drop', kind: 'TRIGGER', config: { type: 'FILE', fileWatch: { ...WATCH, ...watch } } },
                { key: 'read', kind: 'EXTRACT', config: step, ...(disabled && { disabled }) },
            ],
            edges: [{ from: 'drop', to: 'read' }],
        },
        registry,
    );
    return issues.filter(({ severity }) => severity !== 'WARNING').map(({ code, path }) => `${code} ${path}`);
}

const FTP = { adapterCode: 'ftp', connectionCode: 'supplier', remotePath: '/in' };
const BUCKET = { adapterCode: 'objectStorage', connectionCode: 'supplier', prefix: 'in/' };
const moving = (destinationPath: string): JsonObject => ({
    ...FTP,
    moveAfterProcess: { enabled: true, destinationPath },
});
const movingKeys = (destinationPrefix: string): JsonObject => ({
    ...BUCKET,
    moveAfterProcess: { enabled: true, destinationPrefix },
});

describe('a FILE trigger', () => {
    it.each<readonly [string, JsonObject, JsonObject]>([
        ['an ftp step of its connection', FTP, {}],
        ['one that moves next to the folder', moving('/done'), {}],
        ['one that moves to a folder whose name begins alike', moving('/in-done'), {}],
        ['one that moves into the folder, which is watched alone', moving('/in/done'), { recursive: false }],
        ['an objectStorage step', BUCKET, { path: 'in/' }],
        ['one that moves to other keys', movingKeys('done/'), { path: 'in/' }],
    ])('may lead to %s', (_, step, watch) => expect(problems(step, { watch })).toEqual([]));

    it.each<readonly [string, JsonObject, JsonObject, string]>([
        [
            'a step that reads no files elsewhere',
            { adapterCode: 'generator', count: 1, template: {} },
            {},
            'EDGE_FORBIDDEN edges[0]',
        ],
        [
            'another connection',
            { ...FTP, connectionCode: 'other' },
            {},
            'CONFIG_INVALID steps[1].config.connectionCode',
        ],
        [
            'a step without a connection',
            { adapterCode: 'ftp', protocol: 'ftp', host: 'a.example', remotePath: '/in' },
            {},
            'CONFIG_INVALID steps[1].config.connectionCode',
        ],
        ['another host', { ...FTP, host: 'b.example' }, {}, 'CONFIG_INVALID steps[1].config.host'],
        ['another bucket', { ...BUCKET, bucket: 'others' }, { path: 'in/' }, 'CONFIG_INVALID steps[1].config.bucket'],
        [
            'a step that moves into the watched folder',
            { ...moving('/in/done/'), remotePath: '/elsewhere' },
            {},
            'CONFIG_INVALID steps[1].config.moveAfterProcess.destinationPath',
        ],
        [
            'a step that moves to watched keys',
            { ...movingKeys('in/done/'), prefix: 'out/' },
            { path: 'in/' },
            'CONFIG_INVALID steps[1].config.moveAfterProcess.destinationPrefix',
        ],
    ])('must not lead to %s', (_, step, watch, problem) => expect(problems(step, { watch })).toEqual([problem]));

    it('must not lead to a step that is disabled', () => {
        expect(problems(FTP, { disabled: true })).toEqual(['EDGE_FORBIDDEN edges[0]']);
    });

    it.each<readonly [string, JsonObject, string]>([
        ['a negative age', { minFileAge: -1 }, 'minFileAge'],
        ['an age of more than a week', { minFileAge: 604_801 }, 'minFileAge'],
        ['half a second', { minFileAge: 0.5 }, 'minFileAge'],
        ['an interval of less than half a minute', { pollIntervalMs: 29_999 }, 'pollIntervalMs'],
        ['an interval of more than a day', { pollIntervalMs: 86_400_001 }, 'pollIntervalMs'],
        ['a path with ..', { path: '/in/../etc' }, 'path'],
        ['a path of two lines', { path: '/in\n/out' }, 'path'],
        ['a pattern with folders', { pattern: 'a/*.csv' }, 'pattern'],
        ['a number as text', { minFileAge: '30' }, 'minFileAge'],
        ['no connection', { connectionCode: '' }, 'connectionCode'],
    ])('is rejected with %s, and is never corrected', (_, watch, field) => {
        const [problem] = problems(FTP, { watch });
        expect(problem).toContain(`steps[0].config.fileWatch.${field}`);
    });
});
