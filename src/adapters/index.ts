import { broker } from './connections/broker';
import { mysqlConnection, postgresConnection, sqliteConnection } from './connections/database';
import { ftp, sftp } from './connections/ftp';
import { graphql, http, rest } from './connections/http';
import { objectStorage } from './connections/object-storage';
import { redis } from './connections/redis';
import { sqs } from './connections/sqs';
import { cdc } from './extractors/cdc';
import { csv } from './extractors/csv';
import { database } from './extractors/database';
import { ftpExtractor } from './extractors/ftp';
import { generator } from './extractors/generator';
import { graphqlExtractor } from './extractors/graphql';
import { httpApi } from './extractors/http-api';
import { inMemory } from './extractors/in-memory';
import { jsonExtractor } from './extractors/json';
import { pimGraphql } from './extractors/pim-graphql';
import { objectStorageExtractor } from './extractors/object-storage';
import { xlsx } from './extractors/xlsx';
import { xml } from './extractors/xml';
import { graphqlMutation } from './loaders/graphql-mutation';
import { restPost } from './loaders/rest-post';
import { httpLookup } from './operators/http-lookup';
import { imageConvert } from './operators/image-convert';
import { imageResize } from './operators/image-resize';
import { pdfGenerate } from './operators/pdf-generate';
import { script } from './operators/script';
import { algolia } from './sinks/algolia';
import { elasticsearch } from './sinks/elasticsearch';
import { fileExport } from './sinks/file-export';
import { meilisearch } from './sinks/meilisearch';
import { opensearch } from './sinks/opensearch';
import { queueProducer } from './sinks/queue-producer';
import { typesense } from './sinks/typesense';
import { webhookSink } from './sinks/webhook';

/** Every extractor that needs no platform. */
export const extractors = [
    httpApi,
    graphqlExtractor,
    inMemory,
    generator,
    csv,
    jsonExtractor,
    xml,
    xlsx,
    objectStorageExtractor,
    ftpExtractor,
    database,
    cdc,
    pimGraphql,
] as const;

/** Every operator that reaches outside the process. */
export const outsideOperators = [imageResize, imageConvert, pdfGenerate, httpLookup, script] as const;

/** The loads that write other systems. */
export const remoteLoaders = [restPost, graphqlMutation] as const;

/** The sinks that deliver to services, which all have the same common fields. */
export const serviceSinks = [
    meilisearch,
    elasticsearch,
    opensearch,
    algolia,
    typesense,
    queueProducer,
    webhookSink,
] as const;

/** Every sink of Flow's own. Those of a shop come by the option `adapters` as well. */
export const sinks = [...serviceSinks, fileExport] as const;

/** Every kind of system that a saved connection can lead to. */
export const connections = [
    http,
    rest,
    graphql,
    ftp,
    sftp,
    objectStorage,
    postgresConnection,
    mysqlConnection,
    sqliteConnection,
    broker,
    sqs,
    redis,
] as const;
