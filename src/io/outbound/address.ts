/** 4 bytes for IPv4, 16 for IPv6. */
export type AddressBytes = Uint8Array;

/** The bytes of an address as `URL` and the resolver spell them; undefined for anything else, zone ids ("fe80::1%eth0") included. */
export function bytesOf(address: string): AddressBytes | undefined {
    return address.includes(':') ? ipv6(address) : ipv4(address);
}

function ipv4(text: string): AddressBytes | undefined {
    const parts = text.split('.');
    // A leading zero means octal to some and decimal to others; nobody who is well-meaning writes one.
    if (parts.length !== 4 || !parts.every(part => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255))
        return undefined;
    return Uint8Array.from(parts, Number);
}

function ipv6(text: string): AddressBytes | undefined {
    const halves = text.split('::');
    if (halves.length > 2) return undefined;
    const [head, tail] = halves.map(half => groups(half));
    if (!head || (halves.length === 2 && !tail)) return undefined;
    const missing = 16 - head.length - (tail?.length ?? 0);
    if (tail ? missing < 2 : missing !== 0) return undefined;
    return Uint8Array.from([...head, ...new Array<number>(missing).fill(0), ...(tail ?? [])]);
}

/** The bytes of groups between colons; the last may be an IPv4 address. */
function groups(text: string): number[] | undefined {
    if (text === '') return [];
    const parts = text.split(':');
    const bytes: number[] = [];
    for (const [i, part] of parts.entries()) {
        const four = i === parts.length - 1 && part.includes('.') ? ipv4(part) : undefined;
        if (four) bytes.push(...four);
        else if (/^[0-9a-fA-F]{1,4}$/.test(part))
            bytes.push(Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 0xff);
        else return undefined;
    }
    return bytes;
}

/**
 * What an address is: `public` may be reached by anybody, `private` only by a host that the shop's operator has listed, `metadata` hands
 * out a machine's credentials and must be listed itself, `never` is no address of a single machine.
 */
export type AddressClass = 'public' | 'private' | 'metadata' | 'never';

const RANK: Readonly<Record<AddressClass, number>> = { public: 0, private: 1, metadata: 2, never: 3 };

interface Block {
    readonly bytes: AddressBytes;
    readonly bits: number;
    readonly is: AddressClass;
}

const block = (cidr: string, is: AddressClass): Block => {
    const [address, bits] = cidr.split('/');
    return { bytes: bytesOf(address!)!, bits: Number(bits), is };
};

/** The IANA registry of special-purpose addresses; what stands first counts. */
const IPV4: readonly Block[] = [
    // Where clouds hand out credentials: most of them, Alibaba, Azure (in a public range), Oracle.
    ...[
        '169.254.169.254/32',
        '169.254.170.2/32',
        '169.254.170.23/32',
        '100.100.100.200/32',
        '168.63.129.16/32',
        '192.0.0.192/32',
    ].map(cidr => block(cidr, 'metadata')),
    ...['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4'].map(cidr => block(cidr, 'never')),
    ...[
        '10.0.0.0/8',
        '100.64.0.0/10',
        '127.0.0.0/8',
        '169.254.0.0/16',
        '172.16.0.0/12',
        '192.0.0.0/24',
        '192.0.2.0/24',
        '192.31.196.0/24',
        '192.52.193.0/24',
        '192.88.99.0/24',
        '192.168.0.0/16',
        '192.175.48.0/24',
        '198.18.0.0/15',
        '198.51.100.0/24',
        '203.0.113.0/24',
    ].map(cidr => block(cidr, 'private')),
];

/** Within 2000::/3, the only part of IPv6 that is public. */
const IPV6: readonly Block[] = [
    ...['fd00:ec2::254/128', 'fd20:ce::254/128', 'fe80::a9fe:a9fe/128'].map(cidr => block(cidr, 'metadata')),
    ...['::/128', 'ff00::/8'].map(cidr => block(cidr, 'never')),
    // Protocol assignments (with Teredo, benchmarking, ORCHID), documentation (old and new), 6to4.
    ...['2001::/23', '2001:db8::/32', '3fff::/20', '2002::/16'].map(cidr => block(cidr, 'private')),
    block('2000::/3', 'public'),
];

/** IPv6 that stands for IPv4, and from which byte on: mapped, compatible, translated (SIIT), NAT64 (well-known and local), 6to4. */
const EMBEDDED: ReadonlyArray<readonly [cidr: Block, at: number]> = [
    [block('::ffff:0:0/96', 'private'), 12],
    [block('::/96', 'private'), 12],
    [block('::ffff:0:0:0/96', 'private'), 12],
    [block('64:ff9b::/96', 'private'), 12],
    [block('64:ff9b:1::/48', 'private'), 12],
    [block('2002::/16', 'private'), 2],
];
const TEREDO = block('2001::/32', 'private');

export function classOf(address: AddressBytes): AddressClass {
    if (address.length === 4) return IPV4.find(one => isWithin(address, one))?.is ?? 'public';
    const own = IPV6.find(one => isWithin(address, one))?.is ?? 'private';
    // One that leads to an IPv4 address is at least private, since what it leads to depends on the network that it is sent into.
    return embeddedIn(address)
        .map(classOf)
        .reduce((worst, is) => (RANK[is] > RANK[worst] ? is : worst), own);
}

function embeddedIn(address: AddressBytes): readonly AddressBytes[] {
    // "::" and "::1" are addresses of their own.
    if (address.subarray(0, 15).every(byte => byte === 0)) return [];
    const found = EMBEDDED.filter(([one]) => isWithin(address, one)).map(([, at]) => address.slice(at, at + 4));
    // Teredo holds its server as it is and its client turned over.
    if (isWithin(address, TEREDO))
        found.push(
            address.slice(4, 8),
            address.slice(12, 16).map(byte => byte ^ 0xff),
        );
    return found;
}

function isWithin(address: AddressBytes, { bytes, bits }: Block): boolean {
    const whole = bits >> 3;
    for (let i = 0; i < whole; i++) if (address[i] !== bytes[i]) return false;
    const rest = bits & 7;
    return rest === 0 || (address[whole]! ^ bytes[whole]!) >> (8 - rest) === 0;
}
