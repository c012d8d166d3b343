import { isAscii, isUtf8 } from 'node:buffer';
import { type Encoding, encodingOfMark, incompleteUtf8, sniffEncoding } from './decode';
import { SINGLE_BYTE_ENCODINGS, type SingleByteEncoding, upperCharacter } from './single-byte';

/** The encoding of a text and others that are possible. */
export interface DetectedEncoding {
    readonly encoding: Encoding;
    /** Encodings that give another text, the likeliest first; empty if the bytes decide. */
    readonly alternatives: readonly Encoding[];
}

/** Bytes that are scored at most; they come from the parts of the text that are not ASCII. */
const SCORED_BYTES = 256 * 1024;
/** Alternatives that are offered. */
const MAX_ALTERNATIVES = 3;
const HEAD = 4096;

/** Letters of German, French, Spanish, Italian, Dutch, Polish and Portuguese that ASCII does not have. */
const LETTERS = new Set('äöüßàâçéèêëîïôùûœñáíóúìòãõąćęłńśźżÄÖÜÀÂÇÉÈÊËÎÔÛŒÑÁÍÓÚÃÕĄĆĘŁŃŚŹŻ');
/** Words of one letter. */
const WORDS = new Set('àáéèóòôÀÉ');
const OPENING = new Set('„“‘‚«‹¿¡§–—…•€£°×');

/** The encoding of a text. `bytes` are the whole text or its beginning. */
export function detectEncoding(bytes: Uint8Array): DetectedEncoding {
    const detector = new EncodingDetector();
    detector.push(bytes);
    return detector.end();
}

/**
 * Detects the encoding of a text that comes in pieces: by a byte order mark, by the zero bytes of UTF-16, by valid UTF-8, and otherwise by the
 * characters that each encoding with one byte per character makes of it.
 */
export class EncodingDetector {
    private head: Buffer = Buffer.alloc(0);
    private isUtf8 = true;
    private hasUtf8 = false;
    private kept: Buffer = Buffer.alloc(0);
    private readonly scored: Buffer[] = [];
    private scoredLength = 0;

    push(piece: Uint8Array): void {
        const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
        if (this.head.length < HEAD) this.head = Buffer.concat([this.head, bytes.subarray(0, HEAD - this.head.length)]);
        if (isAscii(bytes) && this.kept.length === 0) return;
        if (this.isUtf8) this.checkUtf8(bytes);
        if (this.scoredLength < SCORED_BYTES) this.keep(bytes);
    }

    end(): DetectedEncoding {
        const sure = encodingOfMark(this.head) ?? this.utf16() ?? this.utf8();
        return sure === undefined ? bestOf(Buffer.concat(this.scored)) : { encoding: sure, alternatives: [] };
    }

    private utf16(): Encoding | undefined {
        const encoding = sniffEncoding(this.head);
        return encoding === 'utf-8' ? undefined : encoding;
    }

    /** A character may be cut at the end of the bytes if there is another one of UTF-8. */
    private utf8(): Encoding | undefined {
        return this.isUtf8 && (this.kept.length === 0 || this.hasUtf8) ? 'utf-8' : undefined;
    }

    private checkUtf8(piece: Buffer): void {
        const bytes = this.kept.length > 0 ? Buffer.concat([this.kept, piece]) : piece;
        const whole = bytes.subarray(0, bytes.length - incompleteUtf8(bytes));
        this.kept = Buffer.from(bytes.subarray(whole.length));
        this.isUtf8 = isUtf8(whole);
        this.hasUtf8 ||= !isAscii(whole);
    }

    private keep(bytes: Buffer): void {
        const first = bytes.findIndex(byte => byte >= 0x80);
        const part = bytes.subarray(Math.max(0, first - 1), first + SCORED_BYTES - this.scoredLength);
        this.scored.push(Buffer.from(part));
        this.scoredLength += part.length;
    }
}

