import { createHash } from 'node:crypto';
import { GROUPS, inGroup } from '../../core/schema/groups';
import { z } from 'zod';
import { urlAddress } from '../../core/schema/address-fields';
import type { JsonValue } from '../../core/value/json';
import { bytesOfBase64 } from '../../io/media/base64';
import { type RecordIssues, quoted } from '../entities/record-issues';

/** The arguments of all loads that accept pictures. */
export const imageArguments = inGroup(GROUPS.images, {
    pictureBaseUrl: urlAddress(
        z
            .url({ protocol: /^https?$/ })
            .optional()
            .meta({
                title: 'Base URL of pictures',
                description: 'The base of image addresses that do not begin with https:// or http://.',
            }),
    ),
    pictureMaxBytes: z.int().min(1).max(1_073_741_824).default(20_971_520).meta({
        title: 'Largest picture',
        description: 'The maximum size of an image in bytes. Larger images are not stored.',
    }),
    pictureAllowSvg: z.boolean().default(false).meta({
        title: 'Allow SVG',
        description: 'Accepts SVG images, which may contain scripts. Switch it on only for sources that you trust.',
    }),
    pictureRefresh: z.enum(['CHANGED', 'NEVER']).default('CHANGED').meta({
        title: 'Refresh pictures',
        description:
            'CHANGED: checks once per run whether a known image has changed. NEVER: a known image is not requested again.',
    }),
});

export interface ImageOptions {
    readonly pictureBaseUrl?: string | undefined;
    readonly pictureMaxBytes: number;
    readonly pictureAllowSvg: boolean;
    readonly pictureRefresh: 'CHANGED' | 'NEVER';
}

/** A picture that a record names. */
export interface RequestedImage {
    /** The path in the record. */
    readonly path: string;
    /** Identifies it before anything is fetched: its address, or `sha256:` and its digest. */
    readonly key: string;
    readonly url?: string;
    readonly content?: { readonly bytes: Buffer; readonly declared: string | undefined };
    /** SHA-256 of its bytes, if it is known beforehand. */
    readonly digest?: string;
}

/** Identifies a request: the same address with another digest is another request. */
export function imageKeyOf({ key, digest = '' }: RequestedImage): string {
    return `${key} ${digest}`;
}

interface Given {
    readonly path: string;
    readonly faults: RecordIssues;
    /** The digest of its bytes according to the record. */
    readonly digest?: string | undefined;
}

const DATA_URL = /^data:([^,;]{0,100})[^,]{0,200};base64,/i;
const MOST_CHARS = 4_000;

/** A picture by a text: a data URL, or the address of a file, which may be relative to the base URL. */
export function imageAt(text: string, options: ImageOptions, given: Given): RequestedImage | undefined {
    if (/^data:/i.test(text)) return imageOf(text, options, given);
    const { path, digest } = given;
    const base = options.pictureBaseUrl;
    const url = text.length <= MOST_CHARS && URL.canParse(text, base) ? new URL(text, base) : undefined;
    const refuse = (problem: string): undefined => given.faults.add(path, problem, text) as undefined;
    if (!url)
        return refuse(`is ${quoted(text)}, which is not an address; allowed: a URL, or a path with pictureBaseUrl`);
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
        return refuse(`is ${quoted(text)}; allowed: addresses that begin with https:// or http://`);
    if (url.username !== '' || url.password !== '') return refuse('has a user name or a password in its address');
    url.hash = '';
    return { path, key: url.href, url: url.href, ...(digest !== undefined && { digest }) };
}

/** A picture by its bytes: base64, also as a data URL. */
export function imageOf(text: string, options: ImageOptions, given: Given): RequestedImage | undefined {
    const { path, faults: issues, digest: said } = given;
    const refuse = (problem: string): undefined => issues.add(path, problem, text as JsonValue) as undefined;
    const prefix = DATA_URL.exec(text);
    const digits = prefix ? text.slice(prefix[0].length) : text;
    if (digits.length * 0.7 > options.pictureMaxBytes) return refuse(tooLarge(options));
    const bytes = bytesOfBase64(digits);
    if (!bytes || bytes.length === 0) return refuse('is not base64');
    if (bytes.length > options.pictureMaxBytes) return refuse(tooLarge(options));
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (said !== undefined && said !== digest) return refuse(otherBytes(digest));
    return { path, key: `sha256:${digest}`, content: { bytes, declared: prefix?.[1] }, digest };
}

export function tooLarge({ pictureMaxBytes }: Pick<ImageOptions, 'pictureMaxBytes'>): string {
    return `is larger than ${pictureMaxBytes} bytes`;
}

/** Reports that a picture is not the one that its record describes. */
export function otherBytes(digest: string): string {
    return `has the SHA-256 ${digest}, and the record says another`;
}
