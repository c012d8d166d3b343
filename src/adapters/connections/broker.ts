import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import { defineConnection } from '../../core/adapter/connection';
import { allowedEntriesOf, secretsSentTo } from '../../core/adapter/secret-hosts';
import { secretCode, withRules } from '../../core/schema/fields';
import { amqpServer, managementServer } from '../brokers/servers';
import { tryOutRabbit } from '../brokers/try-out';
import { host, port, username } from './address';

/** Connection to a RabbitMQ broker. */
export const broker = defineConnection({
    code: 'BROKER',
    aliases: ['RABBITMQ', 'BROKER_AMQP'],
    category: 'Queues',
    title: 'RabbitMQ',
    summary: 'Leads to a RabbitMQ broker.',
    config: withRules(
        z.strictObject({
            host: host('The name or address of the broker.'),
            port: port('The port of the broker. Default: 5672, or 5671 with ssl.').optional(),
            username: username('The username. Requires passwordSecretCode.').optional(),
            passwordSecretCode: secretCode(
                'Password secret',
                'The secret that holds the password. Requires username.',
            ).optional(),
            vhost: z
                .string()
                .min(1)
                .max(255)
                .regex(/^\P{Cc}*$/u, 'must be one line')
                .default('/')
                .meta({ title: 'Virtual host', description: 'The virtual host of the broker.' }),
            ssl: z.boolean().default(false).meta({ title: 'TLS', description: 'Encrypts the connection.' }),
        }),
        ({ username: user, passwordSecretCode }, issue) => {
            if (user !== undefined && passwordSecretCode === undefined)
                issue('passwordSecretCode', clause`is missing; username requires it. Set both or neither`);
            if (passwordSecretCode !== undefined && user === undefined)
                issue('username', clause`is missing; passwordSecretCode requires it. Set both or neither`);
        },
    ),
    secretUses: given =>
        [amqpServer(given), managementServer(given)].flatMap(server =>
            secretsSentTo(server, given, ['passwordSecretCode']),
        ),
    servers: given => allowedEntriesOf(amqpServer(given), managementServer(given)),
    tryOut: tryOutRabbit,
    examples: [
        {
            settings: {
                host: 'mq.example.com',
                username: 'shop',
                passwordSecretCode: 'mq-password',
                vhost: 'orders',
                ssl: true,
            },
        },
    ],
});
