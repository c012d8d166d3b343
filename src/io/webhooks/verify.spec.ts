import { createHmac, generateKeyPairSync, sign as signWith } from 'node:crypto';
import { Secret } from '../../core/adapter/secret';
import { webhook, type WebhookConfig } from '../../core/triggers/webhook';
import { TaskQueue } from '../../core/concurrency/task-queue';
import { authenticate, secretStrengthProblem } from './verify';

const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
const SEC = NOW / 1000;
const BODY = Buffer.from('[{"sku":"A-1","name":"Süßes 😀"}]\n', 'utf8');
const KEY = 'k3y-with-ümläut';
const OLD = 'the-old-key';
const taskQueue = new TaskQueue();

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;
type Case = readonly [title: string, headers: Headers, isRight: boolean, more?: Partial<Given>];
interface Given {
    readonly config: object;
    readonly secrets: readonly string[];
    readonly body: Uint8Array;
    readonly nowMs: number;
}

const configOf = (settings: object): WebhookConfig => webhook.config.parse(settings) as WebhookConfig;

async function isLetIn(headers: Headers, given: Given): Promise<boolean> {
    const distinct = Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, typeof value === 'string' ? [value] : value] as const],
    );
    const guard = {
        config: configOf(given.config),
        secrets: given.secrets.map((value, i) => new Secret(`secret-${i}`, value)),
        nowMs: given.nowMs,
    };
    return authenticate({ headers: Object.fromEntries(distinct), body: given.body }, guard, taskQueue);
}

function table(title: string, usual: Pick<Given, 'config' | 'secrets'>, cases: readonly Case[]): void {
    describe(title, () => {
        const named = cases.map(([name, headers, isRight, more = {}]) => [name, { headers, isRight, more }] as const);
        it.each(named)('%s', async (_, { headers, isRight, more }) => {
            expect(await isLetIn(headers, { body: BODY, nowMs: NOW, ...usual, ...more })).toBe(isRight);
        });
    });
}

const hmac = (algorithm: 'sha256' | 'sha512' | 'sha1', key: string, body: Uint8Array = BODY): string =>
    createHmac(algorithm, key).update(body).digest('hex');
const right = hmac('sha256', KEY);
const flipped = (text: string, at: number): string =>
    text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1);

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
/** With a signature whose base64 has a letter that the URL alphabet replaces. */
const URL_KEY = Array.from({ length: 50 }, (_, i) => `key-${i}`).find(key => /[+/]/.test(base64(hmac('sha256', key))))!;
const urlBase64 = base64(hmac('sha256', URL_KEY)).replaceAll('+', '-').replaceAll('/', '_');

const HMAC = { config: { authentication: 'HMAC', secretCode: 's' }, secrets: [KEY] };
const SHA512 = { config: { authentication: 'HMAC', secretCode: 's', hmacAlgorithm: 'SHA512' } };
const OTHER_HEADER = { config: { authentication: 'HMAC', secretCode: 's', hmacHeaderName: 'X-Hub-Signature-256' } };
const large = Buffer.alloc(3 * 1024 * 1024, 'x');

