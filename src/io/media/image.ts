import type { Metadata, Sharp } from 'sharp';
import { base64Of, bytesOfBase64 } from './base64';
import { PixelGate } from './pixel-gate';

/**
 * The formats that can be read and written. Nothing else reaches the decoder: no SVG, no PDF, nothing that could name
 * other files.
 */
type ImageFormat = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif';
type ImageFit = 'cover' | 'contain' | 'fill' | 'inside' | 'outside';

/** How to change an image; properties without a value stay unchanged. */
export interface ImageRequest {
    readonly width?: number | undefined;
    readonly height?: number | undefined;
    readonly fit?: ImageFit | undefined;
    readonly format?: ImageFormat | undefined;
    readonly quality: number;
}

/** The image as it came, base64 or a data URL, or why there is none, as the end of a sentence about the field. */
type ImageResult = { readonly image: string } | { readonly problem: string };

/** How large images may be, before and after. */
export const MAX_IMAGE_BYTES = 32 * 1024 * 1024;
export const MAX_MEGAPIXELS = 100;

const MAX_PIXELS = MAX_MEGAPIXELS * 1_000_000;
const MAX_SECONDS = 60;
const MAX_AT_ONCE = 2;
const DATA_URL = /^data:[^,]{0,200};base64,/i;
/** The number of characters that identify a format by its first bytes. */
const SNIFFED = 64;
const ALLOWED = 'allowed: JPEG, PNG, WebP, AVIF and GIF';
const WHITE = { r: 255, g: 255, b: 255 };

const MOVING: ReadonlySet<ImageFormat> = new Set(['gif', 'webp']);

type SharpModule = typeof import('sharp');

let loading: Promise<SharpModule> | undefined;

/** Loads the image library, which a server without images never does. Rejects when it is not installed for this machine. */
export function loadImages(): Promise<unknown> {
    return (loading ??= import('sharp').then(module => module.default));
}

// The decoder uses separate threads, some of which the process needs for other work; and pixels fill the memory.
const gate = new PixelGate(MAX_AT_ONCE, MAX_PIXELS);

/** Resizes or converts one image. EXIF orientation is applied, and all metadata is removed. */
export async function changeImage(text: string, request: ImageRequest): Promise<ImageResult> {
    const prefix = DATA_URL.exec(text)?.[0] ?? '';
    const format = formatOf(Buffer.from(text.slice(prefix.length, prefix.length + SNIFFED), 'base64'));
    if (format === undefined) return { problem: `is not an image; ${ALLOWED} as base64, also as a data URL` };
    if ((text.length - prefix.length) * 0.75 > MAX_IMAGE_BYTES * 1.05) return tooLarge();
    const bytes = bytesOfBase64(text.slice(prefix.length));
    if (bytes === undefined) return { problem: 'is not base64' };
    if (bytes.length > MAX_IMAGE_BYTES) return tooLarge();
    const result = await changeBytes(bytes, request);
    if ('problem' in result) return result;
    if (result.bytes.length > MAX_IMAGE_BYTES)
        return {
            problem: `becomes an image of ${megabytes(result.bytes.length)}; at most ${megabytes(MAX_IMAGE_BYTES)} are allowed`,
        };
    return { image: (prefix === '' ? '' : `data:image/${request.format ?? format};base64,`) + base64Of(result.bytes) };
}

function tooLarge(): ImageResult {
    return { problem: `is larger than ${megabytes(MAX_IMAGE_BYTES)}` };
}

function megabytes(bytes: number): string {
    return `${Math.ceil(bytes / 1024 / 1024)} MB`;
}

async function changeBytes(
    bytes: Buffer,
    request: ImageRequest,
): Promise<{ readonly bytes: Buffer } | { readonly problem: string }> {
    const sharp = (await loadImages()) as SharpModule;
    try {
        const source = await sharp(bytes, { limitInputPixels: false }).metadata();
        const format = knownFormat(source);
        if (format === undefined) return { problem: `is a ${source.format} image; ${ALLOWED}` };
        const target = request.format ?? format;
        // Only these two can move; of another one the first picture is taken.
        const frames = MOVING.has(format) && MOVING.has(target) ? (source.pages ?? 1) : 1;
        const pixels = pixelsOf(source, request, frames);
        if (pixels > MAX_PIXELS)
            return {
                problem: `has or would get ${Math.ceil(pixels / 1_000_000)} million pixels; at most ${MAX_MEGAPIXELS} million are allowed`,
            };
        return await gate.pass(pixels, async () => {
            const image = sharp(bytes, {
                limitInputPixels: MAX_PIXELS,
                sequentialRead: true,
                failOn: 'error',
                animated: frames > 1,
            });
            return {
                bytes: await written(frames > 1 ? image : image.autoOrient(), { ...request, format: target })
                    .timeout({ seconds: MAX_SECONDS })
                    .toBuffer(),
            };
        });
    } catch (error) {
        // All that is thrown here is about these bytes: the library itself has been loaded.
        const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
        return {
            problem: /^timeout/.test(problem)
                ? `took longer than ${MAX_SECONDS} s`
                : `cannot be read as an image (${problem.slice(0, 200)})`,
        };
    }
}

/** The format that the first bytes declare. */
function formatOf(bytes: Buffer): ImageFormat | undefined {
    const text = bytes.toString('latin1');
    if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
    if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
    if (/^GIF8[79]a/.test(text)) return 'gif';
    if (/^RIFF[^]{4}WEBP/.test(text)) return 'webp';
    return /^[^]{4}ftyp(?:avif|avis|mif1|miaf)/.test(text) ? 'avif' : undefined;
}

function knownFormat({ format, compression }: Metadata): ImageFormat | undefined {
    if (format === 'heif') return compression === 'av1' ? 'avif' : undefined;
    return format === 'jpeg' || format === 'png' || format === 'webp' || format === 'gif' ? format : undefined;
}

/** The most that are held before or after, all frames together. */
function pixelsOf(source: Metadata, { width, height, fit }: ImageRequest, frames: number): number {
    const turned = source.orientation !== undefined && source.orientation >= 5;
    const [wide, high] = [source.width, source.pageHeight ?? source.height];
    const [w, h] = turned ? [high, wide] : [wide, high];
    const scales = [width === undefined ? undefined : width / w, height === undefined ? undefined : height / h].filter(
        scale => scale !== undefined,
    );
    if (scales.length === 0) return w * h * frames;
    const scale = fit === 'inside' ? Math.min(...scales) : Math.max(...scales);
    const isExact = width !== undefined && height !== undefined && fit !== 'inside' && fit !== 'outside';
    const after = isExact ? width * height : Math.round(w * scale) * Math.round(h * scale);
    return Math.max(w * h, after) * frames;
}

function written(image: Sharp, { width, height, fit = 'cover', format, quality }: ImageRequest): Sharp {
    const sized =
        width === undefined && height === undefined
            ? image
            : image.resize({
                  ...(width !== undefined && { width }),
                  ...(height !== undefined && { height }),
                  fit,
                  background: { ...WHITE, alpha: 0 },
              });
    if (format === 'jpeg') return sized.flatten({ background: WHITE }).jpeg({ quality });
    if (format === 'webp') return sized.webp({ quality });
    // With the library's usual effort these two take several times longer for a tenth of the size.
    if (format === 'avif') return sized.avif({ quality, effort: 2 });
    if (format === 'gif') return sized.gif({ effort: 3 });
    return sized.png();
}
