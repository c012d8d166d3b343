import fc from 'fast-check';
import { said, saidLike } from '../../../test/kit/said';
import { isFlowError } from '../../core/errors/flow-error';
import { keyIdOf, seal, unseal } from './envelope';

const KEY_A = 'a1'.repeat(32);
const KEY_B = 'b2'.repeat(32);
const PLACE = { channelId: 1, code: 'api' };

describe('an envelope', () => {
    const { FLOW_MASTER_KEY, FLOW_MASTER_KEY_PREVIOUS } = process.env;
    const keys = (current: string | undefined, previous: string | undefined = undefined): void => {
        for (const [name, value] of Object.entries({ FLOW_MASTER_KEY: current, FLOW_MASTER_KEY_PREVIOUS: previous })) {
            if (value === undefined) delete process.env[name];
            else process.env[name] = value;
        }
    };
    const rejection = (work: () => unknown): string => {
        try {
            work();
        } catch (error) {
            if (isFlowError(error)) return `${error.code}: ${error.message}`;
            throw error;
        }
        throw new Error('It was opened');
    };
    beforeEach(() => keys(KEY_A));
    afterAll(() => keys(FLOW_MASTER_KEY, FLOW_MASTER_KEY_PREVIOUS));

    it('gives back any text', () => {
        fc.assert(
            fc.property(fc.string({ unit: 'grapheme' }), value => {
                expect(unseal(seal(value, PLACE).text, PLACE)).toBe(value);
            }),
        );
    });

    it('is text that names its key and shows nothing of its content, and is another one each time', () => {
        const { text, keyId } = seal('a value that is long enough to be found', PLACE);
        expect(text).toMatch(/^flow1:[0-9a-f]{16}:[\w-]{16}:[\w-]{22}:[\w-]+$/);
        expect(text.split(':')[1]).toBe(keyId);
        expect(keyIdOf(text)).toBe(keyId);
        const sealed = new Set(Array.from({ length: 1_000 }, () => seal('x', PLACE).text));
        expect(sealed.size).toBe(1_000);
        expect(new Set([...sealed].map(one => one.split(':')[2])).size).toBe(1_000);
    });

    it('opens in its own place only', () => {
        const { text } = seal('value', PLACE);
        for (const place of [
            { channelId: 2, code: 'api' },
            { channelId: 1, code: 'apj' },
            { channelId: '1","a', code: 'pi' },
        ]) {
            expect(rejection(() => unseal(text, place))).toMatch(
                saidLike('moved-here-from-another-secret', { code: 'SECRET_UNREADABLE', any: /.*/ }, '^'),
            );
        }
        // The id of a row in PostgreSQL's and in MariaDB's driver.
        expect(unseal(text, { channelId: '1', code: 'api' })).toBe('value');
    });

    it('does not open when any character of it was changed', () => {
        const { text } = seal('some value', PLACE);
        for (let at = 0; at < text.length; at++) {
            for (const other of ['A', '0', ':', 'z']) {
                const changed = text.slice(0, at) + other + text.slice(at + 1);
                // The last character of a part may differ in bits that base64 leaves out.
                if (changed === text || sameBytes(changed, text)) continue;
                expect(rejection(() => unseal(changed, PLACE))).toMatch(/^SECRET_UNREADABLE/);
            }
        }
        expect(rejection(() => unseal(text.slice(0, -3), PLACE))).toMatch(/^SECRET_UNREADABLE/);
        expect(rejection(() => unseal(`${text}AAAA`, PLACE))).toMatch(/^SECRET_UNREADABLE/);
    });

    it.each([
        ['plain text', 'hunter2-hunter2'],
        ['nothing', ''],
        ['another version', 'flow2:0123456789abcdef:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAA:AA'],
        ['a line more', 'flow1:\n'],
    ])('is not %s, which is not quoted either', (_, text) => {
        const message = rejection(() => unseal(text, PLACE));
        expect(message).toBe(`SECRET_UNREADABLE: ${said('secret-cannot-be-read-not-encrypted', { secret: 'api' })}`);
        expect(keyIdOf(text)).toBeUndefined();
    });

    it('of another master key says which key it needs and which there is', () => {
        const { text, keyId } = seal('value', PLACE);
        keys(KEY_B);
        const own = seal('x', PLACE).keyId;
        expect(rejection(() => unseal(text, PLACE))).toBe(
            `SECRET_UNREADABLE: ${said('secret-cannot-be-read-other-master-key', { secret: 'api', id: keyId, id2: own })}`,
        );
        keys(KEY_B, KEY_A);
        expect(unseal(text, PLACE)).toBe('value');
        keys(undefined, KEY_A);
        expect(rejection(() => unseal(text, PLACE))).toMatch(
            saidLike('flow-master-key-is-not-set', { code: 'MASTER_KEY_INVALID', any: /.*/ }, '^'),
        );
        expect(rejection(() => seal('value', PLACE))).toMatch(/^MASTER_KEY_INVALID/);
    });

    it("cannot be made to open with another key by writing that key's id into it", () => {
        const { text } = seal('value', PLACE);
        keys(KEY_B);
        const { keyId } = seal('x', PLACE);
        expect(rejection(() => unseal(text.replace(/^flow1:[0-9a-f]+/, `flow1:${keyId}`), PLACE))).toMatch(
            /^SECRET_UNREADABLE: .*changed, damaged/,
        );
    });
});

function sameBytes(a: string, b: string): boolean {
    const bytes = (text: string): string =>
        text
            .split(':')
            .map((part, i) => (i < 2 ? part : Buffer.from(part, 'base64url').toString('hex')))
            .join(':');
    return bytes(a) === bytes(b) && a.split(':').length === b.split(':').length;
}
