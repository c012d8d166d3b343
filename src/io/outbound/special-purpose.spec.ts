import { textNaming } from '../../../test/kit/naming';
import { addressBytes, classOf } from './address';
import { OutboundPolicy } from './policy';
import { SPECIAL_IPV4, SPECIAL_IPV6 } from './special-purpose';

/**
 * The registries of IANA in their state of 2025-10-09, row by row: the block, its name, and whether the registry says True at "Globally Reachable"
 * (it says False, N/A or nothing at the others). Compared with three copies of the registries that others have published.
 */
const REGISTERED: ReadonlyArray<readonly [cidr: string, name: string, isGloballyReachable: boolean]> = [
    ['0.0.0.0/8', '"This network"', false],
    ['0.0.0.0/32', '"This host on this network"', false],
    ['10.0.0.0/8', 'Private-Use', false],
    ['100.64.0.0/10', 'Shared Address Space', false],
    ['127.0.0.0/8', 'Loopback', false],
    ['169.254.0.0/16', 'Link Local', false],
    ['172.16.0.0/12', 'Private-Use', false],
    ['192.0.0.0/24', 'IETF Protocol Assignments', false],
    ['192.0.0.0/29', 'IPv4 Service Continuity Prefix', false],
    ['192.0.0.8/32', 'IPv4 dummy address', false],
    ['192.0.0.9/32', 'Port Control Protocol Anycast', true],
    ['192.0.0.10/32', 'Traversal Using Relays around NAT Anycast', true],
    ['192.0.0.170/32', 'NAT64/DNS64 Discovery', false],
    ['192.0.0.171/32', 'NAT64/DNS64 Discovery', false],
    ['192.0.2.0/24', 'Documentation (TEST-NET-1)', false],
    ['192.31.196.0/24', 'AS112-v4', true],
    ['192.52.193.0/24', 'AMT', true],
    ['192.88.99.0/24', 'Deprecated (6to4 Relay Anycast)', false],
    ['192.88.99.2/32', '6a44-relay anycast address', false],
    ['192.168.0.0/16', 'Private-Use', false],
    ['192.175.48.0/24', 'Direct Delegation AS112 Service', true],
    ['198.18.0.0/15', 'Benchmarking', false],
    ['198.51.100.0/24', 'Documentation (TEST-NET-2)', false],
    ['203.0.113.0/24', 'Documentation (TEST-NET-3)', false],
    ['240.0.0.0/4', 'Reserved', false],
    ['255.255.255.255/32', 'Limited Broadcast', false],
    ['::1/128', 'Loopback Address', false],
    ['::/128', 'Unspecified Address', false],
    ['::ffff:0:0/96', 'IPv4-mapped Address', false],
    ['64:ff9b::/96', 'IPv4-IPv6 Translat.', true],
    ['64:ff9b:1::/48', 'IPv4-IPv6 Translat.', false],
    ['100::/64', 'Discard-Only Address Block', false],
    ['100:0:0:1::/64', 'Dummy IPv6 Prefix', false],
    ['2001::/23', 'IETF Protocol Assignments', false],
    ['2001::/32', 'TEREDO', false],
    ['2001:1::1/128', 'Port Control Protocol Anycast', true],
    ['2001:1::2/128', 'Traversal Using Relays around NAT Anycast', true],
    ['2001:1::3/128', 'DNS-SD Service Registration Protocol Anycast', true],
    ['2001:2::/48', 'Benchmarking', false],
    ['2001:3::/32', 'AMT', true],
    ['2001:4:112::/48', 'AS112-v6', true],
    ['2001:10::/28', 'Deprecated (previously ORCHID)', false],
    ['2001:20::/28', 'ORCHIDv2', true],
    ['2001:30::/28', 'Drone Remote ID Protocol Entity Tags (DETs) Prefix', true],
    ['2001:db8::/32', 'Documentation', false],
    ['2002::/16', '6to4', false],
    ['2620:4f:8000::/48', 'Direct Delegation AS112 Service', true],
    ['3fff::/20', 'Documentation', false],
    ['5f00::/16', 'Segment Routing (SRv6) SIDs', false],
    ['fc00::/7', 'Unique-Local', false],
    ['fe80::/10', 'Link-Local Unicast', false],
];
/** Of the registries of the whole address spaces. */
const BESIDE: ReadonlyArray<readonly [cidr: string, name: string]> = [
    ['224.0.0.0/4', 'Multicast'],
    ['ff00::/8', 'Multicast'],
];

/** The first and the last address of a block. */
function ends(cidr: string): readonly string[] {
    const [address = '', length = ''] = cidr.split('/');
    const bytes = addressBytes(address)!;
    const last = bytes.map((byte, i) => byte | (0xff >> Math.min(8, Math.max(0, Number(length) - i * 8))));
    return [address, textOf(last)];
}

function textOf(bytes: Uint8Array): string {
    if (bytes.length === 4) return bytes.join('.');
    const hex = Buffer.from(bytes).toString('hex');
    return hex.match(/.{4}/g)!.join(':');
}

const blocked = (address: string, name: string): Error =>
    expect.objectContaining({
        code: 'OUTBOUND_BLOCKED',
        facts: { host: 'shop.example', problem: textNaming(`${address} `, `(${name})`) },
    }) as Error;

describe('addresses of a special purpose', () => {
    it('are those of the registries of IANA, row by row', () => {
        const rows = [...SPECIAL_IPV4, ...SPECIAL_IPV6].map(([cidr, name]) => `${cidr} ${name}`).sort();
        expect(rows).toEqual([...REGISTERED, ...BESIDE].map(([cidr, name]) => `${cidr} ${name}`).sort());
    });

    it.each(REGISTERED)('%s (%s, globally reachable: %s) are rejected from the first to the last', (cidr, name) => {
        const policy = new OutboundPolicy({ allowedHostnames: [] });
        const isInner = (address: string): boolean =>
            REGISTERED.some(([other]) => other !== cidr && ends(other).includes(address));
        for (const address of ends(cidr)) {
            expect([address, classOf(addressBytes(address)!)]).not.toEqual([address, 'public']);
            const rejected = expect(() => policy.check('shop.example', [address]));
            // An inner block may begin or end at the same address, and has a different name.
            if (isInner(address)) rejected.toThrow();
            else rejected.toThrow(blocked(address, name));
        }
    });

    it('have ordinary ones as neighbours', () => {
        for (const address of ['9.255.255.255', '11.0.0.0', '100.128.0.0', '192.0.1.0', '192.31.197.0', '198.20.0.0'])
            expect([address, classOf(addressBytes(address)!)]).toEqual([address, 'public']);
        for (const address of ['2001:200::1', '2001:db9::', '2003::1', '2620:4f:8001::', '3ffe::1'])
            expect([address, classOf(addressBytes(address)!)]).toEqual([address, 'public']);
    });
});
