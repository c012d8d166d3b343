import { isAscii, isUtf8 } from 'node:buffer';
import { flowError, type FlowError } from '../../core/errors/flow-error';

/** The encodings that a text file may have. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The number of bytes from which an encoding is detected, and the number that is decoded at once. */
const HEAD = 4096;
const PIECE = 64 * 1024;
/** Node's own EXTERN_APEX. */
const MAX_IN_HEAP = 0xfbee9;
/** The least share of ASCII among all UTF-16 units: delimiters, line ends, digits, markup. */
const MIN_ASCII = 0.2;

const BOMS: ReadonlyArray<{ readonly encoding: Encoding; readonly bytes: Uint8Array }> = [
    { encoding: 'utf-8', bytes: Uint8Array.of(0xef, 0xbb, 0xbf) },
    { encoding: 'utf-16le', bytes: Uint8Array.of(0xff, 0xfe) },
    { encoding: 'utf-16be', bytes: Uint8Array.of(0xfe, 0xff) },
];

/** What windows-1252 has at 0x80 to 0x9f; the five places without a character stay control characters, as browsers read them. */
const C1 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * The encoding that the first bytes of a text show: by a byte order mark, or by the zero bytes that UTF-16 has where text is ASCII.
 * UTF-8 where nothing shows another one; windows-1252 cannot be seen.
 */
export function sniffEncoding(head: Uint8Array): Encoding {
    return bomOf(head)?.encoding ?? utf16Without(head) ?? 'utf-8';
}

/**
 * The text of a file. A byte order mark overrides `encoding` and is removed; without either, the first bytes
 * determine the encoding. Broken bytes and NUL are SOURCE_MALFORMED with their offset in the file, counted from 0.
 */
export async function* decoded(
    bytes: AsyncIterable<Uint8Array>,
    encoding?: Encoding,
): AsyncGenerator<string, void, void> {
    let decoder: Decoder | undefined;
    let head: Buffer = Buffer.alloc(0);
    for await (const chunk of bytes) {
        if (decoder) {
            yield* decoder.push(chunk);
            continue;
        }
        head = Buffer.concat([head, chunk]);
        if (head.length < HEAD) continue;
        decoder = new Decoder(head, encoding);
        yield* decoder.push(head);
    }
    if (!decoder) {
        decoder = new Decoder(head, encoding);
        yield* decoder.push(head);
    }
    decoder.end();
}

/**
 * The text of bytes that are UTF-8; undefined of others. Most are ASCII, which is taken far more quickly by another name, as long as they are no
 * more than what Node keeps in the heap by that name: each text outside of it makes collecting garbage dearer than was saved.
 */
