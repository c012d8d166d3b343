import { Logger } from '@vendure/core';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { defineExtractor, FlowPlugin, noSecretIsSent, pipeline, secretCode } from '../src';
import { FlowConnection } from '../src/plugin/entities/connection';
import { FlowSecret } from '../src/plugin/entities/secret';
import { naming } from '../test/kit/naming';
import type { Database } from './config/databases';
import { type FlowServer, flowServer } from './config/flow-server';
import { placesOf, rowsOf } from './fixtures/witness';
import { onOneDatabase } from './config/matrix';
import { revealInProcess } from '../src/core/adapter/secret';

const CANARY = 'c4nary-of-the-file';
const folder = mkdtempSync(join(tmpdir(), 'flow-config-'));
const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
};

const locked = defineExtractor({
    code: 'locked',
    title: 'Locked',
    summary: 'Answers how long its secret is.',
    config: z.strictObject({ keySecretCode: secretCode('Key', 'The code of a secret.') }),
    secretUses: noSecretIsSent,
    extract: async function* ({ keySecretCode }, cx) {
        await Promise.resolve();
        yield { records: [{ length: revealInProcess(cx.secrets.get(keySecretCode)).length }] };
    },
});

const configPath = file(
    'flow.yaml',
    `
secrets:
  - { code: file-key, provider: INLINE, value: ${CANARY} }
connections:
  - { code: from-file, name: From the file, type: HTTP, settings: { baseUrl: 'https://erp.test' } }
pipelines:
  - code: from-file
    name: From the file
    definition:
      version: 1
      steps:
        - { key: start, kind: TRIGGER, config: { type: MANUAL } }
        - { key: in, kind: EXTRACT, config: { adapterCode: locked, keySecretCode: file-key } }
      edges: [{ from: start, to: in }]
runtime: { sweepMs: 700 }
`,
);

const needy = pipeline('needy')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'locked', keySecretCode: 'nowhere' } as never)
    .build();
const plugin = FlowPlugin.init({ configPath, adapters: [locked], pipelines: [needy] });

function fromFile(database: Database): void {
    let shop: FlowServer;
    const errors: string[] = [];

    beforeAll(async () => {
        const error = jest.spyOn(Logger, 'error').mockImplementation(text => {
            errors.push(text);
        });
        shop = await flowServer(database, plugin);
        error.mockRestore();
    });
    afterAll(() => shop?.destroy());

    it('adds pipelines, connections and secrets to the shop as the code does', async () => {
        expect(await shop.perform('from-file')).toMatchObject({ status: 'COMPLETED', recordsRead: 1 });
        const connection = await shop.dataSource.getRepository(FlowConnection).findOneByOrFail({ code: 'from-file' });
        expect(connection).toMatchObject({
            name: 'From the file',
            type: 'HTTP',
            codeFirst: true,
            settings: { baseUrl: 'https://erp.test' },
        });
        expect(await shop.dataSource.getRepository(FlowSecret).findOneByOrFail({ code: 'file-key' })).toMatchObject({
            codeFirst: true,
            value: null,
        });
    });

    it('may have a pipeline that refers to something that does not exist yet: an error reports it, and the shop starts without it', async () => {
        expect(errors.filter(text => text.startsWith('Pipeline '))).toEqual([
            expect.stringMatching(naming('"needy"', 'steps[1].config.keySecretCode', '"nowhere"')),
        ]);
        await expect(shop.start('needy')).rejects.toMatchObject({
            response: { errors: [{ extensions: { code: 'PIPELINE_NOT_RUNNABLE' } }] },
        });
    });

    it('keeps its INLINE values out of the database', async () => {
        const rows: Array<readonly [string, string]> = [];
        for await (const row of rowsOf(shop.dataSource)) rows.push(row);
        expect(placesOf(['file-key'], rows)).not.toEqual([]);
        expect(placesOf([CANARY], rows)).toEqual([]);
    });
}

onOneDatabase('the configuration file', fromFile);

describe('a start', () => {
    it.each([
        ['is missing', join(folder, 'missing.yaml'), ['missing.yaml', 'exist']],
        [
            'is malformed',
            file('malformed.json', `{"secrets": [{"code": "a", "provider": "INLINE", "value": "${CANARY}"},`),
            ['malformed.json', 'JSON', 'line 1'],
        ],
        ['holds no object', file('list.yaml', `- ${CANARY}\n`), ['list.yaml', 'list', 'object']],
        [
            'has a wrong value',
            file('wrong.json', '{"retention": {"logsDays": -1}}'),
            ['wrong.json', 'retention.logsDays', -1, 0, 3_650],
        ],
    ])('is rejected when the file %s', async (_, path, values) => {
        const start = flowServer('sqlite', FlowPlugin.init({ configPath: path }));
        await expect(start).rejects.toMatchObject({
            code: 'CONFIG_FILE_INVALID',
            message: expect.stringMatching(naming(...values)) as string,
        });
        await expect(start).rejects.not.toMatchObject({ message: expect.stringContaining(CANARY) as string });
    });
});

afterAll(() => {
    rmSync(folder, { recursive: true });
});