function bestOf(bytes: Buffer): DetectedEncoding {
    const ranked = SINGLE_BYTE_ENCODINGS.map(encoding => ({ encoding, score: scoreOf(bytes, encoding) })).sort(
        (a, b) => b.score - a.score,
    );
    const present = [...new Set(bytes)].filter(byte => byte >= 0x80);
    const textOf = (encoding: SingleByteEncoding): string =>
        present.map(byte => upperCharacter(encoding, byte)).join('');
    const seen = new Set<string>();
    const different = ranked.filter(({ encoding }) => {
        const text = textOf(encoding);
        return seen.has(text) ? false : seen.add(text);
    });
    const [best, ...others] = different.map(({ encoding }) => encoding);
    return { encoding: best ?? 'windows-1252', alternatives: others.slice(0, MAX_ALTERNATIVES) };
}

/** What a character is next to another one. */
interface Character {
    readonly text: string;
    readonly isLetter: boolean;
    readonly isLower: boolean;
    readonly isUpper: boolean;
    readonly isDigit: boolean;
    readonly isControl: boolean;
}

/** How much the characters look like those of a text. Usual letters count for the encoding, capitals and symbols within words against it. */
function scoreOf(bytes: Buffer, encoding: SingleByteEncoding): number {
    const characters = charactersOf(encoding);
    const blank = characters[32]!;
    // Rare encodings lose a draw.
    let score = encoding === 'macintosh' || encoding === 'ibm850' ? -0.55 : 0;
    for (let i = 0; i < bytes.length; i++) {
        if (bytes[i]! < 0x80) continue;
        const before = i > 0 ? characters[bytes[i - 1]!]! : blank;
        const after = i + 1 < bytes.length ? characters[bytes[i + 1]!]! : blank;
        const next = i + 2 < bytes.length ? characters[bytes[i + 2]!]! : blank;
        const earlier = i > 1 ? characters[bytes[i - 2]!]! : blank;
        score += scoreIn(characters[bytes[i]!]!, { earlier, before, after, next });
    }
    return score;
}

function scoreIn(
    character: Character,
    { earlier, before, after, next }: Readonly<Record<'earlier' | 'before' | 'after' | 'next', Character>>,
): number {
    const { text, isLetter, isUpper, isControl } = character;
    if (isControl) return -3;
    if (isLetter) {
        if (isUpper && before.isLower) return -2;
        const isInWord = before.isLetter || after.isLetter;
        if (!isInWord) return WORDS.has(text) ? 0.3 : 0;
        return LETTERS.has(text) ? 1 : 0;
    }
    const followsNumber = before.isDigit || (/\s/.test(before.text) && earlier.isDigit);
    if (text === '€') return followsNumber || after.isDigit || (after.text === ' ' && next.isDigit) ? 1.5 : 0.5;
    if (text === '’') return before.isLetter && after.isLetter ? 1 : 0;
    if ((text === '–' || text === '—') && !before.isLetter && !after.isLetter) return 0.5;
    if (text === '°' && followsNumber) return 0.5;
    if (before.isLetter && after.isLetter) return -1.5;
    return after.isLower && !OPENING.has(text) ? -1.5 : 0;
}

const tables = new Map<SingleByteEncoding, readonly Character[]>();

function charactersOf(encoding: SingleByteEncoding): readonly Character[] {
    let table = tables.get(encoding);
    if (!table) {
        table = Array.from({ length: 256 }, (_, byte) =>
            characterOf(byte < 0x80 ? String.fromCharCode(byte) : upperCharacter(encoding, byte)),
        );
        tables.set(encoding, table);
    }
    return table;
}

function characterOf(text: string): Character {
    return {
        text,
        isLetter: /\p{L}/u.test(text) && !/[ªº]/.test(text),
        isLower: /\p{Ll}/u.test(text),
        isUpper: /\p{Lu}/u.test(text),
        isDigit: /\d/.test(text),
        isControl: /[\x80-\x9f]/.test(text),
    };
}
