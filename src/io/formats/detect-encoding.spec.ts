import { detectEncoding, EncodingDetector } from './detect-encoding';
import { SINGLE_BYTE_ENCODINGS, type SingleByteEncoding, upperCharacter } from './single-byte';

function encoded(text: string, encoding: SingleByteEncoding): Buffer {
    const bytes = new Map<string, number>();
    for (let byte = 0x80; byte < 0x100; byte++) bytes.set(upperCharacter(encoding, byte), byte);
    return Buffer.from(
        [...text].map(character => {
            const byte = character.charCodeAt(0) < 0x80 ? character.charCodeAt(0) : bytes.get(character);
            if (byte === undefined) throw new Error(`${encoding} has no ${character}`);
            return byte;
        }),
    );
}

const GERMAN = 'Preisliste Müller & Söhne;gültig ab\nGröße;Weiße Äpfel;grün\n';
const FRENCH = "Référence;Désignation\nA1;Pêche à la crème, façon maison\nA2;Théière d'été\n";
const SPANISH = 'Código;Tamaño\n1;Pequeño y cómodo, edición otoño\n';
const ITALIAN = 'Quantità;Città\n1;Perché è già così\n';
const POLISH = 'Nazwa;Ilość\nŻółty płaszcz męski;3\nKsiążka dla dzieci, ciężka;5\nŚwieca zapachowa, łatwa;2\n';
const PORTUGUESE = 'Descrição;Preço\nCalção de algodão;3\nPão de forma;4\n';

describe('the encoding of a text', () => {
    it.each<[string, string, SingleByteEncoding]>([
        ['German of Windows', GERMAN, 'windows-1252'],
        ['German with a currency sign', `${GERMAN}12,50 €;3\n`, 'windows-1252'],
        ['French of Windows, with a curly apostrophe', `${FRENCH}L’été;1\n`, 'windows-1252'],
        ['Spanish of Windows', SPANISH, 'windows-1252'],
        ['Italian of Windows', ITALIAN, 'windows-1252'],
        ['Portuguese of Windows', PORTUGUESE, 'windows-1252'],
        ['German of Linux with a currency sign', `${GERMAN}12,50 €;3\n`, 'iso-8859-15'],
        ['French of Linux', `${FRENCH}Cœur de bœuf;5 €\n`, 'iso-8859-15'],
        ['Polish of Windows', POLISH, 'windows-1250'],
        ['Polish of Linux', POLISH, 'iso-8859-2'],
        ['German of an old Mac', GERMAN, 'macintosh'],
        ['French of an old Mac', FRENCH, 'macintosh'],
        ['Spanish of an old Mac', SPANISH, 'macintosh'],
        ['German of DOS', GERMAN, 'ibm850'],
        ['French of DOS', FRENCH, 'ibm850'],
        ['Portuguese of DOS', PORTUGUESE, 'ibm850'],
    ])('is found: %s', (_, text, encoding) => {
        expect(detectEncoding(encoded(text, encoding)).encoding).toBe(encoding);
    });

    it.each<[string, Buffer, string]>([
        ['a byte order mark', Buffer.from('\ufeffä'), 'utf-8'],
        ['zero bytes', Buffer.from('sku;näme\n', 'utf16le'), 'utf-16le'],
        ['valid UTF-8', Buffer.from(GERMAN), 'utf-8'],
        ['ASCII', Buffer.from('sku,name\n'), 'utf-8'],
        [
            'UTF-8 that is cut within a character',
            Buffer.from(GERMAN.slice(0, GERMAN.indexOf('ß') + 1)).subarray(0, -1),
            'utf-8',
        ],
        ['a last byte that is not UTF-8', Buffer.from('sku;caf\xe9', 'latin1'), 'windows-1252'],
    ])('is decided by %s', (_, bytes, encoding) => {
        expect(detectEncoding(bytes)).toMatchObject({ encoding });
        const detector = new EncodingDetector();
        for (let i = 0; i < bytes.length; i++) detector.push(bytes.subarray(i, i + 1));
        expect(detector.end().encoding).toBe(encoding);
    });

    it('is not in doubt between encodings that give the same text', () => {
        expect(detectEncoding(encoded(GERMAN, 'windows-1252')).alternatives).not.toContain('iso-8859-15');
        expect(detectEncoding(encoded(`${GERMAN}5 €`, 'windows-1252')).alternatives).toContain('iso-8859-15');
        expect(detectEncoding(Buffer.from(GERMAN)).alternatives).toEqual([]);
    });

    it('covers 128 different bytes of each encoding', () => {
        for (const encoding of SINGLE_BYTE_ENCODINGS)
            expect(Array.from({ length: 128 }, (_, i) => upperCharacter(encoding, 0x80 + i)).join('')).toHaveLength(
                128,
            );
    });
});
