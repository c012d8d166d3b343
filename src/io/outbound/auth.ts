import type { Connection } from '../../core/adapter/connection';
import type { Resources } from '../../core/adapter/context';
import type { OutboundAuth, OutboundGrant, OutboundRequest } from '../../core/adapter/http';
import { deriveSecret, type Secret } from '../../core/adapter/secret';
import type { SecretTarget } from '../../core/adapter/secret-hosts';
import { flowError } from '../../core/errors/flow-error';

/** `Authorization: Bearer …`. Throws SECRET_UNREADABLE for an empty secret, as all of these do. */
export function bearer(token: Secret): OutboundAuth {
    return headerAuth('Authorization', token, 'Bearer ');
}

/** A key in a separate header. */
export function apiKey(header: string, key: Secret): OutboundAuth {
    return headerAuth(header, key);
}

/** A secret in a separate header, after a prefix that names its type. */
export function headerAuth(header: string, secret: Secret, before = ''): OutboundAuth {
    return { header, value: deriveSecret(secret, value => `${before}${filled(secret, value)}`) };
}

/**
 * The text of a secret, for a client that is going to send it to this server. Throws SECRET_UNREADABLE if it cannot
 * be read, and SECRET_HOST_NOT_ALLOWED.
 */
export function textFor(secret: Secret, target: SecretTarget): string {
    return filled(secret, secret.revealFor(target));
}

/** A secret in the form in which it is sent: without a trailing line end from an editor, which is never part of a credential. */
export function trimmed(secret: Secret): Secret {
    return deriveSecret(secret, value => filled(secret, value));
}

/** The name may be a secret as well; then both must be allowed where they are sent. */
export function basic(username: string | Secret, password: Secret): OutboundAuth {
    const pair = (name: string, word: string): string => `Basic ${Buffer.from(`${name}:${word}`).toString('base64')}`;
    const value =
        typeof username === 'string'
            ? deriveSecret(password, word => pair(username, filled(password, word)))
            : deriveSecret(password, (word, name) => pair(filled(username, name!), filled(password, word)), [username]);
    return { header: 'Authorization', value };
}

/** From a secret that is `username:password`. */
export function basicOf(pair: Secret): OutboundAuth {
    const value = deriveSecret(pair, given => {
        const text = filled(pair, given);
        if (text.indexOf(':') < 1)
            throw flowError('SECRET_UNREADABLE', {
                code: pair.code,
                problem: 'it does not have the form username:password',
            });
        return `Basic ${Buffer.from(text).toString('base64')}`;
    });
    return { header: 'Authorization', value };
}

/** The authentication of a saved connection with HTTP settings; undefined for type NONE. */
export function authOf(
    { settings }: Connection,
    secrets: Resources['secrets'],
): OutboundAuth | OutboundGrant | undefined {
    return authOfSettings(settings['auth'] as unknown as AuthSettings, secrets);
}

/** The credentials from such settings; undefined for type NONE. */
export function authOfSettings(
    auth: AuthSettings,
    secrets: Resources['secrets'],
): OutboundAuth | OutboundGrant | undefined {
    // What each type needs is there: the schema has seen to it.
    const secret = (code = auth.secretCode): Secret => secrets.get(code!);
    switch (auth.type) {
        case 'NONE':
            return undefined;
        case 'BEARER':
            return bearer(secret());
        case 'API_KEY':
            return apiKey(auth.headerName!, secret());
        case 'BASIC':
            return basic(auth.username ?? secret(auth.usernameSecretCode), secret());
        case 'OAUTH2':
            return {
                tokenUrl: auth.tokenUrl!,
                clientId: auth.clientId!,
                clientSecret: secret(auth.clientSecretCode),
                scope: auth.scope,
                audience: auth.audience,
                clientAuth: auth.clientAuth ?? 'BASIC',
            };
    }
}

/** As their schema has checked them (src/adapters/connections/auth.ts). */
interface AuthSettings {
    readonly type: 'NONE' | 'BASIC' | 'BEARER' | 'API_KEY' | 'OAUTH2';
    readonly secretCode?: string | undefined;
    readonly username?: string | undefined;
    readonly usernameSecretCode?: string | undefined;
    readonly headerName?: string | undefined;
    readonly tokenUrl?: string | undefined;
    readonly clientId?: string | undefined;
    readonly clientSecretCode?: string | undefined;
    readonly scope?: string | undefined;
    readonly audience?: string | undefined;
    readonly clientAuth?: 'BASIC' | 'BODY' | undefined;
}

/** The parts that distinguish credentials, including a digest of the secret. */
export function credentialIdentity(auth: OutboundRequest['auth']): readonly string[] {
    if (!auth) return ['', ''];
    if (!('tokenUrl' in auth)) return [auth.header, auth.value.digest()];
    const { clientSecret, ...grant } = auth;
    return [JSON.stringify(grant), clientSecret.digest()];
}

function filled({ code }: Secret, given: string): string {
    const value = given.replace(/\r?\n$/, '');
    if (value.trim() === '') throw flowError('SECRET_UNREADABLE', { code, problem: 'its value is empty' });
    return value;
}
