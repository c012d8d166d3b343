import type { Connection } from '../../core/adapter/connection';
import type { Resources } from '../../core/adapter/context';
import type { OutboundAuth, OutboundGrant, OutboundRequest } from '../../core/adapter/http';
import { Secret } from '../../core/adapter/secret';
import { flowError } from '../../core/errors/flow-error';

/** `Authorization: Bearer …`. Throws SECRET_UNREADABLE for an empty secret, as all of these do. */
export function bearer(token: Secret): OutboundAuth {
    return { header: 'Authorization', value: new Secret(token.code, `Bearer ${filled(token)}`) };
}

/** A key in a header of its own. */
export function apiKey(header: string, key: Secret): OutboundAuth {
    return headerAuth(header, key);
}

/** A secret in a header of its own, behind the word that says what it is. */
export function headerAuth(header: string, secret: Secret, before = ''): OutboundAuth {
    return { header, value: new Secret(secret.code, `${before}${filled(secret)}`) };
}

/** What a secret says, for a client that asks for it as it is. Throws SECRET_UNREADABLE where that is nothing. */
export function textOf(secret: Secret): string {
    return filled(secret);
}

export function basic(username: string, password: Secret): OutboundAuth {
    const pair = Buffer.from(`${username}:${filled(password)}`).toString('base64');
    return { header: 'Authorization', value: new Secret(password.code, `Basic ${pair}`) };
}

/** From a secret that is `username:password`. */
export function basicOf(pair: Secret): OutboundAuth {
    const text = filled(pair);
    const colon = text.indexOf(':');
    if (colon < 1)
        throw flowError('SECRET_UNREADABLE', { code: pair.code, problem: 'it is not of the form username:password' });
    return basic(text.slice(0, colon), new Secret(pair.code, text.slice(colon + 1)));
}

/** What a saved connection with HTTP settings proves itself with; undefined for type NONE. */
export function authOf(
    { settings }: Connection,
    secrets: Resources['secrets'],
): OutboundAuth | OutboundGrant | undefined {
    return authOfSettings(settings['auth'] as unknown as AuthSettings, secrets);
}

/** What such settings say, wherever they stand; undefined for type NONE. */
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
            return basic(auth.username ?? filled(secret(auth.usernameSecretCode)), secret());
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
export interface AuthSettings {
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

/** What tells one credential from another, the secret included. */
export function credentialParts(auth: OutboundRequest['auth']): readonly string[] {
    if (!auth) return ['', ''];
    if (!('tokenUrl' in auth)) return [auth.header, auth.value.reveal()];
    const { clientSecret, ...grant } = auth;
    return [JSON.stringify(grant), clientSecret.reveal()];
}

/** The value of a secret. The line end that an editor leaves behind a token belongs to no credential. Throws SECRET_UNREADABLE where nothing is left. */
export function filled(secret: Secret): string {
    const value = secret.reveal().replace(/\r?\n$/, '');
    if (value.trim() === '') throw flowError('SECRET_UNREADABLE', { code: secret.code, problem: 'its value is empty' });
    return value;
}
