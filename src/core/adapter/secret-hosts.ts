import { type FlowError, flowError } from '../errors/flow-error';
import type { JsonObject } from '../value/json';
import { clause, type FactText } from '../errors/rendered';

/** A server that a secret would be sent to. */
export interface SecretTarget {
    /** A name or an address, without brackets. */
    readonly host: string;
    readonly port: number;
    /** Requests of HTTP without TLS, which others on their way can read. */
    readonly isPlain?: boolean;
}

/** Where a step or a connection sends a secret, as its configuration says. */
export interface SecretUse extends SecretTarget {
    /** The path of the field that names the secret, such as `auth.clientSecretCode`. */
    readonly field: string;
    readonly secretCode: string;
}

/** What a saved connection says: its type and its settings, checked by the type's schema. */
interface SavedSettings {
    readonly type: string;
    readonly settings: JsonObject;
}

/** The saved connections that a configuration may name, by code. Undefined for one that there is not, or whose settings cannot be read. */
export type SavedConnections = (code: string) => SavedSettings | undefined;

/** `secretUses` of an adapter whose secrets only verify incoming requests. */
export const noSecretIsSent = (): readonly SecretUse[] => [];

/** The secrets that these fields of a configuration name, sent to one server; empty if there is no server. */
export function secretsSentTo(
    target: SecretTarget | undefined,
    config: object,
    fields: readonly string[],
): readonly SecretUse[] {
    if (!target) return [];
    const { host, port, isPlain } = target;
    return fields.flatMap(field => {
        const secretCode = valueAt(config, field);
        return typeof secretCode === 'string' ? [{ field, secretCode, host, port, ...(isPlain && { isPlain }) }] : [];
    });
}

/**
 * Like `secretsSentTo`, for settings that a step takes from its connection by default. The settings of the connection have the path
 * `connectionCode`.
 */
export function mergedSecretsSentTo(
    target: SecretTarget | undefined,
    { step, merged }: { readonly step: object; readonly merged: object },
    fields: readonly string[],
): readonly SecretUse[] {
    return secretsSentTo(target, merged, fields).map(use =>
        valueAt(step, use.field) === undefined ? { ...use, field: 'connectionCode' } : use,
    );
}

function valueAt(config: object, field: string): unknown {
    return field.split('.').reduce<unknown>((value, key) => (value as JsonObject | undefined)?.[key], config);
}

/** An entry of `allowedHosts`, parsed. */
interface AllowedHost {
    /** Lower case, without brackets and without the dot at its end. */
    readonly host: string;
    /** True for `*.example.com`: every subdomain, but not `example.com` itself. */
    readonly isWildcard: boolean;
    readonly port: number | undefined;
    /** With `http://` before the host: also where requests are not encrypted. */
    readonly isPlain: boolean;
}

/** The maximum number of entries of a secret. */
export const MAX_ALLOWED_HOSTS = 50;

/** Allows every server, in tests. It is recognized as this very list, which nothing that is stored or configured can be. */
export const EVERY_HOST: readonly string[] = Object.freeze(['*']);

/** What is wrong with an entry of `allowedHosts`; undefined when it can be used. */
export function allowedHostProblem(entry: string): FactText | undefined {
    if (parseAllowedHost(entry)) return undefined;
    return clause`"${entry}" is not a host. Allowed: "erp.example.com", "erp.example.com:8443", "*.example.com", and "http://erp.example.com" for requests that are not encrypted`;
}

/**
 * Whether a secret with these `allowedHosts` may be sent to the server. Entries without a port allow every port. Requests that are not encrypted need an
 * entry with `http://`, except in a private network.
 */
export function isAllowedHost(allowedHosts: readonly string[], target: SecretTarget): boolean {
    if (allowedHosts === EVERY_HOST) return true;
    const host = normalizeHost(target.host);
    if (host === undefined) return false;
    return allowedHosts.some(entry => {
        const allowed = parseAllowedHost(entry);
        if (!allowed || (allowed.port !== undefined && allowed.port !== target.port)) return false;
        if (target.isPlain && !allowed.isPlain && !isPrivate(host)) return false;
        return allowed.isWildcard ? host.endsWith(`.${allowed.host}`) : host === allowed.host;
    });
}

/**
 * The server of a URL, with the scheme's default port if the URL has none. Undefined if the text is not a URL with a
 * host.
 */
