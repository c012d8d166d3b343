import { imageSize } from 'image-size';

/** The number of bytes that identify a file's type; Vendure's AssetService reads as many. */
export const HEAD_BYTES = 4_100;

/** What a file is by its first bytes. */
export interface ImageKind {
    readonly mimeType: string;
    /** Without the dot. */
    readonly extension: string;
}

interface Judging {
    /** The type that its server or its data URL declares. */
    readonly declared: string | undefined;
    /** As Vendure's option `permittedFileTypes`: "image/*", "image/png", ".pdf". */
    readonly permitted: readonly string[];
    readonly allowsSvg: boolean;
}

/** Types that servers declare if they do not know the type. */
const UNKNOWN_TYPES = new Set(['application/octet-stream', 'binary/octet-stream', 'application/x-download']);
const SVG: ImageKind = { mimeType: 'image/svg+xml', extension: 'svg' };
/** What may precede the outermost element of a document, by its beginning and end. */
const BEFORE_SVG: ReadonlyArray<readonly [begin: RegExp, end: string]> = [
    [/^<\?xml\b/i, '>'],
    [/^<!--/, '-->'],
    [/^<!DOCTYPE\s+svg[^>[]*>/i, '>'],
];
const PAGE_START = /^\uFEFF?\s*<(?:!doctype\s+html|html|head|body|script)/i;

/**
 * The type of a file, or why the shop does not accept it, as the end of a sentence. Both its first bytes and its declared type must be permitted.
 */
export async function detectPicture(
    head: Buffer,
    { declared: said, permitted, allowsSvg }: Judging,
): Promise<ImageKind | { readonly problem: string }> {
    const declared = said?.split(';')[0]!.trim().toLowerCase();
    if (head.length === 0) return { problem: 'leads to a file without a byte' };
    const text = head.toString('utf8');
    if (PAGE_START.test(text)) return { problem: 'is a web page, not a picture' };
    const kind = isSvg(text) ? SVG : await sniffed(head);
    if (kind === undefined) return { problem: 'is of an unknown kind; its first bytes match no known format' };
    if (kind === SVG && !allowsSvg)
        return { problem: 'is an SVG picture, which may carry scripts; pictureAllowSvg: true takes them' };
    if (!isPermitted(kind, permitted)) return rejected(kind.mimeType, permitted);
    const isKnown = declared !== undefined && declared !== '' && !UNKNOWN_TYPES.has(declared);
    if (isKnown && !isPermitted({ mimeType: declared, extension: '' }, permitted) && declared !== kind.mimeType)
        return rejected(declared, permitted);
    return kind;
}

/**
 * Whether the outermost element of a document is `svg`. Reads the document once; a single pattern would take very long for consecutive comments.
 */
function isSvg(text: string): boolean {
    for (let rest = text.replace(/^\uFEFF/, '').trimStart(); ;) {
        const [, end] = BEFORE_SVG.find(([begin]) => begin.test(rest)) ?? [];
        if (end === undefined) return /^<svg[\s>]/i.test(rest);
        const at = rest.indexOf(end, end.length);
        if (at < 0) return false;
        rest = rest.slice(at + end.length).trimStart();
    }
}

function rejected(mimeType: string, permitted: readonly string[]): { readonly problem: string } {
    return { problem: `is of the type ${mimeType.slice(0, 100)}; the shop permits ${permitted.join(', ')}` };
}

async function sniffed(head: Buffer): Promise<ImageKind | undefined> {
    // The library is an ECMAScript module only.
    const { fileTypeFromBuffer } = await import('file-type');
    const found = await fileTypeFromBuffer(head).catch(() => undefined);
    return found && { mimeType: found.mime, extension: found.ext };
}

function isPermitted({ mimeType, extension }: ImageKind, permitted: readonly string[]): boolean {
    const [type] = mimeType.split('/');
    return permitted.some(one => one === mimeType || one === `${type}/*` || one === `.${extension}`);
}

/** Width and height as Vendure stores them: 0 if they are unknown. */
export function dimensionsOf(file: Uint8Array): { readonly width: number; readonly height: number } {
    try {
        const { width, height } = imageSize(file);
        return { width, height };
    } catch {
        return { width: 0, height: 0 };
    }
}
