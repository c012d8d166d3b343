'use strict';

// Runs in a worker thread (pdf.ts): laying text out takes longer than the shop's own thread may be held up.
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { parentPort } = require('node:worker_threads');
const { createHash } = require('node:crypto');
const { inflateSync } = require('node:zlib');
const PDFDocument = require('pdfkit');

/** 2 cm, in points. */
const MARGIN = 56.7;
const SIZE = 11;
const LINE = 1.25;
const NARROW = 'Helvetica';
const WIDE_FILE = '@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff';

/** What Windows-1252 has beside Latin-1: all that the fonts built into every PDF reader can show. */
const BEYOND_LATIN_1 = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');
const LATIN_1 = /^[\n\x20-\x7e\xa0-\xff]*$/;
/** Written from right to left, or shaped by rules of their own, which this layout does not know. */
const NOT_LAID_OUT =
    /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Lao}]/u;

let wide;

/** The embedded font, for text that the built-in one cannot show. */
function wideFont() {
    // pdfkit's own copy: it takes only fonts of the kind that it would open itself.
    const fontkit = createRequire(require.resolve('pdfkit'))('fontkit');
    wide ??= fontkit.create(sfntOf(readFileSync(require.resolve(WIDE_FILE))));
    return wide;
}

/** The font in a WOFF file. fontkit would read WOFF as well, and inflate each table anew with every use of it. */
function sfntOf(woff) {
    const count = woff.readUInt16BE(12);
    const head = Buffer.alloc(12 + 16 * count);
    woff.copy(head, 0, 4, 8);
    head.writeUInt16BE(count, 4);
    const parts = [head];
    let at = head.length;
    for (let i = 0; i < count; i++) {
        const entry = 44 + 20 * i;
        const [offset, stored, length] = [4, 8, 12].map(field => woff.readUInt32BE(entry + field));
        const raw = woff.subarray(offset, offset + stored);
        const table = stored < length ? inflateSync(raw) : raw;
        const place = 12 + 16 * i;
        woff.copy(head, place, entry, entry + 4);
        woff.copy(head, place + 4, entry + 16, entry + 20);
        head.writeUInt32BE(at, place + 8);
        head.writeUInt32BE(length, place + 12);
        const padded = Buffer.alloc(Math.ceil(length / 4) * 4);
        table.copy(padded);
        parts.push(padded);
        at += padded.length;
    }
    return Buffer.concat(parts);
}

/** The font of a text, or the character that none has. */
function fontFor(text) {
    if (LATIN_1.test(text) || isNarrow(text)) return { font: NARROW };
    const font = wideFont();
    for (const character of new Set(text)) {
        if (character === '\n') continue;
        if (NOT_LAID_OUT.test(character) || !font.hasGlyphForCodePoint(character.codePointAt(0)))
            return { lacks: character };
    }
    return { font };
}

function isNarrow(text) {
    for (const character of new Set(text)) if (!LATIN_1.test(character) && !BEYOND_LATIN_1.has(character)) return false;
    return true;
}

/** Lines no wider than the page, broken behind spaces and hyphens, and anywhere in a word that is wider than a line. */
class Lines {
    constructor(widthOf, width) {
        this.widthOf = widthOf;
        this.width = width;
        this.known = new Map();
    }

    *of(paragraph) {
        let line = '';
        let used = 0;
        for (const [word] of paragraph.matchAll(/[^ -]*[ -]+|[^ -]+/g)) {
            const room = this.width - used;
            // Spaces at the end of a line may stand out over the margin.
            if (this.measure(word.trimEnd()) <= room) {
                line += word;
                used += this.measure(word);
                continue;
            }
            if (line !== '') yield line;
            const pieces = this.measure(word.trimEnd()) <= this.width ? [word] : this.cut(word);
            yield* pieces.slice(0, -1);
            line = pieces.at(-1);
            used = this.measure(line);
        }
        yield line;
    }

    measure(word) {
        let width = this.known.get(word);
        if (width === undefined) {
            width = this.widthOf(word);
            this.known.set(word, width);
        }
        return width;
    }

    cut(word) {
        const pieces = [];
        let piece = '';
        let used = 0;
        for (const letter of word) {
            const width = this.measure(letter);
            if (used + width > this.width) {
                pieces.push(piece);
                piece = '';
                used = 0;
            }
            piece += letter;
            used += width;
        }
        return [...pieces, piece];
    }
}

/** Nothing in it depends on the time or the run: the same text gives the same bytes. */
function render({ text, size, layout }) {
    const { font, lacks } = fontFor(text);
    if (lacks !== undefined) return { lacks };
    // The digest ends up in the document's id, and is taken out of what a reader shows, like the date that pdfkit asks for.
    const digest = createHash('sha256').update(text).digest('hex');
    const document = new PDFDocument({
        size,
        layout,
        margin: MARGIN,
        font,
        info: { Creator: 'Flow', Producer: 'Flow', CreationDate: new Date(0), Digest: digest },
    });
    delete document.info.Digest;
    Object.defineProperty(document.info, 'CreationDate', { enumerable: false });
    const chunks = [];
    document.on('data', chunk => chunks.push(chunk));
    document.fontSize(SIZE);
    const step = document.currentLineHeight(true) * LINE;
    const { width, height } = document.page;
    const lines = new Lines(word => document.widthOfString(word), width - 2 * MARGIN);
    let y = MARGIN;
    for (const paragraph of text.split('\n')) {
        for (const line of lines.of(paragraph)) {
            if (y + step > height - MARGIN) {
                document.addPage();
                y = MARGIN;
            }
            if (line.trim() !== '') document.text(line.trimEnd(), MARGIN, y, { lineBreak: false });
            y += step;
        }
    }
    return new Promise((resolve, reject) => {
        document.on('end', () => resolve({ bytes: Buffer.concat(chunks) }));
        document.on('error', reject);
        document.end();
    });
}

parentPort.on('message', async order => {
    parentPort.postMessage(await render(order));
});