export function secretTargetOf(url: string): SecretTarget | undefined {
    if (!URL.canParse(url)) return undefined;
    const { hostname, port, protocol } = new URL(url);
    const host = normalizeHost(hostname);
    const byScheme = DEFAULT_PORTS[protocol];
    if (host === undefined || (port === '' && byScheme === undefined)) return undefined;
    return { host, port: port === '' ? byScheme! : Number(port), ...(protocol === 'http:' && { isPlain: true }) };
}

/** The entry of `allowedHosts` that allows exactly this server; undefined if its host is invalid. */
export function allowedEntryOf({ host: given, port, isPlain }: SecretTarget): string | undefined {
    const host = normalizeHost(given);
    if (host === undefined) return undefined;
    const scheme = isPlain && !isPrivate(host) ? PLAIN : '';
    return `${scheme}${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The server of an entry without a wildcard, and all of its subdomains, because the host name may contain a bucket. */
export function withSubdomains(entry: string): readonly string[] {
    const scheme = entry.startsWith(PLAIN) ? PLAIN : '';
    return [entry, `${scheme}*.${entry.slice(scheme.length)}`];
}

/** As `allowedEntryOf`, of the servers that there are. */
export function allowedEntriesOf(...targets: ReadonlyArray<SecretTarget | undefined>): readonly string[] {
    return targets.flatMap(target => (target && allowedEntryOf(target)) ?? []);
}

/**
 * The host for messages: with its port, unless that is the default of HTTP or HTTPS, and with `http://` if the missing
 * encryption matters.
 */
export function shownTarget({ host, port, isPlain }: SecretTarget): string {
    const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
    const scheme = isPlain && !isPrivate(normalizeHost(host) ?? '') ? PLAIN : '';
    return `${scheme}${port === 80 || port === 443 ? name : `${name}:${port}`}`;
}

/** A secret that may not be sent to a server. */
interface RefusedSecret {
    readonly code: string;
    /** Only the shop's code can allow more hosts. */
    readonly codeFirst?: boolean;
    /** For machines. */
    readonly details?: JsonObject | undefined;
}

/** SECRET_HOST_NOT_ALLOWED, with who can allow the host. Secrets of the shop's code are read-only for people. */
export function secretHostError({ code, codeFirst = false, details }: RefusedSecret, target: SecretTarget): FlowError {
    const hint = codeFirst
        ? "Add the host to allowedHosts of the secret in the shop's code."
        : 'Someone with the permission ManageFlowSecrets can allow this host.';
    return flowError('SECRET_HOST_NOT_ALLOWED', { code, host: shownTarget(target), hint }, details && { details });
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ftp:': 21 };

const PLAIN = 'http://';

function parseAllowedHost(entry: string): AllowedHost | undefined {
    const isPlain = entry.startsWith(PLAIN);
    const name = isPlain ? entry.slice(PLAIN.length) : entry;
    const isWildcard = name.startsWith('*.');
    const rest = isWildcard ? name.slice(2) : name;
    const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([^\s:[\]/?#@\\*]+))(?::(\d{1,5}))?$/i.exec(rest) ?? [];
    const host = normalizeHost(bracketed ?? plain ?? '');
    if (host === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined;
    return { host, isWildcard, isPlain, port: port === undefined ? undefined : Number(port) };
}

/** Lower case, international names and unusual notations of addresses normalized, without brackets and without the dot at its end. */
function normalizeHost(host: string): string | undefined {
    if (host === '' || /[\s/?#@\\*]/.test(host)) return undefined;
    const url = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/`;
    if (!URL.canParse(url)) return undefined;
    const { hostname } = new URL(url);
    if (hostname.startsWith('[')) return hostname.slice(1, -1);
    return (hostname.endsWith('.') ? hostname.slice(0, -1) : hostname) || undefined;
}

/** Loopback and private addresses, and names that no public DNS has. */
const PRIVATE = [
    /^(?:127|10)\.\d+\.\d+\.\d+$/,
    /^(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.\d+\.\d+$/,
    /^(?:::1$|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)/,
    /^[^.:]+$/,
    /\.(?:localhost|local|internal|test)$/,
] as const;

/** Of a normalized host. */
function isPrivate(host: string): boolean {
    return PRIVATE.some(pattern => pattern.test(host));
}
