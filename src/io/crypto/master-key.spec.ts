import { randomBytes } from 'node:crypto';
import { currentMasterKey, masterKeyOf } from './master-key';

const BYTES = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1dfbff', 'hex');
const OTHER = randomBytes(32);

describe('the master key', () => {
    const { FLOW_MASTER_KEY, FLOW_MASTER_KEY_PREVIOUS } = process.env;
    const set = (current: string | undefined, previous?: string): void => {
        for (const [name, value] of Object.entries({ FLOW_MASTER_KEY: current, FLOW_MASTER_KEY_PREVIOUS: previous })) {
            if (value === undefined) delete process.env[name];
            else process.env[name] = value;
        }
    };
    afterEach(() => set(FLOW_MASTER_KEY, FLOW_MASTER_KEY_PREVIOUS));

    it.each([
        ['64 hexadecimal digits', BYTES.toString('hex')],
        ['the same in capitals', BYTES.toString('hex').toUpperCase()],
        ['base64', BYTES.toString('base64')],
        ['base64 without padding', BYTES.toString('base64').replace('=', '')],
        ['base64url', BYTES.toString('base64url')],
    ])('is 32 bytes as %s', (_, text) => {
        set(text);
        expect(currentMasterKey().bytes).toEqual(BYTES);
        expect(currentMasterKey().id).toMatch(/^[0-9a-f]{16}$/);
    });

    it.each([
        ['nothing', undefined, 'not set'],
        ['an empty text', '', 'not set'],
        ['63 hexadecimal digits', BYTES.toString('hex').slice(1), 'has 63 characters'],
        ['65 hexadecimal digits', `${BYTES.toString('hex')}0`, 'has 65 characters'],
        ['31 bytes', randomBytes(31).toString('base64'), 'which are 31 bytes'],
        ['33 bytes', randomBytes(33).toString('base64url'), 'which are 33 bytes'],
        ['a pass phrase', 'correct horse battery staple', 'has 28 characters'],
        ['a line break at the end', `${BYTES.toString('base64')}\n`, 'has 45 characters'],
        ['both alphabets of base64', `+-${BYTES.toString('base64').slice(2)}`, 'has 44 characters'],
        ['64 characters, one of them no digit', `${BYTES.toString('hex').slice(1)}g`, 'has 64 characters'],
    ])('rejects a key that is %s, without quoting it', (_, text, problem) => {
        set(text);
        expect(currentMasterKey).toThrow(
            expect.objectContaining({
                code: 'MASTER_KEY_INVALID',
                facts: { variable: 'FLOW_MASTER_KEY', problem: expect.stringContaining(problem) },
            }),
        );
        if (text) expect(currentMasterKey).not.toThrow(text);
    });

    it('is found by its id, the previous one as well', () => {
        set(BYTES.toString('hex'));
        const { id } = currentMasterKey();
        set(OTHER.toString('hex'), BYTES.toString('base64'));
        expect(currentMasterKey().id).not.toBe(id);
        expect(masterKeyOf(id)?.bytes).toEqual(BYTES);
        expect(masterKeyOf(currentMasterKey().id)?.bytes).toEqual(OTHER);
        expect(masterKeyOf('0123456789abcdef')).toBeUndefined();
    });

    it('reports a malformed previous key too, but only if the caller checks for it', () => {
        set(BYTES.toString('hex'), 'too short');
        expect(masterKeyOf(currentMasterKey().id)?.bytes).toEqual(BYTES);
        expect(() => masterKeyOf('0123456789abcdef')).toThrow('FLOW_MASTER_KEY_PREVIOUS');
    });

    it('has an id that is not the beginning of the key or of its plain hash', () => {
        set(BYTES.toString('hex'));
        expect(BYTES.toString('hex')).not.toContain(currentMasterKey().id);
        set(`${'0'.repeat(63)}1`);
        const { id } = currentMasterKey();
        set(`${'0'.repeat(63)}2`);
        expect(currentMasterKey().id).not.toBe(id);
    });
});
