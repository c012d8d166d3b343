import { z } from 'zod';
import { defineConnection } from '../../core/adapter/connection';
import { withRules } from '../../core/schema/fields';
import { httpUrl } from './address';
import { tryOutRemote } from '../remote-files/try-out';
import { ACCESS_KEY_NOTE, accessKey, accessKeyRule, accessKeyUses, cloudServers, cloudEndpoint } from './cloud-keys';

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;
const REGION = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The region of a cloud: us-east-1, eu-central-1 … */
export function region(description: string): z.ZodString {
    return z
        .string()
        .regex(REGION, 'allowed: 1 to 64 letters, digits, hyphens and underscores')
        .meta({ title: 'Region', description });
}

/** The name of a bucket. */
export function bucket(description: string): z.ZodString {
    return z
        .string()
        .regex(
            BUCKET,
            'allowed: 3 to 63 letters, digits, dots, hyphens and underscores, the first and last a letter or digit',
        )
        .meta({ title: 'Bucket', description });
}

/** Connection to a bucket of S3 or a compatible service. */
export const objectStorage = defineConnection({
    code: 'OBJECT_STORAGE',
    aliases: ['S3'],
    category: 'Files',
    title: 'Object storage',
    summary: 'Connects to a bucket of S3 or of a compatible service.',
    config: withRules(
        z.strictObject({
            bucket: bucket('The bucket. A step may set another one.').optional(),
            region: region('The region of the bucket.').default('us-east-1'),
            endpoint: httpUrl('Endpoint', 'The address of a compatible service. Default: S3 itself.').optional(),
            forcePathStyle: z.boolean().default(false).meta({
                title: 'Path style',
                description:
                    'Puts the bucket into the path instead of the host name, as many compatible services require.',
            }),
            ...accessKey,
        }),
        accessKeyRule,
    ),
    secretUses: given => accessKeyUses(given, given.endpoint ?? cloudEndpoint('s3', given.region)),
    servers: given => cloudServers(given.endpoint ?? cloudEndpoint('s3', given.region)),
    tryOut: tryOutRemote,
    notes: [
        `${ACCESS_KEY_NOTE} Steps and triggers read files with them only if the plugin option security.cloudCredentialChain is true.`,
    ],
    examples: [
        {
            settings: {
                bucket: 'supplier-feeds',
                region: 'eu-central-1',
                accessKeyIdSecretCode: 'feeds-key-id',
                secretAccessKeySecretCode: 'feeds-key',
            },
        },
        {
            settings: { bucket: 'feeds', endpoint: 'https://storage.example.com', forcePathStyle: true },
            note: 'A self-hosted compatible service.',
        },
    ],
});
