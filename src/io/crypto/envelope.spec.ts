import fc from 'fast-check';
import { textNaming } from '../../../test/kit/naming';
import { type FlowError, isFlowError } from '../../core/errors/flow-error';
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
    const rejection = (work: () => unknown): FlowError => {
        try {
            work();
        } catch (error) {
            if (isFlowError(error)) return error;
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
            expect(rejection(() => unseal(text, place))).toMatchObject({
                code: 'SECRET_UNREADABLE',
                facts: { code: place.code, problem: expect.stringContaining('another secret') },
            });
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
                expect(rejection(() => unseal(changed, PLACE)).code).toBe('SECRET_UNREADABLE');
            }
        }
        expect(rejection(() => unseal(text.slice(0, -3), PLACE)).code).toBe('SECRET_UNREADABLE');
        expect(rejection(() => unseal(`${text}AAAA`, PLACE)).code).toBe('SECRET_UNREADABLE');
    });

    it.each([
        ['plain text', 'hunter2-hunter2'],
        ['nothing', ''],
        ['another version', 'flow2:0123456789abcdef:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAA:AA'],
        ['a line more', 'flow1:\n'],
    ])('is not %s, which is not quoted either', (_, text) => {
        const error = rejection(() => unseal(text, PLACE));
        expect(error).toMatchObject({
            code: 'SECRET_UNREADABLE',
            facts: { code: 'api', problem: expect.stringContaining('not encrypted') },
        });
        if (text) expect(error.message).not.toContain(text);
        expect(keyIdOf(text)).toBeUndefined();
    });

    it('of another master key says which key it needs and which there is', () => {
        const { text, keyId } = seal('value', PLACE);
        keys(KEY_B);
        const own = seal('x', PLACE).keyId;
        expect(rejection(() => unseal(text, PLACE))).toMatchObject({
            code: 'SECRET_UNREADABLE',
            facts: {
                code: 'api',
                problem: textNaming(keyId, `FLOW_MASTER_KEY (id ${own})`, 'FLOW_MASTER_KEY_PREVIOUS'),
            },
        });
        keys(KEY_B, KEY_A);
        expect(unseal(text, PLACE)).toBe('value');
        keys(undefined, KEY_A);
        for (const work of [() => unseal(text, PLACE), () => seal('value', PLACE)])
            expect(rejection(work)).toMatchObject({
                code: 'MASTER_KEY_INVALID',
                facts: { variable: 'FLOW_MASTER_KEY', problem: expect.stringContaining('not set') },
            });
    });

    it("cannot be made to open with another key by writing that key's id into it", () => {
        const { text } = seal('value', PLACE);
        keys(KEY_B);
        const { keyId } = seal('x', PLACE);
        expect(rejection(() => unseal(text.replace(/^flow1:[0-9a-f]+/, `flow1:${keyId}`), PLACE))).toMatchObject({
            code: 'SECRET_UNREADABLE',
            facts: { code: 'api', problem: expect.stringContaining('changed, damaged') },
        });
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