export function utf8Text(bytes: Buffer): string | undefined {
    if (isAscii(bytes)) return bytes.toString(bytes.length < MAX_IN_HEAP ? 'latin1' : 'utf8');
    return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** Decodes piece by piece; keeps back the bytes of a character that is not complete. */
class Decoder {
    private readonly encoding: Encoding;
    private kept: Buffer = Buffer.alloc(0);
    /** The number of bytes of the file before the next piece. */
    private offset = 0;
    private bomLength: number;

    constructor(head: Uint8Array, encoding: Encoding | undefined) {
        const bom = bomOf(head);
        this.encoding = bom?.encoding ?? encoding ?? sniffEncoding(head);
        this.bomLength = bom?.bytes.length ?? 0;
    }

    *push(chunk: Uint8Array): Generator<string, void, void> {
        for (let from = this.takeBom(); from < chunk.length; from += PIECE) {
            const piece = chunk.subarray(from, from + PIECE);
            const bytes =
                this.kept.length > 0
                    ? Buffer.concat([this.kept, piece])
                    : Buffer.from(piece.buffer, piece.byteOffset, piece.length);
            const whole = bytes.length - this.incomplete(bytes);
            this.kept = Buffer.from(bytes.subarray(whole));
            const text = this.text(bytes.subarray(0, whole));
            this.offset += whole;
            if (text !== '') yield text;
        }
    }

    end(): void {
        if (this.kept.length > 0) throw this.broken(0);
    }

    private takeBom(): number {
        const length = this.bomLength;
        this.offset += length;
        this.bomLength = 0;
        return length;
    }

    /** The number of bytes at the end that belong to a character that continues in the next piece. */
    private incomplete(bytes: Buffer): number {
        if (this.encoding === 'windows-1252') return 0;
        if (this.encoding === 'utf-8') return incompleteUtf8(bytes);
        const odd = bytes.length % 2;
        const high = bytes[bytes.length - odd - (this.encoding === 'utf-16le' ? 1 : 2)];
        return odd + (high !== undefined && (high & 0xfc) === 0xd8 ? 2 : 0);
    }

    private text(bytes: Buffer): string {
        const text =
            this.encoding === 'utf-8'
                ? this.utf8(bytes)
                : this.encoding === 'windows-1252'
                  ? windows1252(bytes)
                  : this.utf16(bytes);
        const nul = text.indexOf('\0');
        if (nul >= 0)
            throw this.malformed(
                this.encoding.startsWith('utf-16') ? 2 * nul : bytes.indexOf(0),
                'a NUL byte, which no text has, so that it is hardly a text file',
            );
        return text;
    }

    private utf8(bytes: Buffer): string {
        const text = utf8Text(bytes);
        if (text === undefined) throw this.broken(firstBroken(bytes));
        return text;
    }

    private utf16(bytes: Buffer): string {
        // The bytes are the caller's, so they are swapped in a copy.
        const text = (this.encoding === 'utf-16le' ? bytes : Buffer.from(bytes).swap16()).toString('utf16le');
        const lone = text.search(/\p{Surrogate}/u);
        if (lone >= 0) throw this.broken(2 * lone);
        return text;
    }

    private broken(at: number): FlowError {
        const hint =
            this.encoding === 'utf-8'
                ? '; if the file was saved by an older Windows program, set encoding to windows-1252'
                : '';
        return this.malformed(at, `the bytes are not ${this.encoding.toUpperCase()}${hint}`);
    }

    private malformed(at: number, problem: string): FlowError {
        return flowError('SOURCE_MALFORMED', { where: `byte ${this.offset + at}`, problem });
    }
}

function bomOf(head: Uint8Array): (typeof BOMS)[number] | undefined {
    return BOMS.find(({ bytes }) => bytes.every((byte, i) => head[i] === byte));
}

/**
 * Text nearly always begins with ASCII or a Latin letter, and has many of them: one byte of such a unit is zero,
 * always the same one.
 */
function utf16Without(head: Uint8Array): Encoding | undefined {
    const units = Math.floor(Math.min(head.length, HEAD) / 2);
    const zeros: [number, number] = [0, 0];
    for (let i = 0; i < 2 * units; i++) {
        if (head[i] === 0) zeros[(i % 2) as 0 | 1]++;
    }
    const isMostly = (here: number, there: number): boolean => here >= MIN_ASCII * units && here > 10 * there;
    if (head[1] === 0 && isMostly(zeros[1], zeros[0])) return 'utf-16le';
    if (head[0] === 0 && isMostly(zeros[0], zeros[1])) return 'utf-16be';
    return undefined;
}

function incompleteUtf8(bytes: Buffer): number {
    for (let back = 1; back <= Math.min(3, bytes.length); back++) {
        const byte = bytes[bytes.length - back]!;
        if (byte < 0x80) return 0;
        if (byte < 0xc0) continue;
        const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
        return length > back ? back : 0;
    }
    return 0;
}

/**
 * The place of the first byte that is not UTF-8: there the lenient decoder puts a replacement character that the
 * bytes do not have.
 */
function firstBroken(bytes: Buffer): number {
    const text = bytes.toString('utf8');
    let place = 0;
    let from = 0;
    for (let i = text.indexOf('\ufffd'); i >= 0; i = text.indexOf('\ufffd', from)) {
        place += Buffer.byteLength(text.slice(from, i));
        if (bytes[place] !== 0xef || bytes[place + 1] !== 0xbf || bytes[place + 2] !== 0xbd) return place;
        place += 3;
        from = i + 1;
    }
    return place;
}

function windows1252(bytes: Buffer): string {
    return bytes.toString('latin1').replace(/[\x80-\x9f]/g, character => C1[character.charCodeAt(0) - 0x80]!);
}
