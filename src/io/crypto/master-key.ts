import { createHash } from 'node:crypto';
import { flowError } from '../../core/errors/flow-error';
import { environmentVariable } from './secret';

/** The variable with the key that INLINE secrets are encrypted with. */
export const MASTER_KEY = 'FLOW_MASTER_KEY';
/** The variable with the key before it, for as long as a rotation lasts. */
const PREVIOUS_MASTER_KEY = 'FLOW_MASTER_KEY_PREVIOUS';

/** A key of AES-256 and the name that envelopes know it by. */
export interface MasterKey {
    readonly id: string;
    readonly bytes: Buffer;
}

/** The key that everything is encrypted with. Throws MASTER_KEY_INVALID when there is none, or something else in its place. */
export function currentMasterKey(): MasterKey {
    const key = readKey(MASTER_KEY);
    if (!key) throw flowError('MASTER_KEY_INVALID', { variable: MASTER_KEY, problem: 'is not set' });
    return key;
}

/**
 * The key with this id, current or previous; undefined if it is neither. Throws MASTER_KEY_INVALID. Reads the environment each time: a secret is
 * opened once a run, and a changed key needs no notification.
 */
export function masterKeyOf(id: string): MasterKey | undefined {
    const current = currentMasterKey();
    if (current.id === id) return current;
    const previous = readKey(PREVIOUS_MASTER_KEY);
    return previous?.id === id ? previous : undefined;
}

const BYTES = 32;
const HEXADECIMAL = /^[0-9a-fA-F]{64}$/;

function readKey(variable: string): MasterKey | undefined {
    const text = environmentVariable(variable);
    if (text === undefined) return undefined;
    const bytes = HEXADECIMAL.test(text) ? Buffer.from(text, 'hex') : bytesOf(text);
    // The value is never quoted: it may be a key with a slip of the pen.
    if (bytes?.length !== BYTES) throw flowError('MASTER_KEY_INVALID', { variable, problem: problemOf(text, bytes) });
    return { id: idOf(bytes), bytes };
}

/** Undefined for invalid base64; accepts both alphabets, with or without padding. */
function bytesOf(text: string): Buffer | undefined {
    for (const encoding of ['base64', 'base64url'] as const) {
        const bytes = Buffer.from(text, encoding);
        // Node skips invalid characters, so the text is base64 if it is unchanged when it is encoded again.
        if (bytes.toString(encoding).replace(/=+$/, '') === text.replace(/={0,2}$/, '')) return bytes;
    }
    return undefined;
}

function problemOf(text: string, bytes: Buffer | undefined): string {
    return bytes
        ? `has ${text.length} characters of base64, which are ${bytes.length} bytes`
        : `has ${text.length} characters and is not a valid key`;
}

/** Distinguishes keys without revealing them: they are random, so their hash cannot be reversed by guessing. */
function idOf(bytes: Buffer): string {
    return createHash('sha256').update('vendure-plugin-flow master key id\0').update(bytes).digest('hex').slice(0, 16);
}
