/** What the client of a sink is tested against, and the sources from which that was written. */
export interface Followed {
    readonly sink: string;
    /** npm packages; their versions are in package.json. */
    readonly client: string;
    readonly against: string;
}

/** All sinks that have their own client. The page about clients is generated from this list. */
export const FOLLOWED: readonly Followed[] = [
    {
        sink: 'meilisearch',
        client: 'meilisearch',
        against:
            "a server written from Meilisearch's OpenAPI description, version 1.53.0, and its documentation of tasks",
    },
    {
        sink: 'elasticsearch',
        client: '@elastic/elasticsearch',
        against: 'a server written from the reference of the REST API, version 9: bulk, aliases, indices',
    },
    {
        sink: 'opensearch',
        client: '@opensearch-project/opensearch',
        against: 'a server written from the documentation of OpenSearch 3: bulk, aliases, indices',
    },
    {
        sink: 'algolia',
        client: 'algoliasearch',
        against: "a server written from Algolia's Search API, version 1, as its client of version 5 speaks it",
    },
    {
        sink: 'typesense',
        client: 'typesense',
        against: 'a server written from the documentation of Typesense 30.2: documents, collections, aliases',
    },
    { sink: 'queueProducer', client: 'amqplib', against: 'RabbitMQ itself, from 3.10 on, AMQP 0-9-1' },
    { sink: 'queueProducer', client: 'ioredis', against: 'Redis itself, from 7.0 on' },
    {
        sink: 'queueProducer',
        client: '@aws-sdk/client-sqs',
        against: 'fauxqs, a server that is compatible with SQS',
    },
    { sink: 'fileExport', client: 'exceljs', against: 'its own reader, and the xlsx extractor' },
    { sink: 'fileExport', client: 'ssh2', against: 'an SFTP server of the same package, and that of OpenSSH' },
    { sink: 'fileExport', client: 'basic-ftp', against: 'an FTP server of the tests, and ProFTPD' },
];
