import fc from 'fast-check';
import { charactersRead } from '../../../test/kit/characters-read';
import { show } from '../value/show';
import type { JsonValue } from '../value/json';
import { SecretMatchers } from './secret-matchers';
import { Redactor } from './redactor';
import { revealInProcess, Secret } from './secret';

const VALUE = 'k3y/with+odd "chars" & späces';
const RICH = `${VALUE} <i>'`;
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

    it.each([
        ['percent-encoded in small letters', 'k3y%2fwith%2bodd%20%22chars%22%20%26%20sp%c3%a4ces%20%3ci%3e%27'],
        ['percent-encoded but for the slash', 'k3y/with%2Bodd%20%22chars%22%20%26%20sp%C3%A4ces%20%3Ci%3E%27'],
        ['as encodeURI has it', encodeURI(RICH)],
        ['percent-encoded twice', encodeURIComponent(encodeURIComponent(RICH))],
        [
            'percent-encoded twice in small letters',
            encodeURIComponent(encodeURI(RICH).replace(/%../g, hex => hex.toLowerCase())),
        ],
        ['in a form that is percent-encoded', encodeURIComponent(new URLSearchParams({ a: RICH }).toString().slice(2))],
        ['in HTML', 'k3y/with+odd &quot;chars&quot; &amp; späces &lt;i&gt;&#39;'],
        ['in HTML by PHP', 'k3y/with+odd &quot;chars&quot; &amp; sp&auml;ces &lt;i&gt;&#039;'],
        ['in an XML text', 'k3y/with+odd "chars" &amp; späces &lt;i&gt;\''],
        ['in an XML attribute', 'k3y/with+odd &quot;chars&quot; &amp; sp&#228;ces &lt;i&gt;&apos;'],
        ['in entities with decimal numbers', 'k3y/with+odd &#34;chars&#34; &#38; sp&#228;ces &#60;i&#62;&#39;'],
        [
            'in entities with hexadecimal numbers',
            'k3y/with+odd &#x22;chars&#x22; &#x26; sp&#xe4;ces &#x3c;i&#x3e;&#x27;',
        ],
        [
            'in entities with hexadecimal capitals',
            'k3y/with+odd &#x22;chars&#x22; &#x26; sp&#xE4;ces &#x3C;i&#x3E;&#x27;',
        ],
        [
            'in entities for all but letters',
            RICH.replace(/[^A-Za-z\d]/g, char => `&#x${char.charCodeAt(0).toString(16)};`),
        ],
        ['in entities throughout', [...RICH].map(char => `&#${char.charCodeAt(0)};`).join('')],
        ['in JSON of ASCII', 'k3y/with+odd \\"chars\\" & sp\\u00e4ces <i>\''],
        ['in JSON of ASCII in capitals', 'k3y/with+odd \\"chars\\" & sp\\u00E4ces <i>\''],
        ['in JSON by PHP', 'k3y\\/with+odd \\"chars\\" & sp\\u00e4ces <i>\''],
        ['in JSON by Go', 'k3y/with+odd \\"chars\\" \\u0026 späces \\u003ci\\u003e\''],
        ['in JSON by .NET', 'k3y/with\\u002Bodd \\u0022chars\\u0022 \\u0026 sp\\u00E4ces \\u003Ci\\u003E\\u0027'],
        ['in JSON within JSON', JSON.stringify(JSON.stringify({ a: RICH })).slice(10, -4)],
        ['in JSON of ASCII within JSON', 'k3y/with+odd \\\\\\"chars\\\\\\" & sp\\\\u00e4ces <i>\''],
        ['in base64 of Latin-1', Buffer.from(RICH, 'latin1').toString('base64')],
        ['in base64 in a URL', encodeURIComponent(Buffer.from(RICH).toString('base64'))],
        ['in base64 in JSON by PHP', Buffer.from(RICH).toString('base64').replaceAll('/', '\\/')],
    ])('takes a secret out %s', (_, form) => {
        expect(knowing(RICH).text(`before ${form} between ${form}.`)).toBe('before [secret] between [secret].');
    });

    it.each([
        ['64', '\n', 64],
        ['76', '\r\n', 76],
        ['76, in JSON', '\\n', 76],
        ['76, in JSON with carriage returns', '\\r\\n', 76],
        ['60, in a header', '\r\n  ', 60],
    ])('takes it out of base64 in lines of %s', (_, lineEnd, width) => {
        for (const before of ['', 'a', 'ab', 'abc', `${'x'.repeat(70)}`, 'y'.repeat(71), 'z'.repeat(72)]) {
            const lines = Buffer.from(`${before}${RICH} ${RICH}${before}`)
                .toString('base64')
                .match(new RegExp(`.{1,${width}}`, 'g'))!;
            const clean = knowing(RICH).text(`Body:\n\n${lines.join(lineEnd)}\n\nend`);
            expect(clean).toMatch(/^Body:\n\n[^]*\[secret\][^]*\n\nend$/);
            const rest = clean.replace(/^Body:\n\n|\n\nend$/g, '').replaceAll(lineEnd, '');
            for (const part of rest.split('[secret]'))
                for (const from of [0, 1, 2, 3])
                    expect(Buffer.from(part.slice(from), 'base64').toString()).not.toMatch(/with|odd|chars|ces/);
        }
    });

    it('does not change lines without base64 of it', () => {
        const text = ['k3y/with', '    k3y/with+odd', 'chars\r', '\tsp', 'ces'].join('\n');
        expect(knowing(RICH).text(text)).toBe(text);
    });

    it('removes it from the base64 of a longer text', () => {
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

    it('leaves nothing of a secret in any text', () => {
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

    it('removes the rest of a long secret that a message has cut off', () => {
        const long = 'an-api-key-of-a-hundred-characters-'.repeat(3);
        expect(knowing(long).text(`Rejected: ${show(long)}, and more`)).toBe('Rejected: "[secret]…", and more');
        expect(knowing(long).text(`Rejected: ${long.slice(0, 40)}`)).toBe('Rejected: [secret]');
        expect(knowing(long).text(`Rejected: ${long.slice(0, 40)}... (cut)`)).toBe('Rejected: [secret]... (cut)');
        expect(knowing(long).text(`Rejected: "${long.slice(0, 63)}" (cut)`)).toBe('Rejected: "[secret]" (cut)');
        expect(knowing(long).text('the an-api-key-of-another kind')).toBe('the an-api-key-of-another kind');
    });

    it('redacts JSON: values, keys, lists, whole numbers', () => {
        const value = { a: [{ [`key-${VALUE}`]: VALUE }, 12345678, 123456789, true, null], rest: 'fine' };
        expect(knowing(VALUE, '12345678').json(value)).toEqual({
            a: [{ 'key-[secret]': '[secret]' }, '[secret]', 123456789, true, null],
            rest: 'fine',
        });
    });

    it('redacts values of adapters that are not JSON, and ends for circular values', () => {
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

    it('recognizes some values only unchanged, or in JSON', () => {
        const redactor = new Redactor();
        redactor.addAsWritten(VALUE);
        redactor.addAsWritten('abc');
        expect(redactor.text(`${VALUE} ${JSON.stringify(VALUE)} abc`)).toBe('[secret] "[secret]" abc');
    });

    it('ignores secrets that are shorter than four characters', () => {
        expect(knowing('abc').isEmpty).toBe(true);
        expect(knowing('abc', '  x ').text('abc x')).toBe('abc x');
    });

    it('returns the same values while it knows no secrets', () => {
        const value = { a: ['x'] };
        expect(new Redactor().json(value)).toBe(value);
        expect(new Redactor().text('text')).toBe('text');
    });

    it('detects whether a value contains a secret', () => {
        expect(knowing(VALUE).finds({ next: [`https://shop.test/?key=${VALUE}`] })).toBe(true);
        expect(knowing(VALUE).finds({ next: 'page 2' })).toBe(false);
        expect(new Redactor().finds({ next: VALUE })).toBe(false);
    });
});

describe('the time of a redactor grows only with the text', () => {
    const LENGTH = 10_000;
    /** Looks at each character, for all forms together; a secret of a thousand characters could be looked for at each place in vain. */
    const MOST = 120;
    const SECRETS: ReadonlyArray<readonly [string, string]> = [
        ['one letter', 'a'.repeat(1000)],
        ['one letter after another', `b${'a'.repeat(999)}`],
        ['one letter before another', `${'a'.repeat(999)}b`],
        ['one letter, short', 'aaaa'],
        ['two letters', 'ab'.repeat(500)],
        ['blocks that nearly repeat', `${'a'.repeat(20)}b`.repeat(40)],
        ['quotes, at which texts are cut off', '"'.repeat(1000)],
        ['dots', '.'.repeat(1000)],
    ];
    const texts = (secret: string): readonly string[] => [
        secret.repeat(LENGTH / secret.length),
        secret.slice(0, -1).repeat(LENGTH / secret.length),
        secret.slice(1).repeat(LENGTH / secret.length),
        secret[0]!.repeat(LENGTH),
        secret.at(-1)!.repeat(LENGTH),
        `${secret.slice(0, 13)}…`.repeat(LENGTH / 14),
    ];

    it.each(SECRETS)('if the secret is %s', async (_, secret) => {
        const redactor = knowing(secret);
        redactor.text(secret);
        for (const text of texts(secret)) {
            await charactersRead(MOST * text.length, () => redactor.text(text));
            await charactersRead(MOST * text.length, () => redactor.text(Buffer.from(text).toString('base64')));
        }
    });

    it('if the text is base64 in lines', async () => {
        const redactor = knowing('a'.repeat(1000));
        const lines = `${Buffer.from('a'.repeat(48)).toString('base64')}\n`.repeat(1000);
        await charactersRead(MOST * lines.length, () => expect(redactor.text(lines)).toBe('[secret]\n'));
        await charactersRead(MOST * LENGTH, () => redactor.text('a\n'.repeat(LENGTH / 2)));
        await charactersRead(MOST * LENGTH, () => redactor.text(`a\n${' '.repeat(9)}`.repeat(LENGTH / 11)));
    });

    it('and it finds the same as a search at each position', () => {
        const LEAST_CUT = 12;
        const everywhere = (secret: string, text: string): string => {
            const hidden = new Set<number>();
            const hide = (from: number, to: number): void => {
                for (let at = from; at < to; at++) hidden.add(at);
            };
            for (let from = 0; from < text.length; from++) {
                let to = from;
                while (to < text.length && text[to] === secret[to - from]) to++;
                if (to - from === secret.length) hide(from, to);
                else if (to - from >= LEAST_CUT && (to === text.length || /^(?:…|\.{3}|["'`])/.test(text.slice(to))))
                    hide(from, to);
            }
            return [...text].map((char, at) => (hidden.has(at) ? '*' : char)).join('');
        };
        const block = fc.constantFrom('a', 'b', 'ab', 'aab', '"', "'", '...', '.', '…');
        const repeating = fc
            .array(fc.tuple(block, fc.integer({ min: 1, max: 9 })), { minLength: 2, maxLength: 7 })
            .map(parts => parts.map(([text, times]) => text.repeat(times)).join(''));
        fc.assert(
            fc.property(
                repeating.filter(secret => secret.length >= 4),
                fc.array(fc.tuple(fc.nat(40), fc.nat(40), repeating), { maxLength: 5 }),
                (secret, cuts) => {
                    const text = cuts.map(([from, to, other]) => secret.slice(from, from + to) + other).join('');
                    const matchers = new SecretMatchers();
                    matchers.add(secret);
                    const hidden = [...text];
                    for (const [from, to] of matchers.in(text)) hidden.fill('*', from, to);
                    expect(hidden.join('')).toBe(everywhere(secret, text));
                },
            ),
            { numRuns: 1500 },
        );
    });
});

describe('a secret', () => {
    const secret = new Secret('api', VALUE);

    it('is revealed only on request', async () => {
        const { inspect } = await import('node:util');
        expect(revealInProcess(secret)).toBe(VALUE);
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
