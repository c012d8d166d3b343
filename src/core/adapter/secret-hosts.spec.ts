import { naming } from '../../../test/kit/naming';
import { allowedEntryOf, allowedHostProblem, isAllowedHost, secretTargetOf, withSubdomains } from './secret-hosts';

describe('allowed hosts of a secret', () => {
    it.each([
        ['erp.example.com', 'erp.example.com', 443, true],
        ['erp.example.com', 'ERP.Example.com.', 8443, true],
        ['erp.example.com:8443', 'erp.example.com', 8443, true],
        ['erp.example.com:8443', 'erp.example.com', 443, false],
        ['*.example.com', 'erp.example.com', 443, true],
        ['*.example.com', 'a.b.example.com', 443, true],
        ['*.example.com', 'example.com', 443, false],
        ['*.example.com', 'erpexample.com', 443, false],
        ['*.example.com', 'erp.example.com.evil.test', 443, false],
        ['erp.example.com', 'erp.example.com.evil.test', 443, false],
        ['127.0.0.1', '2130706433', 80, true],
        ['[::1]:6379', '::1', 6379, true],
        ['bücher.example', 'xn--bcher-kva.example', 443, true],
        ['erp.example.com', '', 443, false],
    ])('%s for the server %s:%i: %s', (entry, host, port, expected) => {
        expect(isAllowedHost([entry], { host, port })).toBe(expected);
    });

    it.each([
        ['erp.example.com', 'http://erp.example.com', false],
        ['erp.example.com:80', 'http://erp.example.com', false],
        ['*.example.com', 'http://erp.example.com', false],
        ['http://erp.example.com', 'http://erp.example.com', true],
        ['http://erp.example.com', 'https://erp.example.com', true],
        ['http://*.example.com:8080', 'http://erp.example.com:8080', true],
        ['http://erp.example.com:8080', 'http://erp.example.com', false],
        ['127.0.0.1', 'http://127.0.0.1:8080', true],
        ['10.0.0.7', 'http://10.0.0.7', true],
        ['172.32.0.1', 'http://172.32.0.1', false],
        ['[fd00::7]', 'http://[fd00::7]', true],
        ['[2001:db8::7]', 'http://[2001:db8::7]', false],
        ['meilisearch', 'http://meilisearch:7700', true],
        ['erp.internal', 'http://erp.internal', true],
        ['erp.internal.example.com', 'http://erp.internal.example.com', false],
    ])('%s for the URL %s: %s; without TLS only in a private network or with http://', (entry, url, expected) => {
        expect(isAllowedHost([entry], secretTargetOf(url)!)).toBe(expected);
    });

    it.each([
        ['http://erp.example.com', 'http://erp.example.com:80'],
        ['https://erp.example.com', 'erp.example.com:443'],
        ['http://10.0.0.7', '10.0.0.7:80'],
        ['http://[2001:db8::7]:8080', 'http://[2001:db8::7]:8080'],
    ])('are made of %s as %s, which allows it', (url, entry) => {
        const target = secretTargetOf(url)!;
        expect(allowedEntryOf(target)).toBe(entry);
        expect(isAllowedHost([entry], target)).toBe(true);
    });

    it('are followed by their subdomains if the host name may contain a bucket', () => {
        expect(withSubdomains('http://s3.example.com:80')).toEqual([
            'http://s3.example.com:80',
            'http://*.s3.example.com:80',
        ]);
        expect(withSubdomains('s3.example.com:443')).toEqual(['s3.example.com:443', '*.s3.example.com:443']);
    });

    it('allow nothing when the list is empty', () => {
        expect(isAllowedHost([], { host: 'erp.example.com', port: 443 })).toBe(false);
    });

    it.each([
        '',
        '*',
        '*.',
        'https://erp.example.com',
        'erp.example.com/path',
        'user@host',
        'a b',
        'host:0',
        'host:99999',
        '*.*.com',
        'http://',
        'http://erp.example.com/path',
    ])('cannot be %j', entry => {
        expect(allowedHostProblem(entry)?.message).toMatch(naming(`"${entry}"`, '"*.example.com"'));
        expect(isAllowedHost([entry], { host: 'erp.example.com', port: 443 })).toBe(false);
    });
});

describe('the server of a URL', () => {
    it.each([
        ['https://erp.example.com/a', { host: 'erp.example.com', port: 443 }],
        ['http://erp.example.com.:8080', { host: 'erp.example.com', port: 8080, isPlain: true }],
        ['http://[::1]/', { host: '::1', port: 80, isPlain: true }],
        ['ftp://erp.example.com:21', { host: 'erp.example.com', port: 21 }],
        ['nats://erp.example.com', undefined],
        ['not a url', undefined],
    ])('%s', (url, target) => {
        expect(secretTargetOf(url)).toEqual(target);
    });
});
