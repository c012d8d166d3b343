import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildConnector } from 'undici';
import { HOSTILE_ANSWERS, HOSTILE_URLS, PUBLIC_ADDRESSES } from '../../../test/fixtures/hostile-addresses';
import { textNaming } from '../../../test/kit/naming';
import type { OutboundHttp, OutboundRequest } from '../../core/adapter/http';
import { type AddressClass, addressBytes, classOf } from './address';
import { type GatewayOptions, OutboundGateway } from './gateway';
import { OutboundPolicy } from './policy';
import type { MakeConnector, Resolve } from './socket';
import { SPECIAL_IPV4, SPECIAL_IPV6 } from './special-purpose';

/** The sockets that the fake connector was requested to open. */
const opened: string[] = [];
const noSockets: MakeConnector =
    () =>
    ({ hostname, port }, callback) => {
        opened.push(`${hostname}:${port}`);
        callback(Object.assign(new Error('no sockets here'), { code: 'ECONNREFUSED' }), null);
    };
const noNames: Resolve = host => Promise.reject(new Error(`${host} was looked up`));

const gateways: OutboundGateway[] = [];
function doorWith(options: Partial<GatewayOptions>): OutboundHttp {
    const gateway = new OutboundGateway({
        allowedHostnames: [],
        resolve: noNames,
        makeConnector: noSockets,
        ...options,
    });
    gateways.push(gateway);
    return gateway.forRun({ scope: 'test', rateLimitRps: 0 }).http;
}
const request = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
    url,
    method: 'GET',
    timeoutMs: 5000,
    signal: new AbortController().signal,
    ...more,
});
const codeOf = (answer: Promise<unknown>): Promise<string> =>
    answer.then(
        () => 'sent',
        (error: { code?: string }) => error.code ?? String(error),
    );

beforeEach(() => {
    opened.length = 0;
});
afterAll(() => Promise.all(gateways.map(gateway => gateway.close())));

