import fc from 'fast-check';
import { decoded, type Encoding, ENCODINGS, sniffEncoding } from './decode';
import { isSingleByte, upperCharacter } from './single-byte';

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, void> {
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function textOf(
    bytes: Uint8Array,
    { size = 65_536, encoding }: { size?: number; encoding?: Encoding } = {},
): Promise<string> {
    let text = '';
    for await (const piece of decoded(cut(bytes, size), encoding)) text += piece;
    return text;
}

const BOMS: Record<Encoding, string> = {
    'utf-8': '\ufeff',
    'utf-16le': '\ufeff',
    'utf-16be': '\ufeff',
    'windows-1252': '',
    'windows-1250': '',
    'iso-8859-15': '',
    'iso-8859-2': '',
    macintosh: '',
    ibm850: '',
};

function encodedAs(encoding: Encoding, text: string): Buffer {
    if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
    if (isSingleByte(encoding)) {
        const upper = Array.from({ length: 128 }, (_, i) => upperCharacter(encoding, 0x80 + i));
        return Buffer.from([...text].map(one => (one < '\x80' ? one.charCodeAt(0) : 0x80 + upper.indexOf(one))));
    }
    return Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le');
}

const TEXTS: Partial<Record<Encoding, string>> = {
    'windows-1252': 'a,é€“ß\n',
    'windows-1250': 'a,łŚ€“ß\n',
    'iso-8859-15': 'a,é€œß\n',
    'iso-8859-2': 'a,łŚąß\n',
    macintosh: 'a,é“ß€\n',
    ibm850: 'a,éßØ\n',
};

describe('bytes are decoded', () => {
    const sample = 'a,é€“ß\nſtraße,x\n';
    const full = `${sample}😀 \ufffd 漢字 \ufffd\n`;

    it.each(ENCODINGS)('as %s, alike however they are cut', async encoding => {
        const text = TEXTS[encoding] ?? full;
        const bytes = encodedAs(encoding, BOMS[encoding] + text);
        for (let size = 1; size <= 64; size++) expect(await textOf(bytes, { size, encoding })).toBe(text);
    });

    it('as they were encoded, whatever the text, wherever they are cut', async () => {
        const text = fc.string({
            unit: fc.constantFrom('a', ',', '\n', 'é', '€', '漢', '😀', '\ufffd', '\u0080', '\ud7ff', '\u{10ffff}'),
            maxLength: 40,
        });
        await fc.assert(
            fc.asyncProperty(
                text,
                fc.integer({ min: 1, max: 64 }),
                fc.constantFrom<Encoding>('utf-8', 'utf-16le', 'utf-16be'),
                async (whole, size, encoding) => {
                    expect(await textOf(encodedAs(encoding, whole), { size, encoding })).toBe(whole);
                    expect(await textOf(encodedAs(encoding, BOMS[encoding] + whole), { size })).toBe(whole);
                },
            ),
            { numRuns: 500 },
        );
    });

    it('over many pieces of a long file', async () => {
        const text = 'ä😀x'.repeat(60_000);
        for (const size of [4095, 4097, 65_537, 1_000_000])
            expect(await textOf(Buffer.from(text), { size })).toBe(text);
    });

    it.each([
        ['utf-16le', 'a'],
        ['utf-16be', 'a'],
        ['utf-8', ''],
    ] as const)('as %s by the mark at their beginning, whatever was said', async (encoding, text) => {
        expect(await textOf(encodedAs(encoding, `\ufeff${text}`), { encoding: 'windows-1252' })).toBe(text);
    });

    it('as windows-1252, in which each byte is a character', async () => {
        const bytes = Uint8Array.from({ length: 255 }, (_, i) => i + 1);
        const text = await textOf(bytes, { encoding: 'windows-1252' });
        expect(text).toHaveLength(255);
        expect(text.slice(0x80 - 1, 0x8f)).toBe('€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f');
        expect(text.slice(0x90 - 1, 0xa1)).toBe('\x90‘’“”•–—˜™š›œ\x9džŸ\xa0¡');
    });
});

describe('invalid bytes', () => {
    const long = Buffer.from(`${'ä'.repeat(50_000)}\ufffd${'b'.repeat(50_000)}`);

    it.each<[string, Uint8Array, number]>([
        ['a byte that begins nothing', Buffer.concat([long, Buffer.of(0xff), long]), long.length],
        ['a character that is cut off by another', Buffer.concat([long, Buffer.of(0xe2, 0x82), long]), long.length],
        ['half a surrogate pair', Buffer.concat([long, Buffer.of(0xed, 0xa0, 0x80), long]), long.length],
        ['an overlong character', Buffer.concat([Buffer.from('ab'), Buffer.of(0xc0, 0xaf)]), 2],
        [
            'a character that is cut off by the end',
            Buffer.concat([Buffer.from('\ufeffab'), Buffer.of(0xf0, 0x9f, 0x98)]),
            5,
        ],
        ['a continuation byte alone', Buffer.of(0x61, 0x80, 0x61), 1],
    ])('are rejected with their place: %s', async (_, bytes, place) => {
        for (const size of [1, 3, 1000, 65_536, 300_000]) {
            if (size < 1000 && bytes.length > 1000) continue;
            await expect(textOf(bytes, { size })).rejects.toMatchObject({
                code: 'SOURCE_MALFORMED',
                facts: { where: `byte ${place}`, problem: expect.stringMatching(/UTF-8.*windows-1252/) },
            });
        }
    });

    it.each<[string, Uint8Array, Encoding, string]>([
        ['a NUL in UTF-8', Buffer.from('sku,näme\n1,\0'), 'utf-8', 'byte 12: a NUL byte'],
        ['a NUL in windows-1252', Buffer.from('ab\0', 'latin1'), 'windows-1252', 'byte 2: a NUL byte'],
        ['a NUL in UTF-16', Buffer.from('\ufeffab\0', 'utf16le'), 'utf-16le', 'byte 6: a NUL byte'],
        [
            'a lone surrogate in UTF-16',
            Buffer.from('ab\ud800c', 'utf16le'),
            'utf-16le',
            'byte 4: the bytes are not UTF-16LE',
        ],
        [
            'a lone surrogate at the end of UTF-16',
            Buffer.from('ab\ud800', 'utf16le').swap16(),
            'utf-16be',
            'byte 4: the bytes are not UTF-16BE',
        ],
    ])('are rejected: %s', async (_, bytes, encoding, message) => {
        for (const size of [1, 2, 3, 100]) {
            await expect(textOf(bytes, { size, encoding })).rejects.toMatchObject({
                code: 'SOURCE_MALFORMED',
                message: expect.stringContaining(message),
            });
        }
    });
});

describe('an encoding is seen', () => {
    it.each<[string, Uint8Array, Encoding]>([
        ['by the mark of UTF-8', Buffer.from('\ufeffä'), 'utf-8'],
        ['by the mark of UTF-16LE', Buffer.of(0xff, 0xfe), 'utf-16le'],
        ['by the mark of UTF-16BE', Buffer.of(0xfe, 0xff), 'utf-16be'],
        ['by the zero bytes of UTF-16LE', Buffer.from('名,x\nsku,12', 'utf16le').subarray(2), 'utf-16le'],
        ['by the zero bytes of UTF-16BE', Buffer.from('sku,漢字\n1,2', 'utf16le').swap16(), 'utf-16be'],
        ['in no other case', Buffer.from('sku,näme'), 'utf-8'],
        ['in a text with a single zero byte neither', Buffer.from('sku,name,price\0,stock\n1,2,3,4\n'), 'utf-8'],
        ['in nothing neither', Buffer.alloc(0), 'utf-8'],
    ])('%s', (_, head, encoding) => {
        expect(sniffEncoding(head)).toBe(encoding);
    });
});
