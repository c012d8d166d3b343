import { optionalClient } from '../clients/optional-client';

/** Throws CLIENT_MISSING, in the name of the adapter or type that needs it, as the others do. */
export const amqplibFor = (code: string) => optionalClient({ code, name: 'amqplib' }, () => import('amqplib'));

/** As `amqplibFor`. */
export const ioredisFor = (code: string) => optionalClient({ code, name: 'ioredis' }, () => import('ioredis'));

/** As `amqplibFor`. */
export const sqsSdkFor = (code: string) =>
    optionalClient({ code, name: '@aws-sdk/client-sqs' }, () => import('@aws-sdk/client-sqs'));
