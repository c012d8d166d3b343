import type { SocketTarget } from '../../core/adapter/outbound';
import { flowError, type FlowError } from '../../core/errors/flow-error';
import { addressBytes, classOf, specialNameOf } from './address';
import { serviceAt } from './ports';

/** A URL that was parsed and is allowed. Its addresses are checked when they are known. */
export interface OutboundTarget {
    readonly url: URL;
    readonly origin: string;
    /** As `URL` spells it, without brackets and without the dot at the end. */
    readonly host: string;
}

/** Of an address, in characters. */
export const MAX_URL = 8192;
const MAX_ANSWERS = 64;

/** A host in normal form: lower case, IDN and unusual spellings of numbers normalised, no brackets, no trailing dot. Undefined if it is invalid. */
export function normalHost(host: string): string | undefined {
    const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
    if (!/^[^\s/?#@\\*:]+$/.test(host) && !/^\[[0-9a-fA-F:.]+\]$/.test(bracketed)) return undefined;
    if (!URL.canParse(`http://${bracketed}/`)) return undefined;
    return hostOf(new URL(`http://${bracketed}/`)) || undefined;
}

function urlOf(text: string, base: URL | undefined): URL | undefined {
    try {
        return new URL(text, base);
    } catch {
        // By far the most are, and to ask first is to read all of them twice.
        return undefined;
    }
}

function hostOf({ hostname }: URL): string {
    if (hostname.startsWith('[')) return hostname.slice(1, -1);
    return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

/** The name that the certificate is checked against and that the pool goes by has no dot at its end. */
function undot(url: URL): void {
    if (url.hostname.endsWith('.')) url.hostname = hostOf(url);
}

/** What the shop's operator has listed. */
export interface Allowed {
    /** Hosts that may have private addresses, and may be reached at any port: plugin option `security.allowedHostnames`. */
    readonly allowedHostnames: readonly string[];
    /** Ports of well-known services at which other hosts may be reached: plugin option `security.allowedPorts`. */
    readonly allowedPorts?: readonly number[] | undefined;
}

/**
 * Decides which targets requests may reach: public addresses, and private ones of the hosts that the shop's operator
 * has listed.
 */
export class OutboundPolicy {
    private readonly listed: ReadonlySet<string>;
    private readonly ports: ReadonlySet<number>;
    /** The last address in a URL that was allowed: the pages of a server have the same one, thousands of times. */
    private allowedLiteral: string | undefined;

    constructor({ allowedHostnames, allowedPorts = [] }: Allowed) {
        this.listed = new Set(allowedHostnames.map(host => normalHost(host) ?? host));
        this.ports = new Set(allowedPorts);
    }

    /** Reads a URL, against the one before it where it is a redirect's. Throws OUTBOUND_BLOCKED. */
    target(
        text: string,
        { base, usualPorts = [] }: { readonly base?: URL; readonly usualPorts?: readonly number[] | undefined } = {},
    ): OutboundTarget {
        if (text.length > MAX_URL) throw blocked('a host', `the URL has more than ${MAX_URL} characters`);
        const url = urlOf(text, base);
        if (!url) throw blocked('a host', 'it is not a URL; allowed: http://host/path or https://host/path');
        const { protocol, port } = url;
        if (protocol !== 'http:' && protocol !== 'https:')
            throw blocked('a host', `its scheme is ${protocol.slice(0, -1).slice(0, 20)}; allowed: http, https`);
        const host = hostOf(url);
        if (host === '') throw blocked('a host', 'its URL names no host');
        if (url.username !== '' || url.password !== '')
            throw blocked(host, 'its URL has a user name or password in it');
        if (port !== '' && !usualPorts.includes(Number(port))) this.checkPort(host, Number(port));
        if (url.hash !== '') url.hash = '';
        undot(url);
        // The resolver is not called for a literal address, so it is checked here.
        if (isLiteral(url) && host !== this.allowedLiteral) {
            this.check(host, [host]);
            this.allowedLiteral = host;
        }
        return { url, origin: url.origin, host };
    }

    /** The origin of a URL as targets have it. */
    origin(text: string): string {
        const url = new URL(text);
        undot(url);
        return url.origin;
    }

    /** Where a socket may lead: the host as it is compared. Throws OUTBOUND_BLOCKED. */
    socketHost({ host, port, usualPorts }: Pick<SocketTarget, 'host' | 'port' | 'usualPorts'>): string {
        const normal = normalHost(host);
        if (normal === undefined) throw blocked('a host', 'it is not the name or address of a host');
        if (!Number.isInteger(port) || port < 1 || port > 65_535)
            throw blocked(normal, `its port is ${port}; allowed: 1 to 65535`);
        if (!usualPorts.includes(port)) this.checkPort(normal, port);
        if (isAddress(normal)) this.check(normal, [normal]);
        return normal;
    }

    private checkPort(host: string, port: number): void {
        const service = this.listed.has(host) || this.ports.has(port) ? undefined : serviceAt(port);
        if (service === undefined) return;
        throw blocked(
            host,
            `port ${port} belongs to ${service}; a port is allowed by the plugin option security.allowedPorts, every port of a host by security.allowedHostnames`,
        );
    }

    /** All that a name resolves to: one that may not be reached spoils the others. Throws OUTBOUND_BLOCKED. */
    check(host: string, addresses: readonly string[]): void {
        if (addresses.length === 0) throw blocked(host, 'its name has no address');
        if (addresses.length > MAX_ANSWERS)
            throw blocked(host, `its name has ${addresses.length} addresses; at most ${MAX_ANSWERS} are looked at`);
        for (const address of addresses) {
            if (this.allows(host, address)) continue;
            const bytes = addressBytes(address);
            const name = bytes && specialNameOf(bytes);
            throw blocked(
                host,
                `${host === address ? 'it' : address} is not a public address${name === undefined ? '' : ` (${name})`}; a private host is allowed by the plugin option security.allowedHostnames`,
            );
        }
    }

    private allows(host: string, address: string): boolean {
        const bytes = addressBytes(address);
        if (!bytes) return false;
        switch (classOf(bytes)) {
            case 'public':
                return true;
            case 'private':
                return this.listed.has(host) || this.lists(address);
            case 'metadata':
                return this.lists(address);
            case 'never':
                return false;
        }
    }

    /** By the address itself, however it is spelled. */
    private lists(address: string): boolean {
        return this.listed.has(normalHost(address) ?? address);
    }
}

/** Of hosts in URLs: numbers with dots or in brackets. `URL` has turned every other way of writing numbers into these. */
export function isLiteral({ hostname }: URL): boolean {
    return hostname.startsWith('[') || /^\d+(\.\d+){3}\.?$/.test(hostname);
}

/** Of hosts as they are compared. */
export function isAddress(host: string): boolean {
    return host.includes(':') || isLiteral(new URL(`http://${host}/`));
}

export function blocked(host: string, problem: string): FlowError {
    return flowError('OUTBOUND_BLOCKED', { host, problem });
}