table('a signature of the body', HMAC, [
    ['is the digest as it is', { 'x-flow-signature': right }, true],
    ['is the digest after the name of the algorithm', { 'x-flow-signature': `sha256=${right}` }, true],
    ['may be spelled in upper case letters, as .NET does', { 'x-flow-signature': right.toUpperCase() }, true],
    ['may be one of SHA-512', { 'x-flow-signature': hmac('sha512', KEY) }, true, SHA512],
    ['may be one of SHA-512 after its name', { 'x-flow-signature': `sha512=${hmac('sha512', KEY)}` }, true, SHA512],
    ['may come in another header', { 'x-hub-signature-256': `sha256=${right}` }, true, OTHER_HEADER],
    [
        'may be that of an empty body',
        { 'x-flow-signature': hmac('sha256', KEY, Buffer.alloc(0)) },
        true,
        { body: Buffer.alloc(0) },
    ],
    ['may be that of a large body', { 'x-flow-signature': hmac('sha256', KEY, large) }, true, { body: large }],
    ['may be made with the first of two secrets', { 'x-flow-signature': right }, true, { secrets: [KEY, OLD] }],
    ['may be made with the second of two secrets', { 'x-flow-signature': right }, true, { secrets: [OLD, KEY] }],
    ['is not missing', {}, false],
    ['is not empty', { 'x-flow-signature': '' }, false],
    ['is not the name of the algorithm alone', { 'x-flow-signature': 'sha256=' }, false],
    ['is not blank', { 'x-flow-signature': ' ' }, false],
    ['is not made with another secret', { 'x-flow-signature': hmac('sha256', OLD) }, false],
    ['is not made with an empty secret', { 'x-flow-signature': hmac('sha256', '') }, false],
    ['is not that of another body', { 'x-flow-signature': hmac('sha256', KEY, Buffer.from('[]')) }, false],
    [
        'is not that of the same JSON in other bytes',
        { 'x-flow-signature': right },
        false,
        { body: Buffer.from(BODY.toString().trim()) },
    ],
    [
        'is not that of the body without its first byte',
        { 'x-flow-signature': right },
        false,
        { body: BODY.subarray(1) },
    ],
    ['is not wrong in its first digit', { 'x-flow-signature': flipped(right, 0) }, false],
    ['is not wrong in its last digit', { 'x-flow-signature': flipped(right, 63) }, false],
    ['is not wrong in the middle', { 'x-flow-signature': flipped(right, 31) }, false],
    ['is not cut short', { 'x-flow-signature': right.slice(0, 62) }, false],
    ['is not of odd length', { 'x-flow-signature': right.slice(0, 63) }, false],
    ['is not one digit', { 'x-flow-signature': right[0] }, false],
    ['has nothing after it', { 'x-flow-signature': `${right}00` }, false],
    ['has no blank after it', { 'x-flow-signature': `${right} ` }, false],
    ['has no blank in it', { 'x-flow-signature': `sha256= ${right}` }, false],
    ['has no letters beyond f', { 'x-flow-signature': `g${right.slice(1)}` }, false],
    ['may be base64, as Shopify and WooCommerce send it', { 'x-flow-signature': base64(right) }, true],
    ['may be base64 after the name of the algorithm', { 'x-flow-signature': `sha256=${base64(right)}` }, true],
    ['may be base64 of SHA-512', { 'x-flow-signature': base64(hmac('sha512', KEY)) }, true, SHA512],
    ['is not base64 without its padding', { 'x-flow-signature': base64(right).slice(0, -1) }, false],
    ['is not base64 of the URL alphabet', { 'x-flow-signature': urlBase64 }, false, { secrets: [URL_KEY] }],
    ['is not base64 of another digest', { 'x-flow-signature': base64(flipped(right, 0)) }, false],
    ['is not base64 of another algorithm', { 'x-flow-signature': base64(hmac('sha512', KEY)) }, false],
    ['is not 0x and a digest', { 'x-flow-signature': `0x${right}` }, false],
    ['does not have other digits', { 'x-flow-signature': `١${right.slice(1)}` }, false],
    ['does not follow another algorithm', { 'x-flow-signature': `sha512=${right}` }, false],
    ['does not follow a weaker algorithm', { 'x-flow-signature': `sha1=${hmac('sha1', KEY)}` }, false],
    ['is not that of a weaker algorithm', { 'x-flow-signature': hmac('sha1', KEY) }, false],
    ['does not follow the algorithm none', { 'x-flow-signature': `none=${right}` }, false],
    ['may follow a name in upper case', { 'x-flow-signature': `SHA256=${right}` }, true],
    ['does not follow two names', { 'x-flow-signature': `sha256=sha256=${right}` }, false],
    ['is not one of two', { 'x-flow-signature': `${flipped(right, 0)},${right}` }, false],
    ['is not one of two headers', { 'x-flow-signature': [flipped(right, 0), right] }, false],
    ['does not come twice', { 'x-flow-signature': [right, right] }, false],
    ['is not that of SHA-256 if SHA-512 is required', { 'x-flow-signature': right }, false, SHA512],
    ['is not that of SHA-512 if SHA-256 is required', { 'x-flow-signature': hmac('sha512', KEY) }, false],
    [
        'does not come in the usual header if another one is configured',
        { 'x-flow-signature': right },
        false,
        OTHER_HEADER,
    ],
    ['does not come in Authorization', { authorization: right }, false],
    ['is not huge', { 'x-flow-signature': 'a'.repeat(100_000) }, false],
    ['is not an array of itself', { 'x-flow-signature': `["${right}"]` }, false],
    ['is of no use where no secret can be read', { 'x-flow-signature': right }, false, { secrets: [] }],
    [
        'is not made with either of two other secrets',
        { 'x-flow-signature': hmac('sha256', 'third') },
        false,
        { secrets: [KEY, OLD] },
    ],
]);