describe('the door', () => {
    it('has a table of hostile addresses', () => {
        expect(HOSTILE_URLS.length).toBeGreaterThan(300);
        expect(HOSTILE_ANSWERS.length).toBeGreaterThan(100);
    });

    const gateway = doorWith({});
    it.each(HOSTILE_URLS)('does not go to %j', async url => {
        expect(await codeOf(gateway.send(request(url)))).toBe('OUTBOUND_BLOCKED');
        expect(opened).toEqual([]);
    });

    it.each(HOSTILE_ANSWERS.map(answer => [answer]))('does not go to a name that answers %j', async answer => {
        const named = doorWith({ resolve: () => Promise.resolve(answer) });
        for (const url of ['http://shop.example/', 'https://shop.example:8443/'])
            expect(await codeOf(named.send(request(url)))).toBe('OUTBOUND_BLOCKED');
        expect(opened).toEqual([]);
    });

    it('goes to public addresses, however close they are to others', () => {
        const policy = new OutboundPolicy({ allowedHostnames: [] });
        for (const address of PUBLIC_ADDRESSES) expect(() => policy.check('shop.example', [address])).not.toThrow();
        expect(() => policy.check('shop.example', PUBLIC_ADDRESSES)).not.toThrow();
    });

    it('goes to the very address that it has looked at, whatever the name server says next', async () => {
        const answers = [['93.184.216.34'], ['127.0.0.1']];
        let requested = 0;
        const given: unknown[] = [];
        const makeConnector: MakeConnector =
            options =>
            ({ hostname }, callback) => {
                const { lookup } = options as {
                    lookup: (host: string, options: object, callback: (error: null, answers: unknown) => void) => void;
                };
                lookup(hostname, { all: true }, (_, addresses) => given.push(addresses));
                lookup(hostname, { all: true }, (_, addresses) => given.push(addresses));
                callback(Object.assign(new Error('far enough'), { code: 'ECONNREFUSED' }), null);
            };
        const rebound = doorWith({ makeConnector, resolve: () => Promise.resolve(answers[requested++]!) });
        expect(await codeOf(rebound.send(request('http://rebind.example/')))).toBe('REMOTE_BUSY');
        expect(requested).toBe(1);
        const pinned = [{ address: '93.184.216.34', family: 4 }];
        expect(given).toEqual([pinned, pinned]);
        expect(await codeOf(rebound.send(request('http://rebind.example/')))).toBe('OUTBOUND_BLOCKED');
        expect([requested, given.length]).toEqual([2, 2]);
    });

    it('goes to private hosts that are listed, by just these names', async () => {
        const resolve: Resolve = host => Promise.resolve(host.startsWith('cloud') ? ['169.254.169.254'] : ['10.0.0.5']);
        const listed = doorWith({
            allowedHostnames: [
                'ERP.internal.',
                '10.0.0.7',
                '[fd00::5]',
                'cloud.internal',
                'bücher.internal',
                '169.254.170.2',
            ],
            resolve,
        });
        const reach = (url: string): Promise<string> => codeOf(listed.send(request(url)));
        for (const url of [
            'http://erp.internal/',
            'http://ERP.INTERNAL./',
            'http://10.0.0.7/',
            'http://0xa000007/',
            'http://[fd00:0::5]/',
            'http://xn--bcher-kva.internal/',
            'http://erp.internal:22/',
            'http://169.254.170.2/',
        ]) {
            expect([url, await reach(url)]).toEqual([url, 'REMOTE_BUSY']);
        }
        expect(opened).toHaveLength(8);
        for (const url of [
            'http://a.erp.internal/',
            'http://erp.internal.example/',
            'http://10.0.0.8/',
            'http://10.0.0.5/',
            'http://[fd00::6]/',
            'http://[::ffff:10.0.0.7]/',
            'http://cloud.internal/',
            'http://169.254.169.254/',
        ]) {
            expect([url, await reach(url)]).toEqual([url, 'OUTBOUND_BLOCKED']);
        }
        expect(opened).toHaveLength(8);
    });

    it('rejects every block of the registries of IANA, and gives its name there', () => {
        const policy = new OutboundPolicy({ allowedHostnames: [] });
        const rows = [...SPECIAL_IPV4, ...SPECIAL_IPV6].map(([cidr, name]) => [cidr.split('/')[0]!, name] as const);
        const others = [
            ['2620:4f:8000::1', 'Direct Delegation AS112 Service'],
            ['4000::1', 'Reserved by IETF'],
            ['169.254.169.254', 'credentials of a cloud'],
        ] as const;
        // A block may begin with a smaller one, which precedes it.
        for (const [address, name] of [
            ...rows.filter(([one], at) => rows.findIndex(([of]) => of === one) === at),
            ...others,
        ])
            expect(() => policy.check('shop.example', [address])).toThrow(
                expect.objectContaining({
                    code: 'OUTBOUND_BLOCKED',
                    facts: {
                        host: 'shop.example',
                        problem: textNaming(`${address} `, `(${name})`, 'security.allowedHostnames'),
                    },
                }),
            );
        for (const [address] of rows) expect(() => policy.check('shop.example', [address])).toThrow();
    });

    it('classifies an address by the address inside it, if that is worse', async () => {
        const classes = (text: string): AddressClass => classOf(addressBytes(text)!);
        const inner = {
            '8.8.8.8': 'private',
            '10.0.0.1': 'private',
            '169.254.169.254': 'metadata',
            '224.0.0.1': 'never',
        };
        for (const [address, expected] of Object.entries(inner)) {
            const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
            const hex = (one: number, two: number): string => ((one << 8) | two).toString(16);
            const [high, low] = [hex(a, b), hex(c, d)];
            const client = [hex(a ^ 0xff, b ^ 0xff), hex(c ^ 0xff, d ^ 0xff)].join(':');
            for (const text of [
                `::ffff:${address}`,
                `::ffff:0:${high}:${low}`,
                `64:ff9b::${high}:${low}`,
                `2002:${high}:${low}::1`,
                `2001:0:${high}:${low}::f7f7:f7f7`,
                `2001:0:808:808:0:0:${client}`,
            ])
                expect([text, classes(text)]).toEqual([text, expected]);
        }
        // The local NAT64 prefix may end anywhere: what is meant is not known, so credentials at any place are.
        for (const text of ['64:ff9b:1:a9fe:a9:fe00::', '64:ff9b:1:a9:fe:a9fe::', '64:ff9b:1:0:a9:fea9:fe00::'])
            expect([text, classes(text)]).toEqual([text, 'metadata']);
        expect(classes('64:ff9b:1::808:808')).toBe('private');
        const listed = doorWith({
            allowedHostnames: ['nat.example'],
            resolve: () => Promise.resolve(['64:ff9b:1::808:808', '64:ff9b::808:808']),
        });
        expect(await codeOf(listed.send(request('http://nat.example/')))).toBe('REMOTE_BUSY');
    });

    it('goes to ports of internal services where they are listed, or their host is', async () => {
        const resolve: Resolve = () => Promise.resolve(['93.184.216.34']);
        const listed = doorWith({ allowedHostnames: ['db.example'], allowedPorts: [9200], resolve });
        const reach = (url: string): Promise<string> => codeOf(listed.send(request(url)));
        for (const url of ['http://search.example:9200/', 'http://db.example:6379/', 'http://search.example:8443/'])
            expect([url, await reach(url)]).toEqual([url, 'REMOTE_BUSY']);
        expect(opened).toHaveLength(3);
        for (const url of ['http://search.example:9300/', 'http://search.example:6379/', 'http://127.0.0.1:9200/'])
            expect([url, await reach(url)]).toEqual([url, 'OUTBOUND_BLOCKED']);
        await expect(listed.send(request('http://search.example:6379/'))).rejects.toMatchObject({
            code: 'OUTBOUND_BLOCKED',
            facts: {
                host: 'search.example',
                problem: textNaming('port 6379 ', 'Redis', 'security.allowedPorts', 'security.allowedHostnames'),
            },
        });
        expect(opened).toHaveLength(3);
    });

    describe('with a real server that redirects', () => {
        let server: Server;
        let base: string;
        let location = '';
        let status = 302;
        const requested: string[] = [];
        const sockets: string[] = [];
        const makeConnector: MakeConnector = options => (target, callback) => {
            sockets.push(target.hostname);
            buildConnector(options)(target, callback);
        };
        const real = doorWith({
            allowedHostnames: ['start.test'],
            makeConnector,
            resolve: host => Promise.resolve(host === 'internal.test' ? ['127.0.0.2'] : ['127.0.0.1']),
        });

        beforeAll(done => {
            server = createServer(({ url }, response) => {
                requested.push(url!);
                response.writeHead(status, { location: Buffer.from(location).toString('latin1') }).end();
            }).listen(0, '127.0.0.1', () => {
                base = `http://start.test:${(server.address() as AddressInfo).port}/`;
                done();
            });
        });
        afterAll(done => {
            server.close(done);
            server.closeAllConnections();
        });
        beforeEach(() => {
            requested.length = 0;
        });

        // A redirect to a relative URL, and one that no header can contain, do not lead elsewhere.
        const carried = HOSTILE_URLS.filter(
            url => /^[\x20-\x7e]+$/.test(url) && /^\s*[a-z+]+:/i.test(url) && !/^http:\/?[^/\\]/i.test(url.trim()),
        );
        it.each(carried)('does not follow it to %j', async url => {
            location = url;
            status = [301, 302, 303, 307, 308][url.length % 5]!;
            expect(await codeOf(real.send(request(base)))).toBe('OUTBOUND_BLOCKED');
            expect(requested).toEqual(['/']);
            expect(sockets.filter(host => host !== 'start.test')).toEqual([]);
        });

        it.each([
            'http://internal.test/',
            'http://localhost/',
            'http://start.test.example/',
            '//internal.test/',
            'http://internal.test:1234/x',
        ])('does not follow it to the private host of %j', async url => {
            location = url;
            expect(await codeOf(real.send(request(base)))).toBe('OUTBOUND_BLOCKED');
            expect(sockets.filter(host => host !== 'start.test')).toEqual([]);
        });

        it("never reaches the server by a name that is not listed, the system's own included", async () => {
            const { port } = new URL(base);
            const system = new OutboundGateway({ allowedHostnames: [] });
            gateways.push(system);
            const { http } = system.forRun({ scope: 'test', rateLimitRps: 0 });
            for (const host of [
                'localhost',
                'LOCALHOST',
                'localhost.',
                '127.0.0.1',
                '[::ffff:127.0.0.1]',
                '0.0.0.0',
                '2130706433',
            ]) {
                expect([host, await codeOf(http.send(request(`http://${host}:${port}/`)))]).toEqual([
                    host,
                    'OUTBOUND_BLOCKED',
                ]);
            }
            expect(requested).toEqual([]);
        });
    });
});
