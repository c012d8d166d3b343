import { broker } from './connections/broker';
import { mysqlConnection, postgresConnection, sqliteConnection } from './connections/database';
import { ftp, sftp } from './connections/ftp';
import { graphql, http, rest } from './connections/http';
import { objectStorage } from './connections/object-storage';
import { redis } from './connections/redis';
import { sqs } from './connections/sqs';
import { csv } from './extractors/csv';
import { generator } from './extractors/generator';
import { inMemory } from './extractors/in-memory';
import { jsonExtractor } from './extractors/json';
import { xlsx } from './extractors/xlsx';
import { xml } from './extractors/xml';
import { graphqlMutation } from './loaders/graphql-mutation';
import { restPost } from './loaders/rest-post';
import { httpLookup } from './operators/http-lookup';
import { imageConvert } from './operators/image-convert';
import { imageResize } from './operators/image-resize';
import { pdfGenerate } from './operators/pdf-generate';
import { script } from './operators/script';

/** Every extractor that needs no platform. */
export const extractors = [inMemory, generator, csv, jsonExtractor, xml, xlsx] as const;

/** Every operator that reaches outside the process. */
export const outsideOperators = [imageResize, imageConvert, pdfGenerate, httpLookup, script] as const;

/** The loads that write other systems. */
export const remoteLoaders = [restPost, graphqlMutation] as const;

/** Every sink. Those of a shop come by the option `adapters`. */
export const sinks = [] as const;

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