const apiKey = { config: { authentication: 'API_KEY', apiKeySecretCode: 's' }, secrets: [KEY] };
/** As Node reads the bytes of a header. */
const sent = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

table('an API key', apiKey, [
    ['is the secret', { 'x-api-key': sent(KEY) }, true],
    [
        'may come in another header',
        { 'x-shop-key': sent(KEY) },
        true,
        { config: { ...apiKey.config, apiKeyHeaderName: 'X-Shop-Key' } },
    ],
    [
        'may come as Authorization',
        { authorization: 'Token abc' },
        true,
        { config: { ...apiKey.config, apiKeyHeaderName: 'Authorization' }, secrets: ['Token abc'] },
    ],
    ['may be the first of two', { 'x-api-key': OLD }, true, { secrets: [OLD, KEY] }],
    ['may be the second of two', { 'x-api-key': OLD }, true, { secrets: [KEY, OLD] }],
    ['is not missing', {}, false],
    ['is not empty', { 'x-api-key': '' }, false],
    ['is not another one', { 'x-api-key': 'other' }, false],
    ['is not the beginning of it', { 'x-api-key': sent(KEY.slice(0, -1)) }, false],
    ['is not more than it', { 'x-api-key': sent(`${KEY}x`) }, false],
    ['is not in another case', { 'x-api-key': sent(KEY.toUpperCase()) }, false],
    ['is not in other bytes', { 'x-api-key': KEY }, false],
    ['is not the letters of another normal form', { 'x-api-key': sent(KEY.normalize('NFD')) }, false],
    ['does not come twice', { 'x-api-key': [sent(KEY), sent(KEY)] }, false],
    ['is not one of several', { 'x-api-key': `${sent(KEY)}, x` }, false],
    ['does not come in Authorization if another header is configured', { authorization: sent(KEY) }, false],
    ['is not huge', { 'x-api-key': sent(KEY).repeat(10_000) }, false],
    ['is of no use where no secret can be read', { 'x-api-key': '' }, false, { secrets: [] }],
]);

const basic = { config: { authentication: 'BASIC', basicSecretCode: 's' }, secrets: ['shop:p@ss:wörd'] };
const credentials = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

table('name and password', basic, [
    ['are those of the secret', { authorization: `Basic ${credentials('shop:p@ss:wörd')}` }, true],
    ['may follow the scheme in any case', { authorization: `basic ${credentials('shop:p@ss:wörd')}` }, true],
    ['may be an empty name', { authorization: `Basic ${credentials(':x')}` }, true, { secrets: [':x'] }],
    ['may be the second of two', { authorization: `Basic ${credentials('a:b')}` }, true, { secrets: ['c:d', 'a:b'] }],
    ['are not missing', {}, false],
    ['are not the scheme alone', { authorization: 'Basic' }, false],
    ['are not empty', { authorization: 'Basic ' }, false],
    ['are not another password', { authorization: `Basic ${credentials('shop:other')}` }, false],
    ['are not another name', { authorization: `Basic ${credentials('shoq:p@ss:wörd')}` }, false],
    ['are not the name alone', { authorization: `Basic ${credentials('shop')}` }, false],
    ['are not the password alone', { authorization: `Basic ${credentials('p@ss:wörd')}` }, false],
    ['have nothing after them', { authorization: `Basic ${credentials('shop:p@ss:wörd\n')}` }, false],
    ['are not plain', { authorization: 'Basic shop:p@ss:w' }, false],
    ['do not follow another scheme', { authorization: `Bearer ${credentials('shop:p@ss:wörd')}` }, false],
    [
        'are not base64 with something in between',
        { authorization: `Basic ${credentials('shop:p@ss:wörd').replace('=', '')}!` },
        false,
    ],
    ['are not base64 of odd length', { authorization: 'Basic A' }, false],
    ['do not come twice', { authorization: [`Basic ${credentials('shop:p@ss:wörd')}`, 'Basic x'] }, false],
    [
        'are not in Latin 1',
        { authorization: `Basic ${Buffer.from('shop:p@ss:wörd', 'latin1').toString('base64')}` },
        false,
    ],
    ['are not huge', { authorization: `Basic ${'A'.repeat(100_000)}` }, false],
]);

