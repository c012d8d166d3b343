import { ENGINE_STANDS, runInto } from '../../../test/kit/engines/stands';
import { parseWith } from '../../core/schema/issues';
import type { JsonObject } from '../../core/value/json';
import { meilisearch } from './meilisearch';
import { queueProducer } from './queue-producer';

const SEARCH = {
    meilisearch: 'indexName',
    elasticsearch: 'indexName',
    opensearch: 'indexName',
    algolia: 'indexName',
    typesense: 'collectionName',
} as const;

describe.each(Object.entries(SEARCH))('%s', (code, field) => {
    it.each(['.', '..', ' ', ' products ', 'a/b', 'a\u0000b', 'a\u202eb', '\u200bproducts'])(
        'has no %j, which leads elsewhere in an address or is not seen, and nothing is sent',
        async name => {
            const stand = ENGINE_STANDS[code]!();
            const run = runInto(stand, { code, config: { [field]: name }, records: [{ sku: 'A' }] });
            await expect(run).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
            expect(stand.engine.seen).toEqual([]);
        },
    );
});

it('Meilisearch has no dots in the names of its indexes', () => {
    const { config } = ENGINE_STANDS['meilisearch']!();
    const issues = (indexName: string): readonly string[] => {
        const parsed = parseWith(meilisearch.config, { ...config, indexName });
        return parsed.ok ? [] : parsed.issues.map(({ path }) => path);
    };
    expect(issues('products.v2')).toEqual(['indexName']);
    expect(issues('products-v_2')).toEqual([]);
});

describe('a queue', () => {
    const issues = (config: JsonObject): readonly string[] => {
        const parsed = parseWith(queueProducer.config, {
            connectionCode: 'mq',
            queueType: 'RABBITMQ',
            queueName: 'stock',
            ...config,
        });
        return parsed.ok ? [] : parsed.issues.map(({ path }) => path);
    };

    it.each<readonly [JsonObject, readonly string[]]>([
        [{ queueName: ' ' }, ['queueName']],
        [{ queueName: ' stock' }, ['queueName']],
        [{ queueType: 'REDIS_STREAMS', queueName: 'stock\u00a0' }, ['queueName']],
        [{ exchange: 'changes ' }, ['exchange']],
        [{ headers: { CC: 'other' } }, ['headers.CC']],
        [{ queueType: 'RABBITMQ_HTTP', headers: { BCC: 'other' } }, ['headers.BCC']],
        [{ queueType: 'REDIS_STREAMS', headers: { CC: 'other' } }, []],
        [{ queueName: 'stock of all', exchange: 'all changes', headers: { cc: 'other' } }, []],
    ])('with %j has an issue in %j', (config, paths) => {
        expect(issues(config)).toEqual(paths);
    });
});
