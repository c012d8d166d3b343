import { z } from 'zod';
import { defineConnection } from '../../core/adapter/connection';
import { withRules } from '../../core/schema/fields';
import { tryOutSqs } from '../brokers/try-out';
import { httpUrl } from './address';
import { ACCESS_KEY_NOTE, accessKey, accessKeyRule, accessKeyUses, cloudServers, cloudEndpoint } from './cloud-keys';
import { region } from './object-storage';

/** Connection to Amazon SQS or a compatible service. */
export const sqs = defineConnection({
    code: 'SQS',
    aliases: ['CLOUD_QUEUE'],
    category: 'Queues',
    title: 'SQS',
    summary: 'Connects to the queues of Amazon SQS or of a compatible service.',
    config: withRules(
        z.strictObject({
            region: region('The region of the queues.'),
            endpoint: httpUrl('Endpoint', 'The address of a compatible service. Default: SQS itself.').optional(),
            ...accessKey,
        }),
        accessKeyRule,
    ),
    secretUses: given => accessKeyUses(given, given.endpoint ?? cloudEndpoint('sqs', given.region)),
    servers: given => cloudServers(given.endpoint ?? cloudEndpoint('sqs', given.region)),
    tryOut: tryOutSqs,
    examples: [
        {
            settings: {
                region: 'eu-central-1',
                accessKeyIdSecretCode: 'queue-key-id',
                secretAccessKeySecretCode: 'queue-key',
            },
        },
    ],
    notes: [
        'The step or trigger names the queue.',
        `${ACCESS_KEY_NOTE} This requires the plugin option security.cloudCredentialChain.`,
    ],
});
