/** A row of IANA's registries of special-purpose addresses: a block and the name that the registry gives it. */
type SpecialBlock = readonly [cidr: string, name: string];

/**
 * IANA IPv4 Special-Purpose Address Registry (RFC 6890 and 8190; its state of 2025-10-09), row by row, and multicast of the IPv4 address space. It
 * includes blocks that the registry calls globally reachable (AS112, AMT, anycast): the nearest machine answers there, which may be in the own
 * network, and ordinary hosts never have such addresses.
 */
export const SPECIAL_IPV4: readonly SpecialBlock[] = [
    ['0.0.0.0/32', '"This host on this network"'],
    ['0.0.0.0/8', '"This network"'],
    ['10.0.0.0/8', 'Private-Use'],
    ['100.64.0.0/10', 'Shared Address Space'],
    ['127.0.0.0/8', 'Loopback'],
    ['169.254.0.0/16', 'Link Local'],
    ['172.16.0.0/12', 'Private-Use'],
    ['192.0.0.0/29', 'IPv4 Service Continuity Prefix'],
    ['192.0.0.8/32', 'IPv4 dummy address'],
    ['192.0.0.9/32', 'Port Control Protocol Anycast'],
    ['192.0.0.10/32', 'Traversal Using Relays around NAT Anycast'],
    ['192.0.0.170/32', 'NAT64/DNS64 Discovery'],
    ['192.0.0.171/32', 'NAT64/DNS64 Discovery'],
    ['192.0.0.0/24', 'IETF Protocol Assignments'],
    ['192.0.2.0/24', 'Documentation (TEST-NET-1)'],
    ['192.31.196.0/24', 'AS112-v4'],
    ['192.52.193.0/24', 'AMT'],
    ['192.88.99.2/32', '6a44-relay anycast address'],
    ['192.88.99.0/24', 'Deprecated (6to4 Relay Anycast)'],
    ['192.168.0.0/16', 'Private-Use'],
    ['192.175.48.0/24', 'Direct Delegation AS112 Service'],
    ['198.18.0.0/15', 'Benchmarking'],
    ['198.51.100.0/24', 'Documentation (TEST-NET-2)'],
    ['203.0.113.0/24', 'Documentation (TEST-NET-3)'],
    ['224.0.0.0/4', 'Multicast'],
    ['255.255.255.255/32', 'Limited Broadcast'],
    ['240.0.0.0/4', 'Reserved'],
];

/**
 * IANA IPv6 Special-Purpose Address Registry (RFC 6890 and 8190; its state of 2025-10-09), row by row, and the IPv6 address space outside of
 * 2000::/3. A block within another one precedes it.
 */
export const SPECIAL_IPV6: readonly SpecialBlock[] = [
    ['::1/128', 'Loopback Address'],
    ['::/128', 'Unspecified Address'],
    ['::ffff:0:0/96', 'IPv4-mapped Address'],
    ['64:ff9b::/96', 'IPv4-IPv6 Translat.'],
    ['64:ff9b:1::/48', 'IPv4-IPv6 Translat.'],
    ['100::/64', 'Discard-Only Address Block'],
    ['100:0:0:1::/64', 'Dummy IPv6 Prefix'],
    ['2001::/32', 'TEREDO'],
    ['2001:1::1/128', 'Port Control Protocol Anycast'],
    ['2001:1::2/128', 'Traversal Using Relays around NAT Anycast'],
    ['2001:1::3/128', 'DNS-SD Service Registration Protocol Anycast'],
    ['2001:2::/48', 'Benchmarking'],
    ['2001:3::/32', 'AMT'],
    ['2001:4:112::/48', 'AS112-v6'],
    ['2001:10::/28', 'Deprecated (previously ORCHID)'],
    ['2001:20::/28', 'ORCHIDv2'],
    ['2001:30::/28', 'Drone Remote ID Protocol Entity Tags (DETs) Prefix'],
    ['2001::/23', 'IETF Protocol Assignments'],
    ['2001:db8::/32', 'Documentation'],
    ['2002::/16', '6to4'],
    ['2620:4f:8000::/48', 'Direct Delegation AS112 Service'],
    ['3fff::/20', 'Documentation'],
    ['5f00::/16', 'Segment Routing (SRv6) SIDs'],
    ['fc00::/7', 'Unique-Local'],
    ['fe80::/10', 'Link-Local Unicast'],
    ['ff00::/8', 'Multicast'],
];

/** The only part of IPv6 from which addresses of hosts are assigned; the rest is reserved by IETF. */
export const GLOBAL_UNICAST_IPV6 = '2000::/3';

/** Where clouds hand out a machine's credentials: most of them, AWS (containers), Alibaba, Azure (in a public range), Oracle; AWS, Google, all by IPv6. */
export const CLOUD_METADATA: readonly string[] = [
    '169.254.169.254/32',
    '169.254.170.2/32',
    '169.254.170.23/32',
    '100.100.100.200/32',
    '168.63.129.16/32',
    '192.0.0.192/32',
    'fd00:ec2::254/128',
    'fd20:ce::254/128',
    'fe80::a9fe:a9fe/128',
];

/** No address of a single machine: not even a host that is listed is reached there. */
export const NO_MACHINE: readonly string[] = ['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', '::/128', 'ff00::/8'];
