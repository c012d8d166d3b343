import { flowError } from '../../core/errors/flow-error';

/** Optional packages, by their names, and the supported versions. */
const VERSIONS = {
    meilisearch: '^0.55.0',
    '@elastic/elasticsearch': '^9.4.0',
    '@opensearch-project/opensearch': '^3.9.0',
    algoliasearch: '^5.64.0',
    typesense: '^3.1.0',
    amqplib: '^2.3.0',
    '@aws-sdk/client-sqs': '^3.1169.0',
    ioredis: '^5.4.0',
    exceljs: '^4.4.0',
    ssh2: '^1.17.0',
    'basic-ftp': '^6.2.3',
} as const;

/**
 * Loads the client of an adapter or a trigger when it is first needed. Throws CLIENT_MISSING if it is not installed.
 */
export async function optionalClient<T>(
    { code, name }: { readonly code: string; readonly name: keyof typeof VERSIONS },
    load: () => Promise<T>,
): Promise<T> {
    try {
        return await load();
    } catch (cause) {
        throw flowError('CLIENT_MISSING', { code, package: name, version: VERSIONS[name] }, { cause });
    }
}
