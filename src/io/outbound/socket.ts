import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { isAddress, type OutboundPolicy } from './policy';

/** All addresses of a name; rejects with the resolver's own error. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Opens sockets: undici's own connector, or a fake that records its calls. */
export type MakeConnector = (options: buildConnector.BuildOptions) => buildConnector.connector;

export interface SocketDeps {
    readonly policy: OutboundPolicy;
    readonly resolve: Resolve;
    readonly makeConnector: MakeConnector;
    /** Certificates of authorities in addition to those of Node. */
    readonly ca?: string | undefined;
}

/** Names as the operating system knows them, its hosts file included. */
export const systemResolve: Resolve = host =>
    new Promise((resolve, reject) => {
        lookup(host, { all: true, order: 'verbatim' }, (error, answers) =>
            error ? reject(error) : resolve(answers.map(({ address }) => address)),
        );
    });

export const CONNECT_MS = 10_000;

/**
 * Resolves a name once, checks every address, and opens the socket to one of exactly these: no second look-up can return another address. TLS still
 * requests the name and checks the certificate against it.
 */
export function guardedConnector({ policy, resolve, makeConnector, ca }: SocketDeps): buildConnector.connector {
    const open = (
        options: buildConnector.Options,
        addresses: readonly string[],
        callback: buildConnector.Callback,
    ): void => {
        makeConnector({
            lookup: pinned(addresses),
            timeout: CONNECT_MS,
            allowH2: false,
            ...(ca !== undefined && { ca }),
        } as buildConnector.BuildOptions)(options, callback);
    };
    return (options, callback) => {
        checkedAddresses(options.hostname, { policy, resolve }).then(
            addresses => open(options, addresses, callback),
            (error: unknown) => callback(error as Error, null),
        );
    };
}

/** All addresses of a host as it is compared, each looked at. Throws OUTBOUND_BLOCKED and the resolver's own errors. */
export async function checkedAddresses(
    host: string,
    { policy, resolve }: Pick<SocketDeps, 'policy' | 'resolve'>,
): Promise<readonly string[]> {
    const addresses = isAddress(host) ? [host] : await resolve(host);
    policy.check(host, addresses);
    return addresses;
}

/** Returns the addresses that were found before, in the form that the caller requests. */
export function pinned(addresses: readonly string[]): LookupFunction {
    const answers = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
    return (_host, options, callback) => {
        const desired =
            options.family === 4 || options.family === 6
                ? answers.filter(({ family }) => family === options.family)
                : answers;
        const [first] = desired;
        if (!first)
            callback(Object.assign(new Error('no address of the requested family'), { code: 'ENOTFOUND' }), [], 0);
        else if (options.all) callback(null, desired);
        else callback(null, first.address, first.family);
    };
}
