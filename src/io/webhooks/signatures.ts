import { createHash, createHmac, type Hash, type Hmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { TOLERANCE_SEC } from '../../core/triggers/webhook';
import type { YieldingTask } from '../../core/concurrency/yielding-task';
import { bytesOfBase64 } from '../media/base64';

/** After this number of hashed bytes, other work may have its turn. */
const PIECE = 256 * 1024;
/** A sender has two keys in a rotation; more signatures than these are not looked at. */
const MOST_SIGNATURES = 10;

/** The hash of bytes, of any number, in turns. */
export function* hashing(hash: Hash | Hmac, bytes: Uint8Array): YieldingTask<Buffer> {
    for (let at = 0; at < bytes.length; at += PIECE) {
        hash.update(bytes.subarray(at, at + PIECE));
        yield;
    }
    return hash.digest();
}

/** SHA-256 of a body: by it two posts are known to be the same. */
export function bodyDigest(body: Uint8Array): YieldingTask<Buffer> {
    return hashing(createHash('sha256'), body);
}

/** The signatures of a body with each key. It is the same work for every received signature. */
export function* signatures(
    { algorithm, keys, before = '' }: { algorithm: 'sha256' | 'sha512'; keys: readonly Uint8Array[]; before?: string },
    body: Uint8Array,
): YieldingTask<readonly Buffer[]> {
    const digests: Buffer[] = [];
    for (const key of keys) digests.push(yield* hashing(createHmac(algorithm, key).update(before), body));
    return digests;
}

/** The digest in a signature header: hexadecimal or base64, with or without the algorithm's name in front (`sha256=`, in any case). */
export function digestIn(header: string | undefined, algorithm: 'sha256' | 'sha512'): Buffer | undefined {
    const [, prefix, digest = ''] = /^(?:(sha\d{3})=)?([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? '') ?? [];
    if (prefix !== undefined && prefix.toLowerCase() !== algorithm) return undefined;
    const size = algorithm === 'sha256' ? 32 : 64;
    // The two encodings of a digest have different lengths, so a text is only ever one of them.
    if (digest.length === 2 * size) return /^[0-9a-f]+$/i.test(digest) ? Buffer.from(digest, 'hex') : undefined;
    return digest.length === 4 * Math.ceil(size / 3) ? bytesOfBase64(digest) : undefined;
}

/** The headers of Standard Webhooks: the signed values in addition to the body, and the signatures of version 1. */
interface StandardHeaders {
    readonly id: string;
    readonly sentAtSec: number;
    readonly signatures: readonly Buffer[];
}

/** Undefined where one is missing or malformed. */
export function standardHeaders(headers: {
    readonly id: string | undefined;
    readonly timestamp: string | undefined;
    readonly signature: string | undefined;
}): StandardHeaders | undefined {
    const { id, timestamp, signature } = headers;
    if (!id || !/^\d{1,12}$/.test(timestamp ?? '') || !signature) return undefined;
    const digests = signature
        .split(' ', MOST_SIGNATURES)
        .filter(part => /^v1,[A-Za-z0-9+/]{43}=$/.test(part))
        .map(part => Buffer.from(part.slice(3), 'base64'));
    return { id, sentAtSec: Number(timestamp), signatures: digests };
}

/** Whether a request was sent just now; an older one may be a replay by an eavesdropper. */
export function isTimely({ sentAtSec }: StandardHeaders, nowMs: number): boolean {
    return Math.abs(nowMs / 1000 - sentAtSec) <= TOLERANCE_SEC;
}

/**
 * Whether any of the given values is one of the right ones; the time that it takes does not depend on how much of
 * them is right.
 */
export function isAnyOf(given: readonly Uint8Array[], right: readonly Uint8Array[]): boolean {
    let found = false;
    for (const one of given)
        for (const other of right) found = (one.length === other.length && timingSafeEqual(one, other)) || found;
    return found;
}

const COMPARING = randomBytes(32);

/** As `isAnyOf`, for values whose length is secret, too. */
export function isSecret(given: Uint8Array, secrets: readonly Uint8Array[]): boolean {
    const digest = (bytes: Uint8Array): Buffer => createHmac('sha256', COMPARING).update(bytes).digest();
    return isAnyOf([digest(given)], secrets.map(digest));
}
