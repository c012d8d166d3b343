import { said } from '../../../test/kit/said';
import { allowedHostProblem, isAllowedHost, secretTargetOf } from './secret-hosts';

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
    ])('%s, asked for %s:%i, answers %s', (entry, host, port, expected) => {
        expect(isAllowedHost([entry], { host, port })).toBe(expected);
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
    ])('cannot be %j', entry => {
        expect(allowedHostProblem(entry)).toContain(said('entry-is-not-a-host'));
        expect(isAllowedHost([entry], { host: 'erp.example.com', port: 443 })).toBe(false);
    });
});

describe('the server of a URL', () => {
    it.each([
        ['https://erp.example.com/a', { host: 'erp.example.com', port: 443 }],
        ['http://erp.example.com.:8080', { host: 'erp.example.com', port: 8080 }],
        ['http://[::1]/', { host: '::1', port: 80 }],
        ['ftp://erp.example.com:21', { host: 'erp.example.com', port: 21 }],
        ['nats://erp.example.com', undefined],
        ['not a url', undefined],
    ])('%s', (url, target) => {
        expect(secretTargetOf(url)).toEqual(target);
    });
});