const jwt = { config: { authentication: 'JWT', jwtSecretCode: 's' }, secrets: [KEY] };
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
interface Made {
    readonly claims?: unknown;
    readonly header?: object;
    readonly key?: string | Uint8Array;
    readonly algorithm?: string;
}
const VALID = { sub: 'erp', exp: SEC + 600 };
/** A token whose claims are this text. */
function tokenOf(text: string): string {
    const signed = `${part({ alg: 'HS256' })}.${Buffer.from(text).toString('base64url')}`;
    return `${signed}.${createHmac('sha256', KEY).update(signed).digest('base64url')}`;
}
function token({
    claims = VALID,
    header = { alg: 'HS256', typ: 'JWT' },
    key = KEY,
    algorithm = 'sha256',
}: Made = {}): string {
    const signed = `${part(header)}.${part(claims)}`;
    return `${signed}.${createHmac(algorithm, key).update(signed).digest('base64url')}`;
}
const bearer = (made?: Made): Headers => ({ authorization: `Bearer ${token(made)}` });
const claiming = (claims: object): Headers => bearer({ claims: { ...VALID, ...claims } });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const rsToken = (): string => {
    const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(VALID)}`;
    return `${signed}.${signWith('sha256', Buffer.from(signed), rsa.privateKey).toString('base64url')}`;
};
const [head, claims, signature] = token().split('.') as [string, string, string];
const ISSUED = { config: { ...jwt.config, jwtIssuer: 'https://erp.example.com', jwtAudience: 'shop' } };

table('a token', jwt, [
    ['is signed with the secret and not over', bearer(), true],
    ['may follow the scheme in any case', { authorization: `bearer ${token()}` }, true],
    [
        'may come in a configured header',
        { 'x-token': token() },
        true,
        { config: { ...jwt.config, jwtHeaderName: 'X-Token' } },
    ],
    [
        'may follow the scheme there',
        { 'x-token': `Bearer ${token()}` },
        true,
        { config: { ...jwt.config, jwtHeaderName: 'X-Token' } },
    ],
    ['may be signed with the second of two secrets', bearer({ key: OLD }), true, { secrets: [KEY, OLD] }],
    ['may be signed with the first of two secrets', bearer({ key: OLD }), true, { secrets: [OLD, KEY] }],
    ['may have no type', bearer({ header: { alg: 'HS256' } }), true],
    ['may name a key, which is ignored', bearer({ header: { alg: 'HS256', kid: '../../etc/passwd' } }), true],
    ['may be over for a minute less', claiming({ exp: SEC - 59 }), true],
    ['may begin within a minute', claiming({ nbf: SEC + 59 }), true],
    ['may be issued within a minute', claiming({ iat: SEC + 59 }), true],
    ['may have been issued long ago', claiming({ iat: 0 }), true],
    ['may say whom it is from and for', claiming({ iss: 'https://erp.example.com', aud: 'shop' }), true, ISSUED],
    ['may be for several', claiming({ iss: 'https://erp.example.com', aud: ['other', 'shop'] }), true, ISSUED],
    ['is not missing', {}, false],
    ['is not empty', { authorization: 'Bearer ' }, false],
    ['is not without its scheme in Authorization', { authorization: token() }, false],
    ['does not follow another scheme', { authorization: `Basic ${token()}` }, false],
    ['is not two', { authorization: `Bearer ${token()} ${token()}` }, false],
    ['does not come in two headers', { authorization: [`Bearer ${token()}`, `Bearer ${token()}`] }, false],
    ['does not come in another header', { 'x-token': token() }, false],
    ['is not over', claiming({ exp: SEC - 61 }), false],
    ['is not over to the second', claiming({ exp: SEC - 60 }), false],
    ['is not without an end', bearer({ claims: { sub: 'erp' } }), false],
    ['does not end at a text', claiming({ exp: String(SEC + 600) }), false],
    ['does not end at infinity', { authorization: `Bearer ${tokenOf('{"exp":1e999}')}` }, false],
    ['does not end at nothing', claiming({ exp: null }), false],
    ['does not begin later', claiming({ nbf: SEC + 61 }), false],
    ['does not begin at a text', claiming({ nbf: 'now' }), false],
    ['is not issued later', claiming({ iat: SEC + 61 }), false],
    ['is not issued at a text', claiming({ iat: 'now' }), false],
    ['is not from another one', claiming({ iss: 'https://evil.example.com', aud: 'shop' }), false, ISSUED],
    ['is not without an issuer', claiming({ aud: 'shop' }), false, ISSUED],
    ['is not for another one', claiming({ iss: 'https://erp.example.com', aud: 'other' }), false, ISSUED],
    ['is not without an audience', claiming({ iss: 'https://erp.example.com' }), false, ISSUED],
    ['is not from one of several', claiming({ iss: ['https://erp.example.com'], aud: 'shop' }), false, ISSUED],
    ['is not signed with another secret', bearer({ key: 'other' }), false],
    ['is not signed with an empty secret', bearer({ key: '' }), false],
    ['is not signed with either of two other secrets', bearer({ key: 'other' }), false, { secrets: [KEY, OLD] }],
    ['is not unsigned', { authorization: `Bearer ${part({ alg: 'none' })}.${claims}.` }, false],
    ['is not unsigned in other letters', { authorization: `Bearer ${part({ alg: 'NoNe' })}.${claims}.` }, false],
    [
        'is not unsigned with a signature',
        { authorization: `Bearer ${part({ alg: 'none' })}.${claims}.${signature}` },
        false,
    ],
    ['is not HS256 without its signature', { authorization: `Bearer ${head}.${claims}.` }, false],
    ['is not without a signature at all', { authorization: `Bearer ${head}.${claims}` }, false],
    ['is not signed with HS512', bearer({ header: { alg: 'HS512' }, algorithm: 'sha512' }), false],
    ['is not signed with HS384', bearer({ header: { alg: 'HS384' }, algorithm: 'sha384' }), false],
    ['is not HS256 that says HS512', bearer({ header: { alg: 'HS512' } }), false],
    ['says what it is signed with', bearer({ header: { typ: 'JWT' } }), false],
    ['says it in words', bearer({ header: { alg: ['HS256'] } }), false],
    ['is not signed with a private key', { authorization: `Bearer ${rsToken()}` }, false, { secrets: [publicPem] }],
    [
        'is not HS256 that says RS256, with the public key as its secret',
        bearer({ header: { alg: 'RS256' }, key: publicPem }),
        false,
        { secrets: [publicPem] },
    ],
    ['is not ES256', bearer({ header: { alg: 'ES256' } }), false],
    [
        'does not bring its own key',
        bearer({ header: { alg: 'HS256', jwk: { kty: 'oct', k: part('other') } }, key: 'other' }),
        false,
    ],
    [
        'does not name where its key is',
        bearer({ header: { alg: 'HS256', jku: 'https://evil.example.com' }, key: 'other' }),
        false,
    ],
    ['requires no unknown extension', bearer({ header: { alg: 'HS256', crit: ['exp'], exp: 1 } }), false],
    ['has no payload that is not encoded', bearer({ header: { alg: 'HS256', crit: ['b64'], b64: false } }), false],
    [
        'says what was signed',
        { authorization: `Bearer ${head}.${part({ ...VALID, sub: 'admin' })}.${signature}` },
        false,
    ],
    [
        'has the header that was signed',
        { authorization: `Bearer ${part({ alg: 'HS256' })}.${claims}.${signature}` },
        false,
    ],
    ['is not cut short', { authorization: `Bearer ${token().slice(0, -2)}` }, false],
    ['has nothing after it', { authorization: `Bearer ${token()}.x` }, false],
    ['is not a signature of five parts', { authorization: `Bearer ${token()}.a.b` }, false],
    ['is not a list', bearer({ claims: [VALID] }), false],
    ['is not a text', bearer({ claims: 'exp' }), false],
    ['is not null', bearer({ claims: null }), false],
    [
        'is not invalid JSON',
        { authorization: `Bearer ${head}.${Buffer.from('{').toString('base64url')}.${signature}` },
        false,
    ],
    ['is not in the other alphabet of base64', { authorization: `Bearer ${head}.${claims}.+/+/` }, false],
    ['is not dots', { authorization: 'Bearer ..' }, false],
    ['is not huge', bearer({ claims: { ...VALID, pad: 'x'.repeat(20_000) } }), false],
    ['is of no use where no secret can be read', bearer(), false, { secrets: [] }],
]);

const standardSecret = Buffer.from('0123456789abcdef0123456789abcdef');
const whsec = `whsec_${standardSecret.toString('base64')}`;
const standard = { config: { authentication: 'STANDARD', secretCode: 's' }, secrets: [whsec] };
interface Delivery {
    readonly id?: string;
    readonly at?: number | string;
    readonly key?: Uint8Array;
    readonly body?: Uint8Array;
}
function signed({ id = 'msg_1', at = SEC, key = standardSecret, body = BODY }: Delivery = {}): string {
    return `v1,${createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest('base64')}`;
}
const delivery = ({ id = 'msg_1', at = SEC, ...more }: Delivery = {}, changed: Headers = {}): Headers => ({
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signed({ id, at, ...more }),
    ...changed,
});
const wrong = signed({ key: Buffer.from('another key') });

table('a Standard Webhooks delivery', standard, [
    ['is signed with id, time and body', delivery(), true],
    ['may be signed by one of several signatures', delivery({}, { 'webhook-signature': `${wrong} ${signed()}` }), true],
    [
        'may have signatures of other versions',
        delivery({}, { 'webhook-signature': `v1a,abc v2,${wrong.slice(3)} ${signed()}` }),
        true,
    ],
    [
        'may be signed with the old of two secrets',
        delivery(),
        true,
        { secrets: [`whsec_${Buffer.from('new').toString('base64')}`, whsec] },
    ],
    ['may be five minutes old', delivery({ at: SEC - 300 }), true],
    ['may be sent by a clock that is five minutes ahead', delivery({ at: SEC + 300 }), true],
    ['may have a dot in its id', delivery({ id: 'msg.1' }), true],
    ['may be large', delivery({ body: large }), true, { body: large }],
    ['is not older', delivery({ at: SEC - 301 }), false],
    ['is not newer', delivery({ at: SEC + 301 }), false],
    ['is not one of another time', delivery({}, { 'webhook-timestamp': String(SEC + 1) }), false],
    ['is not one of another id', delivery({}, { 'webhook-id': 'msg_2' }), false],
    ['is not one of another body', delivery(), false, { body: Buffer.from('[]') }],
    [
        'is not one whose id takes the place of its time',
        delivery({ id: `msg_1.${SEC}` }, { 'webhook-id': 'msg_1' }),
        false,
    ],
    ['is not without its id', delivery({}, { 'webhook-id': undefined }), false],
    ['is not with an empty id', delivery({ id: '' }), false],
    ['is not without its time', delivery({}, { 'webhook-timestamp': undefined }), false],
    ['is not without its signature', delivery({}, { 'webhook-signature': undefined }), false],
    ['is not with an empty signature', delivery({}, { 'webhook-signature': '' }), false],
    ['is not at a time with a fraction', delivery({ at: `${SEC}.0` }), false],
    ['is not at a time with a sign', delivery({ at: `+${SEC}` }), false],
    ['is not at a time in milliseconds', delivery({ at: NOW }), false],
    ['is not at a time with an exponent', delivery({ at: '1e9' }), false],
    ['is not at a time in hexadecimal digits', delivery({ at: `0x${SEC.toString(16)}` }), false],
    ['is not at no time', delivery({ at: 'NaN' }), false],
    ['is not signed with another secret', delivery({}, { 'webhook-signature': wrong }), false],
    ['is not signed with the text of the secret', delivery({ key: Buffer.from(whsec) }), false],
    ['is not signed by a version that says nothing', delivery({}, { 'webhook-signature': signed().slice(3) }), false],
    ['is not signed by another version', delivery({}, { 'webhook-signature': signed().replace('v1,', 'v2,') }), false],
    [
        'is not signed in hexadecimal digits',
        delivery({}, { 'webhook-signature': `v1,${Buffer.from(signed().slice(3), 'base64').toString('hex')}` }),
        false,
    ],
    [
        'is not signed by the beginning of a signature',
        delivery({}, { 'webhook-signature': signed().slice(0, -4) }),
        false,
    ],
    [
        'does not have its signature after hundreds of others',
        delivery({}, { 'webhook-signature': `${`${wrong} `.repeat(500)}${signed()}` }),
        false,
    ],
    ['does not come with two ids', delivery({}, { 'webhook-id': ['msg_1', 'msg_2'] }), false],
    ['does not come with two times', delivery({}, { 'webhook-timestamp': [String(SEC), String(SEC)] }), false],
    ['does not come with two headers of signatures', delivery({}, { 'webhook-signature': [wrong, signed()] }), false],
    ['is not one of HMAC', { 'x-flow-signature': right }, false],
]);

table('a post without authentication', { config: { authentication: 'NONE' }, secrets: [] }, [
    ['comes in as it is', {}, true],
    ['comes in whatever it brings', { authorization: 'Basic x' }, true],
]);

describe('a post that is rejected', () => {
    it('has cost as much work on its body for every reason, or without one', async () => {
        const post = { headers: {}, body: large };
        const worked: Record<string, number> = {};
        const counting = new (class extends TaskQueue {
            override done: TaskQueue['done'] = work => {
                let pieces = 0;
                for (let bit = work.next(); ; bit = work.next()) {
                    if (bit.done === true) {
                        worked[name] = (worked[name] ?? 0) + pieces;
                        return Promise.resolve(bit.value);
                    }
                    pieces++;
                }
            };
        })();
        const guards = {
            unknown: undefined,
            hmac: { ...HMAC, nowMs: NOW },
            'hmac with two secrets': {
                config: { authentication: 'HMAC', secretCodes: ['a', 'b'] },
                secrets: [KEY, OLD],
                nowMs: NOW,
            },
            'hmac without a secret': { ...HMAC, secrets: [], nowMs: NOW },
            standard: { ...standard, nowMs: NOW },
            'api key': { ...apiKey, nowMs: NOW },
            basic: { ...basic, nowMs: NOW },
            jwt: { ...jwt, nowMs: NOW },
        };
        let name = '';
        for (const [title, guard] of Object.entries(guards)) {
            name = title;
            const given = guard && {
                config: configOf(guard.config),
                secrets: guard.secrets.map(value => new Secret('s', value)),
                nowMs: guard.nowMs,
            };
            expect([title, await authenticate(post, given, counting)]).toEqual([title, false]);
        }
        expect(new Set(Object.values(worked))).toEqual(new Set([24]));
        expect(Object.keys(worked)).toEqual(Object.keys(guards));
    });
});

describe('a secret that never matches', () => {
    it.each([
        ['STANDARD', 'secretCode', 'plain text', 'is not whsec_ and base64'],
        ['STANDARD', 'secretCode', 'whsec_', 'is not whsec_ and base64'],
        ['STANDARD', 'secretCode', 'whsec_%%%', 'is not whsec_ and base64'],
        ['STANDARD', 'secretCode', whsec, undefined],
        ['BASIC', 'basicSecretCode', 'no-colon', 'is not username:password'],
        ['BASIC', 'basicSecretCode', 'a:b', undefined],
        ['HMAC', 'secretCode', 'x', undefined],
    ])('of %s in %s is reported: %s', (authentication, field, value, problem) => {
        const found = secretStrengthProblem(configOf({ authentication, [field]: 's' }), new Secret('s', value));
        if (problem === undefined) expect(found).toBeUndefined();
        else {
            expect(found).toContain(problem);
            expect(found).not.toContain(value.slice(6) || 'never');
        }
    });
});
