import { naming } from '../../../test/kit/naming';
import { deriveSecret, Secret } from './secret';
import { EVERY_HOST, secretHostError } from './secret-hosts';

const erp = { host: 'erp.example.com', port: 443 };
const mine = { host: 'my.server', port: 8080 };

describe('the value of a secret', () => {
    it('is revealed for an allowed host, and for no other', () => {
        const secret = new Secret('erp-token', 'k3y', ['erp.example.com']);
        expect(secret.revealFor(erp)).toBe('k3y');
        expect(() => secret.revealFor(mine)).toThrow(
            expect.objectContaining({
                code: 'SECRET_HOST_NOT_ALLOWED',
                treat: 'config',
                facts: {
                    code: 'erp-token',
                    host: 'my.server:8080',
                    hint: expect.stringMatching(naming('ManageFlowSecrets')) as string,
                },
            }),
        );
    });

    it('can only be allowed at another host in code if the code defines it', () => {
        const error = expect.objectContaining({
            code: 'SECRET_HOST_NOT_ALLOWED',
            facts: {
                code: 'erp-token',
                host: 'my.server:8080',
                hint: expect.stringMatching(naming('allowedHosts')) as string,
            },
        }) as Error;
        const secret = new Secret('erp-token', 'k3y', ['erp.example.com'], { codeFirst: true });
        expect(() => secret.revealFor(mine)).toThrow(error);
        expect(() => deriveSecret(secret, value => `Bearer ${value}`).revealFor(mine)).toThrow(error);
        expect(secretHostError({ code: 'erp-token', codeFirst: true }, mine)).toEqual(error);
    });

    it('is given out for no host unless hosts are given', () => {
        expect(() => new Secret('erp-token', 'k3y').revealFor(erp)).toThrow(
            expect.objectContaining({ code: 'SECRET_HOST_NOT_ALLOWED' }),
        );
    });

    it('may be sent to every host only in tests: a stored star allows nothing', () => {
        expect(new Secret('erp-token', 'k3y', EVERY_HOST).revealFor(mine)).toBe('k3y');
        expect(() => new Secret('erp-token', 'k3y', ['*']).revealFor(mine)).toThrow();
    });

    it('keeps its code and its hosts in values that are derived from it', () => {
        const header = deriveSecret(new Secret('erp-token', 'k3y', ['erp.example.com']), value => `Bearer ${value}`);
        expect(header.code).toBe('erp-token');
        expect(header.revealFor(erp)).toBe('Bearer k3y');
        expect(() => header.revealFor(mine)).toThrow(expect.objectContaining({ code: 'SECRET_HOST_NOT_ALLOWED' }));
    });

    it('is sent together with another one only if both may be sent', () => {
        const name = new Secret('name', 'shop', ['erp.example.com']);
        const word = new Secret('word', 'k3y', ['erp.example.com', 'my.server']);
        const both = deriveSecret(word, (value, other) => `${other}:${value}`, [name]);
        const pair = deriveSecret(both, text => `Basic ${text}`);
        expect(pair.revealFor(erp)).toBe('Basic shop:k3y');
        expect(() => pair.revealFor(mine)).toThrow(
            expect.objectContaining({
                code: 'SECRET_HOST_NOT_ALLOWED',
                facts: expect.objectContaining({ code: 'name', host: 'my.server:8080' }) as object,
            }),
        );
    });

    it('is distinguished from another one without being shown', () => {
        const digest = new Secret('a', 'k3y').digest();
        expect(digest).toBe(new Secret('b', 'k3y').digest());
        expect(digest).not.toBe(new Secret('a', 'k3z').digest());
        expect(digest).not.toContain('k3y');
    });
});
