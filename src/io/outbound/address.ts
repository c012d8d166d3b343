import { CLOUD_METADATA, GLOBAL_UNICAST_IPV6, NO_MACHINE, SPECIAL_IPV4, SPECIAL_IPV6 } from './special-purpose';

/** 4 bytes for IPv4, 16 for IPv6. */
type AddressBytes = Uint8Array;

/** The bytes of an address as `URL` and the resolver spell them; undefined for anything else, zone ids ("fe80::1%eth0") included. */
export function addressBytes(address: string): AddressBytes | undefined {
    return address.includes(':') ? ipv6(address) : ipv4(address);
}

function ipv4(text: string): AddressBytes | undefined {
    const parts = text.split('.');
    // Some parsers read a leading zero as octal and others as decimal, so it is not accepted.
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
 * The class of an address. Everyone may reach a `public` one. A `private` one requires a host that the shop's operator has listed. A `metadata` one
 * provides a machine's credentials and must be listed itself. `never` is not the address of a single machine.
 */
export type AddressClass = 'public' | 'private' | 'metadata' | 'never';

const RANK: Readonly<Record<AddressClass, number>> = { public: 0, private: 1, metadata: 2, never: 3 };

interface Block {
    readonly bytes: AddressBytes;
    readonly bits: number;
}

const blockOf = (cidr: string): Block => {
    const [address, bits] = cidr.split('/');
    return { bytes: addressBytes(address!)!, bits: Number(bits) };
};
const blocksOf = (cidrs: readonly string[]): readonly Block[] => cidrs.map(blockOf);

const METADATA = blocksOf(CLOUD_METADATA);
const NEVER = blocksOf(NO_MACHINE);
const SPECIAL = [...SPECIAL_IPV4, ...SPECIAL_IPV6].map(([cidr, name]) => ({ ...blockOf(cidr), name }));
const UNICAST = blockOf(GLOBAL_UNICAST_IPV6);

/** Why an address is not an ordinary public one: the name of its row in IANA's registries; undefined for a public one. */
export function specialNameOf(address: AddressBytes): string | undefined {
    if (METADATA.some(one => isWithin(address, one))) return 'credentials of a cloud';
    const row = SPECIAL.find(one => isWithin(address, one));
    return row ? row.name : address.length === 4 || isWithin(address, UNICAST) ? undefined : 'Reserved by IETF';
}

export function classOf(address: AddressBytes): AddressClass {
    // An address that leads to an IPv4 address is at least private, since its target depends on the network that it
    // is sent into.
    return embeddedIn(address)
        .map(classOf)
        .reduce((worst, is) => (RANK[is] > RANK[worst] ? is : worst), ownClassOf(address));
}

function ownClassOf(address: AddressBytes): AddressClass {
    if (METADATA.some(one => isWithin(address, one))) return 'metadata';
    if (NEVER.some(one => isWithin(address, one))) return 'never';
    return specialNameOf(address) === undefined ? 'public' : 'private';
}

const LAST_FOUR = [12, 13, 14, 15];
/** IPv6 that stands for IPv4, and which of its bytes do: mapped, compatible, translated (SIIT), NAT64, 6to4. */
const EMBEDDED: ReadonlyArray<readonly [block: Block, at: ReadonlyArray<readonly number[]>]> = [
    [blockOf('::ffff:0:0/96'), [LAST_FOUR]],
    [blockOf('::/96'), [LAST_FOUR]],
    [blockOf('::ffff:0:0:0/96'), [LAST_FOUR]],
    [blockOf('64:ff9b::/96'), [LAST_FOUR]],
    // A network chooses the length of its prefix within the local one (RFC 6052), so any of the four may apply.
    [blockOf('64:ff9b:1::/48'), [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], LAST_FOUR]],
    [blockOf('2002::/16'), [[2, 3, 4, 5]]],
];
const TEREDO = blockOf('2001::/32');

function embeddedIn(address: AddressBytes): readonly AddressBytes[] {
    // "::" and "::1" are separate addresses.
    if (address.length === 4 || address.subarray(0, 15).every(byte => byte === 0)) return [];
    const found = EMBEDDED.filter(([one]) => isWithin(address, one)).flatMap(([, places]) => {
        const inner = places.map(place => Uint8Array.from(place, at => address[at]!));
        // Only one of several places applies; a value at another place that is not an address means nothing.
        return inner.length === 1 ? inner : inner.filter(one => ownClassOf(one) !== 'never');
    });
    // Teredo holds its server as it is and its client turned over.
    if (isWithin(address, TEREDO))
        found.push(
            address.slice(4, 8),
            address.slice(12, 16).map(byte => byte ^ 0xff),
        );
    return found;
}

function isWithin(address: AddressBytes, { bytes, bits }: Block): boolean {
    if (address.length !== bytes.length) return false;
    const whole = bits >> 3;
    for (let i = 0; i < whole; i++) if (address[i] !== bytes[i]) return false;
    const rest = bits & 7;
    return rest === 0 || (address[whole]! ^ bytes[whole]!) >> (8 - rest) === 0;
}
