import fc from 'fast-check';
import { said } from '../../../test/kit/said';
import { show } from '../data/show';
import type { JsonValue } from '../data/json';
import { Redactor } from './redactor';
import { Secret } from './secret';

const VALUE = 'k3y/with+odd "chars" & späces';
const knowing = (...values: readonly string[]): Redactor => {
    const redactor = new Redactor();
    for (const value of values) redactor.add(value);
    return redactor;
};

describe('a redactor', () => {
    it.each([
        ['as it is', VALUE],
        ['in a URL', encodeURIComponent(VALUE)],
        ['in a form', new URLSearchParams({ a: VALUE }).toString().slice(2)],
        ['in JSON', JSON.stringify(VALUE).slice(1, -1)],
        ['in base64', Buffer.from(VALUE).toString('base64')],
        ['in base64url', Buffer.from(VALUE).toString('base64url')],
        ['in hexadecimal', Buffer.from(VALUE).toString('hex')],
        ['in hexadecimal capitals', Buffer.from(VALUE).toString('hex').toUpperCase()],
    ])('takes a secret out %s', (_, form) => {
        expect(knowing(VALUE).text(`before ${form} between ${form}.`)).toBe('before [secret] between [secret].');
    });

    it('takes it out of the base64 of what holds it', () => {
        for (const user of ['a', 'ab', 'abc', 'abcd']) {
            const header = `Basic ${Buffer.from(`${user}:a long password:tail`).toString('base64')}`;
            const clean = knowing('a long password').text(header);
            expect(clean).toContain('[secret]');
            const rest = clean
                .replace('Basic ', '')
                .split('[secret]')
                .map(part => Buffer.from(part, 'base64').toString())
                .join(' ');
            expect(rest).not.toContain('passw');
        }
    });

    it('finds nothing that is left of a secret in whatever text holds it', () => {
        const text = fc.string({ maxLength: 30 });
        fc.assert(
            fc.property(fc.string({ minLength: 4, maxLength: 40 }), text, text, (value, before, after) => {
                const redactor = knowing(value);
                if ('[secret]'.includes(value) || `${before}[secret]${after}`.includes(value)) return;
                for (const form of [value, Buffer.from(value).toString('base64'), encodeURIComponent(value)]) {
                    expect(redactor.text(before + form + after)).not.toContain(form);
                }
            }),
        );
    });

    it('leaves nothing of two secrets that share a piece or contain each other', () => {
        expect(knowing('abcdef', 'defghi').text('x abcdefghi x')).toBe('x [secret] x');
        expect(knowing('pass', 'password-one').text('password-one')).toBe('[secret]');
        expect(knowing('aaaa').text('baaaaaab')).toBe('b[secret]b');
    });

    it('takes out what a message has left of a long secret when it cut it off', () => {
        const long = 'an-api-key-of-a-hundred-characters-'.repeat(3);
        expect(knowing(long).text(`value is ${show(long)}, which is no number`)).toBe(
            said('value-is-no-number', { value: '[secret]…' }),
        );
        expect(knowing(long).text(`Refused: ${long.slice(0, 40)}`)).toBe('Refused: [secret]');
        expect(knowing(long).text(`Refused: ${long.slice(0, 40)}... (cut)`)).toBe('Refused: [secret]... (cut)');
        expect(knowing(long).text(`relation "${long.slice(0, 63)}" does not exist`)).toBe(
            said('relation-does-not-exist', { relation: '[secret]' }),
        );
        expect(knowing(long).text('the an-api-key-of-another kind')).toBe('the an-api-key-of-another kind');
    });

    it('looks into JSON: values, keys, lists, whole numbers', () => {
        const value = { a: [{ [`key-${VALUE}`]: VALUE }, 12345678, 123456789, true, null], rest: 'fine' };
        expect(knowing(VALUE, '12345678').json(value)).toEqual({
            a: [{ 'key-[secret]': '[secret]' }, '[secret]', 123456789, true, null],
            rest: 'fine',
        });
    });

    it('looks into what adapters hand over beside JSON, and is not caught in a circle', () => {
        const facts: Record<string, unknown> = {
            url: new URL('https://shop.test/?key=hunter2-hunter2'),
            at: new Date(0),
            secret: new Secret('a', 'hunter2-hunter2'),
        };
        facts['self'] = { facts };
        const clean = knowing('hunter2-hunter2').json(facts as unknown as JsonValue);
        expect(clean).toEqual({
            url: 'https://shop.test/?key=[secret]',
            at: '1970-01-01T00:00:00.000Z',
            secret: '[secret]',
            self: { facts: '[circular]' },
        });
    });

    it('takes out a value without the blanks around it', () => {
        expect(knowing('\thunter2-hunter2\n').text('Bearer hunter2-hunter2')).toBe('Bearer [secret]');
    });

    it('survives half a surrogate pair', () => {
        expect(knowing('bad\ud800value').text('a bad\ud800value')).toBe('a [secret]');
    });

    it('does not know what is shorter than four characters', () => {
        expect(knowing('abc').isEmpty).toBe(true);
        expect(knowing('abc', '  x ').text('abc x')).toBe('abc x');
    });

    it('hands on the very same values while it knows nothing', () => {
        const value = { a: ['x'] };
        expect(new Redactor().json(value)).toBe(value);
        expect(new Redactor().text('text')).toBe('text');
    });

    it('tells whether a value holds one', () => {
        expect(knowing(VALUE).finds({ next: [`https://shop.test/?key=${VALUE}`] })).toBe(true);
        expect(knowing(VALUE).finds({ next: 'page 2' })).toBe(false);
        expect(new Redactor().finds({ next: VALUE })).toBe(false);
    });
});

describe('a secret', () => {
    const secret = new Secret('api', VALUE);

    it('shows itself only when it is asked to', async () => {
        const { inspect } = await import('node:util');
        expect(secret.reveal()).toBe(VALUE);
        const shown = [
            String(secret),
            `${secret as unknown as string}`,
            JSON.stringify({ secret }),
            inspect(secret),
            inspect({ secret }),
            JSON.stringify(Object.entries(secret)),
        ];
        for (const text of shown) expect(text).not.toContain('k3y');
    });
});
