import { hostProblemOf } from './host-problem';

const problem = hostProblemOf({ allowedHostnames: ['10.0.0.7', 'erp.localhost'], allowedPorts: [3306] });

describe('a URL in a definition', () => {
    const problemOf = (text: string, usualPorts: readonly number[] = []): string | undefined =>
        problem({ form: 'url', text, usualPorts, path: 'url' })?.message;

    it.each([
        'https://api.example.com/stock/{{sku}}',
        'https://api.example.com:3306/',
        'http://10.0.0.7:8080/{{sku}}',
        'http://erp.localhost/{{sku}}',
        '/stock/{{sku}}',
        '?sku={{sku}}',
    ])('is allowed: %s', url => expect(problemOf(url)).toBeUndefined());

    it.each([
        'http://169.254.169.254/latest/{{sku}}',
        'http://127.0.0.1/{{sku}}',
        'http://2130706433/',
        'http://[::1]:8080/',
        'http://10.0.0.8/',
        'http://localhost:3000/{{sku}}',
        'http://LOCALHOST./',
        'http://db.localhost/',
        'http://api.example.com:5432/',
    ])('is not allowed: %s', url => expect(problemOf(url)).toEqual(expect.stringContaining('security.allowed')));

    it('may have the usual port of its service, and no private host with it', () => {
        expect(problemOf('https://search.example.com:9200', [9200])).toBeUndefined();
        expect(problemOf('https://search.example.com:9300', [9200])).toContain('security.allowed');
        expect(problemOf('https://10.0.0.8:9200', [9200])).toContain('security.allowed');
    });
});

describe('a host that a configuration names', () => {
    const problemOf = (text: string): string | undefined =>
        problem({ form: 'host', text, usualPorts: [], path: 'host' })?.message;

    it.each(['ftp.example.com', 'FTP.example.com.', '203.0.114.5', '10.0.0.7', 'erp.localhost', '2606:4700::1111'])(
        'may be reached: %s',
        host => expect(problemOf(host)).toBeUndefined(),
    );

    it.each([
        '169.254.169.254',
        '127.0.0.1',
        '2130706433',
        '::1',
        '[::1]',
        '::ffff:10.0.0.8',
        '10.0.0.8',
        'localhost',
        'LOCALHOST.',
        'db.localhost',
    ])('may not be reached: %s', host => expect(problemOf(host)).toEqual(expect.stringContaining('security.allowed')));
});
