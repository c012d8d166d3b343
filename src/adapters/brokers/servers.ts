import type { Connection } from '../../core/adapter/connection';
import type { Outbound } from '../../core/adapter/outbound';
import type { Secret } from '../../core/adapter/secret';
import { type SecretTarget, secretTargetOf } from '../../core/adapter/secret-hosts';
import { flowError } from '../../core/errors/flow-error';
import type { RabbitSettings } from '../../io/broker/rabbit-connection';
import type { RedisServer } from '../../io/broker/redis-connection';
import type { SqsSettings } from '../../io/broker/sqs-client';
import { textFor } from '../../io/outbound/auth';
import { cloudEndpoint } from '../clients/cloud-endpoint';

/** What brokers are reached with. */
export interface BrokerContext {
    readonly outbound: Outbound;
    readonly signal: AbortSignal;
    readonly secrets: { get(code: string): Secret };
}

/** As the schemas of the connection types have checked it. */
interface Settings {
    readonly host: string;
    readonly port?: number;
    readonly username?: string;
    readonly passwordSecretCode?: string;
    readonly vhost: string;
    readonly ssl: boolean;
    readonly db: number;
    readonly region: string;
    readonly endpoint?: string;
    readonly accessKeyIdSecretCode?: string;
    readonly secretAccessKeySecretCode?: string;
}

const AMQP = { plain: 5672, tls: 5671 };
const MANAGEMENT = { plain: 15_672, tls: 15_671 };

/** The address of a broker. */
interface Server {
    readonly host: string;
    readonly port?: number | undefined;
    readonly ssl: boolean;
}

/** The server that a connection of the type BROKER leads to. */
export function amqpServer({ host, port, ssl }: Server): SecretTarget {
    return { host, port: port ?? (ssl ? AMQP.tls : AMQP.plain) };
}

/** The management API of the same broker, at its own port if the connection names a port of AMQP. */
export function managementServer({ host, port, ssl }: Server): SecretTarget {
    const isOfAmqp = port === undefined || port === AMQP.plain || port === AMQP.tls;
    return { host, port: isOfAmqp ? (ssl ? MANAGEMENT.tls : MANAGEMENT.plain) : port };
}

/** Where a connection of the type BROKER leads. Throws SECRET_UNREADABLE and SECRET_HOST_NOT_ALLOWED. */
export function rabbitOf({ settings }: Connection, cx: Pick<BrokerContext, 'secrets'>): RabbitSettings {
    const { host, port, username, vhost, ssl, passwordSecretCode } = settings as unknown as Settings;
    const target = amqpServer({ host, port, ssl });
    return { ...target, username, password: text(passwordSecretCode, cx, target), vhost, ssl };
}

/** Where a connection of the type REDIS leads. Throws SECRET_UNREADABLE and SECRET_HOST_NOT_ALLOWED. */
export function redisOf({ settings }: Connection, cx: Pick<BrokerContext, 'secrets'>): RedisServer {
    const { host, port, username, db, ssl, passwordSecretCode } = settings as unknown as Settings;
    const target = { host, port: port ?? 6379 };
    return { ...target, username, password: text(passwordSecretCode, cx, target), db, ssl };
}

/**
 * The target of a connection of the type SQS, and the keys that sign requests. Throws SECRET_UNREADABLE,
 * SECRET_HOST_NOT_ALLOWED, and CONNECTION_INVALID if it has no access key and the server's own may not be used.
 */
export function sqsOf(connection: Connection, cx: Pick<BrokerContext, 'secrets' | 'outbound'>): SqsSettings {
    const { region, endpoint: own, ...keys } = connection.settings as unknown as Settings;
    const { accessKeyIdSecretCode: id, secretAccessKeySecretCode: key } = keys;
    const hasKeys = id !== undefined && key !== undefined;
    // The server's own credentials are for its own cloud. They are not sent to a server whose address comes from a
    // connection.
    if (own !== undefined && !hasKeys)
        throw invalid(connection, 'a compatible service needs accessKeyIdSecretCode and secretAccessKeySecretCode');
    if (!hasKeys && !cx.outbound.rules.cloudCredentials)
        throw invalid(
            connection,
            "it has no access key (accessKeyIdSecretCode, secretAccessKeySecretCode); the server's own cloud credentials are used only where the plugin option security.cloudCredentialChain is true",
        );
    const endpoint = own ?? cloudEndpoint('sqs', region);
    const target = secretTargetOf(endpoint)!;
    const credentials = hasKeys
        ? { accessKeyId: textFor(cx.secrets.get(id), target), secretAccessKey: textFor(cx.secrets.get(key), target) }
        : undefined;
    return { region, endpoint, credentials };
}

/** Throws CONNECTION_INVALID if a connection does not have the type that a kind of queue needs. */
export function assertLeadsTo(
    connection: Connection,
    { queueType, type }: { readonly queueType: string; readonly type: string },
): void {
    if (connection.type === type) return;
    throw invalid(connection, `it is of the type ${connection.type}; queueType ${queueType} needs ${type}`);
}

function text(
    code: string | undefined,
    { secrets }: Pick<BrokerContext, 'secrets'>,
    target: SecretTarget,
): string | undefined {
    return code === undefined ? undefined : textFor(secrets.get(code), target);
}

function invalid({ code }: Connection, problem: string): Error {
    return flowError('CONNECTION_INVALID', { code, problem });
}
