import { hostProblemOf } from './host-problem';

describe('a URL that a definition asks', () => {
    const problem = hostProblemOf({ allowedHostnames: ['10.0.0.7', 'erp.localhost'], allowedPorts: [3306] });

    it.each([
        'https://api.example.com/stock/{{sku}}',
        'https://api.example.com:3306/',
        'http://10.0.0.7:8080/{{sku}}',
        'http://erp.localhost/{{sku}}',
        '/stock/{{sku}}',
        '?sku={{sku}}',
    ])('may be asked: %s', url => expect(problem(url)).toBeUndefined());

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
    ])('may not be asked: %s', url => expect(problem(url)).toEqual(expect.stringContaining('security.allowed')));
});
