import type { Connection } from '../../core/adapter/connection';
import type { Resources } from '../../core/adapter/context';
import type { OutboundAuth } from '../../core/adapter/http';
import { Secret } from '../../core/adapter/secret';
import type { JsonObject } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';

/** `Authorization: Bearer …`. Throws SECRET_UNREADABLE for an empty secret, as all of these do. */
export function bearer(token: Secret): OutboundAuth {
    return { header: 'Authorization', value: new Secret(token.code, `Bearer ${filled(token)}`) };
}

/** A key in a header of its own. */
export function apiKey(header: string, key: Secret): OutboundAuth {
    return { header, value: new Secret(key.code, filled(key)) };
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
export function authOf({ settings }: Connection, secrets: Resources['secrets']): OutboundAuth | undefined {
    const { type, secretCode, username, usernameSecretCode, headerName } = settings['auth'] as JsonObject & Auth;
    if (type === 'NONE' || secretCode === undefined) return undefined;
    const secret = secrets.get(secretCode);
    switch (type) {
        case 'BEARER':
            return bearer(secret);
        case 'API_KEY':
            return apiKey(headerName!, secret);
        case 'BASIC':
            return basic(username ?? filled(secrets.get(usernameSecretCode!)), secret);
    }
}

/** As the settings' schema has checked it (src/adapters/connections/auth.ts). */
interface Auth {
    readonly type: 'NONE' | 'BASIC' | 'BEARER' | 'API_KEY';
    readonly secretCode?: string;
    readonly username?: string;
    readonly usernameSecretCode?: string;
    readonly headerName?: string;
}

/** The line end that an editor leaves behind a token belongs to no credential. */
function filled(secret: Secret): string {
    const value = secret.reveal().replace(/\r?\n$/, '');
    if (value.trim() === '') throw flowError('SECRET_UNREADABLE', { code: secret.code, problem: 'its value is empty' });
    return value;
}
