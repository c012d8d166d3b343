import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import { defineConnection } from '../../core/adapter/connection';
import { allowedEntriesOf, secretsSentTo } from '../../core/adapter/secret-hosts';
import { secretCode, withRules } from '../../core/schema/fields';
import { tryOutRedis } from '../brokers/try-out';
import { host, port, username } from './address';

/** Connection to a Redis server with streams. */
export const redis = defineConnection({
    code: 'REDIS',
    aliases: ['REDIS_STREAMS', 'STREAMS'],
    category: 'Queues',
    title: 'Redis',
    summary: 'Connects to the streams of a Redis server.',
    config: withRules(
        z.strictObject({
            host: host('The name or address of the server.'),
            port: port('The port of the server.').default(6379),
            username: username('The username, if the server has users (ACL). Requires passwordSecretCode.').optional(),
            passwordSecretCode: secretCode('Password secret', 'The secret that holds the password.').optional(),
            db: z
                .int()
                .min(0)
                .max(65_535)
                .default(0)
                .meta({ title: 'Database', description: 'The number of the database.' }),
            ssl: z.boolean().default(false).meta({ title: 'TLS', description: 'Encrypts the connection.' }),
        }),
        ({ username: user, passwordSecretCode }, issue) => {
            if (user !== undefined && passwordSecretCode === undefined)
                issue('passwordSecretCode', clause`is missing; username needs it`);
        },
    ),
    secretUses: given => secretsSentTo(given, given, ['passwordSecretCode']),
    servers: given => allowedEntriesOf(given),
    tryOut: tryOutRedis,
    examples: [{ settings: { host: 'redis.example.com', passwordSecretCode: 'redis-password', ssl: true } }],
});
