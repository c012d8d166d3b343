import { headerNameProblem, staticHeaderProblem } from './static-headers';

describe('a header that is sent as it is configured', () => {
    it.each([
        'X-Hmac',
        'X-Shopify-Hmac-Sha256',
        'X-Hub-Signature-256',
        'XSignature',
        'X-AuthToken',
        'X-Refresh-Token',
        'X-Client-Secret',
        'X-Session',
        'X-SessionKey',
        'OK-ACCESS-PASSPHRASE',
        'X-Api-Key',
        'apikey',
        'x-functions-key',
        'Authorization',
        'Cookie',
    ])('is rejected if %s names a credential', name => {
        expect(staticHeaderProblem(name, 'x')).toBeDefined();
    });

    it.each([
        'Host',
        'X-Host',
        'X-Forwarded-Host',
        'X-Original-Host',
        'X-Client-IP',
        'True-Client-IP',
        'Content-Encoding',
    ])('is rejected if %s belongs to the transport, whatever its source', name => {
        expect(staticHeaderProblem(name, 'x')).toBeDefined();
        expect(headerNameProblem(name)).toBeDefined();
    });

    it.each(['Bearer abc', 'bearer abc', 'Basic dXNlcjpwYXNz', ' Basic x'])(
        'is rejected if its value is the credential %j, without quoting it',
        value => {
            const problem = staticHeaderProblem('X-Shop', value);
            expect(problem).toBeDefined();
            expect(JSON.stringify(problem)).not.toContain(value.trim());
        },
    );

    it.each([
        ['X-Shop', 'eu'],
        ['X-Ghost-Writer', 'x'],
        ['X-Tenant', 'Basics'],
        ['Accept-Language', 'de'],
        ['Content-Type', 'application/json'],
        ['Idempotency-Key', 'x'],
        ['X-Client', 'x'],
    ])('may be %s: %s', (name, value) => {
        expect(staticHeaderProblem(name, value)).toBeUndefined();
    });

    it('may have any name of a credential if its value is a secret', () => {
        for (const name of ['X-Hmac', 'X-Api-Key', 'x-functions-key', 'X-Signature'])
            expect(headerNameProblem(name)).toBeUndefined();
    });
});
