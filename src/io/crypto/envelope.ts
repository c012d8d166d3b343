import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { flowError } from '../../core/errors/flow-error';
import { currentMasterKey, type MasterKey, masterKeyOf } from './master-key';

/** Which secret an envelope belongs to: in another one's place it does not open. */
interface EnvelopeScope {
    readonly channelId: string | number;
    readonly code: string;
}

/** An envelope, and the key that it was made with. */
export interface Sealed {
    readonly text: string;
    readonly keyId: string;
}

interface Envelope {
    readonly keyId: string;
    readonly iv: Buffer;
    readonly tag: Buffer;
    readonly content: Buffer;
}

const VERSION = 'flow1';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** `flow1:<key id>:<iv>:<tag>:<content>`, the last three in base64url. */
const FORMAT = /^flow1:([0-9a-f]{16}):([\w-]{16}):([\w-]{22}):([\w-]*)$/;

/** Encrypts with the current master key. Throws MASTER_KEY_INVALID. */
export function seal(value: string, scope: EnvelopeScope): Sealed {
    const key = currentMasterKey();
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, key.bytes, iv, { authTagLength: TAG_BYTES }).setAAD(contextOf(key.id, scope));
    const content = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
    const parts = [iv, cipher.getAuthTag(), content].map(part => part.toString('base64url'));
    return { text: [VERSION, key.id, ...parts].join(':'), keyId: key.id };
}

/**
 * Decrypts. Throws MASTER_KEY_INVALID, and SECRET_UNREADABLE with the reason; neither quotes the envelope's content.
 */
export function unseal(text: string, scope: EnvelopeScope): string {
    const envelope = envelopeOf(text);
    if (!envelope) throw unreadable(scope, 'its stored value is not encrypted as Flow does it; set the value again');
    const key = masterKeyOf(envelope.keyId);
    if (!key) {
        throw unreadable(
            scope,
            `it was encrypted with another master key (id ${envelope.keyId}) than FLOW_MASTER_KEY (id ${currentMasterKey().id}) and FLOW_MASTER_KEY_PREVIOUS`,
        );
    }
    const value = decrypted(envelope, scope, key);
    if (value === undefined)
        throw unreadable(
            scope,
            'its stored value has been changed, damaged or moved here from another secret; set the value again',
        );
    return value;
}

/** The key id in an envelope; undefined for text that is not an envelope. */
export function keyIdOf(text: string): string | undefined {
    return envelopeOf(text)?.keyId;
}

function decrypted({ iv, tag, content }: Envelope, scope: EnvelopeScope, key: MasterKey): string | undefined {
    const decipher = createDecipheriv(CIPHER, key.bytes, iv, { authTagLength: TAG_BYTES })
        .setAAD(contextOf(key.id, scope))
        .setAuthTag(tag);
    const start = decipher.update(content);
    try {
        return Buffer.concat([start, decipher.final()]).toString('utf8');
    } catch {
        // `final` throws only if the tag does not match. OpenSSL's message for that is not helpful.
        return undefined;
    }
}

function envelopeOf(text: string): Envelope | undefined {
    const [, keyId, ...parts] = FORMAT.exec(text) ?? [];
    if (keyId === undefined) return undefined;
    const [iv, tag, content] = parts.map(part => Buffer.from(part, 'base64url')) as [Buffer, Buffer, Buffer];
    return { keyId, iv, tag, content };
}

/** The authenticated data in addition to the content. Because it is JSON, no code can be written so that it passes for another channel and code. */
function contextOf(keyId: string, { channelId, code }: EnvelopeScope): Buffer {
    return Buffer.from(JSON.stringify([VERSION, keyId, String(channelId), code]));
}

function unreadable({ code }: EnvelopeScope, problem: string): Error {
    return flowError('SECRET_UNREADABLE', { code, problem });
}
